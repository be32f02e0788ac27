from __future__ import annotations

import inspect
import json
import math
import multiprocessing
import os
import pickle
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints, is_typeddict

import pytest

import xform_audit

ROOT = Path(__file__).resolve().parents[3]


def test_golden_figures() -> None:
    audit = xform_audit.audit("skewed-child")
    node = audit["scenes"][0]["nodes"][1]
    assert node["skew_degrees"] == pytest.approx(36.0442, abs=5e-5)
    assert node["displacement"] == pytest.approx(0.435338, abs=5e-7)


def test_a_closed_form(bent: Path) -> None:
    nodes = xform_audit.audit(bent)["scenes"][0]["nodes"]
    # Turned by 45° below a stretch by 2: the axes stand at 2·atan(2) − 90° from perpendicular.
    assert nodes[1]["skew_degrees"] == pytest.approx(2 * math.degrees(math.atan(2)) - 90)


def test_documents_are_those_of_the_program_to_the_byte(
    scenes: list[Path], program: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in scenes:
        monkeypatch.chdir(path.parent)
        expected = program(path.parent, "audit", "--quiet", "--format", "json", path.name)
        if not expected:
            with pytest.raises(xform_audit.XformError):
                xform_audit.audit_json(path.name)
            continue
        assert xform_audit.audit_json(path.name).encode() == expected, path
        page = program(path.parent, "report", "--quiet", "--output", "-", path.name)
        assert xform_audit.report(path.name).encode() == page, path
        options = ["--engine", "ogre", "--no-animation", "--no-meshes"]
        page = program(path.parent, "report", "--quiet", "--output", "-", *options, path.name)
        ours = xform_audit.report(path.name, engines="ogre", motion=False, no_meshes=True)
        assert ours.encode() == page, path
        named = [
            "--engine",
            "unreal",
            "--engine",
            "godot",
            "--reference",
            "unity",
            "--no-animation",
        ]
        expected = program(path.parent, "audit", "--quiet", "--format", "json", *named, path.name)
        ours = xform_audit.audit_json(
            path.name, engines=["unreal", "godot"], reference="unity", motion=False
        )
        assert ours.encode() == expected, path
    for scene in ["arm", "piston", "levels"]:
        expected = program(ROOT, "audit", "--quiet", "--format", "json", scene)
        assert xform_audit.audit_json(scene).encode() == expected


def test_bytes_are_read_as_a_file_is(bent: Path) -> None:
    of_file, of_bytes = xform_audit.audit(bent), xform_audit.audit(bent.read_bytes())
    assert of_bytes["scenes"][0]["source"] == "bytes"
    assert of_bytes["scenes"][0]["nodes"] == of_file["scenes"][0]["nodes"]
    assert xform_audit.audit(str(bent)) == of_file


def test_fbx_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rig.fbx"
    path.write_text(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
        'Objects:  {\n\tModel: 1, "Model::A", "Null" {\n\t}\n}\nConnections:  {\n\tC: "OO",1,0\n}\n'
    )
    # By what is in it, whatever it is called.
    (other := tmp_path / "rig.dat").write_bytes(path.read_bytes())
    for source in (path, other, path.read_bytes()):
        names = [node["name"] for node in xform_audit.audit(source)["scenes"][0]["nodes"]]
        assert "A" in names
    with pytest.raises(xform_audit.XformError, match="FBX") as raised:
        xform_audit.fix(path)
    assert raised.value.code == "no-fbx"


def test_a_bad_file_is_an_error_with_code_and_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.gltf"
    path.write_text('{"asset":{"version":"2.0"},"nodes":[{"scale":[1,2]},{"rotation":[1]}]}')
    with pytest.raises(xform_audit.XformError) as raised:
        xform_audit.audit(path)
    error = raised.value
    assert (error.code, error.pointer, error.source) == (
        "invalid-value",
        "/nodes/0/scale",
        str(path),
    )
    assert [defect.pointer for defect in error.defects] == ["/nodes/0/scale", "/nodes/1/rotation"]
    assert isinstance(error, ValueError)
    # The last line of a traceback says what is wrong, and where.
    last = traceback.format_exception(error)[-1].strip()
    assert last.startswith("xform_audit._error.XformError: ") and "\n" not in last
    assert str(path) in last and "/nodes/0/scale: invalid length 2" in last and "1 more" in last
    # It goes through a pool of processes.
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.defects) == (str(error), error.defects)


def test_a_file_that_cannot_be_opened_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.glb"):
        xform_audit.audit(tmp_path / "none.glb")
    with pytest.raises(OSError, match="irectory"):
        xform_audit.audit(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"none\.fbx"):
        xform_audit.audit(tmp_path / "none.fbx")


def test_what_is_asked_for_is_checked() -> None:
    with pytest.raises(ValueError, match="no engine `uniti`; there are: "):
        xform_audit.audit("piston", engines=["uniti"])
    with pytest.raises(ValueError, match="no engine"):
        xform_audit.audit("piston", reference="")
    with pytest.raises(TypeError, match="not int"):
        xform_audit.audit(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="engines is empty"):
        xform_audit.audit("piston", engines=[])
    with pytest.raises(ValueError, match="null byte"):
        xform_audit.audit("a\0b.glb")
    assert xform_audit.audit("piston", engines="all")["scenes"][0]["engines"]


def test_colliders_are_judged_where_that_is_asked(tmp_path: Path) -> None:
    ball = {"OMI_physics_body": {"collider": {"shape": 0}}}
    document = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "Ball", "scale": [2, 1, 1], "extensions": ball}],
        "extensions": {"OMI_physics_shape": {"shapes": [{"type": "sphere"}]}},
    }
    path = tmp_path / "ball.gltf"
    path.write_text(json.dumps(document))
    assert "physics" not in xform_audit.audit(path)["scenes"][0]
    scene = xform_audit.audit(path, physics=["unreal", "godot-physics"])["scenes"][0]
    assert "physics" in scene
    found = scene["physics"]
    # A sphere of radius 0.5 in place of an ellipsoid that is 1 long.
    unreal, godot = found["colliders"][0]["engines"]
    assert unreal["distance"] == pytest.approx(0.5) and godot["distance"] == 0
    page = xform_audit.report(path, physics="unreal")
    assert "The only collider differs from the drawn shape in Unreal" in page
    assert 'id="colliders"' in page and 'id="colliders"' not in xform_audit.report(path)
    with pytest.raises(ValueError, match="no physics engine `unrael`"):
        xform_audit.audit(path, physics="unrael")
    with pytest.raises(
        ValueError, match="no collider `ball`; there are: sphere, box, capsule, hull, mesh"
    ):
        xform_audit.audit(path, physics="unreal", collider="ball")


def test_engines_are_listed() -> None:
    engines = {engine["id"]: engine for engine in xform_audit.engines()}
    assert engines["unreal"]["name"] == "Unreal" and engines["unity"]["rule"]


def test_a_diff_says_what_became_worse(
    bent: Path, tmp_path: Path, program: Callable[..., bytes]
) -> None:
    after = tmp_path / "after.gltf"
    after.write_text(bent.read_text().replace("[2,1,1]", "[3,1,1]"))
    assert xform_audit.diff(bent, after)["is_worse"]
    assert not xform_audit.diff(bent, bent)["is_worse"]
    expected = program(tmp_path, "diff", "--format", "json", str(bent), str(after))
    assert xform_audit.diff(bent, after) == json.loads(expected)


def declared(kind: Any, schema: Any, root: Any, place: str) -> int:
    """How many dictionaries are declared as their schemas say: the same members, required or not, however deep."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    for argument in getattr(kind, "__args__", ()):
        if schema.get("type") == "array":
            return declared(argument, schema["items"], root, f"{place}[]")
        if is_typeddict(argument):
            kind = argument
    if not is_typeddict(kind):
        assert "properties" not in schema, place
        return 0
    required = set(schema["required"])
    assert kind.__required_keys__ == required, place
    assert kind.__optional_keys__ == set(schema["properties"]) - required, place
    hints = get_type_hints(kind)
    below = (
        declared(hints[name], member, root, f"{place}.{name}")
        for name, member in schema["properties"].items()
    )
    return 1 + sum(below)


def test_types_are_those_of_the_schemas() -> None:
    def schema(name: str) -> Any:
        return json.loads((ROOT / f"docs/{name}.schema.json").read_text())

    report = schema("report")
    assert declared(xform_audit.Audit, report, report, "audit") > 20
    for kind, name in ((xform_audit.Diff, "diff"), (xform_audit.FixReport, "fix")):
        found = schema(name)
        assert kind.__required_keys__ == set(found["required"])
        assert kind.__optional_keys__ == set(found["properties"]) - set(found["required"])
    assert xform_audit.Engine.__required_keys__ == set(xform_audit.engines()[0])


def test_the_interpreter_is_free_meanwhile() -> None:
    turns = 0
    working = threading.Thread(target=xform_audit.report, args=("arm",))
    working.start()
    while working.is_alive():
        turns += 1
    assert turns > 1


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    expected = xform_audit.audit_json("levels")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(xform_audit.audit_json, ["levels"] * 4).get(timeout=60)
    assert found == [expected] * 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_may_have_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe.glb")
    for read in (xform_audit.audit, xform_audit.report, xform_audit.fix):
        with pytest.raises(xform_audit.XformError, match="regular file") as raised:
            read(pipe)
        assert raised.value.code == "unreadable"


def test_everything_offered_has_a_docstring() -> None:
    for name in xform_audit.__all__:
        offered = getattr(xform_audit, name)
        assert not inspect.isroutine(offered) or offered.__doc__, name
