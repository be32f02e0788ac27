# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on, packed and installed as people install it. Takes `XFORM_WHEEL`, the wheel that it ships."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

# Blender reads it when it begins, so that the settings of whoever runs this stay as they are.
_FOLDER = tempfile.TemporaryDirectory(prefix="xform-blender-")
os.environ["BLENDER_USER_RESOURCES"] = _FOLDER.name

import bpy  # noqa: E402

ADDON = "bl_ext.user_default.xform"
HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def package() -> Path:
    """The extension as it is given to people."""
    out = Path(_FOLDER.name) / "xform.zip"
    command = [sys.executable, HERE.parent / "build.py", os.environ["XFORM_WHEEL"], out]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return out


@pytest.fixture(scope="session")
def installed(package: Path) -> None:
    result = bpy.ops.extensions.package_install_files(
        filepath=str(package), repo="user_default", enable_on_install=True
    )
    assert result == {"FINISHED"}


@pytest.fixture
def scene(installed: None) -> Iterator[bpy.types.Scene]:
    """An empty one."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, use_splash=False)
    assert ADDON in bpy.context.preferences.addons
    yield bpy.context.scene
    preferences = bpy.context.preferences.addons[ADDON].preferences
    preferences.check, preferences.at_least = "OFF", "SEVERE"


@pytest.fixture
def part(installed: None) -> Callable[[str], ModuleType]:
    """A module of the add-on."""
    return lambda name: importlib.import_module(f"{ADDON}.{name}")


@pytest.fixture
def audit(part: Callable[[str], ModuleType]) -> Callable[..., Any]:
    """Audits the scene in a format, with options of the exporter."""

    def audited(format: str = "GLTF", **options: Any) -> Any:
        context = bpy.context
        chosen = part("exporting").settings(context, format)[0] | options
        return part("audit").audit(context, format, chosen, [])

    return audited
