# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs the add-on with the wheels that it ships, as Blender installs it: `python build.py WHEEL... OUT.zip`.

The same add-on runs on every platform that there is a wheel of xform-audit for.
"""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent

# What a wheel's name ends with, and Blender's name of the platform.
PLATFORMS = [
    ("linux", "x86_64", "linux-x64"),
    ("macosx", "arm64", "macos-arm64"),
    ("macosx", "x86_64", "macos-x64"),
    ("win", "amd64", "windows-x64"),
    ("win", "arm64", "windows-arm64"),
]


def platform(wheel: Path) -> str:
    tags = wheel.stem.split("-")[-1]
    for system, processor, name in PLATFORMS:
        if system in tags and "musllinux" not in tags and tags.endswith(processor):
            return name
    raise SystemExit(f"error: Blender has no platform for {wheel.name}")


def manifest(wheels: list[Path]) -> str:
    text = (HERE / "addon" / "blender_manifest.toml").read_text(encoding="utf-8")
    # Without its first line, which is about this.
    text = text.partition("\n")[2]
    workspace = tomllib.loads((HERE.parents[1] / "Cargo.toml").read_text(encoding="utf-8"))
    package = workspace["workspace"]["package"]
    platforms = sorted({platform(wheel) for wheel in wheels})
    lines = [
        f'version = "{package["version"]}"',
        *([f'website = "{package["homepage"]}"'] if package["homepage"] else []),
        f"wheels = {[f'./wheels/{wheel.name}' for wheel in wheels]}",
        f"platforms = {platforms}",
    ]
    return text.replace("\n[permissions]", "\n".join([*lines, "", "[permissions]"]))


def main(arguments: list[str]) -> None:
    *wheels, out = map(Path, arguments)
    if not wheels or out.suffix != ".zip":
        raise SystemExit(__doc__)
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("blender_manifest.toml", manifest(wheels))
        for source in sorted((HERE / "addon").iterdir()):
            if source.suffix == ".py" or source.name == "LICENSE":
                packed.write(source, source.name)
        for wheel in wheels:
            packed.write(wheel, f"wheels/{wheel.name}", zipfile.ZIP_STORED)
    print(out)


if __name__ == "__main__":
    main(sys.argv[1:])
