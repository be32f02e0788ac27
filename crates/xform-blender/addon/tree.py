# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects and bones as the nodes of a file, and their positions in Blender."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import pi
from typing import Any

import bpy
import numpy as np
import xform_audit
from bpy_extras.io_utils import axis_conversion
from mathutils import Matrix, Quaternion, Vector

IDENTITY = Matrix.Identity(4)


@dataclass
class Node:
    """An object or bone, as a node of a file. `rest` is its world transform as the exporter read it."""

    name: str
    object: bpy.types.Object | None
    bone: str
    parent: int
    """The index of its parent, which comes before it; -1 for a root."""
    rest: Matrix
    after: Matrix = field(default_factory=lambda: IDENTITY)
    """The rotation that the exporter applies on the right: bones, cameras and lights have other axes in a file."""
    prefix: int = -1
    """The collection instance that the exporter puts it under, if any."""
    is_instanced: bool = False
    """Whether Blender also shows it there."""
    is_skinned: bool = False
    """Whether bones move it instead of its own transform."""
    box: np.ndarray | None = None
    """The corners of its geometry, if that does not belong to an object."""
    seen: Matrix | None = None
    """Its world transform at rest in Blender, if it differs from the exporter's. Below a collection instance it is
    relative to the instance."""
    is_fixed: bool = False
    """Whether the exporter does not take its position from the object, as for an instance on a vertex."""

    @property
    def armature_bone(self) -> bpy.types.PoseBone | None:
        return self.object.pose.bones.get(self.bone) if self.object and self.bone else None

    def now(self, above: Matrix) -> Matrix:
        """Its world transform as the exporter would read it now. Below a collection instance it is relative to the
        instance."""
        if self.object is None:
            return self.rest
        world = above @ self.object.matrix_world
        bone = self.armature_bone
        return (world if bone is None else world @ bone.matrix) @ self.after

    def offset(self) -> Matrix:
        """The offset of the collection that it shows."""
        shown = self.object
        if self.bone or shown is None or shown.instance_type != "COLLECTION":
            return IDENTITY
        collection = shown.instance_collection
        return Matrix.Translation(-collection.instance_offset) if collection else IDENTITY


@dataclass
class Poses:
    """The poses of all nodes at a moment, as arrays of 4×4 matrices in Blender's axes."""

    shown: np.ndarray
    """World transforms in Blender."""
    translations: np.ndarray
    rotations: np.ndarray
    """As x y z w."""
    scales: np.ndarray
    """The parts of each local matrix, as exporters decompose it."""
    shear: np.ndarray
    """The remainder of each local matrix that the parts cannot represent, as a fraction of its longest axis."""

    def written(self, parents: np.ndarray) -> np.ndarray:
        """Returns the world transforms in engines that multiply matrices, as glTF defines."""
        return xform_audit.propagate(parents, self.translations, self.rotations, self.scales)


class Tree:
    """The nodes of a file, parents first."""

    def __init__(self, nodes: list[Node], has_keys_from_rest: bool):
        """`has_keys_from_rest`: bone animations are decomposed relative to the rest pose, as in the glTF exporter."""
        self.nodes = nodes
        self._has_keys_from_rest = has_keys_from_rest
        self.parents = np.array([node.parent for node in nodes], np.int64)

    def below(self, top: int) -> list[int]:
        """Returns a node and its descendants."""
        inside = {top}
        for index in range(top + 1, len(self.nodes)):
            if self.nodes[index].parent in inside:
                inside.add(index)
        return sorted(inside)

    def at_rest(self) -> Poses:
        """Returns the poses that the exporter read."""
        return self._poses([node.rest for node in self.nodes], has_keys=False)

    def now(self) -> Poses:
        """Returns the poses of the scene's current state."""
        exported: list[Matrix] = []
        for node in self.nodes:
            if node.is_fixed:
                # It moves with its parent.
                above = self.nodes[node.parent].rest if node.parent >= 0 else IDENTITY
                moved = exported[node.parent] if node.parent >= 0 else IDENTITY
                exported.append(moved @ above.inverted_safe() @ node.rest)
                continue
            above = exported[node.prefix] if node.prefix >= 0 else IDENTITY
            exported.append(node.now(above))
        return self._poses(exported, has_keys=True)

    def _poses(self, exported: list[Matrix], has_keys: bool) -> Poses:
        count = len(self.nodes)
        shown: list[Matrix] = []
        parts = np.empty((count, 10))
        shear = np.zeros(count)
        frames = list(exported)
        for index, node in enumerate(self.nodes):
            world = exported[index]
            # Except at rest, Blender's transforms are those of the exporter.
            seen = None if has_keys else node.seen
            if node.prefix < 0:
                shown.append(seen or world)
            else:
                instance = self.nodes[node.prefix]
                below = seen or exported[node.prefix].inverted_safe() @ world
                moved = shown[node.prefix] @ instance.offset() @ below
                shown.append(moved if node.is_instanced else below)
            if node.is_skinned and node.parent >= 0:
                # The file has no transform for it, and its children are relative to the armature.
                frames[index] = frames[node.parent]
            above = frames[node.parent].inverted_safe() if node.parent >= 0 else IDENTITY
            local = above @ frames[index]
            is_keyed = has_keys and node.bone and node.object.animation_data
            if is_keyed and self._has_keys_from_rest:
                place, turn, scale = self._from_rest(node, local)
            else:
                place, turn, scale = local.decompose()
            made = Matrix.LocRotScale(place, turn, scale)
            longest = max(max(abs(entry) for entry in row[:3]) for row in local[:3])
            left = max(abs(a - b) for one, two in zip(local, made) for a, b in zip(one, two))
            shear[index] = left / longest if longest > 0 else 0.0
            turn.normalize()
            parts[index] = (*place, turn.x, turn.y, turn.z, turn.w, *scale)
        worlds = np.array(shown, float).reshape(count, 4, 4)
        return Poses(worlds, parts[:, :3], parts[:, 3:7], parts[:, 7:], shear)

    def _from_rest(self, node: Node, local: Matrix) -> tuple[Vector, Quaternion, Vector]:
        """Returns the parts of a bone's local matrix if its rest pose is removed first and the remainder is decomposed.

        They differ from the parts of the whole matrix if that is sheared. The rest pose is in the file's axes.
        """
        bone = node.armature_bone.bone
        above = self.nodes[node.parent] if node.parent >= 0 else None
        if above is not None and above.bone:
            rest = above.armature_bone.bone.matrix_local.inverted_safe() @ bone.matrix_local
        else:
            rest = node.after @ (IDENTITY if bone.parent else bone.matrix_local)
        back = node.after.inverted()
        place, turn, scale = (rest.inverted_safe() @ node.after @ local @ back).decompose()
        turn = (rest.to_3x3() @ turn.normalized().to_matrix()).to_quaternion()
        axes = back.to_quaternion()
        turned = (axes @ turn @ axes.inverted()).normalized()
        swapped = Vector([abs(entry) for entry in back.to_3x3() @ Vector((1, 2, 3))])
        return back @ (rest @ place), turned, Vector([scale[round(entry) - 1] for entry in swapped])


def animated() -> Iterator[bpy.types.ID]:
    """Returns everything in the file that has actions or drivers."""
    for kind in bpy.data.bl_rna.properties:
        if kind.type == "COLLECTION":
            for owner in getattr(bpy.data, kind.identifier):
                if getattr(owner, "animation_data", None):
                    yield owner


def is_moving(scene: bpy.types.Scene) -> bool:
    """Whether anything may move with time."""
    return bool(scene.rigidbody_world) or any(True for _ in animated())


def of_objects(objects: Iterable[bpy.types.Object], format: str, options: dict[str, Any]) -> Tree:
    """Returns the nodes that Blender's FBX exporter creates for these objects. Nearly the same as for the glTF
    exporter, without instances."""
    axes = _fbx_axes(options) if format == "FBX" else {}
    chosen = set(objects)
    nodes: list[Node] = []
    places: dict[tuple[str, str], int] = {}
    children: dict[bpy.types.Object | None, list[bpy.types.Object]] = {}
    for one in sorted(chosen, key=lambda one: one.name):
        children.setdefault(one.parent if one.parent in chosen else None, []).append(one)

    def add(node: Node) -> int:
        nodes.append(node)
        places[node.object.name, node.bone] = len(nodes) - 1
        return len(nodes) - 1

    waiting = list(reversed(children.get(None, [])))
    while waiting:
        one = waiting.pop()
        armature = deforming(one)
        is_parented = one.parent in chosen and armature is None
        bone = one.parent_bone if is_parented and one.parent_type == "BONE" else ""
        above = places.get((one.parent.name, bone), -1) if is_parented else -1
        turned = axes.get(one.type, IDENTITY)
        place = add(Node(one.name, one, "", above, one.matrix_world @ turned, turned))
        nodes[place].is_skinned = armature is not None
        if one.type == "ARMATURE":
            for pose in ordered(one.pose.bones):
                above = places[one.name, pose.parent.name] if pose.parent else place
                turned = axes.get("BONE", IDENTITY)
                world = one.matrix_world @ pose.matrix @ turned
                add(Node(pose.name, one, pose.name, above, world, turned))
        waiting.extend(reversed(children.get(one, [])))
    return Tree(nodes, has_keys_from_rest=format == "GLTF")


def _fbx_axes(options: dict[str, Any]) -> dict[str, Matrix]:
    """Returns the rotation on the right that the FBX exporter applies to objects of each type, and to bones."""
    axes = {
        "CAMERA": Matrix.Rotation(pi / 2, 4, "Y"),
        "LIGHT": Matrix.Rotation(pi / 2, 4, "X"),
    }
    primary = options.get("primary_bone_axis", "Y")
    secondary = options.get("secondary_bone_axis", "X")
    axes["BONE"] = axis_conversion(secondary, primary, "X", "Y").to_4x4()
    if options.get("bake_space_transform"):
        # In this case vertices are in the axes and unit of the file: centimetres with y up.
        baked = Matrix.Rotation(pi / 2, 4, "X") @ Matrix.Scale(0.01, 4)
        axes.update(dict.fromkeys((*SHAPES, "EMPTY"), baked))
    return axes


def ordered(bones: Iterable[bpy.types.PoseBone]) -> list[bpy.types.PoseBone]:
    """Sorts bones, parents first."""
    return sorted(bones, key=lambda bone: len(bone.parent_recursive))


def deforming(one: bpy.types.Object) -> bpy.types.Object | None:
    """Returns the armature whose bones move the object's vertices."""
    if one.type != "MESH":
        return None
    if one.parent and one.parent_type == "ARMATURE":
        return one.parent
    modifiers = (modifier for modifier in one.modifiers if modifier.type == "ARMATURE")
    return next((modifier.object for modifier in modifiers if modifier.object), None)


def instances(depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
    """Returns the object that creates each instance of a mesh or similar. Letters of a text and joined metaballs do not
    count as instances."""
    return [
        one.parent.original
        for one in depsgraph.object_instances
        if one.is_instance and one.object.type in SHAPES and _makes_instances(one.parent)
    ]


def _makes_instances(one: bpy.types.Object) -> bool:
    is_made = any(modifier.type == "NODES" for modifier in one.modifiers)
    return is_made or one.instance_type != "NONE" or len(one.particle_systems) > 0


def bounds(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Returns the corners of the box around everything that moves with each node, and which nodes draw anything.

    The corners have shape (n, 8, 3), in the axes of the node. A bone's box contains the vertices that follow it most.
    """
    corners = np.zeros((len(tree.nodes), 8, 3))
    draws = np.zeros(len(tree.nodes), bool)
    followed = _followed(tree)
    for index, node in enumerate(tree.nodes):
        box = node.box
        if node.bone:
            box = followed.get((node.object.name, node.bone))
        elif node.object and not node.is_skinned and node.object.type in SHAPES:
            box = node.object.bound_box
        if box is not None:
            back = node.after.inverted()
            corners[index] = [back @ Vector(corner) for corner in box]
            draws[index] = True
    return corners, draws


SHAPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


def _followed(tree: Tree) -> dict[tuple[str, str], np.ndarray]:
    """Returns the corners of the boxes around the vertices that follow each bone most, in the axes of the bone at
    rest."""
    points: dict[tuple[str, str], list[np.ndarray]] = {}
    meshes = {node.object for node in tree.nodes if node.object and not node.bone}
    for mesh in sorted(meshes, key=lambda mesh: mesh.name):
        armature = deforming(mesh)
        if armature is None:
            continue
        names = [group.name for group in mesh.vertex_groups]
        bones = armature.data.bones
        vertices: dict[str, list[int]] = {}
        for vertex in mesh.data.vertices:
            weights = [
                (group.weight, names[group.group])
                for group in vertex.groups
                if group.weight > 0 and names[group.group] in bones
            ]
            if weights:
                vertices.setdefault(max(weights)[1], []).append(vertex.index)
        places = coordinates(mesh.data.vertices)
        below = armature.matrix_world.inverted_safe() @ mesh.matrix_world
        for bone, chosen in vertices.items():
            rest = np.array(bones[bone].matrix_local.inverted() @ below)
            moved = places[chosen] @ rest[:3, :3].T + rest[:3, 3]
            points.setdefault((armature.name, bone), []).append(moved)

    return {key: box_of(np.concatenate(moved)) for key, moved in points.items()}


def box_of(places: np.ndarray) -> np.ndarray:
    """Returns the corners of the box around points. Opposite corners are at opposite indices."""
    ends = np.array([places.min(axis=0), places.max(axis=0)])
    return np.array([[ends[x, 0], ends[y, 1], ends[z, 2]] for x, y, z in np.ndindex(2, 2, 2)])


def coordinates(vertices: bpy.types.bpy_prop_collection) -> np.ndarray:
    """Returns the positions of vertices, with shape (n, 3)."""
    places = np.empty(3 * len(vertices), np.float32)
    vertices.foreach_get("co", places)
    return places.reshape(-1, 3).astype(float)


def curves(data: bpy.types.AnimData | None) -> list[bpy.types.FCurve]:
    """Returns the curves of the current action."""
    if data is None or data.action is None:
        return []
    slot = getattr(data, "action_slot", None)
    return [curve for curve, of in _with_slots(data.action) if of is None or of == slot]


def all_curves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """Returns the curves of all slots of an action."""
    return [curve for curve, _ in _with_slots(action)]


def _with_slots(action: bpy.types.Action) -> Iterator[tuple[bpy.types.FCurve, Any]]:
    """Yields the curves of an action with their slots. Before Blender 4.4, actions have no slots."""
    if not hasattr(action, "layers"):
        yield from ((curve, None) for curve in action.fcurves)
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from ((curve, bag.slot) for curve in bag.fcurves)
