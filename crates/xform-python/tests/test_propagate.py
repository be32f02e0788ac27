from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from xform_audit import Strategy, engine_worlds, propagate

Poses = tuple[NDArray[np.int64], NDArray[Any], NDArray[Any], NDArray[Any]]


def random_poses(seed: int, count: int, trees: int = 1, kind: Any = np.float64) -> Poses:
    random = np.random.default_rng(seed)
    parents = np.full(count, -1, dtype=np.int64)
    size = -(-count // trees)
    for node in range(count):
        first = node - node % size
        if node > first:
            parents[node] = random.integers(first, node)
    rotations = random.normal(size=(count, 4))
    rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
    scales = random.uniform(0.5, 1.5, (count, 3)) * random.choice([-1, 1, 1], (count, 3))
    parts = random.normal(size=(count, 3)), rotations, scales
    translations, rotations, scales = (part.astype(kind) for part in parts)
    return parents, translations, rotations, scales


def turn(q: NDArray[Any]) -> NDArray[np.float64]:
    x, y, z, w = q.astype(np.float64)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def oracle(poses: Poses, strategy: Strategy) -> NDArray[np.float64]:
    """Node by node in NumPy: products of matrices, or the parts of each apart."""
    parents, translations, rotations, scales = poses
    worlds: dict[int, Any] = {}

    def world(node: int) -> Any:
        if node not in worlds:
            local = (
                translations[node].astype(float),
                turn(rotations[node]),
                scales[node].astype(float),
            )
            above = None if parents[node] < 0 else world(int(parents[node]))
            if strategy == "matrix":
                matrix = np.eye(4)
                matrix[:3, :3] = local[1] * local[2]
                matrix[:3, 3] = local[0]
                worlds[node] = matrix if above is None else above @ matrix
            elif above is None:
                worlds[node] = local
            else:
                t, r, s = above
                worlds[node] = (t + r @ (s * local[0]), r @ local[1], s * local[2])
        return worlds[node]

    out = np.zeros((len(parents), 4, 4))
    for node in range(len(parents)):
        if strategy == "matrix":
            out[node] = world(node)
        else:
            t, r, s = world(node)
            out[node, :3, :3], out[node, :3, 3], out[node, 3, 3] = r * s, t, 1
    return out


@pytest.mark.parametrize("strategy", ["matrix", "trs"])
@pytest.mark.parametrize(("kind", "off"), [(np.float64, 1e-13), (np.float32, 1e-4)])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_worlds_are_those_of_an_oracle(
    strategy: Strategy, kind: Any, off: float, threads: int
) -> None:
    for seed in range(30):
        poses = random_poses(seed, 1 + 7 * seed, trees=1 + seed % 5, kind=kind)
        found = propagate(*poses, strategy=strategy, threads=threads)
        assert found.dtype == kind and found.shape == (len(poses[0]), 4, 4)
        expected = oracle(poses, strategy)
        largest = np.abs(expected).max(axis=(1, 2), keepdims=True)
        assert (np.abs(found - expected) / largest).max() < off


@pytest.mark.parametrize("strategy", ["matrix", "trs"])
def test_nodes_may_be_in_any_order(strategy: Strategy) -> None:
    parents, *parts = random_poses(3, 200, trees=3)
    order = np.random.default_rng(3).permutation(200)
    place = np.argsort(order)
    moved = np.where(parents[order] < 0, -1, place[parents[order]])
    found = propagate(moved, *(part[order] for part in parts), strategy=strategy, threads=2)
    assert np.array_equal(found, propagate(parents, *parts, strategy=strategy)[order])


def test_the_strategies_differ_where_they_do() -> None:
    quarter = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    arguments = [-1, 0], np.zeros((2, 3)), [[0, 0, 0, 1], quarter], [[2, 1, 1], [1, 1, 1]]
    matrix, trs = (propagate(*arguments, strategy=which)[1] for which in ("matrix", "trs"))
    # The stretch along x of the parent, and along the child's own x.
    assert np.allclose(matrix[:2, :2], [[0, -2], [1, 0]])
    assert np.allclose(trs[:2, :2], [[0, -1], [2, 0]])


def test_arrays_of_the_right_kind_are_not_copied() -> None:
    poses = random_poses(1, 50_000, trees=500, kind=np.float32)
    propagate(*poses)
    tracemalloc.start()
    worlds = propagate(*poses)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < worlds.nbytes + 100_000
    # Others are, and give the same.
    strided = tuple(np.repeat(part, 2, axis=0)[::2] for part in poses)
    assert np.array_equal(propagate(*strided), worlds)
    buffer = b"-" + poses[1].tobytes()
    unaligned = np.frombuffer(buffer, np.float32, offset=1).reshape(-1, 3)
    assert np.array_equal(propagate(poses[0], unaligned, *poses[2:]), worlds)
    swapped = (part.astype(">f4") for part in poses[1:])
    assert propagate(poses[0], *swapped).dtype == np.float32
    small = poses[0].astype(np.int32)
    assert np.array_equal(propagate(small, *poses[1:]), worlds)


def test_there_may_be_no_nodes() -> None:
    assert propagate([], np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)), threads=4).shape == (
        0,
        4,
        4,
    )


def poses_with(**changed: Any) -> list[Any]:
    poses = {
        "parents": [-1, 0],
        "translations": np.zeros((2, 3)),
        "rotations": [[0.0, 0, 0, 1]] * 2,
        "scales": np.ones((2, 3)),
    }
    return list({**poses, **changed}.values())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"parents": [1, 0]}, "node 0 is its own ancestor"),
        ({"parents": [-1, 7]}, "node 1"),
        ({"parents": [-1, -2]}, "node 1: parent -2"),
        ({"parents": [-1.0, 0.0]}, "parents is float64"),
        ({"parents": [[-1, 0]]}, r"parents is int64 of shape \(1, 2\)"),
        ({"translations": [[0, 0, 0], [0, np.nan, 0]]}, "node 1: .*finite"),
        ({"rotations": [[0, 0, 0, 1], [0, 0, 0, 2]]}, "node 1: .*length"),
        (
            {"rotations": np.zeros((2, 3))},
            r"rotations is float64 of shape \(2, 3\), not real numbers of shape \(…, 2, 4\)",
        ),
        ({"scales": np.ones((3, 3))}, "scales"),
        ({"scales": np.ma.masked_array(np.ones((2, 3)), mask=True)}, "masked"),
        ({"parents": np.array([2**64 - 1, 0], np.uint64)}, "node 0: parent 18446744073709551615"),
        ({"parents": np.array([-1, 0], "m8[s]")}, "timedelta64"),
        ({"scales": [["a"] * 3] * 2}, "scales"),
    ],
)
def test_bad_input_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        propagate(*poses_with(**changed))


def test_what_is_asked_for_is_checked() -> None:
    with pytest.raises(ValueError, match="strategy"):
        propagate(*poses_with(), strategy="euler")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        propagate(*poses_with(), threads=0)


@pytest.mark.parametrize("strategy", ["matrix", "trs"])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_frames_are_those_of_each_by_itself(strategy: Strategy, threads: int, kind: Any) -> None:
    parents, translations, rotations, scales = random_poses(5, 60, trees=4, kind=kind)
    # Children before their parents too.
    for parents in (parents, np.where(parents < 0, -1, 59 - parents)[::-1]):
        moved = translations + np.arange(7, dtype=kind)[:, None, None]
        turned = np.stack([rotations[::-1], rotations]).astype(kind)
        grown: NDArray[Any] = np.linspace(1, 2, 14).astype(kind)
        scaled = scales * grown.reshape(2, 7, 1, 1)
        shape = (2, 7, 60, 4, 4)
        found = propagate(
            parents, moved, turned[:, None], scaled, strategy=strategy, threads=threads
        )
        assert found.shape == shape and found.dtype == kind
        for a, b in np.ndindex(2, 7):
            alone = propagate(parents, moved[b], turned[a], scaled[a, b], strategy=strategy)
            assert np.array_equal(found[a, b], alone)
        still = propagate(parents, translations, rotations, scaled, strategy=strategy)
        assert np.array_equal(
            still[1, 3],
            propagate(parents, translations, rotations, scaled[1, 3], strategy=strategy),
        )
        shown = engine_worlds("three", parents, moved, rotations, scales)
        assert shown.shape == (7, 60, 4, 4)
        assert np.array_equal(
            shown[2], engine_worlds("three", parents, moved[2], rotations, scales)
        )


def test_a_root_has_no_parent_or_minus_one() -> None:
    expected = propagate(*poses_with())
    assert np.array_equal(propagate(*poses_with(parents=[None, 0])), expected)


def test_scales_may_be_even() -> None:
    parents, translations, rotations, _ = random_poses(2, 9, kind=np.float32)
    each = np.linspace(1, 2, 9, dtype=np.float32)
    expected = propagate(parents, translations, rotations, np.repeat(each[:, None], 3, axis=1))
    assert np.array_equal(propagate(parents, translations, rotations, each), expected)
    for number in (2, 2.0, np.float64(2)):
        found = propagate(parents, translations, rotations, number)
        assert found.dtype == np.float32
        assert np.array_equal(
            found, propagate(parents, translations, rotations, np.full((9, 3), 2, np.float32))
        )


def test_out_is_written_and_returned() -> None:
    poses = random_poses(4, 30)
    expected = propagate(*poses)
    out = np.full((30, 4, 4), 7.0)
    assert propagate(*poses, out=out) is out and np.array_equal(out, expected)
    flipped = np.zeros((30, 4, 4)).transpose(0, 2, 1)
    fixed = np.zeros((30, 4, 4))
    fixed.flags.writeable = False
    shared = np.zeros(2000)
    for bad, message in (
        (np.zeros((30, 4, 4), np.float32), "out is float32 of shape"),
        (np.zeros((29, 4, 4)), r"not float64 of shape \(30, 4, 4\)"),
        ([[0]], "out is list"),
        (flipped, "not contiguous"),
        (fixed, "not writeable"),
    ):
        with pytest.raises(ValueError, match=message):
            propagate(*poses, out=bad)  # type: ignore[arg-type]
    parents, _, rotations, scales = poses
    with pytest.raises(ValueError, match="shares memory"):
        propagate(
            parents,
            shared[:90].reshape(30, 3),
            rotations,
            scales,
            out=shared[:480].reshape(30, 4, 4),
        )


def test_a_rotation_that_is_a_little_off_is_made_unit_and_others_are_refused() -> None:
    for length in (1.00005, 1.002, 0.9905):
        rotation = np.array([[0, 0, 0.6, 0.8]]) * length
        found = propagate([-1], [[0, 0, 0]], rotation, 1)
        exact = propagate([-1], [[0, 0, 0]], [[0, 0, 0.6, 0.8]], 1)
        assert np.abs(found - exact).max() < 1e-15, length
    for length in (1.011, 0.98):
        with pytest.raises(ValueError, match="node 0: the rotation has length"):
            propagate([-1], [[0, 0, 0]], np.array([[0, 0, 0.6, 0.8]]) * length, 1)
    still = np.zeros((3, 1, 3))
    still[2, 0, 1] = np.inf
    with pytest.raises(ValueError, match="frame 2, node 0: .*finite"):
        propagate([-1], still, [[0, 0, 0, 1]], 1)
    with pytest.raises(
        ValueError, match=r"the shapes of the frames do not match: \(3,\), \(2,\), \(\)"
    ):
        propagate([-1], still, np.tile([0.0, 0, 0, 1], (2, 1, 1)), 1)


def test_engines_show_their_strategy() -> None:
    parents, translations, rotations, scales = random_poses(7, 200)
    strategies: list[tuple[str, Strategy]] = [
        ("three", "matrix"),
        ("ogre", "trs"),
        ("unreal", "trs"),
    ]
    positive = (parents, translations, rotations, np.abs(scales))
    for engine, strategy in strategies:
        shown = engine_worlds(engine, *positive)
        np.testing.assert_allclose(shown, oracle(positive, strategy), atol=1e-9)
    # Where a scale is negative, Unreal takes a way of its own, and OGRE does not.
    poses = parents, translations, rotations, scales
    combined = oracle(poses, "trs")
    np.testing.assert_allclose(engine_worlds("ogre", *poses), combined, atol=1e-9)
    assert np.abs(engine_worlds("unreal", *poses) - combined).max() > 0.1


def test_what_is_not_known_of_an_engine_is_nan() -> None:
    still, straight = np.zeros((3, 3)), np.tile([0.0, 0, 0, 1], (3, 1))
    # A mirror without height has no rotation in Unreal.
    scales = np.array([[1.0, 1, 1], [-1, 0, 1], [1, 1, 1]])
    shown = engine_worlds("unreal", np.array([-1, 0, 1]), still, straight, scales)
    assert np.isfinite(shown[0]).all()
    assert np.isnan(shown[1:]).all()
    # Of FBX it is not seen what becomes of a sheared mirror.
    turned = np.array([[0.0, 0, 0, 1], [0, 0, 0.6, 0.8]])
    scales = np.array([[2.0, 1, 1], [-1, 1, 1]])
    poses = np.array([-1, 0]), np.zeros((2, 3)), turned, scales
    assert np.isfinite(engine_worlds("unreal", *poses)).all()
    shown = engine_worlds("unreal", *poses, format="fbx")
    assert np.isfinite(shown[0]).all() and np.isnan(shown[1]).all()
    assert np.isfinite(engine_worlds("three", *poses, format="fbx")).all()


def test_bad_input_of_an_engine_is_named() -> None:
    with pytest.raises(ValueError, match="no engine `quake`"):
        engine_worlds("quake", [-1], [[0, 0, 0]], [[0, 0, 0, 1]], [[1, 1, 1]])
    with pytest.raises(ValueError, match="no format `obj`; there are: gltf, fbx"):
        engine_worlds("three", [-1], [[0, 0, 0]], [[0, 0, 0, 1]], [[1, 1, 1]], format="obj")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="node 0: the rotation has length 2"):
        engine_worlds("three", [-1], [[0, 0, 0]], [[0, 0, 0, 2]], [[1, 1, 1]])
