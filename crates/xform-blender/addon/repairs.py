# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs in Blender: uneven scales go into the meshes where `xform fix` proves that this is exact, and parent inverses are cleared.

Nothing is changed before everything is known, and what moved all the same is put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import xform_audit
from mathutils import Matrix

from . import tree as trees
from .exporting import MARK, Export, as_it_was, exported, glb_document, settings, worlds_of
from .losses import is_sheared

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


def apply_scales(context: bpy.types.Context, chosen: set[str]) -> Repaired:
    """Applies the uneven scales of these objects, and of those above them, to the meshes below.

    What may be applied is what `xform fix` proves on the exported file. Raises `ExportFailed` and `XformError`.
    """
    options = settings(context, "GLTF")
    for name in ("use_selection", "use_visible", "use_renderable", "use_active_collection"):
        options[name] = False
    done, refused = [], []
    with exported(context, "GLTF", options) as export:
        fixed = xform_audit.fix(str(export.path))
        worlds = _fixed_worlds(export, fixed.file, options)
        for group in fixed.report["groups"]:
            if group["top"] not in export.places:
                continue
            places = export.tree.below(export.places[group["top"]])
            names = [export.tree.nodes[place].name for place in places]
            if not chosen & set(names):
                continue
            top = names[0]
            if group["state"] != "fixed":
                reason = group["refusals"][0]
                culprit = reason["path"].split("/")[-1]
                refused.append(f"“{top}” was left, because of “{culprit}”: {reason['why']}.")
                continue
            try:
                _apply(context, export, places, worlds)
                done.append(top)
            except Refused as reason:
                refused.append(f"“{top}” was left: {reason}")
    return Repaired(done, refused)


def _fixed_worlds(export: Export, file: bytes, options: dict[str, Any]) -> np.ndarray:
    """The world transforms of the repaired file, in Blender's axes."""
    nodes = glb_document(file)["nodes"]
    places = {index: node["extras"][MARK] for index, node in enumerate(nodes) if "extras" in node}
    is_y_up = options.get("export_yup", True)
    return worlds_of(nodes, places, len(export.tree.nodes), is_y_up)


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


def _apply(
    context: bpy.types.Context, export: Export, places: list[int], worlds: np.ndarray
) -> None:
    """Gives a node and all below it the world transforms of the repaired file, and their meshes what is left."""
    nodes = export.tree.nodes
    for node in (nodes[place] for place in places):
        if node.bone or node.object is None or node.prefix >= 0 or node.is_fixed:
            raise Refused(f"“{node.name}” is a bone or an instance.")
        _check_object(node.object)
    inside = {nodes[place].object for place in places}
    outside = [one for one in bpy.data.objects if one.parent in inside and one not in inside]
    if outside:
        raise Refused(f"“{outside[0].name}” hangs below it and is not exported.")
    # Places in the world stay, so the linear parts say all.
    old = [Matrix(world).to_3x3() for world in export.tree.at_rest().shown]
    new = [Matrix(world).to_3x3() for world in worlds]
    changes = []
    for place in places:
        one, parent = nodes[place].object, nodes[place].parent
        above = new[parent].inverted_safe() if parent >= 0 else STRAIGHT
        moved = (above @ old[parent]).to_4x4() if parent >= 0 else trees.IDENTITY
        change = Change(
            one,
            place=moved @ one.matrix_parent_inverse,
            linear=above @ new[place],
            mesh=new[place].inverted_safe() @ old[place],
        )
        if not change.is_nothing():
            changes.append(change)
    _change(context, changes, sorted(inside, key=lambda one: one.name))


def _check_object(one: bpy.types.Object) -> None:
    name = f"“{one.name}”"
    if one.library or one.override_library or (one.data and one.data.library):
        raise Refused(f"{name} is linked from another file.")
    if one.type not in {"MESH", "EMPTY"}:
        raise Refused(f"{name} is neither a mesh nor an empty.")
    if one.constraints:
        raise Refused(f"{name} is constrained.")
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
                    meshes[key] = one.data.copy()
                    meshes[key].transform(change.mesh.to_4x4(), shape_keys=True)
                    if change.mesh.determinant() < 0:
                        meshes[key].flip_normals()
                one.data = meshes[key]
            _set(change)


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
    """Puts everything back if a vertex is elsewhere afterwards, at any time that is looked at, or if something fails."""
    old = [
        (one, one.data, one.matrix_basis.copy(), one.matrix_parent_inverse.copy())
        for one in objects
    ]
    keys = [
        (point, point.y)
        for one in objects
        for curve in _moving(one)
        for key in curve.keyframe_points
        for point in (key.co, key.handle_left, key.handle_right)
    ]
    before = _vertices(context, objects)
    reach = max((float(np.abs(places).max(initial=0.0)) for places in before), default=0.0)

    def put_back() -> None:
        fresh = {one.data for one in objects if one.data} - {data for _, data, _, _ in old}
        for point, y in keys:
            point.y = y
        for one, data, basis, inverse in old:
            if data is not None:
                one.data = data
            one.matrix_parent_inverse = inverse
            one.matrix_basis = basis
        for mesh in fresh:
            bpy.data.meshes.remove(mesh)
        context.view_layer.update()

    try:
        yield
        context.view_layer.update()
        for was, now in zip(before, _vertices(context, objects)):
            if was.shape != now.shape or np.abs(was - now).max(initial=0.0) > MOVED * reach:
                raise Refused("a modifier, or what is animated, depends on its scale.")
    except BaseException:
        put_back()
        raise
    kept = {one.data for one in objects if one.data}
    for mesh in {data for _, data, _, _ in old if data} - kept:
        if mesh.users == 0:
            name = mesh.name
            fresh = next(one.data for one, data, _, _ in old if data == mesh)
            bpy.data.meshes.remove(mesh)
            fresh.name = name


MOST_FRAMES = 20
"""At so many frames the vertices are compared."""


def _vertices(context: bpy.types.Context, objects: list[bpy.types.Object]) -> list[np.ndarray]:
    """Where the vertices of all are in the world, modifiers and shape keys included: now, and at frames of the animation."""
    every = [_vertices_now(context, objects)]
    scene = context.scene
    if trees.is_moving(scene):
        ends = scene.frame_start, scene.frame_end
        frames = np.unique(np.linspace(*ends, MOST_FRAMES).round().astype(int))
        with as_it_was(context):
            for frame in frames:
                scene.frame_set(int(frame))
                every.append(_vertices_now(context, objects))
    return every


def _vertices_now(context: bpy.types.Context, objects: list[bpy.types.Object]) -> np.ndarray:
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
        if lost > 0:
            refused.append(f"“{one.name}” has moved by up to {lost:.3g}: no pose holds its shear.")
    return Repaired(done, refused)


def _clear(context: bpy.types.Context, one: bpy.types.Object, is_loss_allowed: bool) -> float:
    """How far the farthest corner of its box has moved."""
    if one.library or one.override_library:
        raise Refused("it is linked from another file.")
    inverse = one.matrix_parent_inverse.copy()
    wanted = inverse @ one.matrix_basis
    nearest = Matrix.LocRotScale(*wanted.decompose())
    change = Change(one, inverse, nearest.to_3x3(), STRAIGHT)
    if not is_sheared(wanted):
        _change(context, [change], [one])
        return 0.0
    above = one.matrix_world @ wanted.inverted_safe()
    apart = np.array(above @ nearest) - np.array(above @ wanted)
    moved = np.array(one.bound_box) @ apart[:3, :3].T + apart[:3, 3]
    lost = float(np.linalg.norm(moved, axis=1).max())
    if not is_loss_allowed:
        raise Refused(
            f"no pose holds its shear. What comes nearest would move it by up to {lost:.3g}. "
            "Apply the scale of its parent instead."
        )
    _check_keys(change)
    _set(change)
    context.view_layer.update()
    return lost
