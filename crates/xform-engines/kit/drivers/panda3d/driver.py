"""What Panda3D shows of nodes that are made by calls, as the scenes of a folder have them, and after wrtReparentTo; and what it skins."""

import pathlib
import sys

from panda3d.core import (
    Character, CharacterJoint, Geom, GeomVertexAnimationSpec, GeomVertexArrayFormat, GeomVertexData, GeomVertexFormat, GeomVertexReader,
    GeomVertexWriter, InternalName, JointVertexTransform, LMatrix4f, LPoint3f, LQuaternionf, LVecBase3f, NodePath, PandaSystem, SparseArray,
    Thread, TransformBlend, TransformBlendTable, invert,
)

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


def vertex_data(positions, blends, table):
    """Vertices that move on the CPU: each has the number of its blend of joints."""
    blended, animation, vertex_format = GeomVertexArrayFormat(), GeomVertexAnimationSpec(), GeomVertexFormat(GeomVertexFormat.getV3())
    blended.addColumn(InternalName.getTransformBlend(), 1, Geom.NTUint16, Geom.CIndex)
    vertex_format.addArray(blended)
    animation.setPanda()
    vertex_format.setAnimation(animation)
    data = GeomVertexData("mesh", GeomVertexFormat.registerFormat(vertex_format), Geom.UHDynamic)
    data.setTransformBlendTable(table)
    vertex, blend = GeomVertexWriter(data, InternalName.getVertex()), GeomVertexWriter(data, InternalName.getTransformBlend())
    for position, number in zip(positions, blends):
        vertex.addData3(*position)
        blend.addData1i(number)
    return data


def vertices(scene, node):
    """Every node is a joint, of a character that stands in the world as it is; so its vertices are in the world."""
    entry = scene.nodes[node]
    skin, (primitive,) = scene.document["skins"][entry["skin"]], scene.document["meshes"][entry["mesh"]]["primitives"]
    positions, follows, weights = (scene.accessor(primitive["attributes"][name]) for name in ("POSITION", "JOINTS_0", "WEIGHTS_0"))
    inverse_binds = scene.accessor(skin["inverseBindMatrices"])
    binds = {joint: invert(LMatrix4f(*matrix)) for joint, matrix in zip(skin["joints"], inverse_binds)}
    (_, posed), character, joints = built(scene), Character("character"), {}
    bundle = character.getBundle(0)
    for joint in scene.parents_first():
        # It is bound as it is made, in the space of its parent.
        parent, bind = scene.parents[joint], binds.setdefault(joint, LMatrix4f.identMat())
        local = bind if parent is None else bind * invert(binds[parent])
        joints[joint] = CharacterJoint(character, bundle, bundle if parent is None else joints[parent], scene.path(joint), local)
        # It takes the matrix of a node as it is; freezeJoint would take it apart.
        bundle.controlJoint(scene.path(joint), posed[joint].node())
    character.forceUpdate()

    table, blends = TransformBlendTable(), []
    transforms = [JointVertexTransform(joints[joint]) for joint in skin["joints"]]
    for followed, weighted in zip(follows, weights):
        blend = TransformBlend()
        for joint, weight in zip(followed, weighted):
            blend.addTransform(transforms[joint], weight)
        blends.append(table.addBlend(blend))
    table.setRows(SparseArray.lowerOn(len(positions)))
    moved = vertex_data(positions, blends, table).animateVertices(True, Thread.getCurrentThread())
    reader = GeomVertexReader(moved, InternalName.getVertex())
    return [numbers(reader.getData3()) for _ in positions]


scenes, answers = places()
about = {"engine": "panda3d", "version": f"panda3d {PandaSystem.getVersionString()}"}
api = Run(**about, run="panda3d/api", asked="api", how="setPosQuatScale and setMat")
kept = Run(**about, run="panda3d/wrtReparentTo", asked="keep-world", how="the same, then wrtReparentTo of each node to the top, alone")
skin = Run(**about, run="panda3d/skin", asked="skin", how="CharacterJoints posed by controlJoint, GeomVertexData.animateVertices, vertices alone")
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

    def skinned_moments():
        shown = {scene.path(node): vertices(scene, node) for node, entry in enumerate(scene.nodes) if "skin" in entry}
        return [{"seconds": None, "nodes": {}, "vertices": shown}]

    api.ask(file.stem, moments)
    kept.ask(file.stem, kept_moments)
    if scene.document.get("skins"):
        skin.ask(file.stem, skinned_moments)
write(answers, [api, kept, skin])
