# SPDX-License-Identifier: GPL-3.0-or-later
"""Restores the state of Blender after an audit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from . import tree as trees


@contextmanager
def as_it_was(context: bpy.types.Context) -> Iterator[None]:
    """Restores mode and frame afterwards, and also changes without a keyframe, which a change of the frame would
    undo."""
    # A script may have left changes that are not evaluated yet.
    context.view_layer.update()
    scene, active = context.scene, context.view_layer.objects.active
    frame, subframe = scene.frame_current, scene.frame_subframe
    mode = active.mode if active else "OBJECT"
    poses = [(owner, name, tuple(getattr(owner, name))) for owner, name in _posed()]
    values = [(owner, path, index, value_of(owner, path, index)) for owner, path, index in _keyed()]
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
        for owner, name, value in poses:
            if tuple(getattr(owner, name)) != value:
                setattr(owner, name, value)
        for owner, path, index, value in values:
            if value is not None and value_of(owner, path, index) != value:
                _assign(owner, path, index, value)
        if active and active.mode != mode and active.visible_get():
            bpy.ops.object.mode_set(mode=mode)
        context.view_layer.update()


@contextmanager
def in_object_mode(context: bpy.types.Context) -> Iterator[None]:
    """Switches to Object Mode, and restores the state afterwards."""
    with as_it_was(context):
        if context.mode != "OBJECT" and bpy.ops.object.mode_set.poll():
            bpy.ops.object.mode_set(mode="OBJECT")
        yield


CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def _posed() -> Iterator[tuple[Any, str]]:
    """Returns the transforms of all objects and bones. The exporters reset them between actions, whether they are keyed
    or not."""
    for one in bpy.data.objects:
        for owner in (one, *(one.pose.bones if one.pose else ())):
            yield from ((owner, name) for name in CHANNELS)


def _keyed() -> Iterator[tuple[bpy.types.ID, str, int]]:
    """Returns each property that an action sets, directly or in a track."""
    for owner in trees.animated():
        data = owner.animation_data
        strips = (strip for track in data.nla_tracks for strip in track.strips if strip.action)
        tracks = (curve for strip in strips for curve in trees.all_curves(strip.action))
        for curve in (*trees.curves(data), *tracks):
            yield owner, curve.data_path, curve.array_index


def value_of(owner: bpy.types.ID, path: str, index: int) -> Any:
    """Returns `None` if the property does not exist or is not a number."""
    try:
        value = owner.path_resolve(path)
        value = value if isinstance(value, (bool, int, float)) else value[index]
    except (ValueError, TypeError, IndexError):
        return None
    return value if isinstance(value, (bool, int, float)) else None


def _assign(owner: bpy.types.ID, path: str, index: int, value: Any) -> None:
    if path.endswith('"]'):
        head, _, name = path[:-2].rpartition('["')
        holder, name = (
            (owner.path_resolve(head) if head else owner),
            bpy.utils.unescape_identifier(name),
        )
        if isinstance(holder[name], (bool, int, float)):
            holder[name] = value
        else:
            holder[name][index] = value
        return
    head, _, name = path.rpartition(".")
    holder = owner.path_resolve(head) if head else owner
    if isinstance(getattr(holder, name), (bool, int, float)):
        setattr(holder, name, value)
    else:
        getattr(holder, name)[index] = value
