from __future__ import annotations

import json
import struct
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xform_audit


def moving() -> bytes:
    """Three nodes, of which the second moves, and the third has a sheared matrix."""
    times, places = [0.0, 1.0], [0.0, 0, 0, 2, 0, 4]
    data = struct.pack("<8f", *times, *places)
    views: list[dict[str, Any]] = [
        {"buffer": 0, "byteLength": 8},
        {"buffer": 0, "byteOffset": 8, "byteLength": 24},
    ]
    accessors = [
        {
            "bufferView": 0,
            "componentType": 5126,
            "count": 2,
            "type": "SCALAR",
            "min": [0],
            "max": [1],
        },
        {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
    ]
    channel = {"sampler": 0, "target": {"node": 1, "path": "translation"}}
    file = {
        "asset": {"version": "2.0"},
        "nodes": [
            {"translation": [1, 2, 3], "children": [1]},
            {"scale": [1, 2, 3]},
            {"matrix": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
        ],
        "animations": [{"channels": [channel], "samplers": [{"input": 0, "output": 1}]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {
                "byteLength": len(data),
                "uri": f"data:application/octet-stream;base64,{b64encode(data).decode()}",
            }
        ],
    }
    return json.dumps(file).encode()


def test_poses_are_those_of_the_file() -> None:
    rest, animations = xform_audit.poses(moving(), {0: [-1.0, 0.25, 1.0]})
    assert list(rest.nodes) == [0, 1, 2] and list(animations) == [0]
    np.testing.assert_array_equal(rest.translations[0, :2], [[1, 2, 3], [0, 0, 0]])
    np.testing.assert_array_equal(rest.scales[0, :2], [[1, 1, 1], [1, 2, 3]])
    assert np.isnan(rest.rotations[0, 2]).all()
    moved = animations[0]
    assert list(moved.nodes) == [1]
    np.testing.assert_allclose(
        moved.translations[:, 0], [[0.0, 0.0, 0.0], [0.5, 0.0, 1.0], [2.0, 0.0, 4.0]]
    )
    np.testing.assert_array_equal(moved.rotations[:, 0], [[0, 0, 0, 1]] * 3)
    np.testing.assert_array_equal(moved.scales[:, 0], [[1, 2, 3]] * 3)


def test_poses_and_parents_are_the_worlds_of_the_audit(scenes: list[Path]) -> None:
    seen = 0
    for path in scenes:
        try:
            nodes = xform_audit.audit(path)["scenes"][0]["nodes"]
        except xform_audit.XformError:
            continue
        rest, animations = xform_audit.poses(path)
        if np.isnan(rest.rotations).any() or not nodes:
            continue
        assert not animations
        parents = [-1 if node["parent"] is None else node["parent"] for node in nodes]
        worlds = xform_audit.propagate(
            parents, rest.translations[0], rest.rotations[0], rest.scales[0]
        )
        expected = np.array([node["matrix"]["world"] for node in nodes]).reshape(-1, 4, 4)
        np.testing.assert_allclose(worlds, expected.transpose(0, 2, 1), rtol=1e-12, atol=1e-12)
        seen += 1
    assert seen


def test_bad_files_and_animations_are_named() -> None:
    with pytest.raises(IndexError, match="no animation 3"):
        xform_audit.poses(moving(), {3: [0.0]})
    with pytest.raises(xform_audit.XformError):
        xform_audit.poses(b"{}")
