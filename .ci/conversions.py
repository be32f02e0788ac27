"""Reads a glTF file with Blender's importer, and writes it with its exporter."""

import sys
from pathlib import Path

import bpy

before, after = (str(Path(name).resolve()) for name in sys.argv[1:])
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=before)
bpy.ops.export_scene.gltf(filepath=after, export_format="GLB")
