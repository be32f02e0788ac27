# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes to objects and their meshes that move nothing, or are undone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import tree as trees
from .as_it_was import CHANNELS, as_it_was, value_of

MOVED = 1e-5
"""Vertices that move by less than this fraction of the repaired objects' size count as unmoved."""

ROUNDING = 1e-6
"""So do vertices that move by less than this fraction of their coordinates, which Blender stores in 32 bits and
multiplies with several matrices."""


class Refused(Exception):
    """The reason why something is not repaired, as a sentence."""

    def __init__(
        self, why: str, instead: str = "", moved: frozenset[bpy.types.Object] = frozenset()
    ):
        super().__init__(why)
        self.instead = instead
        """Advice that makes the repair possible or replaces it. Empty if the advice would be to change the scale
        itself."""
        self.moved = moved
        """The objects that would move, if that is the reason."""


@dataclass
class Change:
    """The change of an object's own transform. The parent inverse is removed."""

    one: bpy.types.Object
    place: Matrix
    """Maps its location to the new one."""
    linear: Matrix
    """Its new rotation and scale, 3×3."""
    mesh: Matrix
    """Maps its vertices to the new ones, 3×3."""
    keeps_rotation: bool = False
    """Whether its rotation stays the same, in which case it may be animated: the scale behind the rotation goes into
    the mesh."""

    def is_nothing(self) -> bool:
        now = self.one.matrix_basis.to_3x3()
        pairs = (self.place, trees.IDENTITY), (self.linear, now), (self.mesh, STRAIGHT)
        return all(is_same(*pair) for pair in pairs)


STRAIGHT = Matrix.Identity(3)


def is_same(one: Matrix, other: Matrix) -> bool:
    return bool(np.allclose(np.array(one), np.array(other), rtol=1e-5, atol=1e-6))


def carry_out(
    context: bpy.types.Context,
    changes: list[Change],
    affected: list[bpy.types.Object],
    is_trial: bool = False,
) -> None:
    """Makes all changes if they leave every vertex in place, otherwise none. A trial undoes them in any case."""
    for change in changes:
        check_keys(change, context.scene.frame_current_final)
    with _unless_moved(context, affected, is_trial):
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
    """Returns a copy with transformed vertices, shape keys and custom normals. Faces keep pointing outwards."""
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
            # The curve does not include the delta location.
            offset += (factor - 1) * one.delta_location[axis]
            for key in curve.keyframe_points:
                for point in (key.co, key.handle_left, key.handle_right):
                    point.y = factor * point.y + offset
    one.matrix_parent_inverse = trees.IDENTITY
    one.matrix_basis = Matrix.Translation(place) @ change.linear.to_4x4()
    for curve in _moving(one):
        if curve.data_path != "location" and is_constant(curve):
            value = value_of(one, curve.data_path, curve.array_index)
            for key in curve.keyframe_points:
                for point in (key.co, key.handle_left, key.handle_right):
                    point.y = value


def check_keys(change: Change, frame: float) -> None:
    """Checks the animation. A location may be animated if each of its curves can be changed independently; any other
    animated channel must stay as it is. `frame` is the current frame."""
    one, data = change.one, change.one.animation_data
    if data is None:
        return
    name = f"“{one.name}”"
    driven = [driver.data_path for driver in data.drivers if driver.data_path.startswith(PARTS)]
    if driven:
        raise Refused(f"the {driven[0]} of {name} has a driver.")
    if data.nla_tracks:
        is_off = all(track.mute for track in data.nla_tracks)
        instead = f"Delete the muted NLA tracks of {name}, and audit again."
        raise Refused(f"{name} has NLA tracks.", instead if is_off else "")
    curves = _moving(one)
    if not curves:
        return
    if data.action.users > 1:
        raise Refused(
            f"{name} shares its action “{data.action.name}” with others.",
            f"Select {name}, then Object > Relations > Make Single User > Object Animation, and audit again.",
        )
    linear = change.place.to_3x3()
    others = [curve for curve in curves if curve.data_path != "location"]
    is_kept = change.keeps_rotation and is_same(linear, STRAIGHT)
    if not all(
        is_constant(curve) or is_kept and curve.data_path.startswith("rotation") for curve in others
    ) and not (
        is_same(linear, STRAIGHT)
        and is_same(change.linear, one.matrix_basis.to_3x3())
        and is_same(change.mesh, STRAIGHT)
    ):
        raise Refused(f"{name} is rotated or scaled by keyframes, which would have to change too.")
    for curve in curves:
        now = value_of(one, curve.data_path, curve.array_index)
        # The next update from the curve would reset the value.
        if now is None or curve.mute:
            continue
        # A value that an artist changed without a keyframe, beyond the rounding of curves.
        if abs(curve.evaluate(frame) - now) > 1e-4 * max(1.0, abs(now)):
            raise Refused(
                f"{name} has been moved without a keyframe.",
                f"Key {name} where it is (I), or go to another frame and back to undo that, and audit again.",
            )
    if any(len(curve.sampled_points) for curve in curves):
        raise Refused(f"{name} has baked curves instead of keyframes.")
    straight = Matrix.Diagonal([linear[axis][axis] for axis in range(3)])
    is_moved = any(curve.data_path == "location" for curve in curves)
    if is_moved and (not is_same(linear, straight) or any(curve.modifiers for curve in curves)):
        raise Refused(f"{name} has keyframes of its location that would need other axes.")


def is_constant(curve: bpy.types.FCurve) -> bool:
    """Whether the curve holds a single value. This happens if all channels are keyed at once and some do not move."""
    values = [key.co.y for key in curve.keyframe_points]
    is_plain = curve.data_path in CHANNELS and not curve.modifiers and len(values) > 0
    return is_plain and max(values) - min(values) <= 1e-6 * max(1.0, abs(values[0]))


PARTS = ("location", "rotation", "scale", "delta")


def _moving(one: bpy.types.Object) -> list[bpy.types.FCurve]:
    """Returns the curves of its own transform."""
    data = one.animation_data
    if data is None or data.action is None:
        return []
    return [curve for curve in trees.curves(data) if curve.data_path.startswith(PARTS)]


@contextmanager
def _unless_moved(
    context: bpy.types.Context, objects: list[bpy.types.Object], is_trial: bool
) -> Iterator[None]:
    """Restores everything if something has moved afterwards or an error occurs, and always after a trial."""
    with restored(context, objects, is_trial):
        before = Places(context, objects)
        yield
        context.view_layer.update()
        moved = before.moved(Places(context, objects))
        if moved:
            raise _dependent(moved, objects)


@contextmanager
def restored(
    context: bpy.types.Context, objects: list[bpy.types.Object], is_trial: bool
) -> Iterator[None]:
    """Restores objects if an error occurs, and always after a trial."""
    back, is_kept = Before(objects), False
    try:
        yield
        is_kept = not is_trial
    finally:
        if is_kept:
            back.forget()
        else:
            back.put()
            context.view_layer.update()


def _dependent(moved: list[bpy.types.Object], repaired: list[bpy.types.Object]) -> Refused:
    """Returns the reason why objects have moved after scales were applied to the meshes of others."""
    inside, every = set(repaired), frozenset(moved)
    for one in sorted(moved, key=lambda one: (one not in inside, one.name)):
        shaping = [modifier for modifier in one.modifiers if modifier.show_viewport]
        if shaping and one in inside:
            modifier = shaping[0]
            why = f"the modifier “{modifier.name}” would give “{one.name}” another shape."
            instead = f"Apply the modifier “{modifier.name}” of “{one.name}” (Ctrl-A in its menu), and audit again."
            if one.data.users > 1:
                single = f"Make “{one.name}” single-user first (Object > Relations > Make Single User > Object & Data)."
                instead = f"{single} {instead}"
            # Blender cannot apply modifiers to a mesh with shape keys.
            may_apply = modifier.type not in NOT_TO_APPLY and not one.data.shape_keys
            return Refused(why, instead if may_apply else "", every)
    for one in moved:
        held = [constraint for constraint in one.constraints if constraint.enabled]
        if held:
            why = f"the constraint “{held[-1].name}” would put “{one.name}” elsewhere."
            return Refused(why, moved=every)
    return Refused(
        f"“{moved[0].name}” would move, because a driver or something else ties it to the scale.",
        moved=every,
    )


NOT_TO_APPLY = {
    "ARMATURE",
    "CLOTH",
    "DYNAMIC_PAINT",
    "FLUID",
    "HOOK",
    "MESH_CACHE",
    "MESH_SEQUENCE_CACHE",
    "NODES",
    "PARTICLE_SYSTEM",
    "SOFT_BODY",
}
"""Types of modifiers that should not be applied: those that move vertices over time, which would stop, and geometry
nodes, whose instances would be lost."""


class Before:
    """The previous state of objects."""

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
        """Restores the state."""
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
        """Removes meshes that are no longer used. Their replacements take their names."""
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
    """Replaces it under its name, and in drivers that read it."""
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
"""The number of frames at which vertices are compared."""


class Places:
    """The positions of everything in the view layer now, and of the vertices of some objects at frames of the
    animation."""

    def __init__(self, context: bpy.types.Context, objects: list[bpy.types.Object]):
        inside = set(objects)
        self._axes = {
            one: np.array(one.matrix_world)[:3].T
            for one in context.view_layer.objects
            if one not in inside
        }
        """The axes of the other objects, which may show nothing, with their origins last."""
        self._vertices: dict[bpy.types.Object, list[np.ndarray]] = {}
        self._add_everything(context)
        origins = [one.matrix_world.translation for one in objects]
        vertices = [part for one in objects for part in self._vertices.get(one, [])]
        self._repaired = np.concatenate([origins, *vertices])
        """The origins and vertices of the repaired objects."""
        scene = context.scene
        if trees.is_moving(scene):
            ends = scene.frame_start, scene.frame_end
            frames = np.unique(np.linspace(*ends, MOST_FRAMES).round().astype(int))
            with as_it_was(context):
                for frame in frames:
                    scene.frame_set(int(frame))
                    self._add(context, objects)

    def moved(self, after: Places) -> list[bpy.types.Object]:
        """Returns the objects that have moved afterwards, beyond rounding."""
        size = np.ptp(self._repaired, axis=0).max()
        return [
            one
            for one, was, now in (*self._beside(after), *self._axes_beside(after))
            if was.shape != now.shape
            or np.abs(was - now).max(initial=0.0)
            > MOVED * size + ROUNDING * np.abs(was).max(initial=0.0)
        ]

    def farthest(self, after: Places) -> float:
        """Returns the largest movement of a vertex, or of the origin of another object."""
        apart = [was - now for _, was, now in self._beside(after)]
        apart += [(was - now)[3:] for _, was, now in self._axes_beside(after)]
        return max(
            (float(np.linalg.norm(one, axis=1).max(initial=0.0)) for one in apart), default=0.0
        )

    def _beside(self, after: Places) -> Iterator[tuple[bpy.types.Object, np.ndarray, np.ndarray]]:
        for one in {**self._vertices, **after._vertices}:
            was, now = (
                np.concatenate(places._vertices.get(one, [np.zeros((0, 3))]))
                for places in (self, after)
            )
            yield one, was, now

    def _axes_beside(
        self, after: Places
    ) -> Iterator[tuple[bpy.types.Object, np.ndarray, np.ndarray]]:
        yield from ((one, was, after._axes[one]) for one, was in self._axes.items())

    def _add_everything(self, context: bpy.types.Context) -> None:
        """Adds the world positions of all visible vertices: of meshes, of curves and texts as meshes, and of
        instances."""
        for shown in context.evaluated_depsgraph_get().object_instances:
            one = (shown.parent if shown.is_instance else shown.object).original
            vertices = getattr(shown.object.data, "vertices", None)
            if vertices is not None and len(vertices):
                self._add_vertices(one, shown.matrix_world, vertices)

    def _add(self, context: bpy.types.Context, objects: list[bpy.types.Object]) -> None:
        """Adds the world positions of the vertices of these objects, including modifiers and shape keys."""
        depsgraph = context.evaluated_depsgraph_get()
        for one in objects:
            if one.type == "MESH":
                shown = one.evaluated_get(depsgraph)
                self._add_vertices(one, shown.matrix_world, shown.data.vertices)

    def _add_vertices(
        self, one: bpy.types.Object, world: Matrix, vertices: bpy.types.bpy_prop_collection
    ) -> None:
        linear = np.array(world)
        places = trees.coordinates(vertices) @ linear[:3, :3].T + linear[:3, 3]
        self._vertices.setdefault(one, []).append(places)
