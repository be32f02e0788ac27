# Not yet run.
"""What Maya shows of the FBX files of a folder, and what it keeps when a node gets no parent (../../README.md).

Set SCENES and ANSWERS below, paste all of this into a Python tab of the Script Editor and execute it; or, without a window,
`mayapy -c "import maya.standalone; maya.standalone.initialize(); exec(open('ask_maya.py').read())"`.
The scene that is open is thrown away. Maya reads no glTF itself.
"""

import datetime
import json
import math
import pathlib
import platform

import maya.cmds as cmds
import maya.mel as mel

SCENES = r"/path/to/scenes"
ANSWERS = r"/path/to/maya.jsonl"

TIMES = [0, 0.5, 1, 1.25, 1.75]
# Maya counts centimetres inside, whatever unit it shows. Where z is up, the importer turns what is above all nodes.
UP = {"y": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "z": [[1, 0, 0], [0, 0, -1], [0, 1, 0]]}
ROTATE_ORDERS = ["xyz", "yzx", "zxy", "xzy", "yxz", "zyx"]


def numbers(values):
    """Numbers as JSON has them: what is not finite is null."""
    return [float(value) if math.isfinite(value) else None for value in values]


def product(a, b):
    """Of quaternions x y z w: b turns first."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def quaternion(degrees, order):
    """Of Maya's angles about x, y and z; the first letter of the order turns first."""
    turn = (0, 0, 0, 1)
    for axis in order:
        index = "xyz".index(axis)
        half = math.radians(degrees[index]) / 2
        about = [0, 0, 0, math.cos(half)]
        about[index] = math.sin(half)
        turn = product(about, turn)
    return turn


def imported(file):
    """The nodes that a file brings into an empty scene, by Maya's long names."""
    cmds.file(new=True, force=True)
    # Places and angles are told in the units of the preferences; matrices are in centimetres always.
    cmds.currentUnit(linear="cm", angle="deg")
    cameras = set(cmds.ls(type="transform", long=True))
    # The settings of the last import would still hold.
    mel.eval("FBXResetImport")
    cmds.file(file.as_posix(), i=True, type="FBX", ignoreVersion=True, options="fbx")
    return sorted(set(cmds.ls(type="transform", long=True)) - cameras)


def path(long_name):
    """|A|B as A/B, without namespaces."""
    return "/".join(name.rsplit(":", 1)[-1] for name in long_name.split("|")[1:])


def world(node):
    # Maya's matrices act on rows, so its rows are the columns of ours.
    return {"world": numbers(cmds.xform(node, query=True, worldSpace=True, matrix=True))}


def answer_of(node):
    get = lambda **what: cmds.xform(node, query=True, worldSpace=True, **what)
    order = ROTATE_ORDERS[cmds.getAttr(node + ".rotateOrder")]
    rotation = quaternion(get(rotation=True), order)
    getters = {"position": numbers(get(translation=True)), "rotation": numbers(rotation), "scale": numbers(get(scale=True))}
    return {**world(node), "getters": getters}


def moments(file):
    nodes = imported(file)
    moment = lambda seconds: {"seconds": seconds, "nodes": {path(node): answer_of(node) for node in nodes}}
    answer = [moment(None)]
    if cmds.ls(type="animCurve"):
        for seconds in TIMES:
            cmds.currentTime(f"{seconds}sec")
            answer.append(moment(seconds))
    return answer


def kept(file):
    nodes, worlds = imported(file), {}
    for node in nodes:
        if node.count("|") > 1:
            imported(file)
            (alone,) = cmds.parent(node, world=True)
            worlds[path(node)] = world(alone)
    return [{"seconds": None, "nodes": worlds}]


def new_run(name, asked, how):
    version = f"Maya {cmds.about(installedVersion=True)}, fbxmaya {cmds.pluginInfo('fbxmaya', query=True, version=True)}"
    axes = {"from_gltf": UP[cmds.upAxis(query=True, axis=True)], "of_every_node": False, "units_per_metre": 100}
    about = {"schema": "xform-answers/1", "run": name, "engine": "maya", "version": version, "date": datetime.date.today().isoformat()}
    by = f"Python {platform.python_version()} of Maya"
    return {**about, "by": by, "asked": asked, "how": how, "axes": axes, "scenes": {}, "failed": {}}


def ask(run, name, moments):
    """Asks about a scene; where that fails, the reason is kept."""
    try:
        run["scenes"][name] = moments()
    except Exception as error:  # noqa: BLE001: whatever Maya raises is its answer
        run["failed"][name] = f"{type(error).__name__}: {error}"[:300]


def main():
    cmds.loadPlugin("fbxmaya", quiet=True)
    cmds.file(new=True, force=True)
    fbx = new_run("maya-fbxmaya", "fbx", "cmds.file(i=True, type='FBX') with the settings that FBXResetImport leaves")
    alone = new_run("maya-fbxmaya-parent-world", "keep-world", "the same, then cmds.parent(world=True) of each node, alone")
    for file in sorted(file for file in pathlib.Path(SCENES).iterdir() if file.suffix.lower() == ".fbx"):
        ask(fbx, file.stem, lambda: moments(file))
        # Each node takes an import of its own.
        if file.stem in fbx["scenes"] and len(fbx["scenes"][file.stem][0]["nodes"]) < 10:
            ask(alone, file.stem, lambda: kept(file))
    pathlib.Path(ANSWERS).write_text("".join(json.dumps(run, separators=(",", ":")) + "\n" for run in (fbx, alone)))
    for run in (fbx, alone):
        print(f"{run['run']}, {run['version']}: {len(run['scenes'])} scenes")
        for name, why in run["failed"].items():
            print(f"  {name}: {why}")


main()
