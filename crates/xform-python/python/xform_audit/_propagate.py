"""Computes world transforms over NumPy's arrays."""

from __future__ import annotations

import operator
import os
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._types import Strategy


def propagate(
    parents: ArrayLike,
    translations: ArrayLike,
    rotations: ArrayLike,
    scales: ArrayLike,
    *,
    strategy: Strategy = "matrix",
    threads: int = 1,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Computes the world transform of every node of a hierarchy: an array of 4×4 matrices, with shape (n, 4, 4).

    `parents` contains the index of each node's parent, or -1 or `None` for a root. The nodes may be in any order.
    `translations` has shape (n, 3). `rotations` has shape (n, 4), quaternions as x y z w. `scales` has shape (n, 3);
    for uniform scales, pass a number or an array of shape (n,). A matrix transforms columns: `world @ [x, y, z, 1]`.

    Poses may have leading dimensions, such as frames: with translations of shape (frames, n, 3), rotations of shape (n,
    4) and a scale of 1, the result has shape (frames, n, 4, 4). An array without frames applies to every frame.

    `strategy` is "matrix", as in Unity, Godot, three.js, Blender and glTF viewers, or "trs", as in Unreal and OGRE.

    The result is `float32` if all three arrays are, otherwise `float64`. A number as the scale fits either. Contiguous
    arrays of the result's type are used in place; others are copied first. `parents` is used in place if it is `int64`.
    `out` is an array with the shape and type of the result, which is filled and returned; after an error its contents
    are undefined. The interpreter is released meanwhile, so do not write to the arrays in other threads. With several
    `threads` (at most one for each core) frames are distributed among them, or else whole trees. For trees, parents
    must come before their children, and the nodes of one tree must be consecutive.

    A rotation is normalised if its length is off by up to about 1 %, as in a file that was written with three digits.
    Otherwise it is refused.

    Raises `ValueError` for a parent that does not exist, a cycle, a pose that is not finite and a refused rotation,
    each with the node, and for an `out` that does not fit. Values that overflow during propagation become infinite or
    NaN.
    """
    if strategy not in ("matrix", "trs"):
        raise ValueError(f'strategy must be "matrix" or "trs", not {strategy!r}')
    if operator.index(threads) < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")
    above, parts, kind, frames = _arrays(parents, translations, rotations, scales)
    shape = (*frames, len(above), 4, 4)
    worlds = np.zeros(shape, kind) if out is None else _fitting(out, shape, kind, [above, *parts])
    native: Any = _native.propagate_f32 if kind is np.float32 else _native.propagate_f64
    native(
        np.require(above, np.int64, ["C", "A"]),
        *(_rows(array, kind, frames) for array in parts),
        strategy == "matrix",
        min(threads, os.cpu_count() or 1),
        worlds.reshape(-1, 4, 4),
    )
    return worlds


def engine_worlds(
    engine: str,
    parents: ArrayLike,
    translations: ArrayLike,
    rotations: ArrayLike,
    scales: ArrayLike,
    *,
    format: Literal["gltf", "fbx"] = "gltf",
) -> NDArray[np.float64]:
    """Computes the world transforms as one engine shows them: a `float64` array of shape (n, 4, 4).

    `engine` is an id listed by `engines()`. The nodes are treated as a file in glTF's axes and unit; for FBX files less
    is known about some engines. If the engine's result for a node is unknown, all entries of its matrix and of its
    descendants' matrices are NaN. Poses may have frames, and scales may be numbers, as for `propagate`.

    Raises `ValueError` like `propagate`, and for an unknown engine or format.
    """
    if format not in ("gltf", "fbx"):
        raise ValueError(f"no format `{format}`; there are: gltf, fbx")
    above, parts, _, frames = _arrays(parents, translations, rotations, scales)
    worlds = np.full((*frames, len(above), 4, 4), np.nan)
    native: Any = _native.engine_worlds
    of_frames = [np.broadcast_to(array, (*frames, *array.shape[-2:])) for array in parts]
    for frame in np.ndindex(frames):
        native(
            engine,
            np.require(above, np.int64, ["C", "A"]),
            *(np.require(array[frame], np.float64, ["C", "A"]) for array in of_frames),
            format == "fbx",
            worlds[frame],
        )
    return worlds


def _arrays(
    parents: ArrayLike, translations: ArrayLike, rotations: ArrayLike, scales: ArrayLike
) -> tuple[NDArray[Any], list[NDArray[Any]], type[np.float32 | np.float64], tuple[int, ...]]:
    """Returns the parents, the parts of the poses, the type to compute in, and the shape of the leading dimensions."""
    given = [parents, translations, rotations, scales]
    if any(np.ma.isMaskedArray(array) for array in given):
        raise ValueError("an array is masked, but every node needs a pose")
    above, moved, turned, scaled = (np.asarray(array) for array in given)
    if above.dtype == object and above.ndim == 1:
        above = np.array([-1 if parent is None else parent for parent in above])
    if above.shape == (0,):
        above = np.zeros(0, np.int64)
    if above.ndim != 1 or above.dtype.kind not in "iu":
        raise ValueError(f"parents is {_told(above)}, not integers of shape (n,)")
    if above.dtype == np.uint64 and above.size and above.max() > np.iinfo(np.int64).max:
        raise ValueError(f"node {above.argmax()}: parent {above.max()} is out of range")
    count = len(above)
    floats = [array for array in (moved, turned) if array.dtype.kind == "f"]
    if scaled.ndim == 0 and scaled.dtype.kind in "fiu":
        # A number does not determine the type; the arrays do.
        # A number too large for that type is reported later, with its node.
        with np.errstate(over="ignore"):
            kind = np.result_type(*floats) if floats else np.float64
            scaled = np.full((count, 3), scaled).astype(kind)
    elif scaled.shape == (count,):
        scaled = np.repeat(scaled[:, None], 3, axis=1)
    parts = [moved, turned, scaled]
    for name, width, array in zip(("translations", "rotations", "scales"), (3, 4, 3), parts):
        if array.shape[-2:] != (count, width) or array.dtype.kind not in "fiu":
            also = f", ({count},) or a number" if name == "scales" else ""
            raise ValueError(
                f"{name} is {_told(array)}, not real numbers of shape (…, {count}, {width}){also}"
            )
    is_single = all(array.dtype.newbyteorder("=") == np.float32 for array in parts)
    try:
        frames = np.broadcast_shapes(*(array.shape[:-2] for array in parts))
    except ValueError:
        shapes = ", ".join(str(array.shape[:-2]) for array in parts)
        raise ValueError(f"the shapes of the frames do not match: {shapes}") from None
    return above, parts, np.float32 if is_single else np.float64, frames


def _rows(array: NDArray[Any], kind: type, frames: tuple[int, ...]) -> NDArray[Any]:
    """Returns the rows by frame and then by node. An array without frames is not repeated."""
    if array.ndim > 2:
        array = np.broadcast_to(array, (*frames, *array.shape[-2:]))
    array = np.require(array, kind, ["C", "A"])
    return array.reshape(-1, array.shape[-1])


def _fitting(
    out: NDArray[Any], shape: tuple[int, ...], kind: type, parts: list[NDArray[Any]]
) -> NDArray[Any]:
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != kind:
        told = _told(out) if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"out is {told}, not {np.dtype(kind)} of shape {shape}")
    if not (out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
        raise ValueError("out is not contiguous, or not writeable")
    if any(np.may_share_memory(out, array) for array in parts):
        raise ValueError("out shares memory with an input array")
    return out


def _told(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"
