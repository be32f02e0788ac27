"""What every driver in Python needs: the scenes of a folder, and a file of answers (../answers.schema.json)."""

import base64
import datetime
import json
import math
import pathlib
import struct
import sys

# The times at which a scene is asked about beside its rest: ../README.md.
TIMES = [0, 0.5, 1, 1.25, 1.75]
GLTF = {"from_gltf": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "of_every_node": False, "units_per_metre": 1}
# Blender's axes: z up, of every node.
Z_UP = {"from_gltf": [[1, 0, 0], [0, 0, -1], [0, 1, 0]], "of_every_node": True, "units_per_metre": 1}


def places():
    """The folder of scenes and the file of answers that the command line names."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: python {sys.argv[0]} SCENES ANSWERS.jsonl")
    return pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def files(folder, *endings):
    """The files of a folder with one of these endings, by name."""
    return sorted(file for file in folder.iterdir() if file.suffix in endings)


def numbers(values):
    """Numbers as JSON has them: what is not finite is null."""
    return [float(value) if math.isfinite(value) else None for value in values]


class Scene:
    """The nodes of a glTF file, for engines that read none."""

    def __init__(self, file):
        data = file.read_bytes()
        if data[:4] == b"glTF":
            (length,) = struct.unpack_from("<I", data, 12)
            self.document, self.binary = json.loads(data[20 : 20 + length]), data[28 + length :]
        else:
            self.document, self.binary = json.loads(data), None
        self.nodes = self.document.get("nodes", [])
        self.parents = [None] * len(self.nodes)
        for index, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parents[child] = index

    def name(self, node):
        return self.nodes[node].get("name") or f"#{node}"

    def path(self, node):
        parent = self.parents[node]
        return (self.path(parent) + "/" if parent is not None else "") + self.name(node)

    def parents_first(self):
        depth = lambda node: 0 if self.parents[node] is None else 1 + depth(self.parents[node])
        return sorted(range(len(self.nodes)), key=depth)

    def pose(self, node):
        """Translation, rotation x y z w and scale."""
        entry = self.nodes[node]
        default = ([0, 0, 0], [0, 0, 0, 1], [1, 1, 1])
        return tuple(entry.get(name, other) for name, other in zip(("translation", "rotation", "scale"), default))

    def matrix(self, node):
        """The matrix of the node, column-major; none where it has a pose."""
        return self.nodes[node].get("matrix")

    def accessor(self, index):
        """The elements of an accessor, each a tuple."""
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        uri = self.document["buffers"][view["buffer"]].get("uri")
        data = base64.b64decode(uri.split(",", 1)[1]) if uri else self.binary
        kind = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        size = struct.calcsize(f"<{width}{kind}")
        stride = view.get("byteStride", size)
        return [struct.unpack_from(f"<{width}{kind}", data, start + i * stride) for i in range(accessor["count"])]


class Run:
    """One way of asking an engine, of any number of scenes."""

    def __init__(self, axes=GLTF, **about):
        date = datetime.date.today().isoformat()
        by = f"Python {sys.version.split()[0]}"
        self.document = {"schema": "xform-answers/1", "date": date, "by": by, "axes": axes, **about, "scenes": {}, "failed": {}}

    def ask(self, name, moments):
        """Asks about a scene; where that fails, the reason is kept."""
        try:
            self.document["scenes"][name] = moments()
        except Exception as error:  # noqa: BLE001: whatever an engine raises is its answer
            self.document["failed"][name] = f"{type(error).__name__}: {error}"[:300]


def write(file, runs):
    """Writes runs, a line each."""
    file.write_text("".join(json.dumps(run.document, separators=(",", ":")) + "\n" for run in runs))
    for run in runs:
        document = run.document
        print(f"{document['run']}, {document['version']}: {len(document['scenes'])} scenes")
        for name, why in document["failed"].items():
            print(f"  {name}: {why}")
