"""The documents as dictionaries. docs/report-format.md says what each member means."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Grade = Literal["identical", "negligible", "visible", "severe"]
Strategy = Literal["matrix", "trs"]
Verdict = Literal["follows", "partly-known", "other-axes", "nearly", "wrong", "nothing"]
Repair = Literal["bake", "leaf", "uniform", "helper", "nearest"]


class Node(TypedDict, total=False):
    """A node of a scene, and how it differs."""

    index: int
    instance_of: int
    name: str | None
    parent: int | None
    depth: int
    grade: Grade
    counts: bool
    role: str
    invisible: Literal[True]
    skinned: Literal[True]
    local: dict[str, list[float]]
    inherit: str
    inherit_type: str
    local_residual: float
    matrix: dict[str, Any]
    trs: dict[str, Any]
    skew_degrees: float | None
    skew_pairs_degrees: list[float | None]
    orthogonality: float | None
    nearest_trs_distance: float
    groups: list[dict[str, Any]]
    group: int | None
    skew_group: int | None
    linear_difference: float | None
    skew_difference_degrees: float | None
    turned_degrees: float
    displacement: float | None
    displacement_percent: float | None
    displacement_percent_of_itself: float | None
    cause: dict[str, Any] | None


class Scene(TypedDict, total=False):
    """What was measured of a scene."""

    source: str
    fbx: dict[str, Any]
    summary: dict[str, Any]
    warnings: list[dict[str, Any]]
    nodes: list[Node]
    undrawn: list[dict[str, Any]]
    animations: list[dict[str, Any]]
    motion: dict[str, Any]
    physics: dict[str, Any]
    engines: dict[str, Any]


class Audit(TypedDict):
    """What `xform audit --format json` writes."""

    schema: str
    thresholds: dict[str, Any]
    scenes: list[Scene]
    errors: list[dict[str, Any]]


class Diff(TypedDict):
    """What `xform diff --format json` writes."""

    schema: str
    is_worse: bool
    before: dict[str, Any]
    after: dict[str, Any]
    tolerance_percent: float
    counts_undrawn: bool
    shape: dict[str, Any] | None
    engines: dict[str, Any] | None


class _Unknown(TypedDict, total=False):
    """The engines of which it is not known what they show of a repaired file; missing where there are none."""

    unknown: list[str]


class FixReport(_Unknown):
    """What `xform fix --format json` writes."""

    schema: str
    repair: Repair
    input: str
    output: str | None
    groups: list[dict[str, Any]]
    proof: dict[str, Any] | None
    remaining: dict[str, Any]
    compacted: dict[str, Any] | None
    not_compacted: str | None


class Engine(TypedDict):
    """An engine, and how its rule is known."""

    id: str
    name: str
    rule: str
    worlds_known: str
    sheared_matrices_known: str


class VerifiedRun(TypedDict):
    """One way of asking one engine, and the rule that it follows."""

    file: str
    run: str
    engine: str
    version: str
    date: str
    asked: str
    verdict: Verdict
    followed: bool
    headline: str
    details: list[str]
    judged_as: str
    judged_engine: str | None
    judged: dict[str, Any] | None
    follows: list[dict[str, Any]]
    nearly: list[dict[str, Any]]
    possible: list[dict[str, Any]]
    nearest: dict[str, Any] | None
    axes: dict[str, Any] | None
    first_wrong: dict[str, Any] | None
    not_in_motion: list[str]
    told_apart_by: list[dict[str, Any]]
    scenes: list[dict[str, Any]]
    failed: list[dict[str, str]]
    unknown_scenes: list[str]


class Verification(TypedDict):
    """What `xform verify --format json` writes."""

    schema: str
    bound: float
    runs: list[VerifiedRun]
