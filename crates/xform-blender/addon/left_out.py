# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are missing from the file, or become something else in it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import bpy

from . import losses as lost
from .exporting import Export
from .findings import Finding, more, quoted, where
from .hidden import switching
from .losses import Losses
from .tree import SHAPES, instances
from .written import DUPLI


def missing(
    context: bpy.types.Context, export: Export, absent: list[int], options: dict[str, Any]
) -> list[Finding]:
    """Returns findings about objects that are visible in Blender but missing from the file, unless the user excluded
    them."""
    nodes = export.tree.nodes
    # Bones may be missing because they do not deform anything.
    lacking = [nodes[index] for index in absent if nodes[index].object and not nodes[index].bone]
    known = {node.object for node in nodes}
    is_chosen = any(options.get(name) for name in FILTERS)
    shown = context.view_layer.objects if not is_chosen else []
    names = [node.name for node in lacking] + [
        one.name
        for one in shown
        if one not in known and one.type in SHAPES and one.visible_get() and not one.hide_render
    ]
    if not names:
        return []
    one = context.view_layer.objects.get(names[0])
    return [
        _absent(
            brief=f"not in the file: {more(names[0], len(names))}",
            title=f"{quoted(names[0], len(names))} {'is' if len(names) == 1 else 'are'} not in the exported file",
            cause="Blender's exporter omits the children of objects that it does not export.",
            advice="Clear its parent (Alt-P, Keep Transformation), or export the parent too.",
            name=one.name if one else "",
            nodes=len(names),
        )
    ]


def missing_instances(
    context: bpy.types.Context, export: Export, scene: dict[str, Any], options: dict[str, Any]
) -> list[Finding]:
    """Returns findings about instances of geometry nodes and others that an exporter omits."""
    if any(options.get(name) for name in FILTERS):
        return []
    shown = [one.name for one in instances(context.evaluated_depsgraph_get())]
    nodes = export.tree.nodes
    known = [node for node in nodes if node.is_instanced or node.is_fixed or node.object is None]
    known = [node for node in known if node.object is None or node.object.type in SHAPES]
    written = [node for node in scene["nodes"] if DUPLI in (node["name"] or "")]
    lacking = len(shown) - len(written if export.format == "FBX" else known)
    if lacking <= 0:
        return []
    ((name, _),) = Counter(shown).most_common(1)
    return [
        _absent(
            brief=f"{lacking} instances not in the file: {name}",
            title=f"{lacking} of {len(shown)} instances are not in the exported file, such as of “{name}”",
            cause="Blender's exporter leaves out instances of geometry nodes, unless an option asks for them, and of objects whose parent is in no scene.",
            advice="Object > Apply > Make Instances Real, then remove the modifier or the particle system that made them, from the copies too. Or for glTF turn on Geometry Nodes Instances in the exporter.",
            name=name,
            nodes=lacking,
        )
    ]


def _absent(brief: str, title: str, cause: str, advice: str, name: str, nodes: int) -> Finding:
    """`name` is the object that can be selected."""
    return Finding(
        "export",
        "severe",
        brief,
        title,
        cause,
        advice,
        [],
        object=name,
        nodes=nodes,
        culprit_object=name,
    )


def hidden_in_file(
    context: bpy.types.Context, export: Export, places: dict[int, int], scene: dict[str, Any]
) -> list[Finding]:
    """Returns findings about objects that are visible in Blender but hidden in the file: in FBX, the descendants of
    hidden objects."""
    nodes, shown = export.tree.nodes, []
    for index, node in enumerate(scene["nodes"]):
        one = nodes[places[index]].object if node.get("invisible") and index in places else None
        if one and one.type in SHAPES and one.visible_get(view_layer=context.view_layer):
            shown.append(one)
    if not shown:
        return []
    first = shown[0]
    if switching(first):
        cause = f"“{first.name}” is hidden and shown by keyframes, but FBX only stores the state of one frame."
        advice = "Export a frame at which it is shown, or delete the keyframes of its visibility."
        above = first
    else:
        above = first.parent
        while above and above.parent and above.visible_get(view_layer=context.view_layer):
            above = above.parent
        by = f"“{above.name}” above it" if above else "something above it"
        cause = f"FBX hides all descendants of a hidden object, and {by} is hidden. Hidden objects are not compared."
        advice = f"Show {f'“{above.name}”' if above else 'it'} (its monitor in the Outliner), or clear the parent of “{first.name}” (Alt-P, Keep Transformation)."
    return [
        Finding(
            "export",
            "severe",
            brief=f"hidden in the file: {more(first.name, len(shown))}",
            title=f"{quoted(first.name, len(shown))} {'is' if len(shown) == 1 else 'are'} visible in Blender, and hidden in the exported file",
            cause=cause,
            advice=advice,
            engines=[],
            object=first.name,
            nodes=len(shown),
            culprit_object=above.name if above else first.name,
        )
    ]


def unseen(objects: set[bpy.types.Object]) -> list[Finding]:
    """Returns findings about objects that cannot be evaluated because of the way they are hidden, so their position is
    unknown."""
    if not objects:
        return []
    names = sorted(one.name for one in objects)
    return [
        Finding(
            kind="unknown",
            # An unknown result never counts as safe.
            grade="visible",
            brief=f"hidden: {more(names[0], len(names))}",
            title=f"It is not known where {quoted(names[0], len(names))} would be if {'it' if len(names) == 1 else 'they'} were shown",
            cause="An animation hides it, and Blender does not evaluate hidden objects.",
            advice="Export a frame at which it is shown, or leave out what is hidden: Limit to > Visible Objects in the exporter.",
            engines=[],
            object=names[0],
            nodes=len(names),
            culprit_object=names[0],
        )
    ]


FILTERS = (
    "use_selection",
    "use_visible",
    "use_renderable",
    "use_active_collection",
    "collection",
    "object_types",
)


def notes(export: Export, found: Losses) -> list[Finding]:
    """Returns notes about differences in the file that displace nothing or are not measured."""
    told = []
    nodes = export.tree.nodes
    held = [
        node
        for place, node in enumerate(nodes)
        if lost.constraints(node) and place not in found.still
    ]
    if held:
        told.append(
            _note(
                export,
                f"The file has no constraints: where they put {_count(len(held))} is baked, frame by frame",
                f"“{held[0].name}” has “{lost.constraints(held[0])[-1]}”. In an engine it no longer follows its target.",
                held[0],
            )
        )
    posed = [
        node
        for place, node in enumerate(nodes)
        if node.bone and place not in found.moving and lost.is_posed(node)
    ]
    if export.is_at_rest and posed:
        rig = posed[0].object.name
        told.append(
            _note(
                export,
                f"“{rig}” is exported in its rest position, not in its pose",
                f"“{posed[0].name}” is posed and has no animation in the file. To export the pose, turn off Use Rest Position Armature in the glTF exporter.",
                posed[0],
            )
        )
    bent = [(node, why) for node in nodes if (why := _not_linear(node))]
    if bent:
        node, why = bent[0]
        told.append(
            _note(
                export,
                f"{quoted(node.name, len(bent))} will bend differently in every engine",
                f"“{node.name}” {why}. Files only have bones with weights.",
                node,
            )
        )
    copies = [node for node in nodes if node.is_instanced and not node.bone]
    if copies:
        told.append(
            _note(
                export,
                f"Instances of collections are written as {len(copies)} separate objects",
                f"One is “{copies[0].name}”. They still share their meshes.",
                copies[0],
            )
        )
    return told


def _not_linear(node: lost.Node) -> str | None:
    """Returns the part of a mesh's armatures that files cannot represent, if any."""
    if node.object is None or node.object.type != "MESH":
        return None
    bending = [one for one in node.object.modifiers if one.type == "ARMATURE" and one.show_viewport]
    if len(bending) > 1:
        return "has several armature modifiers"
    if bending and bending[0].use_deform_preserve_volume:
        return "preserves volume (armature modifier)"
    return "is bent by envelopes" if bending and bending[0].use_bone_envelopes else None


def _note(export: Export, title: str, cause: str, node: lost.Node) -> Finding:
    return Finding("note", "identical", title, title, cause, "", [], **where(export, node, node))


def _count(count: int) -> str:
    return "1 object or bone" if count == 1 else f"{count} objects or bones"
