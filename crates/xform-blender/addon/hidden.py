# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that Blender does not compute while they are hidden, and exports all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from mathutils import Matrix

from .as_it_was import CHANNELS
from .exporting import Export


@contextmanager
def computed(context: bpy.types.Context, export: Export) -> Iterator[None]:
    """Has Blender compute what is hidden, for as long as this lasts, and tells the nodes of the tree where it is.

    An object whose monitor is off, or whose collection is left out of the view layer, is computed by nobody: it is where it was when it was last
    shown, and at the origin if that was never, since a file does not keep it. Exporters write it there.
    """
    layer = context.view_layer
    known = {id.original for id in layer.depsgraph.ids if isinstance(id, bpy.types.Object)}
    nodes = [node for node in export.tree.nodes if node.object and node.object not in known]
    if not nodes:
        yield
        return
    # Others that they depend on are computed with them.
    stale = [
        (one, one.matrix_world.copy(), [tuple(getattr(one, name)) for name in CHANNELS])
        for one in context.scene.collection.all_objects
        if one not in known
    ]
    # What is in it is in the view layer, wherever else it is.
    shown = bpy.data.collections.new("xform")
    context.scene.collection.children.link(shown)
    switched_off = []
    for one in {node.object for node in nodes}:
        shown.objects.link(one)
        if one.hide_viewport:
            one.hide_viewport = False
            switched_off.append(one)
    layer.update()
    for node in nodes:
        was = next(world for one, world, _ in stale if one == node.object)
        moved = node.object.matrix_world @ was.inverted_safe()
        if not _is_near(node.object.matrix_world, was):
            node.seen = moved @ node.rest
    try:
        yield
    finally:
        bpy.data.collections.remove(shown)
        for one in switched_off:
            one.hide_viewport = True
        layer.update()
        # An audit repairs no export: what was out of date is so again, and the next audit finds it too.
        for one, world, values in stale:
            one.matrix_world = world
            for name, value in zip(CHANNELS, values):
                setattr(one, name, value)


def _is_near(one: Matrix, other: Matrix) -> bool:
    size = max(abs(entry) for row in one for entry in row)
    return all(abs(a - b) <= 1e-6 * size for rows in zip(one, other) for a, b in zip(*rows))
