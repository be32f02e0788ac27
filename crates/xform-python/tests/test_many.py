from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import xform_audit


def test_a_row_a_file_in_the_order_given(bent: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.glb"
    bad.write_bytes(b"glTF")
    files = [bent] * 100 + [bad, tmp_path / "none.glb"]
    audits = xform_audit.audit_many(files)
    assert len(audits) == 102 and [row["source"] for row in audits] == [str(file) for file in files]
    assert [row["grade"] for row in audits] == ["severe"] * 100 + [None] * 2
    assert audits[0]["error"] is None and "none.glb" in (audits[-1]["error"] or "")
    assert audits.failed == audits[100:]
    assert repr(audits) == "<Audits of 102 files: 100 severe, 2 not audited>"


def test_a_row_says_where_and_why(bent: Path) -> None:
    (row,) = xform_audit.audit_many([bent])
    assert (row["different_in"], row["causes"], row["unknown_in"]) == (
        "unreal",
        "non-uniform-scale",
        "",
    )
    assert (row["verdict"] or "").startswith("Severe in Unreal")
    (row,) = xform_audit.audit_many([bent], engines=["unity", "godot"])
    assert (row["different_in"], row["grade"]) == ("", "identical")
    (row,) = xform_audit.audit_many([bent], engines="unity", reference="unreal")
    assert row["different_in"] == "unity"
    (row,) = xform_audit.audit_many(["skewed-child"])
    assert row["different_in"] == "trs"


def test_rows_are_those_of_the_program(
    bent: Path, tmp_path: Path, program: Callable[..., bytes]
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    bad = tmp_path / "bad.glb"
    bad.write_bytes(b"glTF")
    limits = ["--max-skew", "10", "--fail-on", "visible"]
    program(tmp_path, "audit", "--format", "parquet", "-o", "tables", *limits, str(bent), str(bad))
    audits = xform_audit.audit_many(
        [bent, bad], limits={"max_skew": 10, "fail_on": "visible"}, nodes=True
    )
    expected = parquet.read_table(tmp_path / "tables/assets.parquet")
    assert list(audits) == expected.to_pylist()
    assert audits.to_arrow().equals(expected)
    assert audits.to_arrow("nodes").equals(parquet.read_table(tmp_path / "tables/nodes.parquet"))


def test_what_was_found_goes_through_a_pool_of_processes(bent: Path) -> None:
    audits = xform_audit.audit_many([bent], nodes=True)
    copy = pickle.loads(pickle.dumps(audits))
    assert list(copy) == list(audits)
    pytest.importorskip("pyarrow")
    assert copy.to_arrow("nodes").equals(audits.to_arrow("nodes"))


def test_limits_are_counted_and_told(bent: Path) -> None:
    def row(**limits: Any) -> xform_audit.AssetRow:
        return xform_audit.audit_many([bent], limits=limits)[0]  # type: ignore[arg-type]

    assert row()["exceeded"] == 0
    found = row(max_skew=1, max_displacement=0.1)
    assert found["exceeded"] == 2
    told = (found["exceeded_limits"] or "").splitlines()
    assert len(told) == 2 and "skew 36.87° > 1°" in told[0]
    assert row(fail_on="severe")["exceeded"] == 1 and row(max_skew=40)["exceeded"] == 0
    for bad in ({"max_skw": 1}, {"max_skew": -1}, {"max_skew": float("nan")}, {"fail_on": "bad"}):
        with pytest.raises(ValueError, match="max_skw|finite|fail_on"):
            row(**bad)


def test_tables_go_to_what_is_installed_and_say_what_is_missing(
    bent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audits = xform_audit.audit_many([bent, bent], nodes=True)
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert isinstance(audits.to_pandas(), pandas.DataFrame)
    assert isinstance(audits.to_polars("nodes"), polars.DataFrame)
    assert audits.to_polars()["grade"].to_list() == ["severe"] * 2
    frame: Any = audits.to_pandas("nodes")
    assert str(frame["parent"].dtype) == "Int64"
    for module, extra in (("polars", "polars"), ("pandas", "pandas"), ("pyarrow", "arrow")):
        monkeypatch.setitem(sys.modules, module, None)
        monkeypatch.setitem(sys.modules, f"{module}.parquet", None)
        with pytest.raises(ImportError, match=rf'pip install "xform-audit\[{extra}\]"') as raised:
            getattr(audits, f"to_{extra}")()
        assert raised.value.name == module
    with pytest.raises(ValueError, match="nodes=True"):
        xform_audit.audit_many([bent]).to_arrow("nodes")
    with pytest.raises(ValueError, match='"assets" or "nodes"'):
        audits.to_arrow("edges")  # type: ignore[arg-type]


def test_nothing_more_than_numpy_is_imported() -> None:
    script = (
        "import sys, xform_audit; xform_audit.audit_many(['arm']); "
        "print(sorted({'pyarrow', 'pandas', 'polars', 'trimesh', 'pygltflib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


def test_progress_is_told_after_each_file(bent: Path) -> None:
    told: list[tuple[int, int, str]] = []

    def tell(done: int, files: int, name: str) -> None:
        told.append((done, files, name))

    xform_audit.audit_many([bent] * 5, progress=tell)
    assert told == [(done, 5, str(bent)) for done in range(1, 6)]

    class Enough(Exception):
        pass

    def stop(done: int, _all: int, _file: str) -> None:
        if done == 2:
            raise Enough

    with pytest.raises(Enough):
        xform_audit.audit_many([bent] * 5, progress=stop)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_an_interrupt_ends_it_before_all_files_are_done(tmp_path: Path) -> None:
    # So many files that each takes a while, that all of them would take a minute.
    nodes = [{"scale": [2, 1, 1], "rotation": [0, 0, 0.6, 0.8]} for _ in range(60_000)]
    for i, node in enumerate(nodes[:-1]):
        node["children"] = [i + 1]
    (tmp_path / "long.gltf").write_text(json.dumps({"asset": {"version": "2.0"}, "nodes": nodes}))
    script = (
        "import sys, xform_audit\n"
        "tell = lambda done, *_: print(done, flush=True)\n"
        "xform_audit.audit_many([sys.argv[1]] * 200, progress=tell)\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "long.gltf")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout is not None and running.stdout.readline() == b"1\n"
    os.kill(running.pid, signal.SIGINT)
    told, said = running.communicate()
    assert b"KeyboardInterrupt" in said and b"200\n" not in told


def test_rows_have_the_columns_that_are_declared(bent: Path) -> None:
    (row,) = xform_audit.audit_many([bent])
    assert list(row) == list(get_type_hints(xform_audit.AssetRow))


def test_several_are_asked_for() -> None:
    assert len(xform_audit.audit_many([])) == 0
    for one in ("model.glb", b"glTF", {"asset": {"version": "2.0"}}):
        with pytest.raises(TypeError, match="several files"):
            xform_audit.audit_many(one)  # type: ignore[arg-type]
