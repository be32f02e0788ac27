"""The program that the wheel brings along."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(sysconfig.get_path("scripts")) / ("xform.exe" if os.name == "nt" else "xform")


def run(command: list[str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*command, *arguments], cwd=folder, capture_output=True, check=False)


@pytest.mark.parametrize("command", [[sys.executable, "-m", "xform_audit"], [str(SCRIPT)]])
def test_it_does_what_the_program_does(
    command: list[str], bent: Path, tmp_path: Path, program: Callable[..., bytes]
) -> None:
    for arguments in (
        ["audit", "bent.gltf"],
        # Of several, other processes of it do the work.
        ["audit", "bent.gltf", "bent.gltf", "--format", "jsonl"],
        ["engines"],
        ["--help"],
        ["--version"],
    ):
        done = run(command, bent.parent, *arguments)
        assert done.stdout == program(bent.parent, *arguments) != b"", arguments
        assert done.returncode == 0
    assert run(command, bent.parent, "audit", "bent.gltf", "--fail-on", "visible").returncode == 1
    assert run(command, bent.parent, "audit", "none.glb").returncode == 2
    done = run(command, bent.parent, "audit", "--no-such-option")
    assert done.returncode == 2 and b"--no-such-option" in done.stderr
    done = run(command, bent.parent, "report", "bent.gltf", "arm", "-q", "-o", str(tmp_path / "p"))
    assert done.returncode == 0 and (tmp_path / "p/index.html").is_file()


def test_what_lies_in_the_folder_of_assets_is_no_module_of_it(bent: Path) -> None:
    for name in ("numpy.py", "xform_audit.py", "json.py"):
        (bent.parent / name).write_text("raise SystemExit('run from the folder of assets')")
    done = run([str(SCRIPT)], bent.parent, "audit", "bent.gltf", "bent.gltf", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
