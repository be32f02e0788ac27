from __future__ import annotations

from pathlib import Path

import pytest

import xform_audit

pyarrow = pytest.importorskip("pyarrow")


def test_a_row_a_file_and_a_row_a_node(bent: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.glb"
    bad.write_bytes(b"glTF")
    paths = [bent] * 100 + [bad, tmp_path / "none.glb"]
    assets = xform_audit.audit_many(paths)
    assert isinstance(assets, pyarrow.Table) and assets.num_rows == 102
    assert assets["source"].to_pylist() == [str(path) for path in paths]
    assert assets["grade"].to_pylist() == ["severe"] * 100 + [None] * 2
    assert assets["error"].null_count == 100
    assert "none.glb" in assets["error"][101].as_py()
    nodes = xform_audit.audit_many(paths, table="nodes")
    assert nodes.num_rows == 200
    skew = xform_audit.audit(bent)["scenes"][0]["nodes"][1]["skew_degrees"]
    assert nodes["skew_degrees"].to_pylist() == [0, skew] * 100


def test_no_files_are_an_empty_table() -> None:
    assert xform_audit.audit_many([]).num_rows == 0
    with pytest.raises(TypeError, match="several paths"):
        xform_audit.audit_many("model.glb")
    with pytest.raises(ValueError, match="assets"):
        xform_audit.audit_many([], table="edges")  # type: ignore[arg-type]
