# SPDX-License-Identifier: GPL-3.0-or-later
"""The check on export: Blender's exporters audit the scene before they write anything.

Blender has no callback that can stop an export. So the `execute` method of its two exporters is wrapped while the
add-on is enabled. An exporter that is enabled later is found when its menu is next drawn, or when the next file is
loaded.
"""

# Export hooks would not work: the exporter prints exceptions from hooks and continues, and the FBX exporter has no
# hooks. A
# separate export operator would only check the users who choose it. A wrapped exporter has the options of that very
# export
# at hand and reports like any operator, so a script gets an exception.

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import audit as audits
from . import exporting, hooks, state
from .operators import is_at_least, said

EXPORTERS = {"GLTF": ("io_scene_gltf2", "ExportGLTF2"), "FBX": ("io_scene_fbx", "ExportFBX")}
MARK = "xform_unchecked"


def _exporters() -> Iterator[tuple[str, Any]]:
    for format, (module, name) in EXPORTERS.items():
        exporter = getattr(sys.modules.get(module), name, None)
        if exporter is not None:
            yield format, exporter


def _wrap() -> None:
    for format, exporter in _exporters():
        if not hasattr(exporter.execute, MARK):
            exporter.execute = _checked(exporter.execute, format)


def _unwrap() -> None:
    for _, exporter in _exporters():
        # Another wrapper added later still calls ours, which does nothing without the add-on.
        if hasattr(exporter.execute, MARK):
            exporter.execute = getattr(exporter.execute, MARK)


def _checked(execute: Callable[..., set[str]], format: str) -> Callable[..., set[str]]:
    def checked(self: bpy.types.Operator, context: bpy.types.Context) -> set[str]:
        is_off = __package__ not in context.preferences.addons or hooks.is_ours()
        if is_off or is_good(self, context, format):
            return execute(self, context)
        return {"CANCELLED"}

    setattr(checked, MARK, execute)
    return checked


def is_good(operator: bpy.types.Operator, context: bpy.types.Context, format: str) -> bool:
    """Reports the visible differences. Returns whether the export may continue."""
    chosen = state.preferences(context)
    if chosen.check == "OFF":
        return True
    options: dict[str, Any] = exporting.chosen(operator.properties)
    engines = sorted(context.scene.xform.engines)
    level = "ERROR" if chosen.check == "STOP" else "WARNING"
    try:
        audit = audits.audit(context, format, options, engines)
    except Exception as error:
        # Even after an error here, users who only want a warning get their export.
        operator.report({level}, f"xform could not check this export: {said(error)}")
        return chosen.check != "STOP"
    context.window_manager.xform.show(audit, "the options of the export")
    if not is_at_least(audit.grade, chosen.at_least):
        return True
    told = f"xform: {state.summary(audit)}"
    if chosen.check == "STOP":
        told = f"Not exported. {told} To export all the same, set Check on Export to Warn."
    operator.report({level}, told)
    return chosen.check != "STOP"


@persistent
def _loaded(*_: Any) -> None:
    _wrap()


def _menu(_self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    _wrap()


def register() -> None:
    _wrap()
    bpy.app.handlers.load_post.append(_loaded)
    bpy.types.TOPBAR_MT_file_export.append(_menu)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_export.remove(_menu)
    bpy.app.handlers.load_post.remove(_loaded)
    _unwrap()
