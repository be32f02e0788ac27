# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs in Blender: non-uniform scales go into the meshes where `xform fix` proves that this is exact, and parent inverses are cleared.

Nothing is changed before everything is known, and what moved all the same is put back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
import xform_audit
from mathutils import Matrix

from . import tree as trees
from .changes import (
    STRAIGHT,
    Before,
    Change,
    Refused,
    carry_out,
    check_keys,
    places_in_world,
    set_own,
)
from .exporting import Export, exported, glb_document
from .hooks import places_of
from .losses import is_sheared
from .written import Written


@dataclass
class Repaired:
    """What became of a repair."""

    done: list[str]
    """The objects that were repaired."""
    refused: list[str]
    """What was not, and why, as sentences."""


def apply_scales(context: bpy.types.Context, chosen: set[bpy.types.Object]) -> Repaired:
    """Applies the non-uniform scales of these objects to the meshes below.

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
                raise Refused("it is a parent of what is selected. Select it instead.")
            if group["state"] != "fixed":
                raise Refused(_why(group["refusals"][0]))
            ready.append(_group(export, places, worlds, family))
        except Refused as reason:
            refused.append(f"“{top.name}” was not changed: {reason}")
    # All at once; if that fails, one after the other, to say which.
    try:
        carry_out(context, [one for group in ready for one in group.changes], _all(ready))
        done = [group.name for group in ready]
    except Refused:
        for group in ready:
            try:
                carry_out(context, group.changes, group.objects)
                done.append(group.name)
            except Refused as reason:
                refused.append(f"“{group.name}” was not changed: {reason}")
    return Repaired(done, refused)


def _fixed(context: bpy.types.Context, export: Export, file: bytes) -> np.ndarray:
    """The world transforms at rest of the repaired file, by the nodes of the tree."""
    path = export.path.with_name("repaired.glb")
    path.write_bytes(file)
    repaired = replace(export, path=path, places=places_of(glb_document(file)))
    scene = xform_audit.audit(str(path), motion=False)["scenes"][0]
    return Written(context, repaired, scene).at_rest()


WHY = {
    "moving-scale": "an animation changes its scale, and not uniformly.",
    "moving-rotation": "an animation rotates it, and a parent has a non-uniform scale.",
    "camera": "it is a camera.",
    "light": "it is a light.",
    "flat": "its scale is 0 on an axis, or nearly so.",
    "odd-rotation": "it is sheared, and the export rounds that.",
    "thickness": "its material has a volume, whose thickness depends on the scale.",
    "too-much": "too many objects share its mesh, and each would need a copy.",
}


def _why(refusal: dict[str, Any]) -> str:
    """The reason of `xform fix`, in Blender's words where it has some."""
    name = refusal["path"].split("/")[-1]
    return f"“{name}”: {WHY.get(refusal['code'], refusal['why'] + '.')}"


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
            raise Refused(
                f"“{child.name}” is its child and is not exported, so that it cannot be checked."
            )
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
            refused.append(f"“{one.name}” was not changed: {reason}")
            continue
        done.append(one.name)
        if lost is not None:
            refused.append(f"“{one.name}”, or a child of it, has moved by up to {lost:.3g}.")
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
        carry_out(context, [change], [one])
        return None
    check_keys(change)
    back, before = Before([one]), places_in_world(context, [one])
    set_own(change)
    context.view_layer.update()
    pairs = zip(before, places_in_world(context, [one]))
    # Of the others' axes, their origins.
    moved = [
        (was - now)[3::4] if place == 1 else was - now for place, (was, now) in enumerate(pairs)
    ]
    lost = max(float(np.linalg.norm(apart, axis=1).max(initial=0.0)) for apart in moved)
    if not is_loss_allowed:
        back.put()
        context.view_layer.update()
        raise Refused(
            "it is sheared, and location, rotation and scale cannot store that. "
            f"Clear and Move would move things by up to {lost:.3g}. To keep the shape, apply the scale of its parent “{one.parent.name}”."
        )
    return lost
