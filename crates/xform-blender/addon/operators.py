# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators, called from the interface or as `bpy.ops.xform`."""

from __future__ import annotations

import json
import os
import traceback
import webbrowser
from contextlib import suppress
from pathlib import Path

import bpy
import xform_audit
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from . import audit as audits
from . import repairs, state
from .exporting import ExportFailed, exported, settings
from .findings import GRADES


def said(error: Exception) -> str:
    """Formats an error as one line for people. Unexpected errors are printed to the console in full."""
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{where}"
    if isinstance(error, (ExportFailed, xform_audit.XformError)):
        return " ".join(str(error).split())
    traceback.print_exception(error)
    return f"xform failed: {type(error).__name__}: {error}"


def write_whole(path: Path, text: str) -> None:
    """Writes a file, or keeps the existing one after an error."""
    unfinished = path.with_name(f".xform-{os.getpid()}-{path.name}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


class XFORM_OT_audit(bpy.types.Operator):
    """Export into a temporary folder and list what engines will show differently from Blender"""

    bl_idname = "xform.audit"
    bl_label = "Check Scene for Engines"

    selection: BoolProperty(name="Selection", description="Export only the selected objects")
    format: EnumProperty(
        name="Format",
        description="By default the scene's setting",
        items=[("SCENE", "As the Scene", ""), *state.FORMATS],
    )
    fail_on: EnumProperty(
        name="Fail On",
        description="Report an error from this grade on, which stops a script or command line",
        items=[("NEVER", "Never", ""), *state.AT_LEAST],
    )
    filepath: StringProperty(
        name="JSON", description="Where to write the findings as JSON", subtype="FILE_PATH"
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        choices = context.scene.xform
        format = choices.format if self.format == "SCENE" else self.format
        try:
            options, origin = settings(context, format)
            options |= {"use_selection": self.selection}
            audit = audits.audit(context, format, options, sorted(choices.engines))
            if self.filepath:
                text = json.dumps(audit.as_document(), indent=1, ensure_ascii=False)
                write_whole(Path(bpy.path.abspath(self.filepath)), f"{text}\n")
        except Exception as error:
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        context.window_manager.xform.show(audit, origin)
        told = state.summary(audit)
        if is_at_least(audit.grade, self.fail_on):
            self.report({"ERROR"}, told)
            return {"CANCELLED"}
        self.report({"WARNING" if is_at_least(audit.grade, "VISIBLE") else "INFO"}, told)
        return {"FINISHED"}


def is_at_least(grade: str, least: str) -> bool:
    return least != "NEVER" and GRADES.index(grade) >= GRADES.index(least.lower())


class XFORM_OT_select(bpy.types.Operator):
    """Select the object or bone and go to the frame with the largest difference"""

    bl_idname = "xform.select"
    bl_label = "Select and Go to Frame"
    bl_options = {"REGISTER", "UNDO"}

    culprit: BoolProperty(
        name="Cause", description="Select the cause instead of the object that is affected most"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        known = context.window_manager.xform
        return 0 <= known.active < len(known.findings)

    def execute(self, context: bpy.types.Context) -> set[str]:
        known = context.window_manager.xform
        finding = known.findings[known.active]
        name, bone = finding.object, finding.bone
        if self.culprit:
            name, bone = finding.culprit_object, finding.culprit_bone
        shown = context.view_layer.objects.get(name)
        if shown is None:
            told = f"“{name}” is not in this view layer." if name else "There is nothing to select."
            self.report({"WARNING"}, told)
            return {"CANCELLED"}
        if not shown.visible_get():
            self.report({"WARNING"}, f"“{name}” is hidden, and cannot be selected.")
            return {"CANCELLED"}
        if context.object and context.object.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for one in context.view_layer.objects:
            one.select_set(one == shown)
        context.view_layer.objects.active = shown
        if finding.is_moving:
            context.scene.frame_set(int(finding.frame), subframe=finding.frame % 1)
        if bone and not self._select_bone(shown, bone):
            self.report({"WARNING"}, f"“{name}” has no bone “{bone}” any more.")
            return {"CANCELLED"}
        return {"FINISHED"}

    @staticmethod
    def _select_bone(armature: bpy.types.Object, bone: str) -> bool:
        chosen = armature.data.bones.get(bone)
        if chosen is None:
            return False
        bpy.ops.object.mode_set(mode="POSE")
        for pose in armature.pose.bones:
            # Blender 5 stores the selection in the pose bone, earlier versions in the bone.
            owner = pose if hasattr(pose, "select") else pose.bone
            owner.select = pose.name == bone
        armature.data.bones.active = chosen
        return True


class XFORM_OT_report(bpy.types.Operator, ExportHelper):
    """Save a web page about the differences between engines, with a 3D view, and open it in the browser. Losses of the export are only listed in the panel"""

    bl_idname = "xform.report"
    bl_label = "Write Report"
    filename_ext = ".html"

    filter_glob: StringProperty(default="*.html", options={"HIDDEN"})
    selection: BoolProperty(name="Selection", description="Export only the selected objects")
    open: BoolProperty(name="Open", description="Open it in the browser", default=True)

    def execute(self, context: bpy.types.Context) -> set[str]:
        format = context.scene.xform.format
        path = Path(bpy.path.abspath(self.filepath))
        try:
            options, _ = settings(context, format)
            options |= {"use_selection": self.selection}
            with exported(context, format, options) as export:
                write_whole(path, xform_audit.report(str(export.path)))
        except Exception as error:
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        if self.open and not bpy.app.background:
            webbrowser.open(path.resolve().as_uri())
        self.report({"INFO"}, f"Wrote {path}")
        return {"FINISHED"}


class XFORM_OT_apply_scale(bpy.types.Operator):
    """Apply the non-uniform scales of the selected objects to their meshes and those of their children, if it is proved that nothing moves"""

    bl_idname = "xform.apply_scale"
    bl_label = "Apply Scale Where Exact"
    bl_options = {"REGISTER", "UNDO"}

    object: StringProperty(
        name="Object",
        description="Apply to this object only, whatever is selected",
        # Otherwise the next call from a button without this property would apply to this object again.
        options={"HIDDEN", "SKIP_SAVE"},
    )
    uniform: BoolProperty(
        name="Uniform Scales Too",
        description="Also apply scales of children that are the same on X, Y and Z",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode == "OBJECT"

    def execute(self, context: bpy.types.Context) -> set[str]:
        chosen = set(context.selected_objects)
        if self.object:
            named = (one for one in context.view_layer.objects if one.name == self.object)
            # A linked object may have the same name, but is not repaired.
            one = next((one for one in named if not one.library), None)
            if one is None:
                self.report({"ERROR"}, f"“{self.object}” is not in this view layer.")
                return {"CANCELLED"}
            chosen = {one}
        try:
            repaired = repairs.apply_scales(context, chosen, self.uniform)
        except Exception as error:
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        return _told(
            self, repaired, "Nothing to do: no selected object has a non-uniform scale and a child."
        )


class XFORM_OT_clear_parent_inverse(bpy.types.Operator):
    """Merge the parent inverses (Ctrl-P) of the selected objects into their location, rotation and scale without moving them, or report how far they would move"""

    bl_idname = "xform.clear_parent_inverse"
    bl_label = "Parent Inverse to Transform"
    bl_options = {"REGISTER", "UNDO"}

    allow_loss: BoolProperty(
        name="Clear and Move",
        description="If location, rotation and scale cannot express the shear, use the nearest values",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode == "OBJECT"

    def execute(self, context: bpy.types.Context) -> set[str]:
        chosen = list(context.selected_objects)
        try:
            repaired = repairs.clear_parent_inverses(context, chosen, self.allow_loss)
        except Exception as error:
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        return _told(self, repaired, "No selected object has a parent inverse.")


def _told(operator: bpy.types.Operator, repaired: repairs.Repaired, nothing: str) -> set[str]:
    for reason in repaired.refused:
        operator.report({"WARNING"}, reason)
    if repaired.done:
        names = ", ".join(f"“{name}”" for name in repaired.done[:5])
        more = f" and {len(repaired.done) - 5} more" if len(repaired.done) > 5 else ""
        operator.report({"INFO"}, f"Repaired {names}{more}. Audit again to see what is left.")
        return {"FINISHED"}
    if not repaired.refused:
        operator.report({"INFO"}, nothing)
    return {"CANCELLED"}


CLASSES = (
    XFORM_OT_audit,
    XFORM_OT_select,
    XFORM_OT_report,
    XFORM_OT_apply_scale,
    XFORM_OT_clear_parent_inverse,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
