"""Where, why and by how much a 3D asset looks different from engine to engine, and what to do.

Unity, Godot, three.js and Blender multiply matrices; Unreal combines scales and rotations apart. Below a non-uniform scale they
show something else. This package reads glTF and FBX files and says what:

>>> import xform_audit
>>> audit = xform_audit.audit("skewed-child")  # a scene that is built in; else the path of a file
>>> audit["scenes"][0]["summary"]["grade"]
'severe'

It also computes world transforms as either kind of engine does, over NumPy's arrays: `propagate`.

A bad file raises `XformError`, which has the code and the place of what is wrong. FBX files are read by a library in C, in this
process; read files from strangers with the program `xform`, which has a process for each.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as _version
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._error import Defect, XformError
from ._types import (
    Audit,
    Diff,
    Engine,
    FixReport,
    Grade,
    Node,
    Repair,
    Scene,
    Strategy,
    Verdict,
    Verification,
    VerifiedRun,
)

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "Audit",
    "Defect",
    "Diff",
    "Engine",
    "FixReport",
    "Fixed",
    "Grade",
    "Node",
    "Poses",
    "Repair",
    "Scene",
    "Strategy",
    "Verdict",
    "Verification",
    "VerifiedRun",
    "XformError",
    "audit",
    "audit_json",
    "audit_many",
    "diff",
    "engine_worlds",
    "engines",
    "fix",
    "kit_scenes",
    "poses",
    "propagate",
    "report",
    "verify",
]

__version__ = _version("xform-audit")

Source = bytes | str | PathLike[str]


def _source(source: Source) -> bytes | str:
    """As the library takes it; what is no source is an error of Python's own."""
    if isinstance(source, bytes):
        return source
    if isinstance(source, (bytearray, memoryview)):
        return bytes(source)
    path = os.fsdecode(source)
    if "\0" in path:
        raise ValueError("embedded null byte in a path")
    return path


def audit(
    source: Source,
    *,
    engines: str | Iterable[str] | None = None,
    reference: str | None = None,
    motion: bool = True,
    physics: str | Iterable[str] = (),
    collider: str | None = None,
) -> Audit:
    """Audits a file, its bytes, or a scene that is built in.

    `engines` is an id that `engines()` lists, several of them, or "all"; without it the usual ones are compared. `reference` is the engine that
    they are compared with; without it that is what the file's format defines. Without `motion`, animations are not looked at.

    `physics` names a physics engine, or several, in which colliders are judged, as docs/physics.md lists them: "godot-jolt", "jolt/nested". `collider` is what
    each drawn mesh is judged as in a file without colliders: "sphere", "box", "capsule", "hull" or "mesh".

    Buffers in other files are read for a path, and not for bytes.

    Raises `XformError` for a bad file, `OSError` for one that cannot be opened, `ValueError` for an engine that there is not.
    """
    text = audit_json(
        source,
        engines=engines,
        reference=reference,
        motion=motion,
        physics=physics,
        collider=collider,
    )
    return cast(Audit, json.loads(text))


def audit_json(
    source: Source,
    *,
    engines: str | Iterable[str] | None = None,
    reference: str | None = None,
    motion: bool = True,
    physics: str | Iterable[str] = (),
    collider: str | None = None,
) -> str:
    """The same as text: to the byte what `xform audit --format json` writes."""
    named = [engines] if isinstance(engines, str) else None if engines is None else list(engines)
    if named == []:
        raise ValueError("engines names none")
    return _native.audit_json(
        _source(source), named, reference, motion, _several(physics), collider
    )


def _several(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def audit_many(
    paths: Iterable[str | PathLike[str]],
    *,
    table: Literal["assets", "nodes"] = "assets",
    motion: bool = True,
    physics: str | Iterable[str] = (),
    collider: str | None = None,
) -> pyarrow.Table:
    """Audits many files on all cores: a table with a row a file, or a row a node.

    `physics` and `collider` are as in `audit`. The columns are those of `xform audit --format parquet`, which docs/report-format.md describes. A bad file is a row whose `error` says why, and has no nodes.

    Takes pyarrow (`pip install "xform-audit[arrow]"`).
    """
    import pyarrow
    import pyarrow.parquet

    if isinstance(paths, (str, bytes)):
        raise TypeError("paths is several paths, not one")
    if table not in ("assets", "nodes"):
        raise ValueError(f'table is "assets" or "nodes", not {table!r}')
    named = [cast(str, _source(path)) for path in paths]
    assets, nodes = _native.audit_tables(named, motion, _several(physics), collider)
    chosen = assets if table == "assets" else nodes
    return pyarrow.parquet.read_table(pyarrow.BufferReader(chosen))


def report(
    source: Source,
    *,
    physics: str | Iterable[str] = (),
    collider: str | None = None,
) -> str:
    """The page that `xform report` writes, as HTML that needs nothing else. `physics` and `collider` are as in `audit`."""
    return _native.report_html(_source(source), _several(physics), collider)


def diff(before: Source, after: Source) -> Diff:
    """What became better and worse between two versions of an asset, node by node."""
    return cast(Diff, json.loads(_native.diff_json(_source(before), _source(after))))


@dataclass(frozen=True)
class Fixed:
    """A repaired file. Nothing was written: that is up to you."""

    file: bytes
    """The file; the same bytes where nothing was to be repaired."""
    data: bytes | None
    """New data of a `.gltf`, to be written beside it; a GLB has them inside."""
    data_name: str | None
    """The name of the file for them."""
    report: FixReport
    """What was done, what was refused and why, and the proof."""


def fix(
    source: Source,
    *,
    repair: Repair = "bake",
    only: str | None = None,
    compact: bool = False,
    stamp: bool = False,
    tolerance: float = 1.0,
    data_name: str | None = None,
) -> Fixed:
    """Repairs a glTF file, as `xform fix` does: docs/fixing.md says what each repair keeps, and what it costs.

    The repaired file takes its images and other buffers from where the file itself does, so it belongs in the same folder.
    `data_name` is the name of the file for the new data of a `.gltf`; without it, the first of `repaired.bin`,
    `repaired.2.bin` and so on that is free.

    Raises `XformError`, with the code "not-proved" where the proof does not hold, and `ValueError` for a name that would replace the
    file, or a buffer or an image of it.
    """
    file, data, told = _native.fix_file(
        _source(source), repair, only, compact, stamp, tolerance, data_name
    )
    name, content = data or (None, None)
    return Fixed(file, content, name, cast(FixReport, json.loads(told)))


def engines() -> list[Engine]:
    """Every engine that is known: its rule in a sentence, and how that is known."""
    return cast(list[Engine], json.loads(_native.engines_json()))


def kit_scenes() -> dict[str, str]:
    """The scenes that importers are asked about: glTF files as text, by name, the plainest first."""
    return _native.kit_scenes()


def verify(
    answers: str | PathLike[str] | Mapping[str, Any] | Iterable[Mapping[str, Any]],
    *,
    scenes: str | PathLike[str] | None = None,
    expect: str | None = None,
    tolerance: float | None = None,
) -> Verification:
    """Tells which engine's rule an importer follows, and the first node where it does not.

    `answers` is a document `xform-answers/1`, several, or the path of a file with some; docs/verify.md describes it. `scenes` is a folder of glTF files that were asked
    about; without it those of `kit_scenes()` were. `expect` is an engine whose rule the answers must follow, by an id that `engines()` lists. Up to
    `tolerance` a residual is rounding.

    Raises `ValueError` for answers that are not of the form, and for an engine that there is not, `OSError` for a folder without scenes.
    """
    if isinstance(answers, (str, PathLike)):
        path = cast(str, _source(answers))
        with open(path, "rb") as file:
            read = [(path, file.read())]
    else:
        documents = [answers] if isinstance(answers, Mapping) else list(answers)
        text = "\n".join(json.dumps(document, allow_nan=False) for document in documents)
        read = [("answers", text.encode())]
    folder = None if scenes is None else cast(str, _source(scenes))
    return cast(Verification, json.loads(_native.verify_json(read, folder, expect, tolerance)))


@dataclass(frozen=True)
class Poses:
    """Local poses of nodes at several times. What a node with a sheared matrix has is NaN."""

    nodes: NDArray[np.int64]
    """The nodes' indices in the file, in ascending order."""
    translations: NDArray[np.float64]
    """Of shape (times, nodes, 3), as are the scales."""
    rotations: NDArray[np.float64]
    """Of shape (times, nodes, 4): quaternions of length 1 as x y z w."""
    scales: NDArray[np.float64]


def poses(
    source: Source, times: Mapping[int, Sequence[float]] | None = None
) -> tuple[Poses, dict[int, Poses]]:
    """The local poses that a file has: at rest, and in its animations at these times in seconds, by their indices.

    At rest that is all nodes, at one time; of an animation, the nodes that it moves. Between keyframes values are as glTF defines them.
    With the parents that `audit` has of the nodes, `propagate` makes world transforms of these, but in an FBX file not those of nodes with an
    `inherit_type`, nor of what hangs below them.

    Raises as `audit` does, and `IndexError` for an animation that there is not.
    """
    asked = [(index, [float(time) for time in seconds]) for index, seconds in (times or {}).items()]
    rest, moved = _native.file_poses(_source(source), asked)
    animations = {
        index: _poses(parts, len(seconds)) for (index, seconds), parts in zip(asked, moved)
    }
    return _poses(rest, 1), animations


def _poses(parts: tuple[list[int], list[float], list[float], list[float]], times: int) -> Poses:
    nodes, *values = parts
    arrays = [
        np.array(of, np.float64).reshape(times, len(nodes), width)
        for of, width in zip(values, (3, 4, 3))
    ]
    return Poses(np.array(nodes, np.int64), *arrays)


def propagate(
    parents: ArrayLike,
    translations: ArrayLike,
    rotations: ArrayLike,
    scales: ArrayLike,
    *,
    strategy: Strategy = "matrix",
    threads: int = 1,
) -> NDArray[Any]:
    """The world transform of every node of a hierarchy, as 4×4 matrices: an array of shape (n, 4, 4).

    `parents` has the index of each node's parent, and -1 for a root, in any order. `translations` is (n, 3), `rotations` is
    (n, 4), quaternions of length 1 as x y z w, `scales` is (n, 3). A matrix transforms columns: `world @ [x, y, z, 1]`.

    `strategy` is "matrix", as Unity, Godot, three.js, Blender and glTF have it, or "trs", as Unreal and OGRE do.

    In `float32` where all three arrays have it, else in `float64`. Arrays of that type that are contiguous are read where they
    are; others are copied first. `parents` is read where it is if it has `int64`. The interpreter is free meanwhile: do not
    write to the arrays in other threads. With several `threads`, as far as there are cores, whole trees are shared out among
    them; parents have to stand before their children for that, and trees one after the other.

    Raises `ValueError` for a parent that is not there, a cycle, a pose that is not finite, and a rotation whose length is further
    from 1 than rounding explains, each with its node. What overflows on the way down is infinite or NaN.
    """
    if strategy not in ("matrix", "trs"):
        raise ValueError(f'strategy is "matrix" or "trs", not {strategy!r}')
    if operator.index(threads) < 1:
        raise ValueError(f"threads is 1 or more, not {threads}")
    above, parts, kind = _arrays(parents, translations, rotations, scales)
    worlds = np.zeros((len(above), 4, 4), kind)
    native: Any = _native.propagate_f32 if kind is np.float32 else _native.propagate_f64
    native(
        np.require(above, np.int64, ["C", "A"]),
        *(np.require(array, kind, ["C", "A"]) for array in parts),
        strategy == "matrix",
        min(threads, os.cpu_count() or 1),
        worlds,
    )
    return worlds


def engine_worlds(
    engine: str,
    parents: ArrayLike,
    translations: ArrayLike,
    rotations: ArrayLike,
    scales: ArrayLike,
) -> NDArray[np.float64]:
    """The same as one engine shows them, by the id that `engines()` lists: an array of shape (n, 4, 4), in `float64`.

    A file with these nodes is meant, in glTF's axes and unit. The matrix of a node of which it is not known what the engine shows is
    NaN throughout, and so are those below it.

    Raises `ValueError` as `propagate` does, and for an engine that there is not.
    """
    above, parts, _ = _arrays(parents, translations, rotations, scales)
    worlds = np.full((len(above), 4, 4), np.nan)
    native: Any = _native.engine_worlds
    native(
        engine,
        np.require(above, np.int64, ["C", "A"]),
        *(np.require(array, np.float64, ["C", "A"]) for array in parts),
        worlds,
    )
    return worlds


def _arrays(
    parents: ArrayLike, translations: ArrayLike, rotations: ArrayLike, scales: ArrayLike
) -> tuple[NDArray[Any], list[NDArray[Any]], type[np.float32 | np.float64]]:
    """Parents, the parts of their poses, and the type to compute in."""
    given = [parents, translations, rotations, scales]
    if any(np.ma.isMaskedArray(array) for array in given):
        raise ValueError("an array is masked, and every node needs a pose")
    above, *parts = [np.asarray(array) for array in given]
    if above.shape == (0,):
        above = np.zeros(0, np.int64)
    if above.ndim != 1 or above.dtype.kind not in "iu":
        raise ValueError(f"parents is {_told(above)}, not integers of shape (n,)")
    if above.dtype == np.uint64 and above.size and above.max() > np.iinfo(np.int64).max:
        raise ValueError(f"node {above.argmax()}: parent {above.max()} is out of range")
    for name, width, array in zip(("translations", "rotations", "scales"), (3, 4, 3), parts):
        if array.shape != (len(above), width) or array.dtype.kind not in "fiu":
            raise ValueError(
                f"{name} is {_told(array)}, not real numbers of shape ({len(above)}, {width})"
            )
    is_single = all(array.dtype.newbyteorder("=") == np.float32 for array in parts)
    return above, parts, np.float32 if is_single else np.float64


def _told(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"
