# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored state: a scene's settings in the file, the user's settings in the preferences, and findings until Blender
closes."""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import overlay
from .audit import Audit
from .findings import ENGINES, GRADES, names_of

FORMATS = [
    ("GLTF", "glTF", "As Blender's glTF exporter writes it"),
    ("FBX", "FBX", "As Blender's FBX exporter writes it"),
]
AT_LEAST = [
    ("SEVERE", "Severe", "Obvious differences: 2 % of the scene or more"),
    (
        "VISIBLE",
        "Visible",
        "Differences that are visible on inspection: 0.1 % of the scene or more",
    ),
    ("NEGLIGIBLE", "Any", "Any difference beyond rounding"),
]


def _ghosts() -> list[tuple[str, str, str]]:
    written = (
        overlay.FILE,
        "Unity, Godot, three.js …",
        "Engines that multiply matrices, as glTF defines it",
    )
    return [written, *((id, name, f"As {name} shows it") for id, name in ENGINES.items())]


TEXTS = (
    "kind",
    "grade",
    "brief",
    "title",
    "cause",
    "advice",
    "object",
    "bone",
    "animation",
    "culprit_object",
    "culprit_bone",
    "repair",
)


class XformFinding(bpy.types.PropertyGroup):
    kind: StringProperty()
    grade: StringProperty()
    brief: StringProperty()
    title: StringProperty()
    cause: StringProperty()
    advice: StringProperty()
    object: StringProperty()
    bone: StringProperty()
    frame: FloatProperty()
    is_moving: BoolProperty()
    animation: StringProperty()
    culprit_object: StringProperty()
    culprit_bone: StringProperty()
    repair: StringProperty()


def _select(self: XformState, context: bpy.types.Context) -> None:
    if 0 <= self.active < len(self.findings):
        # With a separate undo step.
        bpy.ops.xform.select("EXEC_DEFAULT", True)


class XformState(bpy.types.PropertyGroup):
    """Properties of the window manager: the results of the last audit."""

    findings: CollectionProperty(type=XformFinding)
    active: IntProperty(update=_select)
    summary: StringProperty()
    options: StringProperty()

    def show(self, audit: Audit, options: str) -> None:
        self.findings.clear()
        for one in audit.findings:
            row = self.findings.add()
            for name in TEXTS:
                setattr(row, name, getattr(one, name))
            row.is_moving, row.frame = one.frame is not None, one.frame or 0.0
        self.active = -1
        self.summary, self.options = summary(audit), options


def summary(audit: Audit) -> str:
    """Returns the verdict and how far it can be relied on."""
    if audit.nodes == 0 and not audit.findings:
        return "Nothing is exported: the scene, or the selection, is empty."
    seen = [one for one in audit.findings if GRADES.index(one.grade) >= GRADES.index("visible")]
    if seen:
        worst, title = audit.grade, seen[0].title
        problems = f"{len(seen)} problems, the worst {worst}"
        told = f"{f'1 {worst} problem' if len(seen) == 1 else problems}: {title}."
    else:
        checked = "1 object or bone" if audit.nodes == 1 else f"{audit.nodes} objects and bones"
        told = f"Everything is where Blender shows it: {checked}, in {names_of(audit.engines)}."
    notes = sum(one.kind == "note" and one.grade == "identical" for one in audit.findings)
    if notes:
        told += f" See also {'1 note' if notes == 1 else f'{notes} notes'}."
    if audit.step > 1:
        told += f" One frame in {audit.step} was compared."
    return told


def _ghost_changed(_self: XformChoices, _context: bpy.types.Context) -> None:
    overlay.refresh()


class XformChoices(bpy.types.PropertyGroup):
    """Properties of the scene: the settings of the audit."""

    format: EnumProperty(
        name="Format",
        description="The file format of the export",
        items=FORMATS,
        update=_ghost_changed,
    )
    engines: EnumProperty(
        name="Engines",
        description="The engines to compare; by default three.js, Babylon.js, Godot, Unity, Blender and Unreal",
        items=[(id, name, "") for id, name in ENGINES.items()],
        options={"ENUM_FLAG"},
    )
    ghost: EnumProperty(
        name="Ghost",
        description="The engine to draw in orange",
        items=_ghosts(),
        update=_ghost_changed,
    )


class XformPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    check: EnumProperty(
        name="Check on Export",
        description="Audit the scene before each glTF and FBX export",
        items=[
            ("OFF", "Off", "Exports are not checked"),
            ("WARN", "Warn", "Report problems of the grade below, and export"),
            ("STOP", "Stop", "Cancel the export if there is a problem of the grade below"),
        ],
    )
    at_least: EnumProperty(
        name="Report from", description="The lowest grade that counts", items=AT_LEAST
    )

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.label(text="Check on Export")
        draw_check(self.layout, self)


def draw_check(layout: bpy.types.UILayout, preferences: XformPreferences) -> None:
    layout.row().prop(preferences, "check", expand=True)
    row = layout.row()
    row.enabled = preferences.check != "OFF"
    row.prop(preferences, "at_least")


def preferences(context: bpy.types.Context) -> XformPreferences:
    return context.preferences.addons[__package__].preferences


CLASSES = (XformFinding, XformState, XformChoices, XformPreferences)


_register, _unregister = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register()
    bpy.types.WindowManager.xform = PointerProperty(type=XformState)
    bpy.types.Scene.xform = PointerProperty(type=XformChoices)


def unregister() -> None:
    del bpy.types.Scene.xform
    del bpy.types.WindowManager.xform
    _unregister()
