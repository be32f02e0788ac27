# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports by Blender's own exporters, into a folder that goes away, and what they make of the scene."""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from . import tree as trees
from .tree import Node, Tree

OPERATORS = {"GLTF": "export_scene.gltf", "FBX": "export_scene.fbx"}

# Where the file goes, and what changes no transform but takes time or hides the vertices. `check_existing` asks somebody.
OWN_SETTINGS: dict[str, dict[str, Any]] = {
    "GLTF": {
        "export_format": "GLB",
        "export_materials": "NONE",
        "export_draco_mesh_compression_enable": False,
        "export_use_gltfpack": False,
        "export_extra_animations": False,
    },
    "FBX": {"batch_mode": "OFF", "path_mode": "STRIP", "embed_textures": False},
}
NOT_SETTINGS = {
    "rna_type",
    "filepath",
    "check_existing",
    "filter_glob",
    "will_save_settings",
    "gltf_export_id",
    "ui_tab",
}


class ExportFailed(Exception):
    """Blender's exporter wrote nothing; the message is its own."""


@dataclass
class Export:
    """A file as Blender writes it, and the nodes that are in it."""

    path: Path
    format: str
    tree: Tree
    places: dict[int, int]
    """The node of the tree for each node of the file, as far as there is one."""
    written: np.ndarray | None
    """The world transforms at rest in the file, in Blender's axes; `None` for FBX, which they are predicted for."""
    moves: np.ndarray
    """Whether the file has an animation of a node."""
    first_frame: int
    """The frame that is at 0 s in the file's animations."""
    is_at_rest: bool
    """Whether armatures are in their rest position in the file, without its animations."""


def settings(context: bpy.types.Context, format: str) -> dict[str, Any]:
    """The options that the user exports with: those that the file keeps, else those of the last export."""
    kept = context.scene.get("glTF2ExportSettings") if format == "GLTF" else None
    if kept:
        known = dict(kept.items())
    else:
        last = context.window_manager.operator_properties_last(OPERATORS[format])
        known = chosen(last) if last else {}
    return known


def chosen(properties: bpy.types.OperatorProperties) -> dict[str, Any]:
    """The options that somebody has set."""
    names = set(properties.bl_rna.properties.keys()) - NOT_SETTINGS
    return {name: getattr(properties, name) for name in names if properties.is_property_set(name)}


def _operator(format: str) -> Any:
    module, name = OPERATORS[format].split(".")
    return getattr(getattr(bpy.ops, module), name)


@contextmanager
def exported(context: bpy.types.Context, format: str, options: dict[str, Any]) -> Iterator[Export]:
    """The scene as Blender exports it with these options. Mode, frame and selection are afterwards as they were."""
    name = Path(bpy.data.filepath).stem or "untitled"
    with tempfile.TemporaryDirectory(prefix="xform-") as folder:
        path = Path(folder) / f"{name}{'.glb' if format == 'GLTF' else '.fbx'}"
        with as_it_was(context):
            tree = _write(context, format, path, options)
        first = context.scene.frame_start if format == "FBX" else 0
        yield _read(path, format, tree, options, first)


@contextmanager
def as_it_was(context: bpy.types.Context) -> Iterator[None]:
    """Afterwards mode and frame are as before, and so is every pose, since a change without a keyframe does not outlive another frame."""
    scene, active = context.scene, context.view_layer.objects.active
    frame, subframe = scene.frame_current, scene.frame_subframe
    mode = active.mode if active else "OBJECT"
    poses = [(owner, name, _value(owner, name)) for owner, name in _posed()]
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
        for owner, name, value in poses:
            if _value(owner, name) != value:
                setattr(owner, name, value)
        if active and active.mode != mode:
            bpy.ops.object.mode_set(mode=mode)
        context.view_layer.update()


CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def _posed() -> Iterator[tuple[Any, str]]:
    """What a person poses of all that is animated."""
    for one in bpy.data.objects:
        if one.animation_data:
            yield from ((one, name) for name in CHANNELS)
            bones = one.pose.bones if one.pose else ()
            yield from ((bone, name) for bone in bones for name in CHANNELS)
    for keys in bpy.data.shape_keys:
        if keys.animation_data:
            yield from ((key, "value") for key in keys.key_blocks)


def _value(owner: Any, name: str) -> Any:
    value = getattr(owner, name)
    return value if isinstance(value, float) else tuple(value)


def _write(context: bpy.types.Context, format: str, path: Path, options: dict[str, Any]) -> Tree:
    exporter = _operator(format)
    # Other versions of Blender have other options.
    names = exporter.get_rna_type().properties.keys()
    every = options | OWN_SETTINGS[format]
    known = {name: value for name, value in every.items() if name in names}
    with _listening() as listener:
        try:
            result = exporter(filepath=str(path), check_existing=False, **known)
        except RuntimeError as error:
            raise ExportFailed(str(error).removeprefix("Error: ").strip()) from error
    if result != {"FINISHED"} or not path.exists():
        raise ExportFailed("Blender's exporter wrote no file")
    if format == "FBX":
        return trees.of_fbx(fbx_objects(context, options))
    return listener.tree()


def fbx_objects(context: bpy.types.Context, options: dict[str, Any]) -> list[bpy.types.Object]:
    """The objects that the FBX exporter takes with these options."""
    collection = None
    if options.get("use_active_collection"):
        collection = context.view_layer.active_layer_collection.collection
    elif options.get("collection"):
        collection = bpy.data.collections.get(options["collection"])
    objects = list(collection.all_objects if collection else context.view_layer.objects)
    if options.get("use_selection"):
        objects = [one for one in objects if one.select_get()]
    if options.get("use_visible"):
        objects = [one for one in objects if one.visible_get()]
    types = options.get("object_types") or {"EMPTY", "CAMERA", "LIGHT", "ARMATURE", "MESH", "OTHER"}
    plain = {"EMPTY", "CAMERA", "LIGHT", "ARMATURE", "MESH"}
    return [one for one in objects if (one.type if one.type in plain else "OTHER") in types]


def _read(path: Path, format: str, tree: Tree, options: dict[str, Any], first: int) -> Export:
    count = len(tree.nodes)
    if format == "FBX":
        moves = np.full(count, options.get("bake_anim", True))
        return Export(path, format, tree, {}, None, moves, first, is_at_rest=False)
    file = glb_document(path.read_bytes())
    nodes = file.get("nodes", [])
    places = {
        index: node["extras"][MARK]
        for index, node in enumerate(nodes)
        if MARK in (node.get("extras") or {})
    }
    if nodes and not places:
        raise ExportFailed("Blender's exporter did not say which object each node is")
    moves = np.zeros(count, bool)
    for animation in file.get("animations", []):
        for channel in animation["channels"]:
            place = places.get(channel["target"].get("node"))
            if place is not None:
                moves[place] = True
    is_y_up = options.get("export_yup", True)
    written = worlds_of(nodes, places, count, is_y_up)
    is_at_rest = options.get("export_rest_position_armature", True)
    return Export(path, format, tree, places, written, moves, first, is_at_rest)


def glb_document(file: bytes) -> dict[str, Any]:
    """The JSON of a GLB."""
    (length,) = struct.unpack_from("<I", file, 12)
    return json.loads(file[20 : 20 + length])


Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
"""From Blender's axes to those of glTF."""


def worlds_of(
    nodes: list[dict[str, Any]], places: dict[int, int], count: int, is_y_up: bool
) -> np.ndarray:
    """The world transforms that the file has, in Blender's axes."""
    above = {child: index for index, node in enumerate(nodes) for child in node.get("children", [])}
    known: dict[int, np.ndarray] = {}

    def world(index: int) -> np.ndarray:
        path = [index]
        while path[-1] not in known and path[-1] in above:
            path.append(above[path[-1]])
        for step in reversed(path):
            if step not in known:
                node = nodes[step]
                x, y, z, w = node.get("rotation", (0, 0, 0, 1))
                place, scale = node.get("translation", (0, 0, 0)), node.get("scale", (1, 1, 1))
                turn = Quaternion((w, x, y, z)).normalized()
                local = np.array(Matrix.LocRotScale(place, turn, scale))
                known[step] = known[above[step]] @ local if step in above else local
        return known[index]

    axes = np.array(Y_UP if is_y_up else trees.IDENTITY)
    worlds = np.tile(np.eye(4), (count, 1, 1))
    for index, place in places.items():
        worlds[place] = axes.T @ world(index) @ axes
    return worlds


MARK = "xform_node"


class glTF2ExportUserExtension:  # noqa: N801 - the name that Blender's exporter looks for
    """Tells which object or bone each node is. Silent in exports that are not ours."""

    def vtree_after_filter_hook(self, vtree: Any, export_settings: dict[str, Any]) -> None:
        if _listener:
            with _listener.kept():
                _listener.take(vtree, export_settings)

    def gather_scene_hook(self, *_: Any) -> None:
        if _listener:
            with _listener.kept():
                _listener.mark()


class _Listener:
    """What the exporter says of its nodes while it writes for us."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._entries: list[Any] = []
        self._failure: Exception | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keeps what goes wrong until the end: the exporter only prints it."""
        try:
            yield
        except Exception as error:
            self._failure = error
            raise

    def tree(self) -> Tree:
        if self._failure:
            told = f"xform does not understand this version of Blender's exporter: {self._failure}"
            raise ExportFailed(told) from self._failure
        return Tree(self._nodes, has_keys_from_rest=True)

    def take(self, vtree: Any, options: dict[str, Any]) -> None:
        """The nodes of a scene, parents first."""
        places: dict[str, int] = {}
        waiting = list(reversed(vtree.roots))
        while waiting:
            entry = vtree.nodes.get(waiting.pop())
            if entry is None:
                continue
            self._nodes.append(self._node(vtree, entry, places, options))
            self._entries.append(entry)
            places[entry.uuid] = len(self._nodes) - 1
            waiting.extend(reversed(entry.children))

    def _node(
        self, vtree: Any, entry: Any, places: dict[str, int], options: dict[str, Any]
    ) -> Node:
        shown, bone = entry.blender_object, entry.blender_bone
        is_object = isinstance(shown, bpy.types.Object) and entry.leaf_reference is None
        parent = places.get(entry.parent_uuid, -1)
        prefix, is_instanced = self._instance(vtree, entry, parent)
        node = Node(
            name=bone.name if bone else shown.name if shown else "instance",
            object=shown if is_object else None,
            bone=bone.name if bone else "",
            parent=parent,
            rest=entry.matrix_world.copy(),
            after=self._after(vtree, shown, bone, options),
            prefix=prefix,
            is_instanced=is_instanced,
        )
        is_posed_otherwise = options["gltf_rest_position_armature"] and (
            bone or any(above.bone for above in self._above(parent))
        )
        if not is_posed_otherwise:
            above = self._nodes[prefix].rest if prefix >= 0 else trees.IDENTITY
            apart = np.abs(np.array(node.now(above)) - np.array(node.rest)).max()
            node.is_fixed = bool(apart > 1e-4 * max(1.0, np.abs(np.array(node.rest)).max()))
        return node

    def _above(self, place: int) -> Iterator[Node]:
        while place >= 0:
            yield self._nodes[place]
            place = self._nodes[place].parent

    @staticmethod
    def _after(vtree: Any, shown: Any, bone: Any, options: dict[str, Any]) -> Matrix:
        kind = getattr(shown, "type", "")
        if bone:
            return vtree.axis_basis_change
        is_turned = (
            kind == "CAMERA"
            and options["gltf_cameras"]
            or kind == "LIGHT"
            and options["gltf_lights"]
        )
        is_turned = is_turned and options["gltf_yup"]
        return Matrix.Rotation(-pi / 2, 4, "X") if is_turned else trees.IDENTITY

    def _instance(self, vtree: Any, entry: Any, parent: int) -> tuple[int, bool]:
        """The collection's instance that a node is below, and whether it is in the collection."""
        if parent < 0:
            return -1, False
        above = vtree.nodes[entry.parent_uuid]
        if above.blender_type == above.INST_COLLECTION:
            is_in = above.children_type.get(entry.uuid) == above.CHILDREN_IS_IN_COLLECTION
            return parent, is_in
        return self._nodes[parent].prefix, self._nodes[parent].is_instanced

    def mark(self) -> None:
        """Called when the exporter has made all nodes of a scene."""
        for place, (node, entry) in enumerate(zip(self._nodes, self._entries)):
            if entry.node is not None:
                node.is_skinned = entry.skin is not None
                entry.node.extras = {**(entry.node.extras or {}), MARK: place}


_listener: _Listener | None = None


@contextmanager
def _listening() -> Iterator[_Listener]:
    global _listener
    _listener = _Listener()
    try:
        yield _listener
    finally:
        _listener = None


def is_ours() -> bool:
    """Whether the export that runs is one of ours."""
    return _listener is not None
