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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as _version
from os import PathLike
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._error import Defect, XformError
from ._many import AssetRow, Audits, Limits, audit_many
from ._propagate import engine_worlds, propagate
from ._source import Source, engine_names, resolved, several
from ._source import path as as_path
from ._types import (
    AnimationFigures,
    AtWorst,
    Audit,
    AuditError,
    Cause,
    Collider,
    ColliderAdvice,
    ColliderInEngine,
    Contribution,
    Diff,
    Engine,
    EngineGroup,
    EngineNode,
    FbxSettings,
    FixReport,
    Grade,
    Grades,
    KnownEngine,
    MatrixWorld,
    MotionSummary,
    Node,
    NodeInGroup,
    NodeMotion,
    NotSampled,
    OtherError,
    Peak,
    Physics,
    PhysicsRoad,
    Pose,
    Repair,
    Scene,
    SceneEngines,
    SceneWarning,
    Strategy,
    Summary,
    Thresholds,
    TrsWorld,
    UndrawnNode,
    UnknownEngine,
    Verdict,
    Verification,
    VerifiedRun,
)

__all__ = [
    "AnimationFigures",
    "AssetRow",
    "AtWorst",
    "Audit",
    "AuditError",
    "Audits",
    "Cause",
    "Collider",
    "ColliderAdvice",
    "ColliderInEngine",
    "Contribution",
    "Defect",
    "Diff",
    "Engine",
    "EngineGroup",
    "EngineNode",
    "FbxSettings",
    "FixReport",
    "Fixed",
    "Grade",
    "Grades",
    "KnownEngine",
    "Limits",
    "MatrixWorld",
    "MotionSummary",
    "Node",
    "NodeInGroup",
    "NodeMotion",
    "NotSampled",
    "OtherError",
    "Peak",
    "Physics",
    "PhysicsRoad",
    "Pose",
    "Poses",
    "Repair",
    "Scene",
    "SceneEngines",
    "SceneWarning",
    "Source",
    "Strategy",
    "Summary",
    "Thresholds",
    "TrsWorld",
    "UndrawnNode",
    "UnknownEngine",
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


def audit(
    source: Source,
    *,
    engines: str | Iterable[str] | None = None,
    reference: str | None = None,
    motion: bool = True,
    physics: str | Iterable[str] = (),
    collider: str | None = None,
) -> Audit:
    """Audits a file, or a scene that is built in.

    `source` is a path, the name of a built-in scene, the bytes of a file, a file that is open, a glTF document as a dictionary, or a scene of
    trimesh or pygltflib. So it is in all functions that take a scene. What trimesh exports is read then: that has no animations, so name the file where there is one.
    `xform.toml` is not read.

    `engines` is an id that `engines()` lists, several of them, or "all"; without it the usual ones are compared. `reference` is the engine that
    they are compared with; without it that is what the file's format defines. Without `motion`, animations are not looked at.

    `physics` names a physics engine, or several, in which colliders are judged, as docs/physics.md lists them: "godot-jolt", "jolt/nested". `collider` is what
    each drawn mesh is judged as in a file without colliders: "sphere", "box", "capsule", "hull" or "mesh".

    Buffers in other files are read for a path, and for nothing else.

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
    return _native.audit_json(
        resolved(source), engine_names(engines), reference, motion, several(physics), collider
    )


def report(
    source: Source,
    *,
    engines: str | Iterable[str] | None = None,
    reference: str | None = None,
    motion: bool = True,
    physics: str | Iterable[str] = (),
    collider: str | None = None,
    no_meshes: bool = False,
    mesh_budget: float = 5.0,
) -> str:
    """The page that `xform report` writes, as HTML that needs nothing else.

    `engines`, `reference`, `motion`, `physics` and `collider` are as in `audit`. Meshes take `mesh_budget` megabytes of the page at most; of more, those that
    differ least are shown as boxes. With `no_meshes` all are, and no mesh is in the page: for assets that may not leave the house.

    Raises as `audit` does.
    """
    if not 0 <= mesh_budget <= 2000:
        raise ValueError(f"mesh_budget is from 0 to 2000 megabytes, not {mesh_budget}")
    return _native.report_html(
        resolved(source),
        engine_names(engines),
        reference,
        motion,
        several(physics),
        collider,
        None if no_meshes else int(mesh_budget * 1e6),
    )


def diff(before: Source, after: Source) -> Diff:
    """What became better and worse between two versions of an asset, node by node."""
    return cast(Diff, json.loads(_native.diff_json(resolved(before), resolved(after))))


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        data = "" if self.data is None else f", {self.data_name!r} of {len(self.data)} bytes"
        groups = self.report["groups"]
        return f"<Fixed of {len(self.file)} bytes{data}: {len(groups)} groups, see .report>"


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
        resolved(source), repair, only, compact, stamp, tolerance, data_name
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
        path = as_path(answers)
        with open(path, "rb") as file:
            read = [(path, file.read())]
    else:
        documents = [answers] if isinstance(answers, Mapping) else list(answers)
        text = "\n".join(json.dumps(document, allow_nan=False) for document in documents)
        read = [("answers", text.encode())]
    folder = None if scenes is None else as_path(scenes)
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
    rest, moved = _native.file_poses(resolved(source), asked)
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
