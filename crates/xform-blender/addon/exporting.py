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
from mathutils import Matrix

from . import tree as trees
from .tree import Node, Tree

OPERATORS = {"GLTF": "export_scene.gltf", "FBX": "export_scene.fbx"}

# What changes no transform but takes time, hides vertices, or makes the file harder to compare with Blender: copies of meshes that are
# no nodes, times that are moved, scenes that are not looked at.
OWN_SETTINGS: dict[str, dict[str, Any]] = {
    "GLTF": {
        "export_format": "GLB",
        "export_materials": "NONE",
        "export_draco_mesh_compression_enable": False,
        "export_use_gltfpack": False,
        "export_extra_animations": False,
        "export_gpu_instances": False,
        "export_anim_slide_to_zero": False,
        "use_active_scene": True,
        "at_collection_center": False,
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
    """A file as Blender writes it, and the nodes that Blender has for it."""

    path: Path
    format: str
    tree: Tree
    places: dict[int, int]
    """The node of the tree for each node of a glTF file; the FBX exporter does not tell them."""
    is_y_up: bool
    """Whether the file has another axis up than Blender."""
    unit: float
    """By how much the exporter makes everything larger, as it was told to."""
    slides: bool
    """Whether animations with negative frames are moved to begin at the time 0."""
    is_at_rest: bool
    """Whether armatures are in their rest position in the file, without its animations."""


def settings(context: bpy.types.Context, format: str) -> tuple[dict[str, Any], str]:
    """The options that the user exports with, and where they are from."""
    kept = context.scene.get("glTF2ExportSettings") if format == "GLTF" else None
    if hasattr(kept, "items"):
        return dict(kept.items()), "the options that this file remembers"
    last = context.window_manager.operator_properties_last(OPERATORS[format])
    known = chosen(last) if last else {}
    return known, "the options of your last export" if known else "the exporter's default options"


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
    with tempfile.TemporaryDirectory(prefix="xform-") as folder, as_it_was(context):
        path = Path(folder) / f"{name}{'.glb' if format == 'GLTF' else '.fbx'}"
        tree = _write(context, format, path, options)
        yield _read(context, path, format, tree, options)


@contextmanager
def as_it_was(context: bpy.types.Context) -> Iterator[None]:
    """Afterwards mode and frame are as before, and so is what was changed without a keyframe, which another frame undoes."""
    # A script may have left something to be computed.
    context.view_layer.update()
    scene, active = context.scene, context.view_layer.objects.active
    frame, subframe = scene.frame_current, scene.frame_subframe
    mode = active.mode if active else "OBJECT"
    values = [(owner, path, index, _value(owner, path, index)) for owner, path, index in _keyed()]
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
        for owner, path, index, value in values:
            if value is not None and _value(owner, path, index) != value:
                _assign(owner, path, index, value)
        if active and active.mode != mode and active.visible_get():
            bpy.ops.object.mode_set(mode=mode)
        context.view_layer.update()


def _keyed() -> Iterator[tuple[bpy.types.ID, str, int]]:
    """Each property that an action sets, by itself or in a track."""
    for owner in trees.animated():
        data = owner.animation_data
        strips = (strip for track in data.nla_tracks for strip in track.strips if strip.action)
        tracks = (curve for strip in strips for curve in trees.all_curves(strip.action))
        for curve in (*trees.curves(data), *tracks):
            yield owner, curve.data_path, curve.array_index


def _value(owner: bpy.types.ID, path: str, index: int) -> Any:
    """`None` for what is not there, and for what is no number."""
    try:
        value = owner.path_resolve(path)
        value = value if isinstance(value, (bool, int, float)) else value[index]
    except (ValueError, TypeError, IndexError):
        return None
    return value if isinstance(value, (bool, int, float)) else None


def _assign(owner: bpy.types.ID, path: str, index: int, value: Any) -> None:
    if path.endswith('"]'):
        head, _, name = path[:-2].rpartition('["')
        holder, name = (
            (owner.path_resolve(head) if head else owner),
            bpy.utils.unescape_identifier(name),
        )
        if isinstance(holder[name], (bool, int, float)):
            holder[name] = value
        else:
            holder[name][index] = value
        return
    head, _, name = path.rpartition(".")
    holder = owner.path_resolve(head) if head else owner
    if isinstance(getattr(holder, name), (bool, int, float)):
        setattr(holder, name, value)
    else:
        getattr(holder, name)[index] = value


def _write(context: bpy.types.Context, format: str, path: Path, options: dict[str, Any]) -> Tree:
    exporter = _operator(format)
    try:
        # Other versions of Blender have other options.
        names = exporter.get_rna_type().properties.keys()
    except KeyError as error:
        raise ExportFailed(f"Blender's exporter for {format} is switched off") from error
    every = options | OWN_SETTINGS[format]
    known = {name: value for name, value in every.items() if name in names}
    with _listening() as listener:
        try:
            result = exporter(filepath=str(path), check_existing=False, **known)
        except (RuntimeError, TypeError) as error:
            raise ExportFailed(f"Blender's exporter failed: {_last_line(error)}") from error
    if result != {"FINISHED"} or not path.exists():
        raise ExportFailed("Blender's exporter wrote no file")
    if format == "FBX":
        return trees.of_objects(fbx_objects(context, options), format, options)
    return listener.tree()


def _last_line(error: Exception) -> str:
    """Of what an exporter says, which may be a traceback, the error."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith("Location:")]
    return told[-1].removeprefix("Error: ") if told else type(error).__name__


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
    if "OTHER" in types:
        types = {*types, "CURVE", "SURFACE", "FONT", "META"}
    return [one for one in objects if one.type in types]


def _read(
    context: bpy.types.Context, path: Path, format: str, tree: Tree, options: dict[str, Any]
) -> Export:
    if format == "FBX":
        unit = options.get("global_scale", 1.0)
        if options.get("apply_unit_scale", True):
            unit *= context.scene.unit_settings.scale_length
        # Whatever axes the file has, its reader gives those of glTF.
        return Export(path, format, tree, {}, True, unit, slides=False, is_at_rest=False)
    file = glb_document(path.read_bytes())
    places = places_of(file)
    if file.get("nodes") and not places:
        raise ExportFailed("Blender's exporter did not say which object each node is")
    is_y_up, is_at_rest = (
        options.get(name, True) for name in ("export_yup", "export_rest_position_armature")
    )
    slides = options.get("export_negative_frame", "SLIDE") == "SLIDE"
    return Export(path, format, tree, places, is_y_up, 1.0, slides, is_at_rest)


def glb_document(file: bytes) -> dict[str, Any]:
    """The JSON of a GLB."""
    (length,) = struct.unpack_from("<I", file, 12)
    return json.loads(file[20 : 20 + length])


Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
"""From Blender's axes to those of glTF."""


def places_of(file: dict[str, Any]) -> dict[int, int]:
    """The node of the tree for each node of a file that we had written."""
    marks = (node.get("extras") or {} for node in file.get("nodes", []))
    return {index: extras[MARK] for index, extras in enumerate(marks) if MARK in extras}


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
        vertices = getattr(entry.data, "vertices", None) if shown is None else None
        if vertices:
            node.box = trees.box_of(trees.coordinates(vertices))
        above = vtree.nodes.get(entry.parent_uuid)
        instancer = above.blender_object if above else None
        # By vertices, faces or geometry nodes; its real children are not exported.
        node.is_fixed = (
            isinstance(instancer, bpy.types.Object)
            and not bone
            and instancer.is_instancer
            and above.blender_type != above.INST_COLLECTION
        )
        return node

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
            prefix = parent
        else:
            prefix = self._nodes[parent].prefix
        if prefix < 0:
            return -1, False
        shown = self._nodes[prefix].object
        collection = shown.instance_collection if shown else None
        is_in = collection is not None and entry.blender_object in set(collection.all_objects)
        return prefix, is_in

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
