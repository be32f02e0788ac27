# SPDX-License-Identifier: GPL-3.0-or-later
"""The ghost: the scene as another engine shows it, drawn over the 3D view."""

from __future__ import annotations

import traceback
from typing import Any

import bpy
import numpy as np
import xform_audit
from bpy.app.handlers import persistent

from . import tree as trees
from .exporting import Y_UP
from .tree import Poses, Tree

MOST_VERTICES = 200_000
"""If the meshes have more than this in total, there is no ghost, because it would slow the view down."""

APART = 1e-5
"""A displacement below this fraction of the distance and size has no ghost."""

FILE = "file"
"""Represents engines that multiply matrices, in place of an engine's id."""

COLOUR = (1.0, 0.45, 0.0, 0.35)


def worlds(tree: Tree, poses: Poses, engine: str, format: str) -> np.ndarray:
    """Returns an engine's world transform of each node, in Blender's axes. NaN if unknown."""
    if engine == FILE:
        return poses.written(tree.parents)
    # The rules are defined in glTF's axes.
    axes = np.array(Y_UP)
    turn = [0, 2, 1]
    places = poses.translations[:, turn] * (1, 1, -1)
    rotations = poses.rotations[:, [0, 2, 1, 3]] * (1, 1, -1, 1)
    scales = poses.scales[:, turn]
    shown = xform_audit.engine_worlds(
        engine, tree.parents, places, rotations, scales, format=format.lower()
    )
    return axes.T @ shown @ axes


def triangles(context: bpy.types.Context, engine: str) -> tuple[np.ndarray, str]:
    """Returns the corners of the triangles that an engine displaces, with shape (3 n, 3), and a message."""
    format = context.scene.xform.format
    tree = trees.of_objects(context.view_layer.objects, format, {})
    if not tree.nodes:
        return np.zeros((0, 3)), ""
    depsgraph = context.evaluated_depsgraph_get()
    poses = tree.now()
    ghosts = worlds(tree, poses, engine, format)
    shown = [
        (index, node.object)
        for index, node in enumerate(tree.nodes)
        if not node.bone and node.object.type == "MESH" and node.object.visible_get()
    ]
    count = sum(len(one.evaluated_get(depsgraph).data.vertices) for _, one in shown)
    if count > MOST_VERTICES:
        return np.zeros((0, 3)), f"No ghost: {count} vertices exceed the limit of {MOST_VERTICES}."
    parts, unknown = [], 0
    for index, one in shown:
        if tree.nodes[index].is_skinned:
            mesh, placed, ghost = _skinned(tree, poses.shown, ghosts, one)
        else:
            mesh = one.evaluated_get(depsgraph).data
            places = trees.coordinates(mesh.vertices)
            placed, ghost = (_moved(world[index], places) for world in (poses.shown, ghosts))
        if not np.isfinite(ghost).all():
            unknown += 1
            continue
        if np.abs(ghost - placed).max(initial=0.0) > APART * np.abs(placed).max(initial=0.0):
            parts.append(ghost[_corners(mesh)])
    told = f"It is not known where {unknown} of {len(shown)} meshes are." if unknown else ""
    if trees.instances(depsgraph):
        told = f"{told} Instances have no ghost.".strip()
    if not parts and not told:
        told = "At this frame every mesh is where Blender shows it."
    return np.concatenate(parts) if parts else np.zeros((0, 3)), told


def _moved(world: np.ndarray, places: np.ndarray) -> np.ndarray:
    return places @ world[:3, :3].T + world[:3, 3]


def _corners(mesh: bpy.types.Mesh) -> np.ndarray:
    mesh.calc_loop_triangles()
    corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    return corners


def _skinned(
    tree: Tree, shown: np.ndarray, ghosts: np.ndarray, one: bpy.types.Object
) -> tuple[bpy.types.Mesh, np.ndarray, np.ndarray]:
    """Returns the skinned vertices in Blender and in the engine: shape keys, then linear blend skinning, as in
    files."""
    armature = trees.deforming(one)
    mesh = one.data
    places = _with_shape_keys(mesh)
    below = np.array(armature.matrix_world.inverted_safe() @ one.matrix_world)
    nodes = {
        node.bone: index
        for index, node in enumerate(tree.nodes)
        if node.bone and node.object == armature
    }
    bones = {group.index: nodes[group.name] for group in one.vertex_groups if group.name in nodes}
    weights: dict[int, tuple[list[int], list[float]]] = {bone: ([], []) for bone in bones.values()}
    total = np.zeros(len(places))
    for vertex in mesh.vertices:
        for group in vertex.groups:
            if group.group in bones and group.weight > 0:
                chosen, shares = weights[bones[group.group]]
                chosen.append(vertex.index)
                shares.append(group.weight)
                total[vertex.index] += group.weight
    here, there = np.zeros_like(places), np.zeros_like(places)
    for bone, (chosen, shares) in weights.items():
        rest = np.array(armature.data.bones[tree.nodes[bone].bone].matrix_local.inverted())
        share = (np.array(shares) / total[chosen])[:, None] if chosen else np.zeros((0, 1))
        for world, placed in ((shown, here), (ghosts, there)):
            placed[chosen] += share * _moved(world[bone] @ rest @ below, places[chosen])
    free = total == 0
    own = np.array(one.matrix_world)
    here[free] = there[free] = _moved(own, places[free])
    return mesh, here, there


def _with_shape_keys(mesh: bpy.types.Mesh) -> np.ndarray:
    places = trees.coordinates(mesh.vertices)
    keys = mesh.shape_keys
    if keys is None or not keys.use_relative:
        return places
    for key in keys.key_blocks[1:]:
        if not key.mute and key.value:
            apart = trees.coordinates(key.data) - trees.coordinates(key.relative_key.data)
            places = places + key.value * apart
    return places


class _Ghost:
    """The ghost to draw. It is computed outside of drawing, shortly after a change."""

    def __init__(self) -> None:
        self.handle: Any = None
        self.told = ""
        self._places = np.zeros((0, 3))
        self._scene = ""
        self._batch: Any = None

    def make(self) -> None:
        context = bpy.context
        self._batch, self._scene = None, context.scene.name
        try:
            self._places, self.told = triangles(context, context.scene.xform.ghost)
        except Exception as error:
            # Called by a timer, so there is no caller to report to.
            traceback.print_exc()
            self._places, self.told = np.zeros((0, 3)), f"No ghost: {error}"
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()

    def draw(self) -> None:
        import gpu
        from gpu_extras.batch import batch_for_shader

        if bpy.context.scene.name != self._scene or not len(self._places):
            return
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        if self._batch is None:
            places = {"pos": self._places.astype(np.float32)}
            self._batch = batch_for_shader(shader, "TRIS", places)
        gpu.state.blend_set("ALPHA")
        gpu.state.depth_test_set("LESS_EQUAL")
        shader.uniform_float("color", COLOUR)
        self._batch.draw(shader)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")


_ghost = _Ghost()


def _make() -> None:
    _ghost.make()


def is_on() -> bool:
    return _ghost.handle is not None


def told() -> str:
    return _ghost.told if is_on() else ""


def refresh() -> None:
    """Schedules a new ghost for when the current operations have ended."""
    if is_on() and not bpy.app.timers.is_registered(_make):
        bpy.app.timers.register(_make, first_interval=0.02)


@persistent
def _changed(*_: Any) -> None:
    refresh()


HANDLERS = ("depsgraph_update_post", "frame_change_post", "load_post", "undo_post", "redo_post")


def _show() -> None:
    space = bpy.types.SpaceView3D
    _ghost.handle = space.draw_handler_add(_ghost.draw, (), "WINDOW", "POST_VIEW")
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(_changed)
    _ghost.make()


def _hide() -> None:
    bpy.types.SpaceView3D.draw_handler_remove(_ghost.handle, "WINDOW")
    _ghost.__init__()
    if bpy.app.timers.is_registered(_make):
        bpy.app.timers.unregister(_make)
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(_changed)


class XFORM_OT_ghost(bpy.types.Operator):
    """Show or hide the scene as the chosen engine places it, in orange over the 3D view"""

    bl_idname = "xform.ghost"
    bl_label = "Ghost of an Engine"

    def execute(self, context: bpy.types.Context) -> set[str]:
        if is_on():
            _hide()
        else:
            _show()
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()
        return {"FINISHED"}


def register() -> None:
    bpy.utils.register_class(XFORM_OT_ghost)


def unregister() -> None:
    if is_on():
        _hide()
    bpy.utils.unregister_class(XFORM_OT_ghost)
