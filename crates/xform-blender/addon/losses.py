# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of the export itself: files have a translation, a rotation and a scale for each node, and Blender has more."""

# A loss is the difference between the exported file and the viewport, node by node: at rest, and at each frame from the
# file's own keyframes (`poses` of the wheel; the same call for FBX). The first version instead predicted the keyframes
# from
# each local matrix with Blender's `decompose`. A search found twelve ways in which the exporters differ from that: for
# animated bones they remove the rest pose before they decompose, keyframes of an instance lack the collection's offset,
# children of cameras are turned, constraints have no keyframes, and more. Only the ghost still predicts, because it has
# no
# file; tests compare it with files for all six inherit modes.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from . import tree as trees
from .tree import Node, Poses, Tree
from .written import Parts, Written

SHEARED = 1e-4
"""A remainder of a local matrix below this fraction of its longest axis is rounding."""

MOST_POSES = 400_000
"""The greatest number of node poses that are checked. In longer animations, frames are skipped."""

INHERIT_SCALE = {
    "FULL": "Full",
    "FIX_SHEAR": "Fix Shear",
    "ALIGNED": "Aligned",
    "AVERAGE": "Average",
    "NONE": "None",
    "NONE_LEGACY": "None (Legacy)",
}


@dataclass
class Loss:
    """A node whose position in the file differs from Blender's, in every engine."""

    node: int
    culprit: int
    """The node that causes it: `node` itself or an ancestor."""
    displacement: float
    """The distance by which the farthest corner of its box is off, in Blender's units."""
    frame: int | None
    """The frame of the largest distance, or `None` for the rest pose, without the file's animation."""


@dataclass
class Losses:
    """The losses, worst first, and the basis of the measurement."""

    losses: list[Loss]
    diagonal: float
    """The diagonal of the box around everything that is drawn."""
    sizes: np.ndarray
    """The diagonal of the box of each node."""
    step: int
    """The interval of the frames that were checked; 0 if nothing moves."""
    still: set[int]
    """Nodes with local motion in Blender that the file has no animation for."""
    sheared: set[int]
    """Nodes whose local matrix is sheared at some time, so that it is not a pose."""
    moving: set[int]
    """Nodes that move in Blender or in the file, or that have keyframes in the file."""
    missing: list[int]
    """Nodes that are not in the file."""

    def is_explained(self, culprit: int) -> bool:
        return culprit in self.still or culprit in self.sheared


def losses(
    context: bpy.types.Context, tree: Tree, written: Written, is_at_rest: bool, is_animated: bool
) -> Losses:
    """Compares the file with Blender: at rest, and at each frame of the scene unless the file is exported without
    animation.

    `is_at_rest` states that the file has armatures in their rest position where it has no animation.
    """
    corners, draws = trees.bounds(tree)
    rest = tree.at_rest()
    file = written.at_rest()
    moved, is_sheared_ever = [_apart(file, rest, corners)], rest.shear > SHEARED
    frames = _frames(context.scene, len(tree.nodes)) if is_animated else []
    written.sample(frames)
    motion = _Motion(len(tree.nodes))
    for step, frame in enumerate(frames):
        context.scene.frame_set(frame)
        poses = tree.now()
        moved.append(np.where(written.covers(frame), _apart(written.at(step), poses, corners), 0.0))
        is_sheared_ever |= poses.shear > SHEARED
        motion.see((poses.translations, poses.rotations, poses.scales), written.locals_of(step))
    counted = np.array(moved)
    counted[:, [node.is_skinned for node in tree.nodes]] = 0.0
    moving = motion.moves() | written.animated()
    if is_at_rest:
        counted[1:, _resting(tree, moving)] = 0.0
    farthest = counted.max(axis=0)
    # The first time with this distance, up to rounding.
    when = (counted >= farthest * (1 - 1e-6)).argmax(axis=0)
    sizes, diagonal = _extent(rest, corners, draws)
    still, sheared = motion.still(), {int(node) for node in np.flatnonzero(is_sheared_ever)}
    to_blame = {*still, *sheared}
    is_off = farthest > NOTHING * max(diagonal, 1e-30)
    found = [
        Loss(
            int(node),
            _culprit(tree, int(node), to_blame, is_off),
            float(farthest[node]),
            frames[when[node] - 1] if when[node] else None,
        )
        for node in np.flatnonzero(is_off)
        if draws[node] or not draws.any()
    ]
    found.sort(key=lambda loss: (-loss.displacement, loss.node))
    step = frames[1] - frames[0] if len(frames) > 1 else len(frames)
    return Losses(found, diagonal, sizes, step, still, sheared, moving, written.missing())


NOTHING = 1e-7
"""A displacement below this fraction of the scene's diagonal does not count."""


def _frames(scene: bpy.types.Scene, nodes: int) -> list[int]:
    if not trees.is_moving(scene):
        return []
    count = max(1, scene.frame_end - scene.frame_start + 1)
    step = max(1, -(-count * nodes // MOST_POSES))
    return list(range(scene.frame_start, scene.frame_start + count, step))


def _apart(file: np.ndarray, poses: Poses, corners: np.ndarray) -> np.ndarray:
    """Returns the distance by which the farthest corner of each node is off, or 0 for nodes that are not in the
    file."""
    apart = _placed(file, corners) - _placed(poses.shown, corners)
    return np.nan_to_num(np.linalg.norm(apart, axis=2).max(axis=1))


def _placed(worlds: np.ndarray, corners: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nkj->nki", worlds[:, :3, :3], corners) + worlds[:, None, :3, 3]


def _extent(rest: Poses, corners: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, float]:
    """Returns the size of each node, and the diagonal of the box around everything that is drawn, or around all nodes
    if nothing is."""
    placed = _placed(rest.shown, corners)
    sizes = np.linalg.norm(placed - placed[:, ::-1], axis=2).max(axis=1)
    counted = placed[draws] if draws.any() else placed
    ends = counted.reshape(-1, 3)
    return sizes, float(np.linalg.norm(ends.max(axis=0) - ends.min(axis=0)))


VARIES = 1e-3
"""Parts that change by less than this fraction of their size do not move: the exporters omit them."""


class _Motion:
    """Records which local poses change, in Blender and in the file, separately for translation, rotation and scale."""

    def __init__(self, count: int):
        self._first: list[Parts] = []
        self._varies = np.zeros((2, 3, count), bool)

    def see(self, blender: Parts, file: Parts) -> None:
        if not self._first:
            self._first = [blender, file]
        for side, parts in enumerate((blender, file)):
            for path, (now, then) in enumerate(zip(parts, self._first[side])):
                apart = np.abs(now - then).max(axis=1)
                if path == 1:
                    # A quaternion and its negative are the same rotation.
                    apart = np.minimum(apart, np.abs(now + then).max(axis=1))
                size = np.maximum(np.abs(then).max(axis=1), 1.0)
                # Nodes that are not in the file have NaN, which does not count.
                self._varies[side, path] |= np.nan_to_num(apart / size) > VARIES
        self._is_in_file = ~np.isnan(file[0][:, 0])

    def still(self) -> set[int]:
        if not self._first:
            return set()
        lacks = (self._varies[0] & ~self._varies[1]).any(axis=0) & self._is_in_file
        return {int(node) for node in np.flatnonzero(lacks)}

    def moves(self) -> set[int]:
        return {int(node) for node in np.flatnonzero(self._varies.any(axis=(0, 1)))}


def _resting(tree: Tree, moving: set[int]) -> list[int]:
    """Returns bones of armatures that are posed but do not move, and their descendants. The file has their rest
    position, as requested."""
    moved = {tree.nodes[node].object.name for node in moving if tree.nodes[node].bone}
    posed = {node.object.name for node in tree.nodes if node.bone and is_posed(node)}
    resting: set[int] = set()
    for index, node in enumerate(tree.nodes):
        if node.parent in resting or node.bone and node.object.name in posed - moved:
            resting.add(index)
    return sorted(resting)


def is_posed(node: Node) -> bool:
    """Whether a bone is away from its rest position."""
    bone = node.armature_bone
    rows = zip(bone.matrix, bone.bone.matrix_local)
    apart = max(abs(a - b) for one, two in rows for a, b in zip(one, two))
    return apart > 1e-4 * max(1.0, bone.bone.length)


def _culprit(tree: Tree, node: int, to_blame: set[int], is_off: np.ndarray) -> int:
    """Returns the first node from the root down whose pose is not in the file, or else the first that is displaced."""
    path = [node]
    while tree.nodes[path[-1]].parent >= 0:
        path.append(tree.nodes[path[-1]].parent)
    path.reverse()
    blamed = next((above for above in path if above in to_blame), None)
    return next(above for above in path if is_off[above]) if blamed is None else blamed


@dataclass
class Cause:
    """The reason why a node's position in the file differs from Blender's, and the advice. Both are sentences."""

    told: str
    advice: str
    scaled: bpy.types.Object | None = None
    """The object whose scale could be applied instead, if that works."""
    inverse: bpy.types.Object | None = None
    """The object whose parent inverse could be cleared, if applying the scale does not work."""


def joined(names: Sequence[str]) -> str:
    """Joins names for a sentence: with commas, and with “and” before the last."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def cause_of_hidden(names: list[str]) -> Cause:
    """Returns the reason why objects with these names, which Blender has not evaluated, are exported elsewhere."""
    shown = [f"“{name}”" for name in names[:6]]
    named = joined([*shown, f"{len(names) - 6} more"] if len(names) > 6 else shown)
    have, they, their = (
        ("has", "it is", "its") if len(names) == 1 else ("have", "they are", "their")
    )
    return Cause(
        f"{named} {have} been hidden since the file was opened, so Blender has not computed where {they}. The exporter ignores {their} parents and constraints.",
        f"Show {named} once (the check mark of the collection, the eye and the monitor in the Outliner); then hide as before. Or leave out what is hidden: Limit to > Visible Objects in the exporter.",
    )


def cause(
    node: Node, parent: Node | None, is_still: bool, is_sheared_there: bool, may_flatten: bool
) -> Cause:
    """`may_flatten` states that the exporter has an option to omit parents, and that nothing moves."""
    name, shown = f"“{node.name}”", node.object
    if is_still:
        return Cause(
            f"{name} moves in Blender by a constraint, a driver or physics, and the file has no animation of it.",
            f"Bake it: Object (or Pose) > Animation > Bake Action, with Visual Keying on.{_undriven(node)}",
        )
    if not is_sheared_there:
        return Cause(
            f"The exported file has {name} in another place than Blender. This is a limit of Blender's exporter: of how it samples and simplifies keyframes, or for example of children of cameras in FBX.",
            "Import the file into an empty scene to see it. Another parent, such as an empty, may help.",
        )
    if node.bone:
        return Cause(*_cause_of_bone(name, node))
    if shown is None:
        above = f"“{parent.name}”, which makes it," if parent else "the object that makes it"
        return Cause(
            f"{name} is an instance that is sheared. Files cannot store that.",
            f"Give {above} the same scale on X, Y and Z.",
        )
    if shown.parent and parent is None:
        return Cause(
            f"{name} is sheared by its parent “{shown.parent.name}”, which is not exported.",
            "Export the parent too.",
        )
    if 0 in shown.matrix_basis.to_scale():
        return Cause(
            f"{name} has a scale of 0, which the exporter replaces.",
            "Use a small scale instead.",
        )
    if is_sheared(shown.matrix_parent_inverse @ shown.matrix_basis):
        flattened = may_flatten and not is_sheared(shown.matrix_world)
        return Cause(
            f"{name} has a parent inverse (Ctrl-P) that shears it. Files cannot store that.",
            "Or turn on Flatten Object Hierarchy in the exporter." if flattened else "",
            scaled=shown.parent,
            inverse=shown,
        )
    if constraints(node):
        return Cause(
            f"The constraint “{constraints(node)[-1]}” shears {name}. Files cannot store that.",
            f"Give its target, and the parents of that, the same scale on X, Y and Z.{_set_inverse(node)}",
        )
    return Cause(f"{name} is sheared. Files cannot store that.", UNIFORM)


def _undriven(node: Node) -> str:
    """Returns the advice to delete drivers, which override baked keyframes."""
    data = node.object.animation_data if node.object else None
    return " Then delete its drivers." if data and len(data.drivers) else ""


def _set_inverse(node: Node) -> str:
    """Handles Child Of, which stores the inverse of the scale that its target had."""
    held = [one for one in node.object.constraints if one.enabled]
    is_child = held and held[-1].type == "CHILD_OF"
    return f" Then press Set Inverse in “{held[-1].name}”." if is_child else ""


UNIFORM = "Give its parents the same scale on X, Y and Z."


def _cause_of_bone(name: str, node: Node) -> tuple[str, str]:
    bone = node.armature_bone.bone
    mode = INHERIT_SCALE.get(bone.inherit_scale, bone.inherit_scale)
    if bone.inherit_scale != "FULL":
        return (
            f"The bone {name} inherits scale as “{mode}”. Files only have “Full”.",
            f"{UNIFORM} Or set Inherit Scale to Full (Bone > Relations), which changes the animation in Blender.",
        )
    if not (bone.use_inherit_rotation and bone.use_local_location):
        return (
            f"The bone {name} does not inherit rotation or local location, so that non-uniform scales shear it.",
            UNIFORM,
        )
    if constraints(node):
        return (
            f"The constraint “{constraints(node)[-1]}” shears the bone {name}. Files cannot store that.",
            "Give its target, and the parents of that, the same scale on X, Y and Z.",
        )
    return f"The bone {name} is sheared. Files cannot store that.", UNIFORM


def constraints(node: Node) -> list[str]:
    """Returns the names of the enabled constraints."""
    owner = node.armature_bone if node.bone else node.object
    return [one.name for one in owner.constraints if one.enabled] if owner else []


def is_sheared(matrix: bpy.types.Matrix) -> bool:
    """Whether the matrix is not a product of translation, rotation and scale."""
    place, turn, scale = matrix.decompose()
    apart = np.abs(np.array(trees.Matrix.LocRotScale(place, turn, scale)) - np.array(matrix)).max()
    return bool(apart > SHEARED * np.abs(np.array(matrix)[:3, :3]).max())
