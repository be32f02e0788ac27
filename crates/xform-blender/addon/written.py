# SPDX-License-Identifier: GPL-3.0-or-later
"""The world transforms of the nodes in a file written by Blender: at rest, and at Blender's frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil, floor
from typing import Any

import bpy
import numpy as np
import xform_audit

from .exporting import Y_UP, Export
from .tree import IDENTITY, Node

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Translations, rotations and scales."""

DUPLI = "|Dupli|"
"""The part of an FBX instance's name that follows the names of the instancer and of the instanced object."""


class Written:
    """The file, indexed by the nodes of the tree. World transforms are those of engines that multiply matrices, in
    Blender's axes and unit."""

    def __init__(self, context: bpy.types.Context, export: Export, scene: dict[str, Any]):
        """`scene` is the scene from the audit of the file."""
        self._scene, self._export = context.scene, export
        nodes = scene["nodes"]
        self.places = export.places or _by_name(export.tree.nodes, nodes)
        """The node of the tree for each node of the file, if there is one."""
        above = [-1 if node["parent"] is None else node["parent"] for node in nodes]
        self._parents = np.array(above, np.int64)
        self._all_names = {node["name"] for node in nodes}
        found = [one for one in scene.get("animations", []) if not one.get("first_channels")]
        self._names = {one["index"]: one["name"] or "" for one in found}
        self._rest, _ = xform_audit.poses(str(export.path))
        self._chosen: dict[int, np.ndarray] = {}
        self._motion: dict[int, xform_audit.Poses] = {}

    def at_rest(self) -> np.ndarray:
        """Returns the world transforms at rest. As in the methods below, nodes that are not in the file have NaN."""
        return self._worlds(*(part[0] for part in _parts(self._rest)))

    def missing(self) -> list[int]:
        """Returns the nodes of the tree that are not in the file. For FBX, those whose names are not in it."""
        count, known = len(self._export.tree.nodes), set(self.places.values())
        if self._export.format == "FBX":
            nodes = self._export.tree.nodes
            known |= {index for index in range(count) if _fbx_name(nodes[index]) in self._all_names}
        return sorted(set(range(count)) - known)

    def sample(self, frames: Sequence[int]) -> None:
        """Samples the animations at these frames, for `at`."""
        times = {
            index: [self._seconds(name, frame) for frame in frames]
            for index, name in self._names.items()
        }
        _, self._motion = xform_audit.poses(str(self._export.path), times)
        moved: dict[int, list[int]] = {}
        for index, poses in self._motion.items():
            for node in poses.nodes:
                moved.setdefault(int(node), []).append(index)
        for node, indices in moved.items():
            chosen = self._choice(node, indices)
            if chosen is not None:
                known = self._chosen.get(chosen, np.zeros(0, int))
                self._chosen[chosen] = np.append(known, node)

    def _choice(self, node: int, indices: list[int]) -> int | None:
        """Returns the animation of a node. If several move it, that of the action which Blender plays. Without one, a
        node is at rest; but nodes without any actions are baked and move in the first animation.
        """
        place = self.places.get(node)
        one = None if place is None else self._export.tree.nodes[place].object
        data = one.animation_data if one else None
        if data is None:
            return indices[0]
        if data.action is None:
            return None
        names = {data.action.name, f"{one.name}|{data.action.name}"}
        of_action = [index for index in indices if self._names[index] in names]
        of_scene = [index for index in indices if self._names[index] == self._scene.name]
        return (*of_action, *of_scene, *indices)[0]

    def covers(self, frame: int) -> list[bool]:
        """Whether the file defines the position of each node of the tree at a frame. It does not before and after the
        action that is played, which Blender may repeat, or while NLA tracks play.
        """
        covered: list[bool] = []
        for node in self._export.tree.nodes:
            data = node.object.animation_data if node.object else None
            is_covered = node.parent < 0 or covered[node.parent]
            if data and data.action:
                # The exporters write whole frames of it, including the last one.
                first, last = data.action.frame_range
                is_covered = is_covered and ceil(first) <= frame <= floor(last)
            if data and any(not track.mute and track.strips for track in data.nla_tracks):
                is_covered = False
            covered.append(is_covered)
        return covered

    def animated(self) -> set[int]:
        """Returns the nodes of the tree that the file animates."""
        moved = (int(node) for poses in self._motion.values() for node in poses.nodes)
        return {self.places[node] for node in moved if node in self.places}

    def at(self, step: int) -> np.ndarray:
        """Returns the world transforms at the frame with this index in `sample`."""
        return self._worlds(*self._locals(step))

    def locals_of(self, step: int) -> Parts:
        """Returns the local poses at that frame, by the nodes of the tree: translations, rotations and scales. NaN for
        nodes that are not in the file."""
        count = len(self._export.tree.nodes)
        parts = []
        for part in self._locals(step):
            placed = np.full((count, part.shape[1]), np.nan)
            placed[list(self.places.values())] = part[list(self.places)]
            parts.append(placed)
        return tuple(parts)

    def _locals(self, step: int) -> list[np.ndarray]:
        parts = [part[0].copy() for part in _parts(self._rest)]
        for index, nodes in self._chosen.items():
            poses = self._motion[index]
            columns = np.searchsorted(poses.nodes, nodes)
            for part, moved in zip(parts, _parts(poses)):
                part[nodes] = moved[step, columns]
        return parts

    def _worlds(
        self, translations: np.ndarray, rotations: np.ndarray, scales: np.ndarray
    ) -> np.ndarray:
        worlds = xform_audit.propagate(self._parents, translations, rotations, scales)
        axes = np.array(Y_UP if self._export.is_y_up else IDENTITY)
        # FBX rotates the scene with a top node, glTF rotates each node.
        behind = axes if self._export.format == "GLTF" else np.eye(4)
        size = np.diag([1 / self._export.unit] * 3 + [1.0])
        placed = np.full((len(self._export.tree.nodes), 4, 4), np.nan)
        for index, place in self.places.items():
            placed[place] = size @ axes.T @ worlds[index] @ behind
        return placed

    def frame(self, name: str, seconds: float) -> float:
        """Returns Blender's frame at a time of the animation with this name."""
        return round(seconds * self._rate() + self._first(name), 3)

    def _seconds(self, name: str, frame: float) -> float:
        return (frame - self._first(name)) / self._rate()

    def _rate(self) -> float:
        render = self._scene.render
        # The frame rate is a quotient, but the glTF exporter multiplies.
        is_gltf = self._export.format == "GLTF"
        return render.fps * render.fps_base if is_gltf else render.fps / render.fps_base

    def _first(self, name: str) -> float:
        """Returns the frame at time 0."""
        if self._export.format == "FBX":
            # The scene's take has the scene's times; an action's take begins at zero.
            action = _fbx_action(name)
            return action.frame_range[0] if action and name != self._scene.name else 0.0
        if not self._export.slides:
            return 0.0
        action = bpy.data.actions.get(name) if self._export.is_each_action else None
        played = (one.animation_data for one in bpy.data.objects if one.animation_data)
        actions = [action] if action else [data.action for data in played if data.action]
        first = min((one.frame_range[0] for one in actions), default=0.0)
        return min(0.0, max(first, self._scene.frame_start) if self._export.is_cropped else first)


def _fbx_action(name: str) -> bpy.types.Action | None:
    """Returns the action of a take. The take is named after the object and the action, and both names may contain
    bars."""
    for action in bpy.data.actions:
        if name.endswith(f"|{action.name}") and name[: -len(action.name) - 1] in bpy.data.objects:
            return action
    return None


def _parts(poses: xform_audit.Poses) -> Parts:
    return poses.translations, poses.rotations, poses.scales


def _fbx_name(node: Node) -> str:
    """Returns the FBX exporter's name of a node. Linked objects also carry the name of their library."""
    library = node.object.library if node.object and not node.bone else None
    return f"{node.name}_L_{library.name}" if library else node.name


def _by_name(tree: list[Node], nodes: list[dict[str, Any]]) -> dict[int, int]:
    """Finds the nodes of an FBX file by their names and those of all ancestors. If the exporter has moved a node
    elsewhere, finds it by its name alone, if that is unique."""
    called = [_fbx_name(node) for node in tree]
    known = {(called[index], node.parent): index for index, node in enumerate(tree)}
    names, alone = Counter(node["name"] for node in nodes), Counter(called)
    unique = {name: index for index, name in enumerate(called) if alone[name] == 1}
    places: dict[int, int] = {}
    waiting = [index for index, node in enumerate(nodes) if node["parent"] is None]
    children: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        children.setdefault(node["parent"], []).append(index)
    while waiting:
        index = waiting.pop()
        above = places.get(nodes[index]["parent"], -1)
        name = nodes[index]["name"]
        place = known.get((name, above))
        if place is None and names[name] == 1:
            place = unique.get(name)
        if place is not None:
            places[index] = place
        waiting += children.get(index, [])
    return places
