"""Finds where, why and by how much a 3D asset looks different in different engines, and how to fix it.

Unity, Godot, three.js and Blender multiply matrices; Unreal combines scales and rotations separately. Below a
non-uniform scale the results differ. This package reads glTF and FBX files and reports the differences:

>>> import xform_audit
>>> audit = xform_audit.audit("skewed-child")  # a built-in scene, or the path of a file
>>> audit["scenes"][0]["summary"]["grade"]
'severe'

`propagate` computes world transforms over NumPy's arrays, like either kind of engine.

A bad file raises `XformError`, with the code and the place of the defect. FBX files are read by a C library in this
process; read untrusted files with the program `xform`, which uses a separate process for each.
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
    """Audits a file or a built-in scene.

    `source` is a path, the name of a built-in scene, the bytes of a file, an open file, a glTF document as a
    dictionary, or a scene from trimesh or pygltflib. The same applies to every function that takes a scene. A trimesh
    scene is exported and then read. The export has no animations, so pass the original file if there is one.
    `xform.toml` is not read.

    `engines` is an id listed by `engines()`, several ids, or "all". The default is the usual engines. `reference` is
    the engine that they are compared with. By default that is what the file's format defines. If `motion` is false,
    animations are skipped.

    `physics` is one or more physics engines in which colliders are judged, listed in docs/physics.md: "godot-jolt",
    "jolt/nested". `collider` is the shape that each drawn mesh is judged as in a file without colliders: "sphere",
    "box", "capsule", "hull" or "mesh".

    Buffers in other files are only read if `source` is a path.

    Raises `XformError` for a bad file, `OSError` for a file that cannot be opened and `ValueError` for an unknown
    engine.
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
    """Like `audit`, but returns the text. It is byte-identical to the output of `xform audit --format json`."""
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
    """Returns the page that `xform report` writes, as self-contained HTML.

    `engines`, `reference`, `motion`, `physics` and `collider` are as in `audit`. Meshes take at most `mesh_budget`
    megabytes of the page. If they would take more, those that differ least are shown as boxes. With `no_meshes` all
    meshes are shown as boxes and none is in the page, for confidential assets.

    Raises the same exceptions as `audit`.
    """
    if not 0 <= mesh_budget <= 2000:
        raise ValueError(f"mesh_budget must be from 0 to 2000 megabytes, not {mesh_budget}")
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
    """Compares two versions of an asset and reports what became better or worse, node by node."""
    return cast(Diff, json.loads(_native.diff_json(resolved(before), resolved(after))))


@dataclass(frozen=True, repr=False)
class Fixed:
    """A repaired file. Nothing has been written to disk; that is up to you."""

    file: bytes
    """The file. The bytes are unchanged if there was nothing to repair."""
    data: bytes | None
    """New data of a `.gltf`, to be written beside it. A GLB contains them."""
    data_name: str | None
    """The name of the file for the new data."""
    report: FixReport
    """The repairs made, those refused with reasons, and the proof."""

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
    """Repairs a glTF file, like `xform fix`. docs/fixing.md describes what each repair keeps and what it costs.

    The repaired file refers to the same images and other buffers as the original, so it belongs in the same folder.
    `data_name` is the name of the file for the new data of a `.gltf`. The default is the first free name among
    `repaired.bin`, `repaired.2.bin` and so on.

    Raises `XformError`, with the code "not-proved" if the proof fails, and `ValueError` if `data_name` would replace
    the file, or one of its buffers or images.
    """
    file, data, told = _native.fix_file(
        resolved(source), repair, only, compact, stamp, tolerance, data_name
    )
    name, content = data or (None, None)
    return Fixed(file, content, name, cast(FixReport, json.loads(told)))


def engines() -> list[Engine]:
    """Lists every known engine, with its rule in a sentence and how the rule is known."""
    return cast(list[Engine], json.loads(_native.engines_json()))


def kit_scenes() -> dict[str, str]:
    """Returns the scenes for testing importers: glTF files as text, by name, the simplest first."""
    return _native.kit_scenes()


def verify(
    answers: str | PathLike[str] | Mapping[str, Any] | Iterable[Mapping[str, Any]],
    *,
    scenes: str | PathLike[str] | None = None,
    expect: str | None = None,
    tolerance: float | None = None,
) -> Verification:
    """Finds the engine whose rule an importer follows, and the first node that deviates from it.

    `answers` is an `xform-answers/1` document, several documents, or the path of a file with some; docs/verify.md
    describes the format. `scenes` is the folder of the glTF files that were imported. The default is the scenes of
    `kit_scenes()`. `expect` is the id, listed by `engines()`, of an engine whose rule the answers must follow.
    Residuals up to `tolerance` count as rounding.

    Raises `ValueError` for malformed answers or an unknown engine, and `OSError` for a folder without scenes.
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
    """Local poses of nodes at several times. All values of a node with a sheared matrix are NaN."""

    nodes: NDArray[np.int64]
    """The nodes' indices in the file, in ascending order."""
    translations: NDArray[np.float64]
    """Shape (times, nodes, 3), like the scales."""
    rotations: NDArray[np.float64]
    """Shape (times, nodes, 4): unit quaternions as x y z w."""
    scales: NDArray[np.float64]


def poses(
    source: Source, times: Mapping[int, Sequence[float]] | None = None
) -> tuple[Poses, dict[int, Poses]]:
    """Returns the local poses in a file: at rest, and in its animations at the given times.

    `times` maps the index of an animation to times in seconds. The rest poses are those of all nodes, at one time. The
    poses of an animation are those of the nodes that it moves, interpolated between keyframes as glTF defines.
    `propagate` computes world transforms from these poses and the parents reported by `audit`. This does not apply to
    FBX nodes with an `inherit_type` or to their descendants.

    Raises the same exceptions as `audit`, and `IndexError` for an animation that does not exist.
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
