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
from .exporting import MARK, Export, exported, glb_document, settings, worlds_of
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
            places = export.tree.below(export.places[group["top"]])
            names = [export.tree.nodes[place].name for place in places]
            if not chosen & set(names):
                continue
            top = names[0]
            if group["state"] != "fixed":
                refused += [f"“{top}” was left: {one['why']}" for one in group["refusals"][:1]]
                continue
            try:
                _apply(
                    context, {export.tree.nodes[p].name: worlds[p] for p in places}, export, places
                )
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


def _apply(
    context: bpy.types.Context, worlds: dict[str, np.ndarray], export: Export, places: list[int]
) -> None:
    objects = []
    for place in places:
        node = export.tree.nodes[place]
        if node.bone or node.object is None or node.prefix >= 0 or node.is_fixed:
            raise Refused(f"“{node.name}” is a bone or an instance.")
        _check_object(node.object)
        objects.append(node.object)
    inside = set(objects)
    outside = [one for one in bpy.data.objects if one.parent in inside and one not in inside]
    if outside:
        raise Refused(f"“{outside[0].name}” hangs below it and is not exported.")
    before = {one: one.matrix_world.copy() for one in objects}
    after = {one: Matrix(worlds[one.name]) for one in objects}
    with _unless_moved(context, objects):
        meshes: dict[Any, bpy.types.Mesh] = {}
        for one in objects:
            if one.type != "MESH":
                continue
            change = after[one].inverted_safe() @ before[one]
            key = one.data, tuple(round(entry, 5) for row in change for entry in row)
            if key not in meshes:
                meshes[key] = one.data.copy()
                meshes[key].transform(change, shape_keys=True)
                if change.determinant() < 0:
                    meshes[key].flip_normals()
            one.data = meshes[key]
        for one in objects:
            above = one.parent
            parent = after.get(above) or (above.matrix_world if above else trees.IDENTITY)
            one.matrix_parent_inverse = trees.IDENTITY
            one.matrix_basis = parent.inverted_safe() @ after[one]


def _check_object(one: bpy.types.Object) -> None:
    name = f"“{one.name}”"
    if one.library or one.override_library or (one.data and one.data.library):
        raise Refused(f"{name} is linked from another file.")
    if one.type not in {"MESH", "EMPTY"}:
        raise Refused(f"{name} is neither a mesh nor an empty.")
    if one.animation_data or one.constraints:
        raise Refused(f"{name} is animated or constrained; its keyframes would have to change too.")
    if one.parent and one.parent_type != "OBJECT":
        raise Refused(f"{name} is parented to a part of “{one.parent.name}”.")
    if one.instance_type != "NONE":
        raise Refused(f"{name} makes instances.")


@contextmanager
def _unless_moved(context: bpy.types.Context, objects: list[bpy.types.Object]) -> Iterator[None]:
    """Puts everything back if a vertex is elsewhere afterwards, or something fails."""
    old = [
        (one, one.data, one.matrix_basis.copy(), one.matrix_parent_inverse.copy())
        for one in objects
    ]
    before = _vertices(context, objects)
    reach = max((float(np.abs(places).max(initial=0.0)) for places in before), default=0.0)

    def put_back() -> None:
        fresh = {one.data for one in objects if one.data} - {data for _, data, _, _ in old}
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
        for one, was, now in zip(objects, before, _vertices(context, objects)):
            if was.shape != now.shape or np.abs(was - now).max(initial=0.0) > MOVED * reach:
                raise Refused(f"a modifier of “{one.name}” depends on its scale.")
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


def _vertices(context: bpy.types.Context, objects: list[bpy.types.Object]) -> list[np.ndarray]:
    """Where the vertices of each are in the world, modifiers and shape keys included."""
    depsgraph = context.evaluated_depsgraph_get()
    every = []
    for one in objects:
        places = np.zeros((0, 3))
        if one.type == "MESH":
            shown = one.evaluated_get(depsgraph)
            world = np.array(shown.matrix_world)
            places = trees.coordinates(shown.data.vertices) @ world[:3, :3].T + world[:3, 3]
        every.append(places)
    return every


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
            lost = _clear(one, is_loss_allowed)
        except Refused as reason:
            refused.append(str(reason))
            continue
        done.append(one.name)
        if lost > 0:
            refused.append(f"“{one.name}” has moved by up to {lost:.3g}: no pose holds its shear.")
    context.view_layer.update()
    return Repaired(done, refused)


def _clear(one: bpy.types.Object, is_loss_allowed: bool) -> float:
    """How far the farthest corner of its box has moved."""
    if one.library or one.override_library:
        raise Refused(f"“{one.name}” is linked from another file.")
    inverse = one.matrix_parent_inverse.copy()
    basis = one.matrix_basis.copy()
    wanted = inverse @ basis
    nearest = Matrix.LocRotScale(*wanted.decompose())
    world = one.matrix_world @ basis.inverted_safe() @ inverse.inverted_safe()
    lost = 0.0
    if is_sheared(wanted):
        apart = np.array(world @ nearest) - np.array(world @ wanted)
        corners = np.array(one.bound_box)
        moved = corners @ apart[:3, :3].T + apart[:3, 3]
        lost = float(np.linalg.norm(moved, axis=1).max())
        if not is_loss_allowed:
            raise Refused(
                f"“{one.name}” was left: no pose holds its shear. What comes nearest would move it by up to {lost:.3g}. "
                "Apply the scale of its parent instead."
            )
    curves = _location_curves(one)
    if curves is not None:
        still = inverse.copy()
        offset = still.to_translation()
        still.translation = (0, 0, 0)
        if np.abs(np.array(still) - np.eye(4)).max() > 1e-6:
            raise Refused(
                f"“{one.name}” was left: it is animated, and its parent inverse is more than an offset."
            )
        for curve in curves:
            for key in curve.keyframe_points:
                key.co.y += offset[curve.array_index]
                key.handle_left.y += offset[curve.array_index]
                key.handle_right.y += offset[curve.array_index]
    one.matrix_parent_inverse = trees.IDENTITY
    one.matrix_basis = nearest
    return lost


def _location_curves(one: bpy.types.Object) -> list[bpy.types.FCurve] | None:
    """The curves of its location; `None` where no curve moves it at all."""
    data = one.animation_data
    if data is None:
        return None
    if data.drivers or data.nla_tracks:
        raise Refused(f"“{one.name}” was left: it has drivers or NLA tracks.")
    if data.action is None:
        return None
    curves = trees.curves(data)
    parts = ("location", "rotation", "scale", "delta")
    moving = [curve for curve in curves if curve.data_path.startswith(parts)]
    if not moving:
        return None
    if data.action.users > 1:
        raise Refused(f"“{one.name}” was left: others use its action “{data.action.name}”.")
    return [curve for curve in moving if curve.data_path == "location"]
