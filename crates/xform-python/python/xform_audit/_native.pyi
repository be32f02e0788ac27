import numpy as np
from numpy.typing import NDArray

_Source = bytes | str

def audit_json(
    source: _Source,
    engines: list[str] | None,
    reference: str | None,
    motion: bool,
    physics: list[str],
    collider: str | None,
) -> str: ...
def report_html(
    source: _Source,
    engines: list[str] | None,
    reference: str | None,
    motion: bool,
    physics: list[str],
    collider: str | None,
    mesh_budget: int | None,
) -> str: ...
def diff_json(before: _Source, after: _Source) -> str: ...
def engines_json() -> str: ...
def verify_json(
    answers: list[tuple[str, bytes]],
    scenes: str | None,
    expect: str | None,
    tolerance: float | None,
) -> str: ...
def kit_scenes() -> dict[str, str]: ...
def run_program(program: list[str], arguments: list[str]) -> int: ...

class Run:
    def __init__(
        self,
        sources: list[_Source],
        engines: list[str] | None,
        reference: str | None,
        motion: bool,
        physics: list[str],
        collider: str | None,
        nodes: bool,
        max_skew: float | None,
        max_displacement: float | None,
        fail_on: str | None,
        allow_unknown: bool,
    ) -> None: ...
    def next(self) -> tuple[int, str]: ...
    def stop(self) -> None: ...
    def tables(self) -> list[bytes]: ...

def fix_file(
    source: _Source,
    repair: str,
    only: str | None,
    compact: bool,
    stamp: bool,
    tolerance: float,
    data_name: str | None,
) -> tuple[bytes, tuple[str, bytes] | None, str]: ...
def propagate_f32(
    parents: NDArray[np.int64],
    translations: NDArray[np.float32],
    rotations: NDArray[np.float32],
    scales: NDArray[np.float32],
    by_matrix: bool,
    threads: int,
    out: NDArray[np.float32],
) -> None: ...
def propagate_f64(
    parents: NDArray[np.int64],
    translations: NDArray[np.float64],
    rotations: NDArray[np.float64],
    scales: NDArray[np.float64],
    by_matrix: bool,
    threads: int,
    out: NDArray[np.float64],
) -> None: ...
def engine_worlds(
    engine: str,
    parents: NDArray[np.int64],
    translations: NDArray[np.float64],
    rotations: NDArray[np.float64],
    scales: NDArray[np.float64],
    is_fbx: bool,
    out: NDArray[np.float64],
) -> None: ...

_Parts = tuple[list[int], list[float], list[float], list[float]]

def file_poses(
    source: _Source, times: list[tuple[int, list[float]]]
) -> tuple[_Parts, list[_Parts]]: ...
