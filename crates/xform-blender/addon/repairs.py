# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs in Blender: applies non-uniform scales to meshes if `xform fix` proves that this is exact, and clears parent
inverses.

Everything is checked before anything is changed, and a change that still moves something is undone.
"""

# The proof is that of `fix`: the exported file is repaired and proved, objects get the world transforms of the repaired
# file,
# and their meshes take the remainder. So there is a single rule of what is exact. Blender's own evaluation is compared
# afterwards in the whole view layer, because modifiers, constraints and drivers are in no file. All groups are changed
# at
# once: one after the other, 500 took a minute.

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
from .findings import length
from .hooks import places_of
from .losses import is_sheared, joined
from .written import Written


@dataclass
class Repaired:
    """The result of a repair."""

    done: list[str]
    """The objects that were repaired."""
    refused: list[str]
    """The refused repairs with reasons, as sentences."""


def apply_scales(
    context: bpy.types.Context, chosen: set[bpy.types.Object], with_uniform: bool = False
) -> Repaired:
    """Applies the non-uniform scales of these objects to the meshes of their subtrees. Uniform scales of descendants
    are kept unless `with_uniform`.

    A scale is only applied if `xform fix` proves it on the exported file. Raises `ExportFailed` and `XformError`.
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
    """The expected result of applying the scale of an object."""

    top: bpy.types.Object
    """The object whose scale would be applied: itself or an ancestor."""
    refusal: Refused | None
    """The reason for a refusal, or `None` if it works."""


def outlooks(
    context: bpy.types.Context, asked: set[bpy.types.Object]
) -> dict[bpy.types.Object, Outlook]:
    """Tries `apply_scales` for each of these objects and undoes everything. Objects to which it does not apply are
    omitted from the result.

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
    """Repairs groups. Returns the refused groups by their top objects, with reasons."""
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
            # All at once is fastest. The objects that moved usually identify the group at fault; otherwise each half is
            # tried.
            at_fault = [group for group in some if not reason.moved.isdisjoint(group.objects)]
            others = [group for group in some if group not in at_fault]
            if len(at_fault) != 1 or not others:
                at_fault, others = some[: len(some) // 2], some[len(some) // 2 :]
            waiting += [others, at_fault]
    return refused


@dataclass(eq=False)
class _Group:
    """A group of objects that are repaired together."""

    top: bpy.types.Object
    objects: list[bpy.types.Object]
    """The top object and its descendants."""
    asked: set[bpy.types.Object]
    """The requested objects among them that belong to no other group."""
    changes: list[Change]
    refusal: Refused | None = None


def _groups(
    context: bpy.types.Context, asked: set[bpy.types.Object], with_uniform: bool
) -> Iterator[_Group]:
    """Returns the groups of the requested objects, with refusals as far as they are known before trying."""
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
    # Instanced content comes last: it follows the objects themselves, if they are in the scene.
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
    """Returns the world transforms of the repaired file at rest, by the nodes of the tree."""
    path = export.path.with_name("repaired.glb")
    path.write_bytes(file)
    repaired = replace(export, path=path, places=places_of(glb_document(file)))
    scene = xform_audit.audit(str(path), motion=False)["scenes"][0]
    return Written(context, repaired, scene).at_rest()


def _refusal(export: Export, top: int, refusal: dict[str, Any]) -> Refused:
    """Returns the reason given by `xform fix`, in Blender's terms if there are any."""
    place = export.places.get(refusal["node"], top)
    node, above = export.tree.nodes[place], export.tree.nodes[top]
    name, code = f"“{node.name}”", refusal["code"]
    if code == "moving-scale":
        instead = _uniform_keys(node)
        if not instead:
            return Refused(
                f"{name} is sheared while it moves, and the export turns that into a scale."
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
    """Returns the advice for a child that prevents the repair."""
    return f"Clear the parent of “{name}” (Alt-P, Keep Transformation), or give it another one, and audit again."


WITHOUT_VERTICES = {"camera": "a camera", "light": "a light"}

WHY = {
    "flat": "a scale is 0 on an axis, or nearly so.",
    "odd-rotation": "it is sheared, and the export rounds the shear.",
    "thickness": "its material has a volume, whose thickness depends on the scale.",
    "too-much": "too many objects share its mesh, and each would need a copy.",
}


def made_uniform(one: bpy.types.Object) -> str:
    """Returns the advice for giving an object the same scale on X, Y and Z, taking its animation into account."""
    node = trees.Node(one.name, one, "", -1, one.matrix_world)
    return _uniform_keys(node) or f"Give “{one.name}” the same scale on X, Y and Z."


def _uniform_keys(node: trees.Node) -> str:
    """Returns the same advice for an animated object or bone, or an empty string if it is not animated."""
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
        # They are equal at each keyframe, but differ in between.
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
    """Returns the frames of the keyframes with a non-uniform scale of an object or bone."""
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
    """The dependencies between objects, and the objects that Blender evaluates."""

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
    """Returns the changes that give a node and its descendants the world transforms of the repaired file, and their
    meshes the remainder."""
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
    # World positions do not change, so the linear parts are sufficient.
    rest = export.tree.at_rest().shown
    # The factor by which each is scaled, relative to the repaired file.
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
    """Whether both consist of the same rotation and a scale. False for mirrored ones, which have several such
    rotations."""
    is_upright = one.determinant() > 0 and other.determinant() > 0
    return is_upright and abs(one.to_quaternion().dot(other.to_quaternion())) > 1 - 5e-7


def _uniform_size(linear: Matrix) -> float:
    """Returns the factor of a uniform scale, or 1 if the scale is not uniform."""
    lengths = [column.length for column in linear.col]
    square = linear.transposed() @ linear
    is_uniform = is_same(square * (1 / square[0][0]), STRAIGHT) if square[0][0] else False
    return lengths[0] if is_uniform else 1.0


def _check_local(one: bpy.types.Object, top: bpy.types.Object) -> None:
    """Refuses a linked object. It should be repaired in its own file, unless the object that scales it is in this
    one."""
    if one.library or one.override_library:
        source = (one.library or one.override_library.reference.library).name
        is_there = top.library or top.override_library
        instead = f"Open “{source}” and repair it there." if is_there else ""
        raise Refused(f"“{one.name}” is linked from another file.", instead)


def _check(node: trees.Node, top: bpy.types.Object, family: _Family) -> None:
    """Refuses an object that can neither take a scale nor be checked for movement."""
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
    # The effects of these are not compared.
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
    """Merges the parent inverses of these objects into their own poses, which moves nothing.

    If there is no such pose, because the product is sheared, nothing is changed; with `is_loss_allowed` the nearest
    pose is set.
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
            refused.append(
                f"“{one.name}”, or a child of it, has moved by up to {length(context.scene, lost)}."
            )
    return Repaired(done, refused)


def loss_of_clearing(context: bpy.types.Context, one: bpy.types.Object) -> float:
    """Returns how far *Clear and Move* would move things: it is tried and undone. Raises `Refused`."""
    return _clear(context, one, is_loss_allowed=True, is_trial=True) or 0.0


def _clear(
    context: bpy.types.Context,
    one: bpy.types.Object,
    is_loss_allowed: bool,
    is_trial: bool = False,
) -> float | None:
    """Returns how far anything has moved, or `None` if an exact pose exists."""
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
            f"Clear and Move would move things by up to {length(context.scene, lost)}. "
            f"To keep the shape, apply the scale of its parent “{one.parent.name}”."
        )
    return lost
