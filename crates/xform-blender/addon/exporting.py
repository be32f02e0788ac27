# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports with Blender's own exporters into a temporary folder, and describes the resulting files."""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
from mathutils import Matrix

from . import hooks
from . import tree as trees
from .as_it_was import in_object_mode
from .hooks import places_of
from .tree import Tree

OPERATORS = {"GLTF": "export_scene.gltf", "FBX": "export_scene.fbx"}

# Overrides options that do not affect transforms but take time, hide vertices, or make the file harder to compare with
# Blender: copies of meshes that are not nodes, shifted times, scenes that are not audited.
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
    """Blender's exporter wrote nothing. The message is the exporter's."""


@dataclass
class Export:
    """A file written by Blender, and the corresponding nodes in Blender."""

    path: Path
    format: str
    tree: Tree
    places: dict[int, int]
    """The node of the tree for each node of a glTF file. The FBX exporter does not provide this."""
    is_y_up: bool
    """Whether the file's up axis differs from Blender's."""
    unit: float
    """The factor by which the exporter was told to scale everything."""
    slides: bool
    """Whether glTF animations that begin at negative frames are shifted to begin at time 0."""
    is_each_action: bool
    """Whether each action becomes a separate animation in glTF."""
    is_cropped: bool
    """Whether glTF animations are limited to the scene's frames."""
    is_at_rest: bool
    """Whether armatures are in their rest position in the file, without its animations."""


def settings(context: bpy.types.Context, format: str) -> tuple[dict[str, Any], str]:
    """Returns the user's export options, and their origin."""
    kept = context.scene.get("glTF2ExportSettings") if format == "GLTF" else None
    if hasattr(kept, "items"):
        return dict(kept.items()), "the options stored in this file"
    last = context.window_manager.operator_properties_last(OPERATORS[format])
    known = chosen(last) if last else {}
    return known, "the options of your last export" if known else "the exporter's default options"


def chosen(properties: bpy.types.OperatorProperties) -> dict[str, Any]:
    """Returns the options that have been set."""
    names = set(properties.bl_rna.properties.keys()) - NOT_SETTINGS
    return {name: getattr(properties, name) for name in names if properties.is_property_set(name)}


def _operator(format: str) -> Any:
    module, name = OPERATORS[format].split(".")
    return getattr(getattr(bpy.ops, module), name)


@contextmanager
def exported(context: bpy.types.Context, format: str, options: dict[str, Any]) -> Iterator[Export]:
    """Exports the scene with these options. Mode, frame and selection are restored afterwards."""
    name = Path(bpy.data.filepath).stem or "untitled"
    # In Edit Mode, an armature is shown in its rest position.
    with tempfile.TemporaryDirectory(prefix="xform-") as folder, in_object_mode(context):
        path = Path(folder) / f"{name}{'.glb' if format == 'GLTF' else '.fbx'}"
        tree = _write(context, format, path, options)
        yield _read(context, path, format, tree, options)


def _write(context: bpy.types.Context, format: str, path: Path, options: dict[str, Any]) -> Tree:
    exporter = _operator(format)
    try:
        # Options differ between versions of Blender.
        names = exporter.get_rna_type().properties.keys()
    except KeyError as error:
        raise ExportFailed(f"Blender's exporter for {format} is switched off") from error
    every = options | OWN_SETTINGS[format]
    known = {name: value for name, value in every.items() if name in names}
    with hooks.listening() as listener:
        try:
            result = exporter(filepath=str(path), check_existing=False, **known)
        except (RuntimeError, TypeError) as error:
            raise ExportFailed(f"Blender's exporter failed: {_last_line(error)}") from error
    if result != {"FINISHED"} or not path.exists():
        raise ExportFailed("Blender's exporter wrote no file")
    if format == "FBX":
        return trees.of_objects(fbx_objects(context, options), format, options)
    try:
        return listener.tree()
    except Exception as error:
        told = f"xform does not understand this version of Blender's exporter: {error}"
        raise ExportFailed(told) from error


def _last_line(error: Exception) -> str:
    """Returns the error from an exporter's message, which may be a traceback."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith("Location:")]
    return told[-1].removeprefix("Error: ") if told else type(error).__name__


def fbx_objects(context: bpy.types.Context, options: dict[str, Any]) -> list[bpy.types.Object]:
    """Returns the objects that the FBX exporter includes with these options."""
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
        # The reader converts to glTF's axes, whatever axes the file has.
        return Export(path, format, tree, {}, True, unit, False, True, False, is_at_rest=False)
    file = glb_document(path.read_bytes())
    places = places_of(file)
    if file.get("nodes") and not places:
        raise ExportFailed("Blender's exporter did not report the object of each node")
    is_y_up, is_at_rest = (
        options.get(name, True) for name in ("export_yup", "export_rest_position_armature")
    )
    slides = options.get("export_negative_frame", "SLIDE") == "SLIDE"
    is_each_action = options.get("export_animation_mode", "ACTIONS") == "ACTIONS"
    is_cropped = options.get("export_frame_range", False)
    return Export(
        path, format, tree, places, is_y_up, 1.0, slides, is_each_action, is_cropped, is_at_rest
    )


def glb_document(file: bytes) -> dict[str, Any]:
    """Returns the JSON of a GLB."""
    (length,) = struct.unpack_from("<I", file, 12)
    return json.loads(file[20 : 20 + length])


Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
"""Converts from Blender's axes to those of glTF."""
