# Not yet run.
"""What 3ds Max shows of the FBX files of a folder, and what it keeps when a node gets no parent (../../README.md).

Set SCENES and ANSWERS below, then Scripting > Run Script… with this file, or paste it into a Python tab of the MAXScript editor.
The scene that is open is thrown away. 3ds Max reads no glTF itself.
"""

import datetime
import json
import math
import pathlib
import platform

from pymxs import runtime as rt

SCENES = r"C:\path\to\scenes"
ANSWERS = r"C:\path\to\3dsmax.jsonl"

# z is up: the importer turns what is above all nodes.
Z_UP = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
# Longer names first: one holds another.
UNITS_PER_METRE = {"millimeters": 1000, "centimeters": 100, "kilometers": 0.001, "meters": 1, "inches": 1 / 0.0254, "feet": 1 / 0.3048, "miles": 1 / 1609.344}


def numbers(values):
    """Numbers as JSON has them: what is not finite is null."""
    return [float(value) if math.isfinite(value) else None for value in values]


def units_per_metre():
    """Of the system unit, which the importer converts to; not of the one that is shown."""
    kind = str(rt.units.SystemType).lower()
    return next(per for name, per in UNITS_PER_METRE.items() if name in kind) / float(rt.units.SystemScale)


def imported(file):
    """The nodes that a file brings into an empty scene."""
    rt.resetMaxFile(rt.Name("noPrompt"))
    # The settings of the last import would still hold.
    rt.FBXImporterSetParam("ResetImport")
    rt.FBXImporterSetParam("Mode", rt.Name("create"))
    if not rt.importFile(str(file), rt.Name("noPrompt")):
        raise RuntimeError("importFile gave false")
    return list(rt.objects)


def parent(node):
    return None if node.parent in (None, rt.undefined) else node.parent


def path(node):
    above = parent(node)
    return (path(above) + "/" if above is not None else "") + node.name


def three(point):
    return numbers([point.x, point.y, point.z])


def world(matrix):
    # A Matrix3 acts on rows and has four of three: they are the columns of ours, but for their last numbers.
    rows = [matrix.row1, matrix.row2, matrix.row3, matrix.row4]
    return {"world": [number for row, last in zip(rows, (0, 0, 0, 1)) for number in three(row) + [last]]}


def answer_of(node):
    """The node's own matrix. It is a product of matrices, so it may be sheared; the parts are what 3ds Max takes out of it."""
    matrix = node.transform
    # Inside matrices, 3ds Max turns the other way about: its documentation, "Node Transform Properties".
    turn = matrix.rotationPart
    rotation = numbers([-turn.x, -turn.y, -turn.z, turn.w])
    return {**world(matrix), "getters": {"position": three(matrix.translationPart), "rotation": rotation, "scale": three(matrix.scalePart)}}


def worlds(nodes, answer):
    return [{"seconds": None, "nodes": {path(node): answer(node) for node in nodes}}]


def kept(file):
    answers = {}
    below = [index for index, node in enumerate(imported(file)) if parent(node) is not None]
    for index in below:
        # The nodes of the last import are gone. The order of an import is the same each time.
        node = imported(file)[index]
        place = path(node)
        node.parent = rt.undefined
        answers[place] = world(node.transform)
    return [{"seconds": None, "nodes": answers}]


def new_run(name, asked, how):
    version = "3ds Max " + " ".join(str(part) for part in rt.maxVersion())
    axes = {"from_gltf": Z_UP, "of_every_node": False, "units_per_metre": units_per_metre()}
    about = {"schema": "xform-answers/1", "run": name, "engine": "3dsmax", "version": version, "date": datetime.date.today().isoformat()}
    by = f"Python {platform.python_version()} of 3ds Max"
    return {**about, "by": by, "asked": asked, "how": how, "axes": axes, "scenes": {}, "failed": {}}


def ask(run, name, moments):
    """Asks about a scene; where that fails, the reason is kept."""
    try:
        run["scenes"][name] = moments()
    except Exception as error:  # noqa: BLE001: whatever 3ds Max raises is its answer
        run["failed"][name] = f"{type(error).__name__}: {error}"[:300]


def main():
    rt.resetMaxFile(rt.Name("noPrompt"))
    how = "importFile with the settings that ResetImport leaves, mode create"
    fbx = new_run("3dsmax-importFile", "fbx", f"{how}; node.transform")
    # What is drawn: the object's offset from its pivot comes before the node.
    drawn = new_run("3dsmax-importFile-objecttransform", "fbx", f"{how}; node.objecttransform")
    alone = new_run("3dsmax-importFile-no-parent", "keep-world", f"{how}, then node.parent = undefined of each node, alone")
    for file in sorted(file for file in pathlib.Path(SCENES).iterdir() if file.suffix.lower() == ".fbx"):
        ask(fbx, file.stem, lambda: worlds(imported(file), answer_of))
        if file.stem not in fbx["scenes"]:
            continue
        ask(drawn, file.stem, lambda: worlds(list(rt.objects), lambda node: world(node.objecttransform)))
        # Each node takes an import of its own.
        if len(fbx["scenes"][file.stem][0]["nodes"]) < 10:
            ask(alone, file.stem, lambda: kept(file))
    runs = (fbx, drawn, alone)
    pathlib.Path(ANSWERS).write_text("".join(json.dumps(run, separators=(",", ":")) + "\n" for run in runs))
    for run in runs:
        print(f"{run['run']}, {run['version']}: {len(run['scenes'])} scenes")
        for name, why in run["failed"].items():
            print(f"  {name}: {why}")


main()
