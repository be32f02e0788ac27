# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows how engines will display the scene, before it is exported."""

from . import gate, operators, overlay, panel, state
from .hooks import glTF2ExportUserExtension

__all__ = ["glTF2ExportUserExtension", "register", "unregister"]

PARTS = (state, operators, overlay, panel, gate)


def register() -> None:
    for part in PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(PARTS):
        part.unregister()
