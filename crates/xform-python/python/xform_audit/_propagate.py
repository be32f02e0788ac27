"""World transforms over NumPy's arrays."""

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
    """The world transform of every node of a hierarchy, as 4×4 matrices: an array of shape (n, 4, 4).

    `parents` has the index of each node's parent, and -1 or `None` for a root, in any order. `translations` is (n, 3), `rotations` is
    (n, 4), quaternions as x y z w, `scales` is (n, 3); a number, or one for each node in an array of shape (n,), scales evenly. A matrix transforms
    columns: `world @ [x, y, z, 1]`.

    Poses may have further dimensions in front, such as frames: of translations of shape (frames, n, 3), rotations of shape (n, 4) and a scale of 1 the result
    has shape (frames, n, 4, 4). What is without frames is the same in each.

    `strategy` is "matrix", as Unity, Godot, three.js, Blender and glTF have it, or "trs", as Unreal and OGRE do.

    In `float32` where all three arrays have it, else in `float64`; a number for the scale goes with either. Arrays of that type that are contiguous are read where they
    are; others are copied first. `parents` is read where it is if it has `int64`. `out` is an array of the shape and type of the result, which is written
    and returned; after an error there is nothing of use in it. The interpreter is free meanwhile: do not
    write to the arrays in other threads. With several `threads`, as far as there are cores, frames are shared out among them, or else whole trees: for
    these, parents have to stand before their children, and trees one after the other.

    A rotation is normalised where its length is off by up to about 1 %, as a file's is that was written with three digits, and refused where it is off by more.

    Raises `ValueError` for a parent that is not there, a cycle, a pose that is not finite, such a rotation, each with its node, and an
    `out` that does not fit. What overflows on the way down is infinite or NaN.
    """
    if strategy not in ("matrix", "trs"):
        raise ValueError(f'strategy is "matrix" or "trs", not {strategy!r}')
    if operator.index(threads) < 1:
        raise ValueError(f"threads is 1 or more, not {threads}")
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
    """The same as one engine shows them, by the id that `engines()` lists: an array of shape (n, 4, 4), in `float64`.

    A file with these nodes is meant, in glTF's axes and unit; of an FBX file less is known of some engines. The matrix of a node of which it is not known what the engine shows is
    NaN throughout, and so are those below it. Poses may have frames, and scales be numbers, as for `propagate`.

    Raises `ValueError` as `propagate` does, and for an engine or a format that there is not.
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
    """Parents, the parts of their poses, the type to compute in, and the shape of what is in front of the nodes."""
    given = [parents, translations, rotations, scales]
    if any(np.ma.isMaskedArray(array) for array in given):
        raise ValueError("an array is masked, and every node needs a pose")
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
        # A number has no type that an array has to follow.
        # What is too large for that is found with its node.
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
        raise ValueError(f"frames do not go together: {shapes}") from None
    return above, parts, np.float32 if is_single else np.float64, frames


def _rows(array: NDArray[Any], kind: type, frames: tuple[int, ...]) -> NDArray[Any]:
    """Node by node, in all frames, or once where it is the same in each."""
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
        raise ValueError("out shares memory with what is read")
    return out


def _told(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"
