from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

import xform_audit


def test_a_repaired_file_looks_the_same_everywhere(bent: Path) -> None:
    fixed = xform_audit.fix(bent, data_name="new data.bin")
    assert fixed.report["proof"] is not None and fixed.report["repair"] == "bake"
    assert fixed.data is not None and fixed.data_name == "new data.bin"
    assert b"new%20data.bin" in fixed.file
    repaired = bent.with_name("repaired.gltf")
    repaired.write_bytes(fixed.file)
    bent.with_name("new data.bin").write_bytes(fixed.data)
    before, after = (xform_audit.audit(path)["scenes"][0] for path in (bent, repaired))
    assert before["summary"]["grade"] == "severe"
    assert after["summary"]["grade"] == "identical"
    again = xform_audit.fix(repaired)
    assert again.file == fixed.file and again.data is None


def test_bytes_of_a_glb_are_repaired_in_memory(bent: Path) -> None:
    document = json.loads(bent.read_text())
    data = base64.b64decode(document["buffers"][0].pop("uri").split(",")[1])
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "little") + kind + content

    chunks = chunk(b"JSON", text) + chunk(b"BIN\0", data)
    glb = b"glTF\2\0\0\0" + (12 + len(chunks)).to_bytes(4, "little") + chunks
    fixed = xform_audit.fix(glb)
    assert fixed.data is None
    assert xform_audit.audit(fixed.file)["scenes"][0]["summary"]["grade"] == "identical"


def test_new_data_never_take_the_place_of_others(bent: Path) -> None:
    fixed = xform_audit.fix(bent)
    assert fixed.data is not None and fixed.data_name == "repaired.bin"
    bent.with_name("repaired.bin").write_bytes(fixed.data)
    bent.with_name("one.gltf").write_bytes(fixed.file)
    # It is there.
    assert xform_audit.fix(bent).data_name == "repaired.2.bin"
    # One of its own buffers is in it, be it there or not.
    turned = json.loads(fixed.file)
    turned["nodes"][0]["scale"] = [2, 1, 1]
    again = xform_audit.fix(json.dumps(turned).encode())
    assert again.data is None or again.data_name == "repaired.2.bin"
    for name in ["repaired.bin", "Repaired.BIN", "one.gltf"]:
        with pytest.raises(ValueError, match="would be overwritten"):
            xform_audit.fix(bent.with_name("one.gltf"), data_name=name)
    for name in ["", "..", "a/b.bin", "data:,x", "http://e/x", "a\0b"]:
        with pytest.raises(ValueError, match="data_name is the name of a file"):
            xform_audit.fix(bent, data_name=name)


def test_what_is_asked_for_is_checked(bent: Path) -> None:
    with pytest.raises(ValueError, match="no repair `mend`; there are: bake, leaf"):
        xform_audit.fix(bent, repair="mend")  # type: ignore[arg-type]
    with pytest.raises(xform_audit.XformError, match="no node has the name, path or index `foot`"):
        xform_audit.fix(bent, only="foot")
    with pytest.raises(ValueError, match="tolerance"):
        xform_audit.fix(bent, tolerance=0)
    with pytest.raises(FileNotFoundError):
        xform_audit.fix("none.glb")
