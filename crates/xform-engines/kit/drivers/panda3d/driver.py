"""What Panda3D shows of nodes that are made by calls, as the scenes of a folder have them, and after wrtReparentTo."""

import pathlib
import sys

from panda3d.core import LMatrix4f, LPoint3f, LQuaternionf, LVecBase3f, NodePath, PandaSystem

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from answers import Run, Scene, files, numbers, places, write


def built(scene):
    top, nodes = NodePath("top"), {}
    for node in scene.parents_first():
        parent = scene.parents[node]
        made = nodes[node] = (top if parent is None else nodes[parent]).attachNewNode(scene.name(node))
        if matrix := scene.matrix(node):
            made.setMat(LMatrix4f(*matrix))
        else:
            t, (x, y, z, w), s = scene.pose(node)
            made.setPosQuatScale(LPoint3f(*t), LQuaternionf(w, x, y, z), LVecBase3f(*s))
    return top, nodes


def world(node):
    # Its matrices act on rows, so their rows are the columns of ours.
    matrix = node.getNetTransform().getMat()
    return {"world": numbers(matrix.getCell(row, column) for row in range(4) for column in range(4))}


def with_getters(node):
    answer, net = world(node), node.getNetTransform()
    if net.hasQuat() and net.hasComponents():
        w, x, y, z = net.getQuat()
        answer["getters"] = {"position": numbers(net.getPos()), "rotation": numbers([x, y, z, w]), "scale": numbers(net.getScale())}
    return answer


scenes, answers = places()
about = {"engine": "panda3d", "version": f"panda3d {PandaSystem.getVersionString()}"}
api = Run(**about, run="panda3d/api", asked="api", how="setPosQuatScale and setMat")
kept = Run(**about, run="panda3d/wrtReparentTo", asked="keep-world", how="the same, then wrtReparentTo of each node to the top, alone")
for file in files(scenes, ".gltf", ".glb"):
    scene = Scene(file)

    def moments():
        _, nodes = built(scene)
        return [{"seconds": None, "nodes": {scene.path(node): with_getters(made) for node, made in nodes.items()}}]

    def kept_moments():
        worlds = {}
        for node in scene.parents_first():
            if scene.parents[node] is not None:
                top, nodes = built(scene)
                nodes[node].wrtReparentTo(top)
                worlds[scene.path(node)] = world(nodes[node])
        return [{"seconds": None, "nodes": worlds}]

    api.ask(file.stem, moments)
    kept.ask(file.stem, kept_moments)
write(answers, [api, kept])
