# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes to objects and their meshes that leave everything where it is, or are put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import tree as trees
from .as_it_was import as_it_was

MOVED = 1e-5
"""Vertices that move by less, as a fraction of the size of what is repaired, have not moved."""


class Refused(Exception):
    """Why something was not repaired, as a sentence."""


@dataclass
class Change:
    """What becomes of an object's own transform, without its parent inverse, which goes."""

    one: bpy.types.Object
    place: Matrix
    """From its location to the new one."""
    linear: Matrix
    """Its new rotation and scale, 3×3."""
    mesh: Matrix
    """From its vertices to the new ones, 3×3."""

    def is_nothing(self) -> bool:
        now = self.one.matrix_basis.to_3x3()
        pairs = (self.place, trees.IDENTITY), (self.linear, now), (self.mesh, STRAIGHT)
        return all(is_same(*pair) for pair in pairs)


STRAIGHT = Matrix.Identity(3)


def is_same(one: Matrix, other: Matrix) -> bool:
    return bool(np.allclose(np.array(one), np.array(other), rtol=1e-5, atol=1e-6))


def carry_out(
    context: bpy.types.Context, changes: list[Change], affected: list[bpy.types.Object]
) -> None:
    """Carries changes out that leave every vertex where it is, or none of them."""
    for change in changes:
        check_keys(change)
    with _unless_moved(context, affected):
        meshes: dict[Any, bpy.types.Mesh] = {}
        for change in changes:
            one = change.one
            if one.type == "MESH" and not is_same(change.mesh, STRAIGHT):
                key = one.data, tuple(round(entry, 5) for row in change.mesh for entry in row)
                if key not in meshes:
                    meshes[key] = _transformed(one.data, change.mesh)
                one.data = meshes[key]
            set_own(change)


def _transformed(mesh: bpy.types.Mesh, linear: Matrix) -> bpy.types.Mesh:
    """A copy with other vertices, shape keys and custom normals. Its faces look outwards as before."""
    normals = {}
    if mesh.has_custom_normals:
        back = linear.inverted_safe().transposed()
        for face in mesh.polygons:
            for corner in face.loop_indices:
                normal = back @ mesh.corner_normals[corner].vector
                normals[face.index, mesh.loops[corner].vertex_index] = normal.normalized()
    made = mesh.copy()
    made.transform(linear.to_4x4(), shape_keys=True)
    if linear.determinant() < 0:
        made.flip_normals()
    if normals:
        corners = [Vector()] * len(made.loops)
        for face in made.polygons:
            for corner in face.loop_indices:
                corners[corner] = normals[face.index, made.loops[corner].vertex_index]
        made.normals_split_custom_set(corners)
    return made


def set_own(change: Change) -> None:
    one = change.one
    place = change.place @ one.matrix_basis.to_translation()
    for curve in _moving(one):
        if curve.data_path == "location":
            axis = curve.array_index
            factor, offset = change.place[axis][axis], change.place[axis][3]
            # The curve is of the location without its delta.
            offset += (factor - 1) * one.delta_location[axis]
            for key in curve.keyframe_points:
                for point in (key.co, key.handle_left, key.handle_right):
                    point.y = factor * point.y + offset
    one.matrix_parent_inverse = trees.IDENTITY
    one.matrix_basis = Matrix.Translation(place) @ change.linear.to_4x4()


def check_keys(change: Change) -> None:
    """A location may be animated where each of its curves can be changed by itself; what else moves has to stay."""
    one, data = change.one, change.one.animation_data
    if data is None:
        return
    name = f"“{one.name}”"
    if any(driver.data_path.startswith(PARTS) for driver in data.drivers) or data.nla_tracks:
        raise Refused(f"{name} has drivers or NLA tracks.")
    curves = _moving(one)
    if not curves:
        return
    if data.action.users > 1:
        raise Refused(f"{name} shares its action “{data.action.name}” with others.")
    linear = change.place.to_3x3()
    if any(curve.data_path != "location" for curve in curves) and not (
        is_same(linear, STRAIGHT)
        and is_same(change.linear, one.matrix_basis.to_3x3())
        and is_same(change.mesh, STRAIGHT)
    ):
        raise Refused(
            f"{name} has keyframes of its rotation or scale, which would have to change too."
        )
    if any(len(curve.sampled_points) for curve in curves):
        raise Refused(f"{name} has baked curves instead of keyframes.")
    straight = Matrix.Diagonal([linear[axis][axis] for axis in range(3)])
    if not is_same(linear, straight) or any(curve.modifiers for curve in curves):
        raise Refused(f"{name} has keyframes of its location that would need other axes.")


PARTS = ("location", "rotation", "scale", "delta")


def _moving(one: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The curves of its own transform."""
    data = one.animation_data
    if data is None or data.action is None:
        return []
    return [curve for curve in trees.curves(data) if curve.data_path.startswith(PARTS)]


@contextmanager
def _unless_moved(context: bpy.types.Context, objects: list[bpy.types.Object]) -> Iterator[None]:
    """Puts everything back if something is in another place afterwards, or fails."""
    back, before = Before(objects), places_in_world(context, objects)
    try:
        yield
        context.view_layer.update()
        after = places_in_world(context, objects)
        reach = max((float(np.abs(places).max(initial=0.0)) for places in before), default=0.0)
        for was, now in zip(before, after):
            if was.shape != now.shape or np.abs(was - now).max(initial=0.0) > MOVED * reach:
                raise Refused("a modifier, a constraint or an animation depends on its scale.")
    except BaseException:
        back.put()
        context.view_layer.update()
        raise
    back.forget()


CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


class Before:
    """What objects were like."""

    def __init__(self, objects: list[bpy.types.Object]):
        self._objects = [
            (
                one,
                one.data,
                one.matrix_parent_inverse.copy(),
                [tuple(getattr(one, c)) for c in CHANNELS],
            )
            for one in objects
        ]
        self._keys = [
            (point, point.y)
            for one in objects
            for curve in _moving(one)
            for key in curve.keyframe_points
            for point in (key.co, key.handle_left, key.handle_right)
        ]

    def put(self) -> None:
        """Makes them so again."""
        fresh = {one.data for one, *_ in self._objects if one.data}
        for point, y in self._keys:
            point.y = y
        for one, data, inverse, values in self._objects:
            if data is not None:
                one.data = data
            one.matrix_parent_inverse = inverse
            for channel, value in zip(CHANNELS, values):
                setattr(one, channel, value)
        for mesh in fresh - {data for _, data, *_ in self._objects}:
            bpy.data.meshes.remove(mesh)

    def forget(self) -> None:
        """Meshes that nobody uses any more go, and those in their place take their names."""
        fresh = {data: one.data for one, data, *_ in self._objects if data and one.data != data}
        for data, made in fresh.items():
            if data.users > int(data.use_fake_user):
                continue
            made.use_fake_user = data.use_fake_user
            if data.shape_keys:
                _take_place(data.shape_keys, made.shape_keys)
            _take_place(data, made)
            bpy.data.meshes.remove(data)


def _take_place(old: bpy.types.ID, new: bpy.types.ID) -> None:
    """By its name, and for drivers that read it."""
    name = old.name
    old.name = f"{name} before"
    new.name = name
    for owner in trees.animated():
        for curve in owner.animation_data.drivers:
            variables = curve.driver.variables
            for target in (target for variable in variables for target in variable.targets):
                if target.id == old:
                    target.id = new


MOST_FRAMES = 20
"""At so many frames the vertices are compared."""


def places_in_world(
    context: bpy.types.Context, objects: list[bpy.types.Object]
) -> list[np.ndarray]:
    """Where everything in the view layer is now, and where the vertices of these objects are at frames of the animation."""
    inside = set(objects)
    others = [one for one in context.view_layer.objects if one not in inside]
    axes = [np.array(one.matrix_world)[:3].T for one in others]
    every = [_everything(context), np.concatenate([np.zeros((0, 3)), *axes])]
    scene = context.scene
    if trees.is_moving(scene):
        ends = scene.frame_start, scene.frame_end
        frames = np.unique(np.linspace(*ends, MOST_FRAMES).round().astype(int))
        with as_it_was(context):
            for frame in frames:
                scene.frame_set(int(frame))
                every.append(_vertices(context, objects))
    return every


def _everything(context: bpy.types.Context) -> np.ndarray:
    """The vertices of all that is seen in the world: meshes, curves and texts as meshes, and instances."""
    every = [np.zeros((0, 3))]
    for shown in context.evaluated_depsgraph_get().object_instances:
        vertices = getattr(shown.object.data, "vertices", None)
        if vertices is not None and len(vertices):
            world = np.array(shown.matrix_world)
            every.append(trees.coordinates(vertices) @ world[:3, :3].T + world[:3, 3])
    return np.concatenate(every)


def _vertices(context: bpy.types.Context, objects: list[bpy.types.Object]) -> np.ndarray:
    """In the world, modifiers and shape keys included."""
    depsgraph = context.evaluated_depsgraph_get()
    every = [np.zeros((0, 3))]
    for one in objects:
        if one.type == "MESH":
            shown = one.evaluated_get(depsgraph)
            world = np.array(shown.matrix_world)
            places = trees.coordinates(shown.data.vertices)
            every.append(places @ world[:3, :3].T + world[:3, 3])
    return np.concatenate(every)
