"""What OpenUSD has of nodes made by calls, as the scenes of a folder have them; with resetXformStack; as joints; and what it skins."""

import pathlib
import sys

from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from answers import Run, Scene, files, numbers, places, write

DOUBLE = UsdGeom.XformOp.PrecisionDouble


def built(scene, is_reset=lambda node: False):
    stage, prims = Usd.Stage.CreateInMemory(), {}
    for node in scene.parents_first():
        parent = scene.parents[node]
        above = "" if parent is None else str(prims[parent].GetPath())
        prim = UsdGeom.Xform.Define(stage, f"{above}/{scene.name(node)}")
        if matrix := scene.matrix(node):
            prim.AddTransformOp().Set(Gf.Matrix4d(*matrix))
        else:
            t, (x, y, z, w), s = scene.pose(node)
            prim.AddTranslateOp(DOUBLE).Set(Gf.Vec3d(*t))
            prim.AddOrientOp(DOUBLE).Set(Gf.Quatd(w, x, y, z))
            prim.AddScaleOp(DOUBLE).Set(Gf.Vec3d(*s))
        if is_reset(node):
            prim.SetResetXformStack(True)
        prims[node] = prim
    return stage, prims


def column_major(matrix):
    # Its matrices act on rows, so their rows are the columns of ours.
    return numbers(matrix[row][column] for row in range(4) for column in range(4))


def worlds(scene, is_reset=lambda node: False):
    # The prims are there as long as their stage is.
    stage, prims = built(scene, is_reset)
    cache, answers = UsdGeom.XformCache(), {}
    for node, prim in prims.items():
        world = cache.GetLocalToWorldTransform(prim.GetPrim())
        parts = Gf.Transform(world)
        q = parts.GetRotation().GetQuat()
        getters = {"position": numbers(parts.GetTranslation()), "rotation": numbers([*q.GetImaginary(), q.GetReal()]), "scale": numbers(parts.GetScale())}
        answers[scene.path(node)] = {"world": column_major(world), "getters": getters}
    return answers


def joints(scene):
    nodes = scene.parents_first()
    if any(scene.matrix(node) for node in nodes):
        raise ValueError("a joint has no matrix")
    topology = UsdSkel.Topology([scene.path(node) for node in nodes])
    local = []
    for node in nodes:
        t, (x, y, z, w), s = scene.pose(node)
        local.append(UsdSkel.MakeTransform(Gf.Vec3f(*t), Gf.Quatf(w, x, y, z), Gf.Vec3h(*s)))
    made = UsdSkel.ConcatJointTransforms(topology, Vt.Matrix4dArray(local), Gf.Matrix4d(1))
    return {scene.path(node): {"world": column_major(matrix)} for node, matrix in zip(nodes, made)}


def vertices(scene, node):
    """Every node is a joint, of a skeleton that stands in the world as it is; so its points are in the world."""
    entry = scene.nodes[node]
    skin, (primitive,) = scene.document["skins"][entry["skin"]], scene.document["meshes"][entry["mesh"]]["primitives"]
    positions, follows, weights = (scene.accessor(primitive["attributes"][name]) for name in ("POSITION", "JOINTS_0", "WEIGHTS_0"))
    inverse_binds = scene.accessor(skin["inverseBindMatrices"])
    binds = {joint: Gf.Matrix4d(*matrix).GetInverse() for joint, matrix in zip(skin["joints"], inverse_binds)}
    # The prims are there as long as their stage is.
    nodes, (posed, prims) = scene.parents_first(), built(scene)

    stage = Usd.Stage.CreateInMemory()
    root = UsdSkel.Root.Define(stage, "/Root")
    skeleton = UsdSkel.Skeleton.Define(stage, "/Root/Skeleton")
    skeleton.CreateJointsAttr([scene.path(joint) for joint in nodes])
    skeleton.CreateRestTransformsAttr([prims[joint].GetLocalTransformation() for joint in nodes])
    # Nodes that are no joints of the skin have to have one as well.
    skeleton.CreateBindTransformsAttr([binds.get(joint, Gf.Matrix4d(1)) for joint in nodes])
    mesh = UsdGeom.Mesh.Define(stage, "/Root/Mesh")
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateJointsAttr([scene.path(joint) for joint in skin["joints"]])
    binding.CreateJointIndicesPrimvar(False, 4).Set([joint for four in follows for joint in four])
    binding.CreateJointWeightsPrimvar(False, 4).Set([weight for four in weights for weight in four])

    cache, points = UsdSkel.Cache(), Vt.Vec3fArray([Gf.Vec3f(*position) for position in positions])
    cache.Populate(root, Usd.PrimDefaultPredicate)
    joints = cache.GetSkelQuery(skeleton).ComputeSkinningTransforms(Usd.TimeCode.Default())
    if not cache.GetSkinningQuery(mesh.GetPrim()).ComputeSkinnedPoints(joints, points, Usd.TimeCode.Default()):
        raise ValueError("ComputeSkinnedPoints failed")
    return [numbers(point) for point in points]


def skinned(scene):
    return {scene.path(node): vertices(scene, node) for node, entry in enumerate(scene.nodes) if "skin" in entry}


scenes, answers = places()
about = {"engine": "usd", "version": "OpenUSD " + ".".join(map(str, Usd.GetVersion()))}
api = Run(**about, run="usd/api", asked="api", how="translate, orient, scale and transform ops")
reset = Run(**about, run="usd/resetXformStack-every-third", asked="inherit", how="the same, resetXformStack on nodes 1, 4, 7, …")
skel = Run(**about, run="usd/UsdSkel-concat", asked="skin", how="UsdSkel.ConcatJointTransforms")
how = "rest and bind transforms of a Skeleton, UsdSkel.SkinningQuery.ComputeSkinnedPoints, vertices alone"
skin = Run(**about, run="usd/skin", asked="skin", how=how)
for file in files(scenes, ".gltf", ".glb"):
    scene = Scene(file)
    api.ask(file.stem, lambda: [{"seconds": None, "nodes": worlds(scene)}])
    reset.ask(file.stem, lambda: [{"seconds": None, "nodes": worlds(scene, lambda node: node % 3 == 1)}])
    skel.ask(file.stem, lambda: [{"seconds": None, "nodes": joints(scene)}])
    if scene.document.get("skins"):
        skin.ask(file.stem, lambda: [{"seconds": None, "nodes": {}, "vertices": skinned(scene)}])
write(answers, [api, reset, skel, skin])
