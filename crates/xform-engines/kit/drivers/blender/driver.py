"""What Blender shows of the scenes of a folder: its glTF and FBX importers, and what it keeps when a parent is cleared."""

import contextlib
import os
import pathlib
import sys

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from answers import TIMES, Z_UP, Run, Scene, files, numbers, places, write


@contextlib.contextmanager
def quiet():
    """Importers print to the file descriptor itself."""
    sys.stdout.flush()
    out, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(out, 1)
        os.close(out)
        os.close(nowhere)


def imported(file):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with quiet():
        if file.suffix == ".fbx":
            bpy.ops.wm.fbx_import(filepath=str(file))
        else:
            bpy.ops.import_scene.gltf(filepath=str(file))
    bpy.context.view_layer.update()


def column_major(matrix):
    return numbers(matrix[row][column] for column in range(4) for row in range(4))


def moment(scene, seconds):
    """Worlds of objects, and of bones as the armature has them in the world; vertices of what joints or shapes move."""
    if seconds is not None:
        rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
        frame = seconds * rate
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    bpy.context.view_layer.update()
    answer = {"seconds": seconds, "nodes": {}, "vertices": {}}
    bones = {bone.name: armature.matrix_world @ bone.matrix for armature in bpy.data.objects if armature.type == "ARMATURE" for bone in armature.pose.bones}
    graph = bpy.context.evaluated_depsgraph_get()
    for node in range(len(scene.nodes)):
        name, path = scene.name(node), scene.path(node)
        made = bpy.data.objects.get(name)
        if made:
            position, turn, scale = made.matrix_world.decompose()
            getters = {"position": numbers(position), "rotation": numbers([turn.x, turn.y, turn.z, turn.w]), "scale": numbers(scale)}
            answer["nodes"][path] = {"world": column_major(made.matrix_world), "getters": getters}
            is_moved = made.type == "MESH" and (made.modifiers or made.data.shape_keys)
            if is_moved:
                shown = made.evaluated_get(graph)
                answer["vertices"][path] = [numbers(shown.matrix_world @ vertex.co) for vertex in shown.data.vertices]
        elif name in bones:
            answer["nodes"][path] = {"world": column_major(bones[name])}
    return answer


def at_times(file):
    scene = Scene(file)
    imported(file)
    moments = [moment(scene, None)]
    if scene.document.get("animations"):
        moments += [moment(scene, seconds) for seconds in TIMES]
    return moments


def cleared(file):
    scene, worlds = Scene(file), {}
    for node in range(len(scene.nodes)):
        imported(file)
        made = bpy.data.objects.get(scene.name(node))
        if scene.parents[node] is None or made is None or made.parent is None:
            continue
        with bpy.context.temp_override(selected_editable_objects=[made], object=made, active_object=made):
            bpy.ops.object.parent_clear(type="CLEAR_KEEP_TRANSFORM")
        bpy.context.view_layer.update()
        worlds[scene.path(node)] = {"world": column_major(made.matrix_world)}
    return [{"seconds": None, "nodes": worlds}]


def of_fbx(file):
    imported(file)

    def path(made):
        return (path(made.parent) + "/" if made.parent else "") + made.name

    return [{"seconds": None, "nodes": {path(made): {"world": column_major(made.matrix_world)} for made in bpy.data.objects}}]


scenes, answers = places()
release = "".join(map(str, bpy.app.version[:2]))
about = {"engine": "blender", "version": f"Blender {bpy.app.version_string}"}
gltf = Run(Z_UP, **about, run=f"blender{release}/gltf", asked="gltf", how="import_scene.gltf")
kept = Run(Z_UP, **about, run=f"blender{release}/gltf-parent_clear", asked="keep-world", how="import_scene.gltf, then parent_clear of each node with CLEAR_KEEP_TRANSFORM, alone")
of_nothing = {**Z_UP, "of_every_node": False}
fbx = Run(of_nothing, **about, run=f"blender{release}-wm.fbx_import", asked="fbx", how="wm.fbx_import")
for file in files(scenes, ".gltf", ".glb"):
    gltf.ask(file.stem, lambda: at_times(file))
    if len(Scene(file).nodes) < 10:
        kept.ask(file.stem, lambda: cleared(file))
for file in files(scenes, ".fbx"):
    fbx.ask(file.stem, lambda: of_fbx(file))
write(answers, [gltf, kept, fbx])
