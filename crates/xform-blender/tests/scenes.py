# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes, and files read without the add-on."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

WITNESSES = Path(__file__).parents[2] / "xform-engines" / "tests" / "witnesses"


def roads() -> dict[str, Any]:
    """How far Blender's conversions move things, as Blender 5.2 did."""
    return json.loads((WITNESSES / "roads.json").read_text(encoding="utf-8"))


def recorded_bones() -> dict[str, Any]:
    """Bones in general rest poses, and their worlds by mode, as Blender 5.2 had them."""
    with gzip.open(WITNESSES / "bones.json.gz") as file:
        return json.load(file)


def cube(
    name: str,
    parent: bpy.types.Object | None = None,
    location: tuple[float, float, float] = (0, 0, 0),
    turn: float = 0.0,
    scale: tuple[float, float, float] = (1, 1, 1),
) -> bpy.types.Object:
    """A cube of edge 1, turned about z by radians."""
    corners = [(x - 0.5, y - 0.5, z - 0.5) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    one = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(one)
    one.parent, one.location, one.scale = parent, location, scale
    one.rotation_euler = (0, 0, turn)
    return one


def keep_parent(child: bpy.types.Object, parent: bpy.types.Object) -> None:
    """What Ctrl-P does."""
    bpy.context.view_layer.update()
    child.parent = parent
    child.matrix_parent_inverse = parent.matrix_world.inverted()
    bpy.context.view_layer.update()


def animate(owner: Any, path: str, frames: dict[int, Any]) -> None:
    """Keyframes of a property."""
    for frame, value in frames.items():
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


def armature(bones: list[dict[str, Any]]) -> bpy.types.Object:
    """An armature: of each bone its `name`, `parent`, and `rest`, 16 numbers by columns."""
    data = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for entry in bones:
        bone = data.edit_bones.new(entry["name"])
        bone.head, bone.tail = (0, 0, 0), (0, 1, 0)
        bone.matrix = Matrix(np.array(entry["rest"]).reshape(4, 4).T.tolist())
        if entry["parent"]:
            bone.parent = data.edit_bones[entry["parent"]]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def skin(rig: bpy.types.Object) -> bpy.types.Object:
    """A mesh with a small box at each bone, which follows it alone."""
    bpy.context.view_layer.update()
    places, groups = [], {}
    for bone in rig.data.bones:
        corners = [(x, y, z) for x in (-0.1, 0.1) for y in (0.0, 0.9) for z in (-0.1, 0.1)]
        groups[bone.name] = range(len(places), len(places) + 8)
        places += [
            bone.matrix_local @ Matrix.Translation(corner).to_translation() for corner in corners
        ]
    mesh = bpy.data.meshes.new("skin")
    faces = [(i, i + 1, i + 3) for i in range(0, len(places), 8)]
    mesh.from_pydata(places, [], faces)
    one = bpy.data.objects.new("skin", mesh)
    bpy.context.scene.collection.objects.link(one)
    one.parent = rig
    one.modifiers.new("Armature", "ARMATURE").object = rig
    for name, vertices in groups.items():
        one.vertex_groups.new(name=name).add(list(vertices), 1.0, "REPLACE")
    return one


def scattered(scene: bpy.types.Scene) -> bpy.types.Object:
    """A cube on each of two points, by geometry nodes, below a non-uniform scale."""
    body = cube("body", turn=0.3, scale=(3, 1, 1))
    nodes = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    nodes.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    made = {
        name: nodes.nodes.new(name)
        for name in (
            "GeometryNodeMeshLine",
            "GeometryNodeMeshCube",
            "GeometryNodeInstanceOnPoints",
            "NodeGroupOutput",
        )
    }
    line, box, on_points, out = made.values()
    line.inputs["Count"].default_value = 2
    on_points.inputs["Rotation"].default_value = (0, 0, 0.6)
    links = nodes.links
    links.new(line.outputs["Mesh"], on_points.inputs["Points"])
    links.new(box.outputs["Mesh"], on_points.inputs["Instance"])
    links.new(on_points.outputs["Instances"], out.inputs[0])
    body.modifiers.new("Scatter", "NODES").node_group = nodes
    bpy.context.view_layer.update()
    return body


Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""From Blender's axes to those of glTF."""


class Gltf:
    """A GLB as glTF defines it."""

    def __init__(self, path: Path):
        data = path.read_bytes()
        (length,) = struct.unpack_from("<I", data, 12)
        self.json: dict[str, Any] = json.loads(data[20 : 20 + length])
        self._binary = data[28 + length :]
        nodes = self.json.get("nodes", [])
        self.names = [node["name"] for node in nodes]
        self._above = {
            child: index for index, node in enumerate(nodes) for child in node.get("children", [])
        }

    def accessor(self, index: int) -> np.ndarray:
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        assert accessor["componentType"] == 5126
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        values = np.frombuffer(self._binary, np.float32, accessor["count"] * width, start)
        return values.reshape(accessor["count"], width).astype(float)

    def worlds(self, seconds: float | None = None) -> dict[str, np.ndarray]:
        """World matrices in Blender's axes by name: at rest, or with all animations at a time, which is one of a keyframe."""
        parts = [
            {path: node[path] for path in ("translation", "rotation", "scale") if path in node}
            for node in self.json.get("nodes", [])
        ]
        for animation in self.json.get("animations", []) if seconds is not None else []:
            for channel in animation["channels"]:
                sampler = animation["samplers"][channel["sampler"]]
                times = self.accessor(sampler["input"])[:, 0]
                values = self.accessor(sampler["output"])
                path = channel["target"]["path"]
                if path == "weights":
                    continue
                place = int(np.abs(times - np.clip(seconds, times[0], times[-1])).argmin())
                parts[channel["target"]["node"]][path] = values[place].tolist()
        worlds: dict[int, np.ndarray] = {}

        def world(index: int) -> np.ndarray:
            if index not in worlds:
                part = parts[index]
                x, y, z, w = part.get("rotation", (0, 0, 0, 1))
                place = part.get("translation", (0, 0, 0))
                scale = part.get("scale", (1, 1, 1))
                turn = Quaternion((w, x, y, z)).normalized()
                local = np.array(Matrix.LocRotScale(place, turn, scale))
                above = self._above.get(index)
                worlds[index] = local if above is None else world(above) @ local
            return worlds[index]

        return {name: Y_UP.T @ world(i) @ Y_UP for i, name in enumerate(self.names)}
