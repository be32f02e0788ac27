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
from .as_it_was import CHANNELS, as_it_was, value_of

MOVED = 1e-5
"""Vertices that move by less, as a fraction of the size of what is repaired, have not moved."""

ROUNDING = 1e-6
"""Nor have those that move by less as a fraction of their coordinates: Blender has these in 32 bits, and multiplies a few matrices."""


class Refused(Exception):
    """Why something is not repaired, as a sentence."""

    def __init__(
        self, why: str, instead: str = "", moved: frozenset[bpy.types.Object] = frozenset()
    ):
        super().__init__(why)
        self.instead = instead
        """What to do so that it can be repaired, or in its place; nothing where that is to change the scale itself."""
        self.moved = moved
        """The objects that would be elsewhere, where that is the reason."""


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
    keeps_rotation: bool = False
    """Whether its rotation stays the same, so that it may move: the scale goes from behind it into the mesh."""

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
    """Carries changes out that leave every vertex where it is, or none of them. After a trial everything is as it was."""
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
    for curve in _moving(one):
        if curve.data_path != "location" and is_constant(curve):
            value = value_of(one, curve.data_path, curve.array_index)
            for key in curve.keyframe_points:
                for point in (key.co, key.handle_left, key.handle_right):
                    point.y = value


def check_keys(change: Change, frame: float) -> None:
    """A location may be animated where each of its curves can be changed by itself; what else moves has to stay. `frame` is the one that is shown."""
    one, data = change.one, change.one.animation_data
    if data is None:
        return
    name = f"“{one.name}”"
    driven = [driver.data_path for driver in data.drivers if driver.data_path.startswith(PARTS)]
    if driven:
        raise Refused(f"the {driven[0]} of {name} has a driver.")
    if data.nla_tracks:
        is_off = all(track.mute for track in data.nla_tracks)
        instead = f"Delete the NLA tracks of {name}, which are off, and audit again."
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
        # Whatever changes the curve puts it back on it.
        if now is None or curve.mute:
            continue
        # What an artist has moved without a keyframe, and no rounding of curves.
        if abs(curve.evaluate(frame) - now) > 1e-4 * max(1.0, abs(now)):
            raise Refused(
                f"{name} has been moved and not keyed.",
                f"Key {name} where it is (I), or go to another frame and back to undo that, and audit again.",
            )
    if any(len(curve.sampled_points) for curve in curves):
        raise Refused(f"{name} has baked curves instead of keyframes.")
    straight = Matrix.Diagonal([linear[axis][axis] for axis in range(3)])
    is_moved = any(curve.data_path == "location" for curve in curves)
    if is_moved and (not is_same(linear, straight) or any(curve.modifiers for curve in curves)):
        raise Refused(f"{name} has keyframes of its location that would need other axes.")


def is_constant(curve: bpy.types.FCurve) -> bool:
    """Whether it holds one value, as when all channels are keyed at once and some do not move."""
    values = [key.co.y for key in curve.keyframe_points]
    is_plain = curve.data_path in CHANNELS and not curve.modifiers and len(values) > 0
    return is_plain and max(values) - min(values) <= 1e-6 * max(1.0, abs(values[0]))


PARTS = ("location", "rotation", "scale", "delta")


def _moving(one: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The curves of its own transform."""
    data = one.animation_data
    if data is None or data.action is None:
        return []
    return [curve for curve in trees.curves(data) if curve.data_path.startswith(PARTS)]


@contextmanager
def _unless_moved(
    context: bpy.types.Context, objects: list[bpy.types.Object], is_trial: bool
) -> Iterator[None]:
    """Puts everything back if something is in another place afterwards, or fails; after a trial in any case."""
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
    """Puts objects back if something fails; after a trial in any case."""
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
    """Why objects are elsewhere when scales have gone into the meshes of others."""
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
            # Blender applies none to a mesh with shape keys.
            may_apply = modifier.type not in NOT_TO_APPLY and not one.data.shape_keys
            return Refused(why, instead if may_apply else "", every)
    for one in moved:
        held = [constraint for constraint in one.constraints if constraint.enabled]
        if held:
            why = f"the constraint “{held[-1].name}” would put “{one.name}” elsewhere."
            return Refused(why, moved=every)
    return Refused(
        f"“{moved[0].name}” would move, which a driver or something else ties to the scale.",
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
"""Types of modifiers that move vertices over time, which applying them would end; and geometry nodes, whose instances it would lose."""


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


class Places:
    """Where everything in the view layer is now, and where the vertices of some objects are at frames of the animation."""

    def __init__(self, context: bpy.types.Context, objects: list[bpy.types.Object]):
        inside = set(objects)
        self._axes = {
            one: np.array(one.matrix_world)[:3].T
            for one in context.view_layer.objects
            if one not in inside
        }
        """Of the other objects, which may show nothing: their axes, and their origins last."""
        self._vertices: dict[bpy.types.Object, list[np.ndarray]] = {}
        self._add_everything(context)
        origins = [one.matrix_world.translation for one in objects]
        vertices = [part for one in objects for part in self._vertices.get(one, [])]
        self._repaired = np.concatenate([origins, *vertices])
        """Where the objects are that are repaired, with their vertices."""
        scene = context.scene
        if trees.is_moving(scene):
            ends = scene.frame_start, scene.frame_end
            frames = np.unique(np.linspace(*ends, MOST_FRAMES).round().astype(int))
            with as_it_was(context):
                for frame in frames:
                    scene.frame_set(int(frame))
                    self._add(context, objects)

    def moved(self, after: Places) -> list[bpy.types.Object]:
        """The objects that are elsewhere afterwards, but for rounding."""
        size = np.ptp(self._repaired, axis=0).max()
        return [
            one
            for one, was, now in (*self._beside(after), *self._axes_beside(after))
            if was.shape != now.shape
            or np.abs(was - now).max(initial=0.0)
            > MOVED * size + ROUNDING * np.abs(was).max(initial=0.0)
        ]

    def farthest(self, after: Places) -> float:
        """By how much anything has moved: a vertex, or the origin of another object."""
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
        """The vertices of all that is seen in the world: meshes, curves and texts as meshes, and instances."""
        for shown in context.evaluated_depsgraph_get().object_instances:
            one = (shown.parent if shown.is_instance else shown.object).original
            vertices = getattr(shown.object.data, "vertices", None)
            if vertices is not None and len(vertices):
                self._add_vertices(one, shown.matrix_world, vertices)

    def _add(self, context: bpy.types.Context, objects: list[bpy.types.Object]) -> None:
        """The vertices of these in the world, modifiers and shape keys included."""
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
