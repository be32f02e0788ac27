# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that Blender does not compute while they are hidden, and exports all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from mathutils import Matrix

from . import tree as trees
from .as_it_was import CHANNELS
from .exporting import Export


@contextmanager
def computed(context: bpy.types.Context, export: Export) -> Iterator[set[bpy.types.Object]]:
    """Has Blender compute what is hidden, for as long as this lasts, and tells the nodes of the tree where it is. Gives the objects that it does not
    compute even so.

    An object whose monitor is off, or whose collection is left out of the view layer, is computed by nobody: it is where it was when it was last
    shown, and at the origin if that was never, since a file does not keep it. Exporters write it there.
    """
    nodes, known = export.tree.nodes, _computed(context)
    hidden = {node.object for node in nodes if node.object} - known
    if not hidden:
        yield set()
        return
    # Others that they depend on are computed with them.
    stale = {
        one: (one.matrix_world.copy(), [tuple(getattr(one, name)) for name in CHANNELS])
        for one in {*context.scene.collection.all_objects, *hidden} - known
    }
    switched_off = [one for one in hidden if one.hide_viewport]
    keyed = [curve for one in hidden for curve in switching(one) if not curve.mute]
    # What is in it is in the view layer, wherever else it is.
    shown = bpy.data.collections.new("xform")
    try:
        context.scene.collection.children.link(shown)
        for one in hidden:
            shown.objects.link(one)
        for curve in keyed:
            curve.mute = True
        for one in switched_off:
            one.hide_viewport = False
        context.view_layer.update()
        for node in nodes:
            if node.object not in hidden:
                continue
            was, now = stale[node.object][0], node.object.matrix_world
            if not _is_near(now, was):
                own = node.rest
                if node.prefix >= 0:
                    own = nodes[node.prefix].rest.inverted_safe() @ own
                node.seen = now @ was.inverted_safe() @ own
        yield hidden - _computed(context)
    finally:
        bpy.data.collections.remove(shown)
        for one in switched_off:
            one.hide_viewport = True
        for curve in keyed:
            curve.mute = False
        context.view_layer.update()
        # An audit repairs no export: what was out of date is so again, and the next audit finds it too.
        for one, (world, values) in stale.items():
            one.matrix_world = world
            for name, value in zip(CHANNELS, values):
                setattr(one, name, value)


def _computed(context: bpy.types.Context) -> set[bpy.types.Object]:
    """What is for certain: an object whose monitor a keyframe has switched off is in the graph, and not computed."""
    ids = context.evaluated_depsgraph_get().ids
    objects = (id.original for id in ids if isinstance(id, bpy.types.Object))
    return {one for one in objects if not one.hide_viewport}


def switching(one: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The keyframes and drivers that show and hide it, which would hide it again."""
    data = one.animation_data
    curves = [*trees.curves(data), *data.drivers] if data else []
    return [curve for curve in curves if curve.data_path == "hide_viewport"]


def _is_near(one: Matrix, other: Matrix) -> bool:
    size = max(abs(entry) for row in one for entry in row)
    return all(abs(a - b) <= 1e-6 * size for rows in zip(one, other) for a, b in zip(*rows))
