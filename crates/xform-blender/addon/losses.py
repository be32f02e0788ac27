# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export itself loses: files have a translation, a rotation and a scale for each node, and Blender has more."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from . import tree as trees
from .exporting import Export
from .tree import Node, Poses

SHEARED = 1e-4
"""A local matrix that leaves out less, as a fraction of its longest axis, is rounding."""

MOST_POSES = 400_000
"""As many poses of nodes are looked at; of longer animations not every frame."""

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
    """A node that is elsewhere in the file than in Blender, in every engine."""

    node: int
    culprit: int
    """The node whose pose the file cannot hold; `node` itself or one above it."""
    displacement: float
    """How far the farthest corner of its box is off, in Blender's units."""
    frame: int | None
    """When it is farthest; `None` is at rest, as the file has it without its animation."""


@dataclass
class Losses:
    """What is lost, the worst first, and what it was measured by."""

    losses: list[Loss]
    diagonal: float
    """Of the box around what is drawn."""
    sizes: np.ndarray
    """The diagonal of the box of each node."""
    step: int
    """Every so many frames were looked at; 0 if nothing moves."""
    still: set[int]
    """Nodes that move in Blender and have no animation in the file."""
    sheared: set[int]
    """Nodes whose pose in their parent is none, at some time."""

    def is_explained(self, culprit: int) -> bool:
        return culprit in self.still or culprit in self.sheared


def losses(context: bpy.types.Context, export: Export, is_animated: bool) -> Losses:
    """Compares the file with Blender's viewport, at rest and at each frame of the scene."""
    tree = export.tree
    if not tree.nodes:
        return Losses([], 0.0, np.zeros(0), 0, set(), set())
    corners, draws = trees.bounds(tree)
    measured = _Measured(export, corners)
    rest = tree.at_rest()
    written = rest.written(tree.parents) if export.written is None else export.written
    measured.see(None, rest, written)
    scene = context.scene
    step = 0
    if is_animated and trees.is_moving(scene):
        frames = scene.frame_end - scene.frame_start + 1
        step = max(1, -(-frames * len(tree.nodes) // MOST_POSES))
        for frame in range(scene.frame_start, scene.frame_end + 1, step):
            scene.frame_set(frame)
            measured.see_moving(frame, tree.now(), rest)
    sizes, diagonal = _extent(rest, corners, draws)
    found = [
        Loss(
            int(node), measured.culprit(int(node)), float(measured.moved[node]), measured.when(node)
        )
        for node in np.flatnonzero(measured.moved > 0)
        if draws[node] or not draws.any()
    ]
    found.sort(key=lambda loss: (-loss.displacement, loss.node))
    return Losses(found, diagonal, sizes, step, measured.still, measured.sheared())


def _extent(rest: Poses, corners: np.ndarray, draws: np.ndarray) -> tuple[np.ndarray, float]:
    """The size of each node, and the diagonal of the box around what is drawn; around everything where nothing is."""
    placed = _placed(rest.shown, corners)
    sizes = np.linalg.norm(placed - placed[:, ::-1], axis=2).max(axis=1)
    counted = placed[draws] if draws.any() else placed
    ends = counted.reshape(-1, 3)
    return sizes, float(np.linalg.norm(ends.max(axis=0) - ends.min(axis=0)))


def _placed(worlds: np.ndarray, corners: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nkj->nki", worlds[:, :3, :3], corners) + worlds[:, None, :3, 3]


class _Measured:
    """How far each node is off at its worst."""

    def __init__(self, export: Export, corners: np.ndarray):
        self._export, self._corners = export, corners
        self._parents = export.tree.parents
        count = len(export.tree.nodes)
        self._is_skinned = np.array([node.is_skinned for node in export.tree.nodes], bool)
        self.moved, self._frame = np.zeros(count), np.full(count, -1)
        self._is_sheared = np.zeros(count, bool)
        self.still: set[int] = set()

    def see(self, frame: int | None, poses: Poses, written: np.ndarray) -> None:
        apart = _placed(written, self._corners) - _placed(poses.shown, self._corners)
        moved = np.linalg.norm(apart, axis=2).max(axis=1)
        moved[self._is_skinned] = 0.0
        farther = moved > self.moved * (1 + 1e-6)
        self.moved[farther] = moved[farther]
        self._frame[farther] = -1 if frame is None else frame
        self._is_sheared |= poses.shear > SHEARED

    def see_moving(self, frame: int, poses: Poses, rest: Poses) -> None:
        """The same where the file has animations: what has none stays as at rest."""
        moves = self._export.moves
        for name in ("translations", "rotations", "scales"):
            now, then = getattr(poses, name), getattr(rest, name)
            apart = np.abs(now - then).max(axis=1)
            if name == "rotations":
                apart = np.minimum(apart, np.abs(now + then).max(axis=1))
            size = np.maximum(np.abs(then).max(axis=1), 1.0)
            self.still |= {int(node) for node in np.flatnonzero(~moves & (apart > 1e-4 * size))}
            now[~moves] = then[~moves]
        self.see(frame, poses, poses.written(self._parents))

    def culprit(self, node: int) -> int:
        """The first from the root down whose pose is not in the file."""
        path = [node]
        while self._parents[path[-1]] >= 0:
            path.append(int(self._parents[path[-1]]))
        for above in reversed(path):
            if self._is_sheared[above] or above in self.still:
                return above
        return node

    def sheared(self) -> set[int]:
        return {int(node) for node in np.flatnonzero(self._is_sheared)}

    def when(self, node: int) -> int | None:
        return None if self._frame[node] < 0 else int(self._frame[node])


def cause(node: Node, parent: Node | None, is_still: bool) -> tuple[str, str]:
    """Why the file cannot hold a node's pose, and what to do; both as sentences."""
    name = f"“{node.name}”"
    if is_still:
        return (
            f"{name} moves in Blender by a constraint, a driver or a simulation, and the file has no animation of it.",
            "Bake it to an action (Object or Pose > Animation > Bake Action).",
        )
    if node.bone:
        return _cause_of_bone(name, node)
    shown = node.object
    if shown is None:
        return f"{name} is an instance whose place is sheared.", "Make the instance real."
    if shown.parent and parent is None:
        return (
            f"“{shown.parent.name}”, which {name} is parented to, is not exported, and together their transform is sheared.",
            "Export the parent too.",
        )
    if is_sheared(shown.matrix_parent_inverse @ shown.matrix_basis):
        return (
            f"{name} keeps a parent inverse (Ctrl-P) that shears it. Files have no such thing.",
            "Clear the parent inverse, or apply the parent's scale before parenting.",
        )
    if constraints(node):
        return (
            f"The constraint “{constraints(node)[-1]}” leaves {name} sheared. The file has what comes nearest.",
            "Make the scale of what it follows even.",
        )
    return (
        f"{name} is sheared in its parent.",
        "Make the scales above it even.",
    )


def _cause_of_bone(name: str, node: Node) -> tuple[str, str]:
    bone = node.armature_bone.bone
    mode = INHERIT_SCALE.get(bone.inherit_scale, bone.inherit_scale)
    if bone.inherit_scale != "FULL":
        return (
            f"The bone {name} inherits scale as “{mode}”. Files know “Full” alone.",
            "Set Inherit Scale to Full (Bone > Relations), or keep the scales of its parents even.",
        )
    if not (bone.use_inherit_rotation and bone.use_local_location):
        return (
            f"The bone {name} does not inherit rotation or local location, which leaves it sheared below uneven scales.",
            "Keep the scales of its parents even.",
        )
    if constraints(node):
        return (
            f"The constraint “{constraints(node)[-1]}” leaves the bone {name} sheared. The file has what comes nearest.",
            "Make the scale of what it follows even.",
        )
    return f"The bone {name} is sheared in its parent.", "Keep the scales of its parents even."


def constraints(node: Node) -> list[str]:
    """The names of those that are on."""
    owner = node.armature_bone if node.bone else node.object
    return [one.name for one in owner.constraints if one.enabled] if owner else []


def is_sheared(matrix: bpy.types.Matrix) -> bool:
    """Whether no translation, rotation and scale give this matrix."""
    place, turn, scale = matrix.decompose()
    apart = np.abs(np.array(trees.Matrix.LocRotScale(place, turn, scale)) - np.array(matrix)).max()
    return bool(apart > SHEARED * np.abs(np.array(matrix)[:3, :3]).max())
