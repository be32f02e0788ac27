"""How long `propagate` takes beside a loop over nodes in NumPy: `python benches/propagate.py`, with the wheel installed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import xform_audit


def median(work: Callable[[], object], turns: int) -> float:
    """The median of so many turns in microseconds."""
    times = []
    for _ in range(turns):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e6


def skeletons(count: int) -> list[np.ndarray]:
    """Parents, translations, rotations and scales of skeletons of 64 joints."""
    random = np.random.default_rng(1)
    up = [min(int(random.integers(1, 5)), node % 64) for node in range(count)]
    parents = np.array([node - step if step else -1 for node, step in enumerate(up)])
    rotations = random.normal(size=(count, 4))
    rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
    poses = random.normal(size=(count, 3)), rotations, random.uniform(0.5, 1.5, (count, 3))
    return [parents, *(part.astype(np.float32) for part in poses)]


def loop(
    parents: np.ndarray, translations: np.ndarray, rotations: np.ndarray, scales: np.ndarray
) -> np.ndarray:
    """By matrices: the local ones of all nodes at once, then node by node."""
    x, y, z, w = rotations.T
    turns = np.stack(
        [
            *(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            *(2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            *(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        ],
        axis=1,
    )
    locals_ = np.zeros((len(parents), 4, 4), np.float32)
    locals_[:, :3, :3] = turns.reshape(-1, 3, 3) * scales[:, None, :]
    locals_[:, :3, 3], locals_[:, 3, 3] = translations, 1
    worlds = np.empty_like(locals_)
    for node, parent in enumerate(parents):
        worlds[node] = locals_[node] if parent < 0 else worlds[parent] @ locals_[node]
    return worlds


for count in (1_000, 10_000, 100_000):
    poses = skeletons(count)
    off = np.abs(loop(*poses) - xform_audit.propagate(*poses)).max()
    print(
        f"{count} nodes, at most {off:.1e} apart; NumPy's loop {median(lambda: loop(*poses), 3):.0f} µs"
    )
    for strategy in ("matrix", "trs"):
        for threads in (1, 2):
            took = median(
                lambda: xform_audit.propagate(*poses, strategy=strategy, threads=threads), 15
            )
            print(f"  {strategy}, threads {threads}: {took:.0f} µs")
