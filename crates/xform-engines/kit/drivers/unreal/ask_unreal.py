# Not yet run.
"""What Unreal shows of the glTF and FBX files of a folder, imported as levels by Interchange (../../README.md).

Set SCENES and ANSWERS below. In a project with the plugins Python Editor Script Plugin and Interchange, without a window:
`UnrealEditor-Cmd PROJECT.uproject -run=pythonscript -script="/path/to/ask_unreal.py"`; or, in the editor, `py /path/to/ask_unreal.py`
in its console. Imports are waited for in the first way; where the second finds no actors, take the first.
Actors are made in the open level and removed, as are the assets in /Game/xform_ask. Do not save the level.

To ask about what stands in the open level instead, such as scenes that were dragged into it, give it a name in LEVEL. Interchange is
asked for levels, since an AssetImportTask leaves meshes alone and no hierarchy.
"""

import datetime
import json
import math
import pathlib
import re
import struct
import sys

import unreal

SCENES = r"/path/to/scenes"
ANSWERS = r"/path/to/unreal.jsonl"
LEVEL = None

CONTENT = "/Game/xform_ask"
# Left-handed, z up, centimetres: a place x y z of the file is at x z y, and every node has these axes.
AXES = {"from_gltf": [[1, 0, 0], [0, 0, 1], [0, 1, 0]], "of_every_node": True, "units_per_metre": 100}


def numbers(values):
    """Numbers as JSON has them: what is not finite is null."""
    return [float(value) if math.isfinite(value) else None for value in values]


def three(vector):
    return numbers([vector.x, vector.y, vector.z])


def paths_in(file):
    """The names of a file's nodes, and their paths; those of an FBX file are known by its actors alone."""
    data = file.read_bytes()
    if file.suffix.lower() == ".fbx":
        # Text has "Model::NAME", binary files the length, NAME, two bytes and Model.
        names = re.findall(rb'"Model::([^"]+)"', data) or re.findall(rb"([^\x00-\x1f]+)\x00\x01Model", data)
        return {name.decode("utf-8", "replace"): None for name in names}
    if data[:4] == b"glTF":
        (length,) = struct.unpack_from("<I", data, 12)
        data = data[20 : 20 + length]
    nodes, paths = json.loads(data).get("nodes", []), {}

    def visit(index, above):
        own = nodes[index].get("name")
        name = own or f"node{index}"
        paths[name] = above + (own or f"#{index}")
        for child in nodes[index].get("children", []):
            visit(child, paths[name] + "/")

    below = {child for node in nodes for child in node.get("children", [])}
    for index in range(len(nodes)):
        if index not in below:
            visit(index, "")
    return paths


def name(component):
    """What an actor is called is its first component's name."""
    actor = component.get_owner()
    return str(actor.get_actor_label() if actor.root_component == component else component.get_name())


def path(component, paths):
    """By the file where it says, else by what a component is attached to; names that are not in the file are left out."""
    own = name(component)
    if paths is not None and paths.get(own):
        return paths[own]
    parent = component.get_attach_parent()
    above = path(parent, paths) if parent else ""
    if paths is not None and own not in paths:
        return above
    return f"{above}/{own}" if above else own


def answer_of(transform):
    # Unreal's matrices act on rows, so its planes are the columns of ours.
    matrix, turn = transform.to_matrix(), transform.rotation
    planes = [matrix.x_plane, matrix.y_plane, matrix.z_plane, matrix.w_plane]
    world = numbers(number for plane in planes for number in (plane.x, plane.y, plane.z, plane.w))
    rotation = numbers([turn.x, turn.y, turn.z, turn.w])
    return {"world": world, "getters": {"position": three(transform.translation), "rotation": rotation, "scale": three(transform.scale3d)}}


def moment(actors, paths):
    """The components of actors, and the bones of skeletal meshes, at rest: the importer leaves animations to sequences."""
    nodes = {}
    for actor in actors:
        for component in actor.get_components_by_class(unreal.SceneComponent):
            if paths is None or name(component) in paths:
                nodes.setdefault(path(component, paths), answer_of(component.get_world_transform()))
            if isinstance(component, unreal.SkeletalMeshComponent):
                bones = [str(component.get_bone_name(index)) for index in range(component.get_num_bones())]
                for bone in bones:
                    where = paths.get(bone) if paths is not None else f"{path(component, paths)}/{bone}"
                    if where:
                        nodes.setdefault(where, answer_of(component.get_socket_transform(bone, unreal.RelativeTransformSpace.RTS_WORLD)))
    return [{"seconds": None, "nodes": nodes}]


def imported(file):
    """Asks about the actors that a file brings into the level, and removes them."""
    level = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    before = {actor.get_path_name() for actor in level.get_all_level_actors()}
    manager = unreal.InterchangeManager.get_interchange_manager_scripted()
    parameters = unreal.ImportAssetParameters()
    parameters.is_automated = True
    done = manager.import_scene(f"{CONTENT}/{file.stem}_{file.suffix[1:].lower()}", manager.create_source_data(str(file)), parameters)
    actors = [actor for actor in level.get_all_level_actors() if actor.get_path_name() not in before]
    try:
        if not done or not actors:
            raise RuntimeError(f"import_scene gave {done} and {len(actors)} actors")
        return moment(actors, paths_in(file))
    finally:
        for actor in actors:
            level.destroy_actor(actor)


def new_run(name, asked, how):
    about = {"schema": "xform-answers/1", "run": name, "engine": "unreal", "version": f"Unreal {unreal.SystemLibrary.get_engine_version()}"}
    by = f"Python {sys.version.split()[0]} of the editor"
    return {**about, "date": datetime.date.today().isoformat(), "by": by, "asked": asked, "how": how, "axes": AXES, "scenes": {}, "failed": {}}


def ask(run, name, moments):
    """Asks about a scene; where that fails, the reason is kept."""
    try:
        run["scenes"][name] = moments()
    except Exception as error:  # noqa: BLE001: whatever Unreal raises is its answer
        run["failed"][name] = f"{type(error).__name__}: {error}"[:300]


def of_folder():
    gltf = new_run("unreal/gltf", "gltf", "InterchangeManager.import_scene of glTF, the project's pipelines")
    # The importer of FBX may turn what is above all nodes and mirror each: their places are as said, their own axes need not be.
    fbx = new_run("unreal-Interchange-fbx", "fbx", "InterchangeManager.import_scene of FBX, the project's pipelines")
    for file in sorted(pathlib.Path(SCENES).iterdir()):
        if file.suffix.lower() in (".gltf", ".glb", ".fbx"):
            ask(fbx if file.suffix.lower() == ".fbx" else gltf, file.stem, lambda: imported(file))
    unreal.EditorAssetLibrary.delete_directory(CONTENT)
    return [gltf, fbx]


def of_level():
    level = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    gltf = new_run("unreal/level", "gltf", "what stands in the open level")
    ask(gltf, LEVEL, lambda: moment(level.get_all_level_actors(), None))
    return [gltf]


def main():
    runs = of_level() if LEVEL else of_folder()
    pathlib.Path(ANSWERS).write_text("".join(json.dumps(run, separators=(",", ":")) + "\n" for run in runs))
    for run in runs:
        unreal.log(f"{run['run']}, {run['version']}: {len(run['scenes'])} scenes")
        for name, why in run["failed"].items():
            unreal.log(f"  {name}: {why}")


main()
