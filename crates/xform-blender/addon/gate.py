# SPDX-License-Identifier: GPL-3.0-or-later
"""The check on export: Blender's exporters audit the scene before they write anything.

Blender has no call before an export that can stop it. So the `execute` of its two exporters is wrapped, for as long as the add-on is on.
An exporter that is switched on later is found when its menu is next drawn, or at the next file that is loaded.
"""

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
        # Whoever has wrapped it since calls ours, which does nothing without the add-on.
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
    """Reports what will be seen; whether the export may go on."""
    chosen = state.preferences(context)
    if chosen.check == "OFF":
        return True
    options: dict[str, Any] = exporting.chosen(operator.properties)
    engines = sorted(context.scene.xform.engines)
    level = "ERROR" if chosen.check == "STOP" else "WARNING"
    try:
        audit = audits.audit(context, format, options, engines)
    except Exception as error:
        # Whatever goes wrong here: whoever only wants to be warned gets the export.
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
