# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that Blender does not evaluate while they are hidden but still exports."""

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
    """Makes Blender evaluate hidden objects within this context, and updates the nodes of the tree with their
    positions. Yields the objects that Blender does not evaluate even then.

    An object whose monitor icon is off, or whose collection is excluded from the view layer, is not evaluated. It stays
    where it was when it was last shown, or at the origin if it never was, because a file does not store this. Exporters
    write it there.
    """
    nodes, known = export.tree.nodes, _computed(context)
    hidden = {node.object for node in nodes if node.object} - known
    if not hidden:
        yield set()
        return
    # Their dependencies are evaluated with them.
    stale = {
        one: (one.matrix_world.copy(), [tuple(getattr(one, name)) for name in CHANNELS])
        for one in {*context.scene.collection.all_objects, *hidden} - known
    }
    switched_off = [one for one in hidden if one.hide_viewport]
    keyed = [curve for one in hidden for curve in switching(one) if not curve.mute]
    # Objects in it are in the view layer, whatever other collections they are in.
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
        # An audit does not repair exports: outdated transforms are restored, and the next audit finds them again.
        for one, (world, values) in stale.items():
            one.matrix_world = world
            for name, value in zip(CHANNELS, values):
                setattr(one, name, value)


def _computed(context: bpy.types.Context) -> set[bpy.types.Object]:
    """Returns the objects that are certainly evaluated. An object whose monitor icon a keyframe has switched off is in
    the graph but not evaluated."""
    ids = context.evaluated_depsgraph_get().ids
    objects = (id.original for id in ids if isinstance(id, bpy.types.Object))
    return {one for one in objects if not one.hide_viewport}


def switching(one: bpy.types.Object) -> list[bpy.types.FCurve]:
    """Returns the keyframes and drivers of its visibility, which would hide it again."""
    data = one.animation_data
    curves = [*trees.curves(data), *data.drivers] if data else []
    return [curve for curve in curves if curve.data_path == "hide_viewport"]


def _is_near(one: Matrix, other: Matrix) -> bool:
    size = max(abs(entry) for row in one for entry in row)
    return all(abs(a - b) <= 1e-6 * size for rows in zip(one, other) for a, b in zip(*rows))
