"""The forms in which a scene can be passed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Protocol


class Readable(Protocol):
    """An open file."""

    def read(self) -> bytes | str: ...


class Exportable(Protocol):
    """A scene or mesh from trimesh."""

    def export(self, *, file_type: str) -> Any: ...


class Saveable(Protocol):
    """A document from pygltflib."""

    def save_to_bytes(self) -> Any: ...


Source = (
    bytes
    | bytearray
    | memoryview
    | str
    | PathLike[str]
    | Mapping[str, Any]
    | Readable
    | Exportable
    | Saveable
)
"""A path, the name of a built-in scene, the bytes of a file, an open file, a glTF document as a dictionary, or a scene
from trimesh or pygltflib."""


def resolved(source: Source) -> bytes | str:
    """Converts a source to bytes or a path. Raises a built-in exception if it is not a source."""
    if isinstance(source, bytes):
        return source
    if isinstance(source, (bytearray, memoryview)):
        return bytes(source)
    if isinstance(source, Mapping):
        return json.dumps(source, allow_nan=False).encode()
    if isinstance(source, (str, PathLike)):
        return path(source)
    given: Any = source
    if callable(read := getattr(given, "read", None)):
        return _bytes(read(), "read()")
    if callable(save := getattr(given, "save_to_bytes", None)):
        # May be a list of parts, each of them bytes.
        parts = save()
        return _bytes(
            b"".join(parts) if isinstance(parts, (list, tuple)) else parts, "save_to_bytes()"
        )
    if callable(export := getattr(given, "export", None)):
        return _bytes(export(file_type="glb"), "export()")
    raise TypeError(
        "a scene is a path, the name of a built-in scene, bytes, an open file, a dictionary, or of trimesh or pygltflib, "
        f"not {type(given).__name__}"
    )


def path(given: str | PathLike[str]) -> str:
    name = os.fsdecode(given)
    if "\0" in name:
        raise ValueError("embedded null byte in a path")
    return name


def _bytes(content: object, of: str) -> bytes:
    if isinstance(content, str):
        return content.encode()
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise TypeError(f"{of} gives {type(content).__name__}, not bytes")
    return bytes(content)


def several(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def engine_names(names: str | Iterable[str] | None) -> list[str] | None:
    if names is None:
        return None
    named = several(names)
    if not named:
        raise ValueError("engines is empty")
    return named
