from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def scenes() -> list[Path]:
    """glTF files of the repository, and of a folder of your own."""
    folders = [ROOT / "crates/xform-report/tests/scenes"]
    if own := os.environ.get("XFORM_SCENES"):
        folders.append(Path(own))
    found = [path for folder in folders for path in sorted(folder.glob("*.gl*"))]
    assert found
    return found


@pytest.fixture
def program() -> Callable[..., bytes]:
    """Runs the program `xform`, which has to be built, in a folder; its standard output."""
    path = os.environ.get("XFORM_PROGRAM") or pytest.fail("XFORM_PROGRAM is not set")

    def run(folder: Path, *arguments: str) -> bytes:
        return subprocess.run(
            [path, *arguments], cwd=folder, capture_output=True, check=False
        ).stdout

    return run


@pytest.fixture
def bent(tmp_path: Path) -> Path:
    """A triangle that is turned below a stretched node."""
    # Positions (0,0,0), (1,0,0), (0,1,0).
    data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"
    path = tmp_path / "bent.gltf"
    path.write_text(
        '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],'
        '"nodes":[{"name":"arm","scale":[2,1,1],"children":[1]},'
        '{"name":"hand","rotation":[0,0,0.3826834323650898,0.9238795325112867],"mesh":0}],'
        '"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],'
        '"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],'
        '"bufferViews":[{"buffer":0,"byteLength":36}],'
        f'"buffers":[{{"byteLength":36,"uri":"data:application/octet-stream;base64,{data}"}}]}}'
    )
    return path
