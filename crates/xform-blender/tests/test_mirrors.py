# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirrored leg: what Unreal makes of it, by its own rule, computed here from the numbers of the file.

`FTransform` multiplies rotations and scales apart. Where a scale is negative it takes the rotation of the matrix product instead, its rows made
unit and given the signs of the combined scale (`MultiplyUsingMatrixWithScale`, `ConstructTransformFromMatrixWithDesiredScale`).
"""

from __future__ import annotations

from math import radians
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion, Vector
from scenes import Gltf, cube

Part = tuple[Vector, Quaternion, np.ndarray]
"""A translation, a rotation and a scale."""


def product(parent: Part, child: Part) -> Part:
    """As Unreal has a child in the world."""
    scale = parent[2] * child[2]
    above = np.array(parent[1].to_matrix()) * parent[2]
    place = parent[0] + Vector(above @ np.array(child[0]))
    if min(*parent[2], *child[2]) >= 0:
        return place, parent[1] @ child[1], scale
    rows = (above @ (np.array(child[1].to_matrix()) * child[2])).T
    rows *= (np.sign(scale) / np.linalg.norm(rows, axis=1))[:, None]
    return place, of_rows(rows), scale


def of_rows(rows: np.ndarray) -> Quaternion:
    """The quaternion of `FQuat(FMatrix)`, which takes the rows of a sheared matrix as they are."""
    trace = rows.trace()
    if trace > 0:
        root = np.sqrt(trace + 1)
        axis = [rows[1, 2] - rows[2, 1], rows[2, 0] - rows[0, 2], rows[0, 1] - rows[1, 0]]
        return Quaternion((root / 2, *(np.array(axis) / (2 * root)))).normalized()
    i = int(np.argmax(np.diag(rows)))
    j, k = (i + 1) % 3, (i + 2) % 3
    root = np.sqrt(rows[i, i] - rows[j, j] - rows[k, k] + 1)
    found = np.zeros(4)
    found[0] = (rows[j, k] - rows[k, j]) / (2 * root)
    found[1 + i] = root / 2
    found[1 + j] = (rows[i, j] + rows[j, i]) / (2 * root)
    found[1 + k] = (rows[i, k] + rows[k, i]) / (2 * root)
    return Quaternion(found).normalized()


def off(body: Part, leg: Part) -> float:
    """How far a corner of the leg's cube, of edge 1, is in Unreal from where matrices have it."""
    here = Matrix.LocRotScale(*body) @ Matrix.LocRotScale(*leg)
    place, turn, scale = product(body, leg)
    there = Matrix.LocRotScale(place, turn, Vector(scale))
    corners = [Vector((x, y, z)) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    return max((here @ corner - there @ corner).length for corner in corners)


def in_file(file: Gltf, name: str) -> Part:
    node = file.json["nodes"][file.names.index(name)]
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    place, scale = node.get("translation", (0, 0, 0)), node.get("scale", (1, 1, 1))
    return Vector(place), Quaternion((w, x, y, z)), np.array(scale, float)


def in_blender(one: bpy.types.Object) -> Part:
    return one.location, one.rotation_euler.to_quaternion(), np.array(one.scale)


@pytest.fixture
def legs(scene) -> list[bpy.types.Object]:
    """A body that is scaled, and two legs, the left one mirrored."""
    body = cube("body", scale=(2, 1, 1))
    both = [body]
    for side, sign in (("R", 1), ("L", -1)):
        leg = cube(f"leg.{side}", body, (sign, 0, -1), scale=(sign, 1, 1))
        leg.rotation_euler = (radians(75), 0, sign * radians(30))
        both.append(leg)
    bpy.context.view_layer.update()
    return both


def found(audit: Any, format: str, name: str, **options: Any) -> list[Any]:
    for one in bpy.context.view_layer.objects:
        one.select_set(one.name in ("body", name))
    shown = audit(format, use_selection=True, **options).findings
    return [one for one in shown if one.kind != "note"]


def test_both_legs_are_off_by_what_the_file_says(legs, audit, tmp_path) -> None:
    path = tmp_path / "legs.glb"
    bpy.ops.export_scene.gltf(filepath=str(path))
    file = Gltf(path)
    for name, expected in (("leg.R", 0.39528), ("leg.L", 0.68552)):
        by_file = off(in_file(file, "body"), in_file(file, name))
        assert by_file == pytest.approx(expected, abs=5e-6)
        (one,) = found(audit, "GLTF", name)
        assert one.object == name and one.displacement == pytest.approx(by_file, abs=1e-5)
    # Blender's own numbers would be another leg: its exporter puts the sign on all three axes, and turns the leg half around, which
    # is the same matrix, and not the same for Unreal.
    body, right, left = map(in_blender, legs)
    assert off(body, right) == pytest.approx(0.39528, abs=5e-6)
    assert off(body, left) == pytest.approx(0.49085, abs=5e-6)


def test_of_a_mirrored_leg_in_fbx_nobody_knows_what_unreal_makes(legs, audit, part) -> None:
    # Its rotation depends on how the importer turns the axes of the file and where that puts the sign. Neither was seen.
    (right,) = found(audit, "FBX", "leg.R")
    assert right.kind == "engines" and right.displacement == pytest.approx(0.39528, abs=1e-4)
    (left,) = found(audit, "FBX", "leg.L")
    assert (left.kind, left.grade, left.object) == ("unknown", "visible", "leg.L")
    assert "mirror" in left.cause
    # So it has no ghost.
    bpy.context.scene.xform.format = "FBX"
    _, told = part("overlay").triangles(bpy.context, "unreal")
    assert told == "It is not known where 1 of 3 meshes are."
    bpy.context.scene.xform.format = "GLTF"
    assert part("overlay").triangles(bpy.context, "unreal")[1] == ""
