"""What OpenUSD has of nodes that are made by calls, as the scenes of a folder have them; with resetXformStack; and as joints of UsdSkel."""

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


scenes, answers = places()
about = {"engine": "usd", "version": "OpenUSD " + ".".join(map(str, Usd.GetVersion()))}
api = Run(**about, run="usd/api", asked="api", how="translate, orient, scale and transform ops")
reset = Run(**about, run="usd/resetXformStack-every-third", asked="inherit", how="the same, resetXformStack on nodes 1, 4, 7, …")
skel = Run(**about, run="usd/UsdSkel-concat", asked="skin", how="UsdSkel.ConcatJointTransforms")
for file in files(scenes, ".gltf", ".glb"):
    scene = Scene(file)
    api.ask(file.stem, lambda: [{"seconds": None, "nodes": worlds(scene)}])
    reset.ask(file.stem, lambda: [{"seconds": None, "nodes": worlds(scene, lambda node: node % 3 == 1)}])
    skel.ask(file.stem, lambda: [{"seconds": None, "nodes": joints(scene)}])
write(answers, [api, reset, skel])
