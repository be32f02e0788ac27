# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs in Blender: uneven scales go into the meshes where `xform fix` proves that this is exact, and parent inverses are cleared.

Nothing is changed before everything is known, and what moved all the same is put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
import xform_audit
from mathutils import Matrix, Vector

from . import tree as trees
from .exporting import Export, as_it_was, exported, glb_document, places_of
from .losses import is_sheared
from .written import Written

MOVED = 1e-5
"""Vertices that move by less, as a fraction of the size of what is repaired, have not moved."""


class Refused(Exception):
    """Why something was not repaired, as a sentence."""


@dataclass
class Repaired:
    """What became of a repair."""

    done: list[str]
    """The objects that were repaired."""
    refused: list[str]
    """What was not, and why, as sentences."""


def apply_scales(context: bpy.types.Context, chosen: set[bpy.types.Object]) -> Repaired:
    """Applies the uneven scales of these objects to the meshes below.

    What may be applied is what `xform fix` proves on the exported file. Raises `ExportFailed` and `XformError`.
    """
    done, refused = [], []
    with exported(context, "GLTF", {}) as export:
        fixed = xform_audit.fix(str(export.path))
        worlds = _fixed(context, export, fixed.file)
    family = _Family(context)
    ready: list[_Group] = []
    for group in fixed.report["groups"]:
        if group["top"] not in export.places:
            continue
        places = export.tree.below(export.places[group["top"]])
        nodes = [export.tree.nodes[place] for place in places]
        inside = [node.object for node in nodes if node.object and not node.bone]
        if not chosen & set(inside):
            continue
        top = nodes[0]
        try:
            if top.bone or top.object not in chosen:
                raise Refused("its uneven scale is above what is selected. Select it instead.")
            if group["state"] != "fixed":
                raise Refused(_why(group["refusals"][0]))
            ready.append(_group(export, places, worlds, family))
        except Refused as reason:
            refused.append(f"“{top.name}” was left: {reason}")
    # All at once; if that fails, one after the other, to say which.
    try:
        _change(context, [one for group in ready for one in group.changes], _all(ready))
        done = [group.name for group in ready]
    except Refused:
        for group in ready:
            try:
                _change(context, group.changes, group.objects)
                done.append(group.name)
            except Refused as reason:
                refused.append(f"“{group.name}” was left: {reason}")
    return Repaired(done, refused)


def _fixed(context: bpy.types.Context, export: Export, file: bytes) -> np.ndarray:
    """The world transforms at rest of the repaired file, by the nodes of the tree."""
    path = export.path.with_name("repaired.glb")
    path.write_bytes(file)
    repaired = replace(export, path=path, places=places_of(glb_document(file)))
    scene = xform_audit.audit(str(path), motion=False)["scenes"][0]
    return Written(context, repaired, scene).at_rest()


WHY = {
    "moving-scale": "an animation changes its scale unevenly.",
    "moving-rotation": "an animation turns it below an uneven scale.",
    "camera": "a camera hangs on it.",
    "light": "a light hangs on it.",
    "flat": "a scale of it is zero, or nearly so.",
    "odd-rotation": "it is slanted, and the export rounds that.",
    "thickness": "its material has a volume, whose thickness depends on the scale.",
    "too-much": "too many objects share its mesh, and each would need a copy.",
}


def _why(refusal: dict[str, Any]) -> str:
    """The reason of `xform fix`, in Blender's words where it has some."""
    name = refusal["path"].split("/")[-1]
    return f"of “{name}” this holds: {WHY.get(refusal['code'], refusal['why'] + '.')}"


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
        return all(_is_same(*pair) for pair in pairs)


STRAIGHT = Matrix.Identity(3)


def _is_same(one: Matrix, other: Matrix) -> bool:
    return bool(np.allclose(np.array(one), np.array(other), rtol=1e-5, atol=1e-6))


@dataclass
class _Group:
    """What is repaired together."""

    name: str
    objects: list[bpy.types.Object]
    changes: list[Change]


def _all(groups: list[_Group]) -> list[bpy.types.Object]:
    return [one for group in groups for one in group.objects]


class _Family:
    """Who hangs on whom, and what Blender computes."""

    def __init__(self, context: bpy.types.Context):
        self.children: dict[bpy.types.Object, list[bpy.types.Object]] = {}
        for one in bpy.data.objects:
            if one.parent:
                self.children.setdefault(one.parent, []).append(one)
        depsgraph = context.evaluated_depsgraph_get()
        self.computed = {one.original for one in depsgraph.objects}


def _group(export: Export, places: list[int], worlds: np.ndarray, family: _Family) -> _Group:
    """What gives a node and all below it the world transforms of the repaired file, and their meshes what is left."""
    nodes = export.tree.nodes
    for node in (nodes[place] for place in places):
        if node.bone or node.object is None or node.prefix >= 0 or node.is_fixed:
            raise Refused(f"“{node.name}” is a bone or an instance.")
        _check_object(node.object)
        if node.object not in family.computed:
            raise Refused(f"“{node.name}” is hidden, so that Blender does not compute where it is.")
    objects = [nodes[place].object for place in places]
    inside = set(objects)
    for child in (child for one in objects for child in family.children.get(one, [])):
        if child not in inside:
            raise Refused(f"“{child.name}” hangs below it and is not exported.")
    # Places in the world stay, so the linear parts say all.
    rest = export.tree.at_rest().shown
    changes = []
    for place in places:
        one, parent = nodes[place].object, nodes[place].parent
        old, new = (Matrix(of[place]).to_3x3() for of in (rest, worlds))
        above, moved = STRAIGHT, trees.IDENTITY
        if parent >= 0:
            old_above, new_above = (Matrix(of[parent]).to_3x3() for of in (rest, worlds))
            above = new_above.inverted_safe()
            moved = (above @ old_above).to_4x4()
        change = Change(
            one,
            place=moved @ one.matrix_parent_inverse,
            linear=above @ new,
            mesh=new.inverted_safe() @ old,
        )
        if not change.is_nothing():
            changes.append(change)
    return _Group(nodes[places[0]].name, objects, changes)


def _check_object(one: bpy.types.Object) -> None:
    name = f"“{one.name}”"
    if one.library or one.override_library or (one.data and one.data.library):
        raise Refused(f"{name} is linked from another file.")
    if one.type not in {"MESH", "EMPTY"}:
        raise Refused(f"{name} is neither a mesh nor an empty.")
    if one.constraints:
        raise Refused(f"{name} is constrained.")
    if one.rigid_body:
        raise Refused(f"{name} is a rigid body.")
    if one.data and one.data.animation_data:
        raise Refused(f"the vertices of {name} are animated.")
    if one.parent and one.parent_type != "OBJECT":
        raise Refused(f"{name} is parented to a part of “{one.parent.name}”.")
    if one.instance_type != "NONE":
        raise Refused(f"{name} makes instances.")


def _change(
    context: bpy.types.Context, changes: list[Change], affected: list[bpy.types.Object]
) -> None:
    """Carries changes out that leave every vertex where it is, or none of them."""
    for change in changes:
        _check_keys(change)
    with _unless_moved(context, affected):
        meshes: dict[Any, bpy.types.Mesh] = {}
        for change in changes:
            one = change.one
            if one.type == "MESH" and not _is_same(change.mesh, STRAIGHT):
                key = one.data, tuple(round(entry, 5) for row in change.mesh for entry in row)
                if key not in meshes:
                    meshes[key] = _transformed(one.data, change.mesh)
                one.data = meshes[key]
            _set(change)


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


def _set(change: Change) -> None:
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


def _check_keys(change: Change) -> None:
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
        _is_same(linear, STRAIGHT)
        and _is_same(change.linear, one.matrix_basis.to_3x3())
        and _is_same(change.mesh, STRAIGHT)
    ):
        raise Refused(
            f"{name} has keyframes of its rotation or scale, which would have to change too."
        )
    if any(len(curve.sampled_points) for curve in curves):
        raise Refused(f"{name} has baked curves instead of keyframes.")
    straight = Matrix.Diagonal([linear[axis][axis] for axis in range(3)])
    if not _is_same(linear, straight) or any(curve.modifiers for curve in curves):
        raise Refused(f"{name} has keyframes of its location that would turn.")


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
    back, before = _Before(objects), _places(context, objects)
    try:
        yield
        context.view_layer.update()
        after = _places(context, objects)
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


class _Before:
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
            if data.users == 0:
                name = data.name
                bpy.data.meshes.remove(data)
                made.name = name


MOST_FRAMES = 20
"""At so many frames the vertices are compared."""


def _places(context: bpy.types.Context, objects: list[bpy.types.Object]) -> list[np.ndarray]:
    """Where everything in the view layer is now, and where the vertices of these objects are at frames of the animation."""
    inside = set(objects)
    others = [one for one in context.view_layer.objects if one not in inside]
    axes = [np.array(one.matrix_world)[:3].T for one in others]
    every = [_vertices(context, [*objects, *others]), np.concatenate([np.zeros((0, 3)), *axes])]
    scene = context.scene
    if trees.is_moving(scene):
        ends = scene.frame_start, scene.frame_end
        frames = np.unique(np.linspace(*ends, MOST_FRAMES).round().astype(int))
        with as_it_was(context):
            for frame in frames:
                scene.frame_set(int(frame))
                every.append(_vertices(context, objects))
    return every


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


def clear_parent_inverses(
    context: bpy.types.Context, chosen: list[bpy.types.Object], is_loss_allowed: bool
) -> Repaired:
    """Takes the parent inverses of these objects into their own poses, which leaves everything where it is.

    Where no pose exists, since together they shear, nothing is changed; or with `is_loss_allowed` what comes nearest is set.
    """
    done, refused = [], []
    for one in chosen:
        if one.parent is None or one.matrix_parent_inverse == trees.IDENTITY:
            continue
        try:
            lost = _clear(context, one, is_loss_allowed)
        except Refused as reason:
            refused.append(f"“{one.name}” was left: {reason}")
            continue
        done.append(one.name)
        if lost is not None:
            refused.append(f"“{one.name}”, or what hangs below it, has moved by up to {lost:.3g}.")
    return Repaired(done, refused)


def _clear(
    context: bpy.types.Context, one: bpy.types.Object, is_loss_allowed: bool
) -> float | None:
    """How far anything has moved; nothing where a pose exists."""
    if one.library or one.override_library:
        raise Refused("it is linked from another file.")
    inverse = one.matrix_parent_inverse.copy()
    wanted = inverse @ one.matrix_basis
    nearest = Matrix.LocRotScale(*wanted.decompose())
    change = Change(one, inverse, nearest.to_3x3(), STRAIGHT)
    if not is_sheared(wanted):
        _change(context, [change], [one])
        return None
    _check_keys(change)
    back, before = _Before([one]), _places(context, [one])
    _set(change)
    context.view_layer.update()
    pairs = zip(before, _places(context, [one]))
    # Of the others' axes, their origins.
    moved = [
        (was - now)[3::4] if place == 1 else was - now for place, (was, now) in enumerate(pairs)
    ]
    lost = max(float(np.linalg.norm(apart, axis=1).max(initial=0.0)) for apart in moved)
    if not is_loss_allowed:
        back.put()
        context.view_layer.update()
        raise Refused(
            "location, rotation and scale cannot express its slant. "
            f"What comes nearest would move things by up to {lost:.3g}. Apply the scale of its parent instead."
        )
    return lost
