"""The documents as dictionaries. docs/report-format.md describes each member."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Grade = Literal["identical", "negligible", "visible", "severe"]
Strategy = Literal["matrix", "trs"]
Verdict = Literal["follows", "partly-known", "other-axes", "nearly", "wrong", "nothing"]
Repair = Literal["bake", "leaf", "uniform", "helper", "nearest"]


class Thresholds(TypedDict):
    """The figures at which each grade begins."""

    skewed_degrees: float
    differing_fraction: float
    identical_percent: float
    visible_percent: float
    visible_if_large_percent: float
    large_percent_of_itself: float
    severe_percent: float
    camera_degrees: list[float]
    light_degrees: list[float]


class FbxSettings(TypedDict):
    """The unit and axes of an FBX file."""

    unit_metres: float
    up: Literal["x", "-x", "y", "-y", "z", "-z"]


class Grades(TypedDict):
    """The number of nodes of each grade."""

    identical: int
    negligible: int
    visible: int
    severe: int


class MotionSummary(TypedDict):
    """The measurements over all animations."""

    animations: int
    not_sampled: int
    differing_nodes: int
    grades: Grades
    undrawn: Grades
    max_skew_difference_degrees: float
    max_displacement: float
    max_displacement_percent: float | None


class _Summary(TypedDict, total=False):
    motion: MotionSummary


class Summary(_Summary):
    """The measurements of a whole scene."""

    grade: Grade
    nodes: int
    max_depth: int
    skewed_nodes: int
    differing_nodes: int
    grades: Grades
    undrawn: Grades
    diagonal: float
    max_skew_degrees: float
    max_skew_difference_degrees: float
    max_displacement: float
    max_displacement_percent: float | None


class SceneWarning(TypedDict):
    """A warning about the file."""

    code: str
    node: int | None
    pointer: str
    message: str


class Pose(TypedDict):
    """The local pose of a node, as arrays of 3, 4 (x y z w) and 3 numbers."""

    translation: list[float]
    rotation: list[float]
    scale: list[float]


class MatrixWorld(TypedDict):
    """The world transform of a node if matrices are multiplied, in column-major order."""

    world: list[float]


class TrsWorld(TypedDict):
    """The world transform of a node if translations, rotations and scales are combined."""

    translation: list[float]
    rotation: list[float]
    scale: list[float]
    world: list[float]


class NodeInGroup(TypedDict):
    """The world transform of a node in a group of engines that agree with neither strategy."""

    group: int
    world: list[float]


class Contribution(TypedDict):
    """The contribution of one of several scales."""

    scaler: int
    removes_displacement: float | None
    removes_difference: float | None
    removes_skew_degrees: float | None


class _Cause(TypedDict, total=False):
    contributions: list[Contribution]


class Cause(_Cause):
    """The cause of a node's difference."""

    kind: Literal["scale", "rotation", "inherit-type"]
    scaler: int
    partner: int | None
    rotator: int | None
    removes_fraction: float
    removes_displacement: float | None
    removes_difference: float | None
    removes_skew_degrees: float | None
    candidates: int


class _Node(TypedDict, total=False):
    role: Literal[
        "camera", "directional-light", "point-light", "spot-light", "area-light", "socket"
    ]
    instance_of: int
    invisible: Literal[True]
    skinned: Literal[True]
    inherit: Literal["no-scale", "no-rotation", "position-only", "nothing"]
    inherit_type: Literal["RrSs", "Rrs"]
    local_residual: float
    groups: list[NodeInGroup]
    skew_group: int
    turned_degrees: float


class Node(_Node):
    """A node of a scene and its differences."""

    index: int
    name: str | None
    parent: int | None
    depth: int
    grade: Grade
    counts: bool
    local: Pose
    matrix: MatrixWorld
    trs: TrsWorld
    skew_degrees: float | None
    skew_pairs_degrees: list[float | None]
    orthogonality: float | None
    linear_difference: float | None
    skew_difference_degrees: float | None
    nearest_trs_distance: float
    group: int | None
    displacement: float | None
    displacement_percent: float | None
    displacement_percent_of_itself: float | None
    cause: Cause | None


class _NotSampled(TypedDict, total=False):
    code: str


class NotSampled(_NotSampled):
    """The part of an animation that could not be sampled."""

    pointer: str
    node: int | None
    why: str


class _AnimationFigures(TypedDict, total=False):
    first_channels: Literal[True]
    uniform: Literal[True]
    group: int


class AnimationFigures(_AnimationFigures):
    """The measurements of an animation."""

    index: int
    name: str | None
    start_seconds: float | None
    end_seconds: float | None
    keyframes: int
    samples: int
    grade: Any
    nodes: int
    not_sampled: list[NotSampled]


class Peak(TypedDict):
    """The largest value of a figure and its time."""

    max: float
    seconds: float


class AtWorst(TypedDict):
    """A node at its worst moment in an animation."""

    seconds: float
    node: Node


class _NodeMotion(TypedDict, total=False):
    first_channels: Literal[True]
    group: int
    skew_group: int
    turned_degrees: Peak
    at_worst: AtWorst


class NodeMotion(_NodeMotion):
    """The differences of a node in an animation."""

    animation: int
    grade: Grade
    node: int
    skew_difference_degrees: Peak
    linear_difference: Peak
    displacement: Peak
    displacement_percent: float | None
    displacement_percent_of_itself: float | None


class KnownEngine(TypedDict):
    """An engine, and how its rule is known."""

    id: str
    known: Literal["run", "read", "documented", "not seen", "defined"]


class _EngineNode(TypedDict, total=False):
    turned_degrees: float
    animation: int
    animation_name: str
    seconds: float


class EngineNode(_EngineNode):
    """A node that an engine shows elsewhere, at the moment of the largest difference."""

    node: int
    grade: Grade
    displacement: float
    displacement_percent: float | None
    skew_difference_degrees: float


class _EngineGroup(TypedDict, total=False):
    odd_rotation: int


class EngineGroup(_EngineGroup):
    """Engines that show the same result."""

    engines: list[KnownEngine]
    strategy: Literal["matrices", "trs"] | None
    grade: Grade
    differing: int
    sheared: int | None
    nodes: list[EngineNode]


class UnknownEngine(TypedDict):
    """An engine whose result is unknown."""

    engine: KnownEngine
    node: int
    reason: str


class _SceneEngines(TypedDict, total=False):
    not_judged: Literal[True]


class SceneEngines(_SceneEngines):
    """The results of engines for a scene."""

    reference: str | None
    groups: list[EngineGroup]
    unknown: list[UnknownEngine]


class _UndrawnNode(TypedDict, total=False):
    role: Literal[
        "camera", "directional-light", "point-light", "spot-light", "area-light", "socket"
    ]
    turned_degrees: float
    animation: int
    animation_name: str
    seconds: float


class UndrawnNode(_UndrawnNode):
    """A camera, a light or an empty that differs."""

    node: int
    grade: Grade
    engines: list[str]
    skew_difference_degrees: float | None
    linear_difference: float | None
    displacement_percent: float | None


class PhysicsRoad(TypedDict):
    """A physics engine, and the way in which shapes are passed to it."""

    id: str
    road: str
    known: Literal["run", "read", "documented"]


class _ColliderInEngine(TypedDict, total=False):
    refused: str
    unknown: str
    animation: int
    animation_name: str
    seconds: float
    falls_through: Literal[True]


class ColliderInEngine(_ColliderInEngine):
    """A collider in a physics engine."""

    engine: str
    grade: Grade
    distance: float | None
    percent_of_itself: float | None
    collider: Any
    drawn: Any


class ColliderAdvice(TypedDict):
    """Advice for a collider, with its measured result."""

    kind: Literal["apply-scale", "make-hull", "make-uniform"]
    grade: Grade
    remaining: float
    unknown: int


class _Collider(TypedDict, total=False):
    not_judged: str
    flattened_by: int


class Collider(_Collider):
    """A collision shape."""

    node: int
    source: str
    shape: Literal["sphere", "box", "capsule", "cylinder", "cone", "hull", "mesh"] | None
    grade: Grade
    dynamic: bool
    skewed: bool
    mirrored: bool
    engines: list[ColliderInEngine]
    cause: Any
    advice: list[ColliderAdvice]


class Physics(TypedDict):
    """The colliders of a scene in physics engines."""

    grade: Grade
    engines: list[PhysicsRoad]
    judged_as: Literal["sphere", "box", "capsule", "cylinder", "cone", "hull", "mesh"] | None
    colliders: list[Collider]


class _Scene(TypedDict, total=False):
    fbx: FbxSettings
    animations: list[AnimationFigures]
    motion: list[NodeMotion]
    undrawn: list[UndrawnNode]
    physics: Physics


class Scene(_Scene):
    """The measurements of a scene."""

    source: str
    summary: Summary
    warnings: list[SceneWarning]
    nodes: list[Node]
    engines: SceneEngines


class OtherError(TypedDict):
    """A further defect of a file."""

    code: str
    pointer: str
    error: str


class AuditError(TypedDict):
    """A file that could not be audited."""

    source: str
    code: str
    pointer: str
    error: str
    others: list[OtherError]
    more: int


class Audit(TypedDict):
    """The output of `xform audit --format json`."""

    schema: str
    thresholds: Thresholds
    scenes: list[Scene]
    errors: list[AuditError]


class Diff(TypedDict):
    """The output of `xform diff --format json`."""

    schema: str
    is_worse: bool
    before: dict[str, Any]
    after: dict[str, Any]
    tolerance_percent: float
    counts_undrawn: bool
    shape: dict[str, Any] | None
    engines: dict[str, Any] | None


class _Unknown(TypedDict, total=False):
    """The members that may be missing: the engines whose result for a repaired file is unknown, anything that could not
    be judged, and extensions that may refer to repaired data."""

    unknown: list[str]
    not_judged: list[SceneWarning]
    unknown_extensions: list[str]


class FixReport(_Unknown):
    """The output of `xform fix --format json`."""

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
    """A way of querying one engine, and the rule that it follows."""

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
    """The output of `xform verify --format json`."""

    schema: str
    bound: float
    runs: list[VerifiedRun]
