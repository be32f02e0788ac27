"""Every function that takes a scene takes it in every form."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import xform_audit


def forms(bent: Path) -> list[Any]:
    content = bent.read_bytes()
    forms: list[Any] = [
        bent,
        str(bent),
        content,
        bytearray(content),
        memoryview(content),
        io.BytesIO(content),
        io.StringIO(content.decode()),
        json.loads(content),
    ]
    return forms


def test_every_form_is_taken_everywhere(bent: Path) -> None:
    expected = xform_audit.audit(bent)["scenes"][0]["nodes"]
    for form in forms(bent):
        assert xform_audit.audit(form)["scenes"][0]["nodes"] == expected
    for form in forms(bent):
        assert xform_audit.report(form, no_meshes=True).startswith("<!DOCTYPE html>")
    for form in forms(bent):
        assert not xform_audit.diff(bent, form)["is_worse"]
    for form in forms(bent):
        assert xform_audit.fix(form).report["groups"]
    for form in forms(bent):
        rest, _ = xform_audit.poses(form)
        assert len(rest.nodes) == 2
    rows = xform_audit.audit_many(forms(bent))
    assert [row["grade"] for row in rows] == ["severe"] * len(rows)


def test_a_scene_that_is_built_in_is_taken_and_has_nothing_to_repair() -> None:
    assert xform_audit.audit("arm")["scenes"] and xform_audit.report("arm")
    assert len(xform_audit.poses("arm")[0].nodes) and not xform_audit.diff("arm", "arm")["is_worse"]
    with pytest.raises(xform_audit.XformError, match="arm: it is a built-in scene") as raised:
        xform_audit.fix("arm")
    assert raised.value.code == "built-in"


def test_an_open_file_is_read(bent: Path) -> None:
    with bent.open("rb") as file:
        assert xform_audit.audit(file)["scenes"][0]["source"] == "bytes"


def test_scenes_of_trimesh_are_taken() -> None:
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    box = trimesh.creation.box()
    scene.graph.update("stretched", matrix=[[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    turned = trimesh.transformations.rotation_matrix(0.7, [0, 0, 1])
    scene.add_geometry(box, node_name="turned", parent_node_name="stretched", transform=turned)
    for given in (scene, box):
        assert xform_audit.audit(given)["scenes"][0]["nodes"]
    assert xform_audit.audit(scene)["scenes"][0]["summary"]["grade"] != "identical"


def test_documents_of_pygltflib_are_taken(bent: Path) -> None:
    pygltflib = pytest.importorskip("pygltflib")
    document = pygltflib.GLTF2().load(str(bent))
    nodes = xform_audit.audit(document)["scenes"][0]["nodes"]
    assert nodes == xform_audit.audit(bent)["scenes"][0]["nodes"]


def test_what_is_no_scene_is_an_error_of_pythons_own() -> None:
    for none in (7, None, [b"a"], object()):
        with pytest.raises(TypeError):
            xform_audit.audit(none)  # type: ignore[arg-type]

    class Odd:
        def read(self) -> int:
            return 7

    with pytest.raises(TypeError, match=r"read\(\) gives int, not bytes"):
        xform_audit.audit(Odd())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="JSON"):
        xform_audit.audit({"asset": {"version": "2.0"}, "nodes": [{"scale": [float("nan"), 1, 1]}]})


def test_no_repr_has_the_bytes(bent: Path) -> None:
    fixed = xform_audit.fix(bent)
    told = repr(fixed)
    assert len(told) < 200 and "bytes" in told and "repaired.bin" in told
