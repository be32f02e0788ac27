# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs in Blender: non-uniform scales go into the meshes where `xform fix` proves that this is exact, and parent inverses are cleared.

Nothing is changed before everything is known, and what moved all the same is put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
import xform_audit
from mathutils import Matrix

from . import tree as trees
from .changes import (
    STRAIGHT,
    Change,
    Places,
    Refused,
    carry_out,
    check_keys,
    is_constant,
    is_same,
    restored,
    set_own,
)
from .exporting import Export, exported, glb_document
from .hooks import places_of
from .losses import is_sheared, joined
from .written import Written


@dataclass
class Repaired:
    """What became of a repair."""

    done: list[str]
    """The objects that were repaired."""
    refused: list[str]
    """What was not, and why, as sentences."""


def apply_scales(
    context: bpy.types.Context, chosen: set[bpy.types.Object], with_uniform: bool = False
) -> Repaired:
    """Applies the non-uniform scales of these objects to the meshes below; scales of objects below that are uniform stay, unless `with_uniform`.

    What may be applied is what `xform fix` proves on the exported file. Raises `ExportFailed` and `XformError`.
    """
    ready, refused = [], {}
    for group in _groups(context, chosen, with_uniform):
        if group.top not in chosen:
            group.refusal = Refused("it is a parent of what is selected. Select it instead.")
        if group.refusal:
            refused[group.top] = group.refusal
        else:
            ready.append(group)
    refused |= _carried_out(context, ready, is_trial=False)
    done = [group.top.name for group in ready if group.top not in refused]
    told = [f"“{top.name}” was not changed: {reason}" for top, reason in refused.items()]
    return Repaired(done, told)


@dataclass
class Outlook:
    """What would become of the scale of an object if it were applied."""

    top: bpy.types.Object
    """The object whose scale would be: itself, or one above it."""
    refusal: Refused | None
    """Why that is not done; `None` where it works."""


def outlooks(
    context: bpy.types.Context, asked: set[bpy.types.Object]
) -> dict[bpy.types.Object, Outlook]:
    """What `apply_scales` would do for each of these objects: it is tried, and everything is put back. Those that it has nothing to do with are left out.

    Raises `ExportFailed` and `XformError`.
    """
    groups = list(_groups(context, asked, with_uniform=False))
    refused = _carried_out(context, [one for one in groups if not one.refusal], is_trial=True)
    found: dict[bpy.types.Object, Outlook] = {}
    for group in groups:
        refusal = group.refusal or refused.get(group.top)
        for one in group.asked:
            found.setdefault(one, Outlook(group.top, refusal))
    return found


def _carried_out(
    context: bpy.types.Context, groups: list[_Group], is_trial: bool
) -> dict[bpy.types.Object, Refused]:
    """Repairs groups, and says which were not, by their tops, and why."""
    refused: dict[bpy.types.Object, Refused] = {}
    waiting = [groups] if groups else []
    while waiting:
        some = waiting.pop()
        objects = [one for group in some for one in group.objects]
        try:
            carry_out(context, [one for group in some for one in group.changes], objects, is_trial)
        except Refused as reason:
            if len(some) == 1:
                refused[some[0].top] = reason
                continue
            # All at once is fastest. What has moved tells most often whose fault it is; else the halves are tried.
            at_fault = [group for group in some if not reason.moved.isdisjoint(group.objects)]
            others = [group for group in some if group not in at_fault]
            if len(at_fault) != 1 or not others:
                at_fault, others = some[: len(some) // 2], some[len(some) // 2 :]
            waiting += [others, at_fault]
    return refused


@dataclass(eq=False)
class _Group:
    """What is repaired together."""

    top: bpy.types.Object
    objects: list[bpy.types.Object]
    """It and all below it."""
    asked: set[bpy.types.Object]
    """Those of them that were asked about, and that no other group is about."""
    changes: list[Change]
    refusal: Refused | None = None


def _groups(
    context: bpy.types.Context, asked: set[bpy.types.Object], with_uniform: bool
) -> Iterator[_Group]:
    """All that belongs to some objects and may be repaired, as far as that is known before it is tried."""
    with exported(context, "GLTF", {}) as export:
        fixed = xform_audit.fix(str(export.path))
        worlds = _fixed(context, export, fixed.file)
    family, nodes = _Family(context), export.tree.nodes
    tops = [group["top"] for group in fixed.report["groups"]]
    found = [
        (export.places[top], group)
        for top, group in zip(tops, fixed.report["groups"])
        if top in export.places
    ]
    known: set[bpy.types.Object] = set()
    # What instances show comes last: it follows the objects themselves, where these are here.
    for is_instanced in (False, True):
        for place, group in found:
            places = export.tree.below(place)
            inside = {node.object for node in (nodes[place] for place in places) if node.object}
            matching = {
                nodes[place].object
                for place in places
                if (nodes[place].prefix >= 0) == is_instanced
            }
            top = nodes[place].object
            if top is None or not asked & matching - known:
                continue
            known |= matching
            made = _Group(top, sorted(inside, key=lambda one: one.name), asked & matching, [])
            try:
                if group["state"] != "fixed":
                    raise _refusal(export, place, group["refusals"][0])
                frame = context.scene.frame_current_final
                _plan(made, export, places, worlds, family, frame, with_uniform)
            except Refused as reason:
                made.refusal = reason
            yield made


def _fixed(context: bpy.types.Context, export: Export, file: bytes) -> np.ndarray:
    """The world transforms at rest of the repaired file, by the nodes of the tree."""
    path = export.path.with_name("repaired.glb")
    path.write_bytes(file)
    repaired = replace(export, path=path, places=places_of(glb_document(file)))
    scene = xform_audit.audit(str(path), motion=False)["scenes"][0]
    return Written(context, repaired, scene).at_rest()


def _refusal(export: Export, top: int, refusal: dict[str, Any]) -> Refused:
    """The reason of `xform fix`, in Blender's words where it has some."""
    place = export.places.get(refusal["node"], top)
    node, above = export.tree.nodes[place], export.tree.nodes[top]
    name, code = f"“{node.name}”", refusal["code"]
    if code == "moving-scale":
        instead = _uniform_keys(node)
        if not instead:
            return Refused(
                f"{name} is sheared while it moves, and the export makes a scale of that."
            )
        return Refused(
            f"{name} is scaled by an animation that is not the same on X, Y and Z.",
            f"{instead} Or squash it by a shape key instead.",
        )
    if code == "moving-rotation":
        told = f"{name}, a bone of “{node.object.name}”," if node.bone else f"{name},"
        return Refused(
            f"an animation rotates {told} and “{above.name}” above it has a non-uniform scale."
        )
    if code in WITHOUT_VERTICES:
        return Refused(
            f"{name} is {WITHOUT_VERTICES[code]}, and no vertices take its scale.",
            _elsewhere(node.name),
        )
    return Refused(f"{name}: {WHY.get(code, refusal['why'] + '.')}")


def _elsewhere(name: str) -> str:
    """What to do with a child that stands in the way."""
    return f"Clear the parent of “{name}” (Alt-P, Keep Transformation), or give it another one, and audit again."


WITHOUT_VERTICES = {"camera": "a camera", "light": "a light"}

WHY = {
    "flat": "a scale is 0 on an axis, or nearly so.",
    "odd-rotation": "it is sheared, and the export rounds that.",
    "thickness": "its material has a volume, whose thickness depends on the scale.",
    "too-much": "too many objects share its mesh, and each would need a copy.",
}


def made_uniform(one: bpy.types.Object) -> str:
    """What to do so that an object has the same scale on X, Y and Z, whatever animates it."""
    node = trees.Node(one.name, one, "", -1, one.matrix_world)
    return _uniform_keys(node) or f"Give “{one.name}” the same scale on X, Y and Z."


def _uniform_keys(node: trees.Node) -> str:
    """The same for an object or a bone that something animates; nothing where nothing does."""
    name = f"“{node.bone or node.name}”"
    owner, data = node.armature_bone if node.bone else node.object, node.object.animation_data
    path = f"{owner.path_from_id()}.scale" if node.bone else "scale"
    if data is None:
        return ""
    if any(driver.data_path == path for driver in data.drivers):
        return f"Delete the driver of the scale of {name}, and give it the same scale on X, Y and Z in its keyframes too, if it has any."
    frames = _uneven_frames(owner, path, trees.curves(data))
    if frames:
        named = frames if len(frames) <= 6 else [*frames[:5], f"{len(frames) - 5} more"]
        at = f"frame{'s' if len(frames) > 1 else ''} {joined(list(map(str, named)))}"
        return f"At {at}, key the same scale on X, Y and Z for {name}."
    moving = [
        curve for curve in trees.curves(data) if curve.data_path == path and not is_constant(curve)
    ]
    if moving and not node.bone and node.object.parent is None:
        # At each keyframe they are the same, and between these they are not.
        return f"Give the keyframes of the scale of {name} the same interpolation and handles on X, Y and Z."
    strips = (strip for track in data.nla_tracks for strip in track.strips if strip.action)
    for action in (strip.action for strip in strips):
        keyed = [curve for curve in trees.all_curves(action) if curve.data_path == path]
        if _uneven_frames(owner, path, keyed):
            return f"In the action “{action.name}” (Nonlinear Animation), key the same scale on X, Y and Z for {name}."
    return ""


def _uneven_frames(
    owner: bpy.types.Object | bpy.types.PoseBone, path: str, curves: list[bpy.types.FCurve]
) -> list[int | float]:
    """The frames of the keyframes that scale an object or a bone non-uniformly."""
    keyed = {curve.array_index: curve for curve in curves if curve.data_path == path}
    frames = sorted(
        {round(key.co.x, 3) for curve in keyed.values() for key in curve.keyframe_points}
    )
    uneven = []
    for frame in frames:
        scale = [
            keyed[axis].evaluate(frame) if axis in keyed else owner.scale[axis] for axis in range(3)
        ]
        if not np.allclose(scale, scale[0], rtol=1e-4):
            uneven.append(int(frame) if frame == int(frame) else frame)
    return uneven


class _Family:
    """Who hangs on whom, and what Blender computes."""

    def __init__(self, context: bpy.types.Context):
        self.children: dict[bpy.types.Object, list[bpy.types.Object]] = {}
        for one in bpy.data.objects:
            if one.parent:
                self.children.setdefault(one.parent, []).append(one)
        depsgraph = context.evaluated_depsgraph_get()
        self.computed = {one.original for one in depsgraph.objects}


def _plan(
    group: _Group,
    export: Export,
    places: list[int],
    worlds: np.ndarray,
    family: _Family,
    frame: float,
    with_uniform: bool,
) -> None:
    """The changes that give a node and all below it the world transforms of the repaired file, and their meshes what is left."""
    nodes = export.tree.nodes
    for node in (nodes[place] for place in places):
        _check(node, group.top, family)
    objects = group.objects
    for child in (child for one in objects for child in family.children.get(one, [])):
        if child not in objects:
            raise Refused(
                f"“{child.name}” below it is not exported, so that it cannot be checked.",
                _elsewhere(child.name),
            )
    # Places in the world stay, so the linear parts say all.
    rest = export.tree.at_rest().shown
    # By how much more each is scaled than in the repaired file.
    sizes: dict[int, float] = {}
    for place in places:
        one, parent = nodes[place].object, nodes[place].parent
        old, new = (Matrix(of[place]).to_3x3() for of in (rest, worlds))
        above, moved = STRAIGHT, trees.IDENTITY
        local, fixed = old, new
        if parent >= 0:
            old_above, new_above = (Matrix(of[parent]).to_3x3() for of in (rest, worlds))
            local, fixed = old_above.inverted_safe() @ old, new_above.inverted_safe() @ new
            above = (new_above * sizes.get(parent, 1.0)).inverted_safe()
            moved = (above @ old_above).to_4x4()
        sizes[place] = sizes.get(parent, 1.0)
        if not with_uniform and place != places[0]:
            sizes[place] *= _uniform_size(local) / _uniform_size(fixed)
        new = new * sizes[place]
        linear = above @ new
        own = one.matrix_parent_inverse.to_3x3().inverted_safe() @ local
        change = Change(
            one,
            place=moved @ one.matrix_parent_inverse,
            linear=linear,
            mesh=new.inverted_safe() @ old,
            keeps_rotation=_have_one_rotation(own, linear),
        )
        if not change.is_nothing():
            check_keys(change, frame)
            group.changes.append(change)


def _have_one_rotation(one: Matrix, other: Matrix) -> bool:
    """Whether both are a scale behind the same rotation; mirrored ones have several."""
    is_upright = one.determinant() > 0 and other.determinant() > 0
    return is_upright and abs(one.to_quaternion().dot(other.to_quaternion())) > 1 - 5e-7


def _uniform_size(linear: Matrix) -> float:
    """By how much it scales, where that is uniform; else 1."""
    lengths = [column.length for column in linear.col]
    square = linear.transposed() @ linear
    is_uniform = is_same(square * (1 / square[0][0]), STRAIGHT) if square[0][0] else False
    return lengths[0] if is_uniform else 1.0


def _check_local(one: bpy.types.Object, top: bpy.types.Object) -> None:
    """Refuses what is linked. Its own file is the place to repair it, unless what scales it is here."""
    if one.library or one.override_library:
        source = (one.library or one.override_library.reference.library).name
        is_there = top.library or top.override_library
        instead = f"Open “{source}” and repair it there." if is_there else ""
        raise Refused(f"“{one.name}” is linked from another file.", instead)


def _check(node: trees.Node, top: bpy.types.Object, family: _Family) -> None:
    """Refuses what can neither take a scale nor be asked whether it moved."""
    one, name = node.object, f"“{node.name}”"
    if one is not None:
        _check_local(one, top)
    if one is not None and one.data and one.data.library:
        raise Refused(
            f"the mesh of {name} is linked from another file.",
            f"Select {name}, then Object > Relations > Make Local > Selected Objects and Data, and audit again.",
        )
    if node.bone:
        raise Refused(f"“{one.name}” is an armature, and its bones keep their scale.")
    if one is None or node.is_fixed:
        raise Refused(f"{name} is an instance.")
    shown = f"Show {name} (the check mark of its collection, its eye and its monitor in the Outliner), and audit again."
    if not one.users_scene:
        collections = one.users_collection
        away = f"Link {name} to this scene, or clear its parent (Alt-P), and audit again."
        if collections:
            away = f"Link the collection “{collections[0].name}” to this scene (drag it into the Scene Collection of the Outliner), and audit again."
        raise Refused(f"{name} is in no scene.", away)
    if node.prefix >= 0:
        raise Refused(f"{name} is only seen in an instance of its collection.", shown)
    if one not in family.computed:
        raise Refused(f"{name} is hidden, so that it cannot be checked.", shown)
    if one.type in KINDS:
        raise Refused(
            f"{name} is a {KINDS[one.type]}, not a mesh.",
            f"Convert {name} to a mesh (Object > Convert > Mesh), and audit again.",
        )
    if one.type not in {"MESH", "EMPTY"}:
        raise Refused(f"{name} is neither a mesh nor an empty.")
    # What these show or do is not compared.
    if one.particle_systems:
        raise Refused(f"{name} has hair or particles.")
    if one.type == "EMPTY" and one.data:
        raise Refused(f"{name} shows a picture.")
    if one.field and one.field.type != "NONE":
        raise Refused(f"{name} has a force field.")
    held = [constraint.name for constraint in one.constraints if constraint.enabled]
    if held:
        raise Refused(f"{name} is held by the constraint “{held[-1]}”.")
    if one.rigid_body:
        raise Refused(f"{name} is a rigid body.")
    if one.data and one.data.animation_data:
        raise Refused(f"the vertices of {name} are animated.")
    if one.parent and one.parent_type != "OBJECT":
        raise Refused(f"{name} is parented to a part of “{one.parent.name}”.")
    if one.instance_type != "NONE":
        is_uneven = not np.allclose(one.scale, one.scale[0], rtol=1e-4)
        raise Refused(
            f"{name} makes instances.",
            f"{made_uniform(one)} Then audit again." if is_uneven else "",
        )


KINDS = {"CURVE": "curve", "SURFACE": "surface", "FONT": "text", "META": "metaball"}


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


def loss_of_clearing(context: bpy.types.Context, one: bpy.types.Object) -> float:
    """How far *Clear and Move* would move things: it is tried, and put back. Raises `Refused`."""
    return _clear(context, one, is_loss_allowed=True, is_trial=True) or 0.0


def _clear(
    context: bpy.types.Context,
    one: bpy.types.Object,
    is_loss_allowed: bool,
    is_trial: bool = False,
) -> float | None:
    """How far anything has moved; nothing where a pose exists."""
    _check_local(one, one)
    inverse = one.matrix_parent_inverse.copy()
    wanted = inverse @ one.matrix_basis
    nearest = Matrix.LocRotScale(*wanted.decompose())
    change = Change(one, inverse, nearest.to_3x3(), STRAIGHT)
    if not is_sheared(wanted):
        carry_out(context, [change], [one], is_trial)
        return None
    check_keys(change, context.scene.frame_current_final)
    with restored(context, [one], is_trial or not is_loss_allowed):
        before = Places(context, [one])
        set_own(change)
        context.view_layer.update()
        lost = before.farthest(Places(context, [one]))
    if not is_loss_allowed:
        raise Refused(
            "it is sheared, and location, rotation and scale cannot store that. "
            f"Clear and Move would move things by up to {lost:.3g}. To keep the shape, apply the scale of its parent “{one.parent.name}”."
        )
    return lost
