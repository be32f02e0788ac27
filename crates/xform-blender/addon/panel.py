# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar of the 3D view, and the menu entries."""

from __future__ import annotations

import textwrap

import bpy

from . import overlay, state

ICONS = {"severe": "CANCEL", "visible": "ERROR", "negligible": "DOT", "identical": "INFO"}


class XFORM_UL_findings(bpy.types.UIList):
    """The list of findings, worst first."""

    def draw_item(
        self,
        _context,
        layout,
        _data,
        item,
        _icon,
        _active_data,
        _active_property,
        _index=0,
        _flag=0,
    ) -> None:
        layout.label(text=item.brief, icon=ICONS.get(item.grade, "DOT"))


class _InSidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"


class _Below(_InSidebar):
    bl_parent_id = "XFORM_PT_audit"


class XFORM_PT_audit(_InSidebar, bpy.types.Panel):
    bl_label = "Engines"
    bl_idname = "XFORM_PT_audit"
    bl_category = "xform"

    def draw(self, context: bpy.types.Context) -> None:
        layout, choices = self.layout, context.scene.xform
        known = context.window_manager.xform
        layout.row().prop(choices, "format", expand=True)
        row = layout.row(align=True)
        row.operator("xform.audit", text="Audit Scene").selection = False
        row.operator("xform.audit", text="Audit Selection").selection = True
        if known.summary:
            paragraph(context, layout, f"{known.summary} Exported with {known.options}.")
            layout.template_list(
                "XFORM_UL_findings", "", known, "findings", known, "active", rows=4
            )
            if 0 <= known.active < len(known.findings):
                self._draw_finding(context, known.findings[known.active])
        layout.operator("xform.report", icon="URL")

    def _draw_finding(self, context: bpy.types.Context, finding: state.XformFinding) -> None:
        box = self.layout.box()
        paragraph(context, box, f"{finding.title}.")
        if finding.is_moving:
            of = f" of “{finding.animation}”" if finding.animation else ""
            told = f"At its worst at frame {finding.frame:g}{of}."
            if _is_inactive(context, finding):
                told += " Make that the active action to see it."
            paragraph(context, box, told)
        paragraph(context, box, finding.cause)
        if finding.advice:
            paragraph(context, box, finding.advice, icon="LIGHT")
        if finding.repair:
            text = f"Apply Scale of “{finding.repair}”"
            box.operator("xform.apply_scale", text=text).object = finding.repair
        row = box.row(align=True)
        shown, culprit = (
            (finding.object, finding.bone),
            (finding.culprit_object, finding.culprit_bone),
        )
        # The selectable object may have another name: for the content of an instance it is the instancer.
        row.operator("xform.select", text=f"Select “{shown[1] or shown[0]}”").culprit = False
        if culprit[0] and culprit != shown:
            text = f"Select Cause “{culprit[1] or culprit[0]}”"
            row.operator("xform.select", text=text).culprit = True


def _is_inactive(context: bpy.types.Context, finding: state.XformFinding) -> bool:
    """Whether its animation is an action that is not the object's current one."""
    action = bpy.data.actions.get(finding.animation.removeprefix(f"{finding.object}|"))
    one = context.view_layer.objects.get(finding.object)
    data = one.animation_data if one else None
    return bool(action and data and data.action and data.action != action)


class XFORM_PT_engines(_Below, bpy.types.Panel):
    bl_label = "Compared Engines"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        flow = self.layout.grid_flow(columns=2, align=True)
        flow.prop(context.scene.xform, "engines")


class XFORM_PT_ghost(_Below, bpy.types.Panel):
    bl_label = "Ghost"

    def draw(self, context: bpy.types.Context) -> None:
        row = self.layout.row(align=True)
        row.prop(context.scene.xform, "ghost", text="")
        row.operator("xform.ghost", text="Hide" if overlay.is_on() else "Show")
        if overlay.told():
            paragraph(context, self.layout, overlay.told())


class XFORM_PT_repairs(_Below, bpy.types.Panel):
    bl_label = "Repair Selection"

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.operator("xform.apply_scale")
        column = self.layout.column(align=True)
        column.operator("xform.clear_parent_inverse").allow_loss = False
        column.operator("xform.clear_parent_inverse", text="Clear and Move").allow_loss = True


class XFORM_PT_check(_Below, bpy.types.Panel):
    bl_label = "Check on Export"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        state.draw_check(self.layout, state.preferences(context))


def paragraph(
    context: bpy.types.Context, layout: bpy.types.UILayout, text: str, icon: str = "NONE"
) -> None:
    """Draws text on as many lines as the sidebar needs, because Blender cuts labels off."""
    width = context.region.width / context.preferences.system.ui_scale if context.region else 300
    column = layout.column(align=True)
    column.scale_y = 0.8
    # Tabs, frames and an icon take part of the width. A letter takes about 7.
    taken = 50 if icon == "NONE" else 75
    for line in textwrap.wrap(text, max(16, int((width - taken) / 7))):
        column.label(text=line, icon=icon)
        icon = "BLANK1" if icon != "NONE" else "NONE"


def _scene_menu(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.operator("xform.audit").selection = False


def _object_menu(self: bpy.types.Menu, _context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.operator("xform.audit", text="Check Selection for Engines").selection = True


MENUS = (("TOPBAR_MT_file_export", _scene_menu), ("VIEW3D_MT_object", _object_menu))
CLASSES = (
    XFORM_UL_findings,
    XFORM_PT_audit,
    XFORM_PT_engines,
    XFORM_PT_ghost,
    XFORM_PT_repairs,
    XFORM_PT_check,
)


_register, _unregister = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register()
    for menu, draw in MENUS:
        getattr(bpy.types, menu).append(draw)


def unregister() -> None:
    for menu, draw in MENUS:
        getattr(bpy.types, menu).remove(draw)
    _unregister()
