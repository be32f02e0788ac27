"""Tries the drivers of editors with stand-ins for the editors' modules: `python3 editors_test.py` (../README.md)."""

import contextlib
import io
import json
import math
import re
import shutil
import sys
import tempfile
import unittest
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

# No cache of answers.py beside the drivers.
sys.dont_write_bytecode = True
DRIVERS = Path(__file__).resolve().parent
sys.path.insert(0, str(DRIVERS))
import answers  # noqa: E402: beside this file

SCENES = DRIVERS.parent / "scenes"
SCHEMA = json.loads((DRIVERS.parent / "answers.schema.json").read_text(encoding="utf-8"))
GLTF = ["uniform", "skew38", "anim", "matrix_shear", "zero", "rand_neg", "skin"]
FBX = ["uniform-i1", "skew38-i1", "zero-i1", "rand_neg-i1"]
# The kit has these as glTF alone, so the test writes a file with their names.
MADE_FBX = ["anim", "matrix_shear"]

Point = namedtuple("Point", "x y z")
Quat = namedtuple("Quat", "x y z w")
Matrix = namedtuple("Matrix", "x_plane y_plane z_plane w_plane")


def scene_of(file):
    """What a stand-in imports: of an FBX file the kit's glTF of the same nodes; none where the import fails."""
    file = Path(file)
    if file.stem == "broken":
        return None
    return answers.Scene(file if file.suffix == ".gltf" else SCENES / f"{file.stem.split('-')[0]}.gltf")


def pose_at(scene, node, seconds):
    """A node's pose; between keys, numbers are mixed, for how it moves does not matter here, only that it does."""
    pose = dict(zip(("translation", "rotation", "scale"), scene.pose(node)))
    for animation in scene.document.get("animations", []) if seconds is not None else []:
        for channel in animation["channels"]:
            if channel["target"]["node"] == node:
                sampler = animation["samplers"][channel["sampler"]]
                times = [time for (time,) in scene.accessor(sampler["input"])]
                values = scene.accessor(sampler["output"])
                after = next(index for index, time in enumerate(times) if index and time >= seconds)
                part = (seconds - times[after - 1]) / (times[after] - times[after - 1])
                mixed = [a + (b - a) * part for a, b in zip(values[after - 1], values[after])]
                if channel["target"]["path"] == "rotation":
                    mixed = [number / math.hypot(*mixed) for number in mixed]
                pose[channel["target"]["path"]] = mixed
    return pose.values()


# What is expected: places are moved from node to node, without a matrix of the stand-ins.


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def turned(rotation, point):
    *axis, w = rotation
    once = cross(axis, point)
    return [p + 2 * w * a + 2 * b for p, a, b in zip(point, once, cross(axis, once))]


def moved(scene, node, point, seconds):
    """Where a place in a node's own space is in the world, in glTF's axes."""
    while node is not None:
        matrix = scene.matrix(node)
        if matrix:
            point = [sum(matrix[4 * column + row] * number for column, number in enumerate([*point, 1])) for row in range(3)]
        else:
            translation, rotation, scale = pose_at(scene, node, seconds)
            point = [t + p for t, p in zip(translation, turned(rotation, [s * p for s, p in zip(scale, point)]))]
        node = scene.parents[node]
    return point


def expected(scene, node, seconds, axes, offset):
    """The world matrix, column by column, in the axes that a driver states, of what is at an offset in a node."""
    change = lambda point: [sum(c * p for c, p in zip(row, point)) for row in axes["from_gltf"]]
    own = axes["from_gltf"] if axes["of_every_node"] else [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    origin = moved(scene, node, [0, 0, 0], seconds)
    columns = [change([a - b for a, b in zip(moved(scene, node, axis, seconds), origin)]) for axis in own]
    place = [axes["units_per_metre"] * number for number in change(origin)]
    place = [p + sum(o * c for o, c in zip(offset, row)) for p, row in zip(place, zip(*columns))]
    return [number for column in columns for number in [*column, 0]] + [*place, 1]


def near(a, b):
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9 * max(map(abs, b))) for x, y in zip(a, b))


# What is below the stand-ins: nodes with matrices that act on rows, as those of all three editors do.


def times(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def local_rows(scene, node, seconds):
    matrix = scene.matrix(node)
    if matrix:
        return [list(matrix[start : start + 4]) for start in (0, 4, 8, 12)]
    translation, (x, y, z, w), scale = pose_at(scene, node, seconds)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [[s * number for number in row] + [0] for s, row in zip(scale, rows)] + [[*translation, 1]]


class Node:
    """A node that an importer makes; `above` are the rows that turn everything, `units` are those of a metre."""

    def __init__(self, name, parent, local, above, units):
        self.name, self.parent, self.local, self.above, self.units = name, parent, local, above, units

    def rows(self, seconds=None):
        return times(self.local(seconds), self.parent.rows(seconds) if self.parent else self.above)

    def world(self, seconds=None):
        """The rows, in the editor's unit."""
        *rows, place = self.rows(seconds)
        return rows + [[number * self.units for number in place[:3]] + [1]]

    def free(self):
        """Takes the parent away; the node stays where it is."""
        kept = self.rows()
        self.parent, self.local, self.above = None, lambda seconds: kept, IDENTITY


IDENTITY = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
# Where z is up: what was at y is at z, and what was at z is at -y.
Z_UP = [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]


def nodes_of(scene, above=IDENTITY, units=1, change=lambda rows: rows):
    """The nodes of a file by index, parents first."""
    made = {}
    for node in scene.parents_first():
        local = lambda seconds, node=node: change(local_rows(scene, node, seconds))
        made[node] = Node(scene.nodes[node].get("name", f"node{node}"), made.get(scene.parents[node]), local, above, units)
    return made


def parts(rows):
    """Place, turned axes and scale of rows; a flattened axis has no direction, which is not a number."""
    scale = [math.hypot(*row[:3]) for row in rows[:3]]
    turn = [[number / s if s else math.nan for number in row[:3]] for row, s in zip(rows, scale)]
    return rows[3][:3], turn, scale


def quaternion(turn):
    """Of turned axes; not a number where they are mirrored or half a turn, which no check needs."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = turn
    w = math.sqrt(max(1 + xx + yy + zz, 0)) / 2 or math.nan
    return Quat((yz - zy) / (4 * w), (zx - xz) / (4 * w), (xy - yx) / (4 * w), w)


def angles(turn, order):
    """Of turned axes, about x, y and z; the first letter of the order turns first."""
    first, second, third = ("xyz".index(axis) for axis in order)
    sign = 1 if order in ("xyz", "yzx", "zxy") else -1
    found = [0, 0, 0]
    found[second] = math.asin(max(min(-sign * turn[first][third], 1), -1))
    if math.cos(found[second]) < 1e-6:
        # The other two turn about the same axis.
        found[first] = math.atan2(-sign * turn[third][second], turn[second][second])
    else:
        found[first] = math.atan2(sign * turn[second][third], turn[third][third])
        found[third] = math.atan2(sign * turn[first][second], turn[first][first])
    return found


class Importer:
    """What the stand-ins of Maya and 3ds Max have in common: an import needs settings of its own and an empty scene."""

    def __init__(self, stop_at=None):
        self.stop_at = stop_at
        self.is_reset = self.is_empty = self.is_whole = False

    def empty(self):
        self.is_empty = self.is_whole = True

    def scene(self, file):
        if Path(file).stem == self.stop_at:
            raise KeyboardInterrupt
        if not self.is_reset or not self.is_empty:
            raise AssertionError("an import with the settings or the nodes of the last one")
        self.is_reset = self.is_empty = False
        return scene_of(file)

    def free(self, node):
        if not self.is_whole:
            raise AssertionError("a node is freed after another, not alone")
        self.is_whole = False
        node.free()


class Maya(Importer):
    """maya.cmds and maya.mel."""

    def __init__(self, up="y", units=("cm", "deg"), **more):
        super().__init__(**more)
        self.up, self.preferred, self.nodes, self.curves = up, units, {}, []

    def modules(self):
        maya = SimpleNamespace(cmds=self, mel=SimpleNamespace(eval=self.eval))
        return {"maya": maya, "maya.cmds": maya.cmds, "maya.mel": maya.mel}

    def eval(self, command):
        self.is_reset = {"FBXResetImport": True}[command]

    def about(self, installedVersion):
        return "Maya 2026"

    def loadPlugin(self, name, quiet):
        assert name == "fbxmaya"

    def pluginInfo(self, name, query, version):
        return "2020.3.7"

    def upAxis(self, query, axis):
        return self.up

    def currentUnit(self, linear, angle):
        self.units = linear, angle

    def file(self, path=None, new=False, force=False, i=False, type=None, ignoreVersion=False, options=None):
        if new:
            # A new scene has the units of the preferences, and cameras.
            self.empty()
            self.units, self.seconds, self.curves, self.nodes = self.preferred, None, [], {"|persp": None, "|top": None}
            return
        assert i and type == "FBX"
        scene = self.scene(path)
        if scene is None:
            raise RuntimeError("Error while reading file.")
        self.curves = scene.document.get("animations", [])
        made = nodes_of(scene, Z_UP if self.up == "z" else IDENTITY, units=100)
        self.nodes.update({"|" + scene.path(index).replace("/", "|a_namespace:"): node for index, node in made.items()})

    def ls(self, type, long=False):
        return {"transform": list(self.nodes), "animCurve": self.curves}[type]

    def currentTime(self, time):
        assert time.endswith("sec")
        self.seconds = float(time[:-3])

    def node(self, name):
        return next(node for long, node in self.nodes.items() if long == name or long.endswith("|" + name))

    def order(self, name):
        return list(self.nodes.values()).index(self.node(name)) % 6

    def getAttr(self, attribute):
        name, _, attribute = attribute.rpartition(".")
        assert attribute == "rotateOrder"
        return self.order(name)

    def parent(self, name, world):
        node = self.nodes.pop(name)
        self.free(node)
        self.nodes["|" + node.name] = node
        return [node.name]

    def xform(self, name, query, worldSpace, matrix=False, translation=False, rotation=False, scale=False):
        assert query and worldSpace
        rows = self.node(name).world(self.seconds)
        if matrix:
            return [number for row in rows for number in row]
        place, turn, scales = parts(rows)
        if translation:
            return [number / {"cm": 1, "m": 100}[self.units[0]] for number in place]
        if rotation:
            found = angles(turn, ["xyz", "yzx", "zxy", "xzy", "yxz", "zyx"][self.order(name)])
            return [math.degrees(angle) for angle in found] if self.units[1] == "deg" else found
        return scales


class Matrix3:
    """pymxs's matrix."""

    def __init__(self, rows):
        self.row1, self.row2, self.row3, self.row4 = (Point(*row[:3]) for row in rows)
        place, turn, scale = parts(rows)
        x, y, z, w = quaternion(turn)
        # In matrices, 3ds Max turns the other way about.
        self.translationPart, self.rotationPart, self.scalePart = Point(*place), Quat(-x, -y, -z, w), Point(*scale)


class Max(Importer):
    """pymxs.runtime."""

    OFFSET = [3, -4, 5]

    def __init__(self, unit=("centimeters", 1, 100), **more):
        super().__init__(**more)
        kind, scale, self.per_metre = unit
        self.units, self.undefined, self.objects = SimpleNamespace(SystemType=kind, SystemScale=scale), object(), []
        self.Name = "#{}".format

    def modules(self):
        return {"pymxs": SimpleNamespace(runtime=self)}

    def maxVersion(self):
        return [28000, 62, 0, 28, 0, 0, 0, 2026, ".0 Update"]

    def resetMaxFile(self, how):
        assert how == "#noPrompt"
        self.empty()
        self.objects = []

    def FBXImporterSetParam(self, name, value=None):
        if name == "ResetImport":
            self.is_reset = True
        else:
            assert (name, value) == ("Mode", "#create")

    def importFile(self, path, how):
        assert how == "#noPrompt"
        scene = self.scene(path)
        self.objects = [MaxNode(self, node) for node in nodes_of(scene, Z_UP, self.per_metre).values()] if scene else []
        return scene is not None


class MaxNode:
    """A node of 3ds Max."""

    def __init__(self, editor, node):
        self._editor, self._node, self.name = editor, node, node.name

    def __getattribute__(self, name):
        if not name.startswith("_") and self not in self._editor.objects:
            raise RuntimeError("Attempt to access deleted scene object")
        return super().__getattribute__(name)

    @property
    def parent(self):
        above = self._node.parent
        return next(other for other in self._editor.objects if other._node is above) if above else self._editor.undefined

    @parent.setter
    def parent(self, above):
        assert above is self._editor.undefined
        self._editor.free(self._node)

    @property
    def transform(self):
        return Matrix3(self._node.world())

    @property
    def objecttransform(self):
        return Matrix3(times(IDENTITY[:3] + [[*Max.OFFSET, 1]], self._node.world()))


class Component:
    """unreal.SceneComponent."""

    def __init__(self, name, owner, node=None, attached=None):
        self._name, self._owner, self._node, self._attached = name, owner, node, attached

    def get_name(self):
        return self._name

    def get_owner(self):
        return self._owner

    def get_attach_parent(self):
        return self._attached

    def get_world_transform(self):
        return transform(self._node.world() if self._node else IDENTITY)


class SkeletalMesh(Component):
    """unreal.SkeletalMeshComponent; its bones are the nodes that are joints."""

    bones = ()

    def get_num_bones(self):
        return len(self.bones)

    def get_bone_name(self, index):
        return self.bones[index].name

    def get_socket_transform(self, name, space):
        assert space == "world"
        return transform(next(bone for bone in self.bones if bone.name == name).world())


class Actor:
    """unreal.Actor, with a root component of its own."""

    def __init__(self, label, node=None, above=None, kind=Component):
        self._label, self.root_component = label, kind("RootComponent", self, node, above and above.root_component)

    def get_actor_label(self):
        return self._label

    def get_path_name(self):
        return f"/Temp/Untitled.Untitled:PersistentLevel.{self._label}_{id(self)}"

    def get_components_by_class(self, kind):
        assert kind is Component
        # Editors have more components than a file has nodes.
        return [self.root_component, Component("Billboard", self, attached=self.root_component)]


def transform(rows):
    """unreal.Transform, with more than an FTransform has: shear."""
    place, turn, scale = parts(rows)
    matrix = Matrix(*(Quat(*row) for row in rows))
    return SimpleNamespace(to_matrix=lambda: matrix, translation=Point(*place), rotation=quaternion(turn), scale3d=Point(*scale))


class Unreal:
    """unreal."""

    SceneComponent, SkeletalMeshComponent = Component, SkeletalMesh
    RelativeTransformSpace = SimpleNamespace(RTS_WORLD="world")
    SystemLibrary = SimpleNamespace(get_engine_version=lambda: "5.6.1-44394996+++UE5+Release-5.6")
    ImportAssetParameters = SimpleNamespace
    EditorActorSubsystem = "the level"

    def __init__(self, level=None, stop_at=None):
        self.actors, self.stop_at = [Actor("Floor")], stop_at
        self.is_clean, self.log = True, print
        self.EditorAssetLibrary = SimpleNamespace(delete_directory=self.delete_directory)
        self.InterchangeManager = SimpleNamespace(get_interchange_manager_scripted=lambda: self)
        if level:
            self.actors = []
            self.add(answers.Scene(level))

    def modules(self):
        return {"unreal": self}

    def get_editor_subsystem(self, kind):
        assert kind == "the level"
        return self

    def get_all_level_actors(self):
        return list(self.actors)

    def destroy_actor(self, actor):
        self.actors.remove(actor)

    def delete_directory(self, content):
        self.is_clean = True

    def create_source_data(self, file):
        return file

    def import_scene(self, content, file, parameters):
        if Path(file).stem == self.stop_at:
            raise KeyboardInterrupt
        assert parameters.is_automated
        self.is_clean = False
        scene = scene_of(file)
        if scene:
            # The importer's own actor is above those of the file.
            self.actors.append(Actor(f"{Path(file).stem} scene"))
            self.add(scene, self.actors[-1])
        return scene is not None

    def add(self, scene, above=None):
        """Actors of a file's nodes: a place x y z is at x z y, for every node."""
        swapped = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
        nodes = nodes_of(scene, units=100, change=lambda rows: times(times(swapped, rows), swapped))
        joints = {joint for skin in scene.document.get("skins", []) for joint in skin["joints"]}
        actors = {}
        for index, node in nodes.items():
            if index not in joints:
                kind = SkeletalMesh if "skin" in scene.nodes[index] else Component
                actors[index] = Actor(node.name, node, actors.get(scene.parents[index], above), kind)
                actors[index].root_component.bones = [nodes[joint] for joint in sorted(joints)]
        self.actors += actors.values()


# The test


def schema_errors(value, schema, at="document"):
    """What a value has that the schema does not allow; of JSON Schema, what answers.schema.json uses."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "null": type(None)}
    kind, size = schema.get("type", []), len(value) if isinstance(value, (str, list)) else 0
    allowed = {
        "type": lambda named: any(isinstance(value, kinds[one]) for one in ([named] if isinstance(named, str) else named)),
        "const": lambda only: value == only,
        "enum": lambda values: value in values,
        "pattern": lambda pattern: re.search(pattern, value),
        "minLength": lambda least: size >= least,
        "minItems": lambda least: size >= least,
        "maxItems": lambda most: size <= most,
        "exclusiveMinimum": lambda less: value > less,
        "required": lambda names: all(name in value for name in names),
    }
    if kind and not allowed["type"](kind):
        return [f"{at}: {value!r} is no {kind}"]
    errors = [f"{at}: {word}" for word, holds in allowed.items() if word in schema and not holds(schema[word])]
    known = {*allowed, "description", "title", "properties", "additionalProperties", "items", "$schema", "$id", "$defs"}
    errors += [f"{at}: the test does not know {word}" for word in schema.keys() - known]
    if isinstance(value, list):
        return errors + [error for index, one in enumerate(value) for error in schema_errors(one, schema.get("items", {}), f"{at}/{index}")]
    for name, one in value.items() if isinstance(value, dict) else []:
        below = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
        errors += [f"{at}: {name}"] if below is False else schema_errors(one, below, f"{at}/{name}")
    return errors


def no_constant(name):
    raise AssertionError(f"{name} is no JSON")


class Editors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scenes, self.answers = Path(folder.name, "scenes"), Path(folder.name, "answers.jsonl")
        self.scenes.mkdir()
        for name in [f"{name}.gltf" for name in GLTF] + [f"{name}.fbx" for name in FBX]:
            shutil.copy(SCENES / name, self.scenes)
        for name in MADE_FBX:
            nodes = answers.Scene(SCENES / f"{name}.gltf").nodes
            (self.scenes / f"{name}.fbx").write_text("".join(f'Model: "Model::{node["name"]}"\n' for node in nodes))
        (self.scenes / "broken.gltf").write_text("")
        (self.scenes / "broken.fbx").write_text("")

    def run_driver(self, driver, editor, *changes):
        """Runs a driver in a stand-in, with the files of this test and other changes to its text; gives its runs by name."""
        text = (DRIVERS / driver).read_text(encoding="utf-8")
        files = {"SCENES": str(self.scenes), "ANSWERS": str(self.answers)}
        for name, file in files.items():
            changes = [*changes, (re.search(f"^{name} = .*$", text, re.M).group(), f"{name} = {file!r}")]
        for before, after in changes:
            if text.count(before) != 1:
                raise ValueError(f"not once in {driver}: {before}")
            text = text.replace(before, after)
        with mock.patch.dict(sys.modules, editor.modules()), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, driver, "exec"), {"__name__": "__main__"})
        lines = self.answers.read_text(encoding="utf-8").splitlines()
        documents = [json.loads(line, parse_constant=no_constant) for line in lines]
        for document in documents:
            self.assertEqual(schema_errors(document, SCHEMA), [])
        return {document["run"]: document for document in documents}

    def check(self, run, scenes, failed=(), offset=(0, 0, 0), alone=False, getters=True, plays=False):
        """Whether a run has these scenes with all their nodes, where they are expected."""
        self.assertEqual(set(run["failed"]), set(failed))
        self.assertEqual(set(run["scenes"]), set(scenes))
        for name, moments in run["scenes"].items():
            scene = answers.Scene(SCENES / f"{name.split('-')[0]}.gltf")
            is_played = plays and "animations" in scene.document
            self.assertEqual([moment["seconds"] for moment in moments], [None, 0, 0.5, 1, 1.25, 1.75] if is_played else [None])
            nodes = {scene.path(node): node for node in range(len(scene.nodes)) if not alone or scene.parents[node] is not None}
            for moment in moments:
                self.assertEqual(set(moment["nodes"]), set(nodes), name)
                for path, answer in moment["nodes"].items():
                    world = expected(scene, nodes[path], moment["seconds"], run["axes"], offset)
                    self.assertTrue(near(answer["world"], world), f"{name}: {path}: {answer['world']} for {world}")
                    self.assertEqual("getters" in answer, getters)
                    if getters:
                        self.check_getters(name, path, answer)

    def check_getters(self, name, path, answer):
        world, (place, rotation, scale) = answer["world"], (answer["getters"][part] for part in ("position", "rotation", "scale"))
        self.assertTrue(near(place, world[12:15]), f"{name}: {path}: {place}")
        # Elsewhere worlds are sheared or mirrored, which these parts do not say.
        if name.startswith("uniform"):
            for axis in range(3):
                column = turned(rotation, [s if axis == i else 0 for i, s in enumerate(scale)])
                self.assertTrue(near(column, world[4 * axis : 4 * axis + 3]), f"{name}: {path}: {rotation} {scale}")
        # What is flattened has no direction.
        if name.startswith("zero") and path == "A":
            self.assertIn(None, rotation)

    def check_maya(self, *changes, **how):
        runs = self.run_driver("maya/ask_maya.py", Maya(**how), *changes)
        fbx, alone = runs["maya-fbxmaya"], runs["maya-fbxmaya-parent-world"]
        self.check(fbx, FBX + MADE_FBX, ["broken"], plays=True)
        self.check(alone, set(FBX + MADE_FBX) - {"rand_neg-i1"}, alone=True, getters=False)
        self.assertEqual(len(runs), 2)

    def check_max(self, *changes, **how):
        runs = self.run_driver("3dsmax/ask_max.py", Max(**how), *changes)
        self.check(runs["3dsmax-importFile"], FBX + MADE_FBX, ["broken"])
        self.check(runs["3dsmax-importFile-objecttransform"], FBX + MADE_FBX, offset=Max.OFFSET, getters=False)
        self.check(runs["3dsmax-importFile-no-parent"], set(FBX + MADE_FBX) - {"rand_neg-i1"}, alone=True, getters=False)
        self.assertEqual(len(runs), 3)

    def check_unreal(self, *changes):
        editor = Unreal()
        runs = self.run_driver("unreal/ask_unreal.py", editor, *changes)
        self.check(runs["unreal/gltf"], GLTF, ["broken"])
        self.check(runs["unreal-Interchange-fbx"], FBX + MADE_FBX, ["broken"])
        self.assertEqual(len(runs), 2)
        self.assertTrue(editor.is_clean)
        self.assertEqual([actor.get_actor_label() for actor in editor.actors], ["Floor"])

    def test_maya(self):
        self.check_maya()
        self.check_maya(up="z")

    def test_maya_with_other_units_in_the_preferences(self):
        self.check_maya(units=("m", "rad"))

    def test_3ds_max(self):
        for unit in [("centimeters", 1, 100), ("Inches", 2.5, 1 / 0.0635), ("#millimeters", 1, 1000), ("meters", 1, 1)]:
            self.check_max(unit=unit)

    def test_unreal(self):
        self.check_unreal()

    def test_unreal_about_the_open_level(self):
        level = [("LEVEL = None", 'LEVEL = "skew38"')]
        (run,) = self.run_driver("unreal/ask_unreal.py", Unreal(level=SCENES / "skew38.gltf"), *level).values()
        self.assertEqual(run["run"], "unreal/level")
        nodes = run["scenes"]["skew38"][0]["nodes"]
        for path in [path for path in nodes if path.endswith("/Billboard")]:
            del nodes[path]
        self.check(run, ["skew38"])

    def test_unreal_about_a_node_without_a_name(self):
        for file in self.scenes.iterdir():
            file.unlink()
        (self.scenes / "nameless.gltf").write_text('{"nodes": [{"name": "A", "children": [1]}, {"children": [2]}, {"name": "C"}]}')
        run = self.run_driver("unreal/ask_unreal.py", Unreal())["unreal/gltf"]
        self.assertEqual(list(run["scenes"]["nameless"][0]["nodes"]), ["A", "A/#1", "A/#1/C"])

    def test_a_driver_that_is_stopped_writes_nothing(self):
        self.answers.write_text("the last answers")
        for driver, editor in [("maya/ask_maya.py", Maya), ("3dsmax/ask_max.py", Max), ("unreal/ask_unreal.py", Unreal)]:
            with self.assertRaises(KeyboardInterrupt):
                self.run_driver(driver, editor(stop_at="uniform-i1"))
            self.assertEqual(self.answers.read_text(), "the last answers")

    def test_broken_drivers_are_noticed(self):
        transposed = "{}[index % 4 * 4 + index // 4] for index in range(16)"
        matrix = "cmds.xform(node, query=True, worldSpace=True, matrix=True)"
        maya = [
            (matrix, transposed.format(matrix)),
            (matrix, matrix.replace("worldSpace=True, ", "worldSpace=False, ")),
            ("product(about, turn)", "product(turn, about)"),
            ('["xyz", "yzx", "zxy", "xzy", "yxz", "zyx"]', '["xyz", "yzx", "zxy", "yxz", "xzy", "zyx"]'),
            ('"units_per_metre": 100', '"units_per_metre": 1'),
            ("TIMES = [0, 0.5, 1, 1.25, 1.75]", "TIMES = [0, 0.5, 1]"),
            ('cmds.currentTime(f"{seconds}sec")', "pass"),
            ('    mel.eval("FBXResetImport")\n', ""),
            ("            imported(file)\n", ""),
            (" - cameras", ""),
            ("float(value) if math.isfinite(value) else None", "float(value)"),
        ]
        max_ = [
            ("matrix.row1, matrix.row2", "matrix.row2, matrix.row1"),
            ("Z_UP = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]", "Z_UP = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]"),
            ("[-turn.x, -turn.y, -turn.z, turn.w]", "[turn.x, turn.y, turn.z, turn.w]"),
            ("world(node.objecttransform)", "world(node.transform)"),
            ("/ float(rt.units.SystemScale)", "* float(rt.units.SystemScale)"),
            ('raise RuntimeError("importFile gave false")', "pass"),
        ]
        unreal = [
            ("matrix.x_plane, matrix.y_plane", "matrix.y_plane, matrix.x_plane"),
            ("for plane in planes for number in (plane.x, plane.y, plane.z, plane.w)", "for row in zip(*planes) for number in row"),
            ("[[1, 0, 0], [0, 0, 1], [0, 1, 0]]", "[[1, 0, 0], [0, 0, -1], [0, 1, 0]]"),
            ('"of_every_node": True', '"of_every_node": False'),
            ("level.destroy_actor(actor)", "pass"),
            ("if not done or not actors:", "if False:"),
            ("isinstance(component, unreal.SkeletalMeshComponent)", "False"),
            ('"asked": asked, ', ""),
        ]
        inches = {"unit": ("inches", 2.5, 1 / 0.0635)}
        for check, changes, how in [(self.check_maya, maya, {}), (self.check_max, max_, inches), (self.check_unreal, unreal, {})]:
            for change in changes:
                with self.subTest(change), self.assertRaises(AssertionError):
                    check(change, **how)


if __name__ == "__main__":
    unittest.main()
