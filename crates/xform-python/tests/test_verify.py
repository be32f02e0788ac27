"""Which rule an importer follows, from Python."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import xform_audit


def worlds_of(document: Any, is_transposed: bool = False) -> dict[str, NDArray[np.float64]]:
    """An importer of a few lines: world matrices by path."""
    worlds: dict[str, NDArray[np.float64]] = {}

    def walk(node: int, path: str, above: NDArray[np.float64]) -> None:
        entry = document["nodes"][node]
        x, y, z, w = np.array(entry.get("rotation", [0, 0, 0, 1])) / np.linalg.norm(
            entry.get("rotation", [0, 0, 0, 1])
        )
        if is_transposed:
            x, y, z = -x, -y, -z
        turn = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        local = np.eye(4)
        local[:3, :3] = np.array(turn) * entry.get("scale", [1, 1, 1])
        local[:3, 3] = entry.get("translation", [0, 0, 0])
        if "matrix" in entry:
            local = np.array(entry["matrix"]).reshape(4, 4).T
        path = f"{path}/{entry['name']}" if path else entry["name"]
        worlds[path] = above @ local
        for child in entry.get("children", []):
            walk(child, path, worlds[path])

    for root in document["scenes"][0]["nodes"]:
        walk(root, "", np.eye(4))
    return worlds


def answers(name: str = "units") -> dict[str, Any]:
    worlds = worlds_of(json.loads(xform_audit.kit_scenes()[name]))
    nodes = {path: {"world": list(world.T.ravel())} for path, world in worlds.items()}
    return {
        "schema": "xform-answers/1",
        "engine": "mine",
        "version": "1",
        "scenes": {name: [{"seconds": None, "nodes": nodes}]},
    }


def test_a_rule_is_named() -> None:
    found = xform_audit.verify(answers())
    [run] = found["runs"]
    assert found["schema"] == "xform-verify/1"
    assert run["followed"] and run["verdict"] == "follows"
    assert {"godot", "unreal"} <= {
        rule["engine"] for fit in run["follows"] for rule in fit["rules"]
    }
    # Without a non-uniform scale nothing tells them apart.
    groups = run["told_apart_by"][0]["groups"]
    assert not any({"godot", "unreal"} <= set(group) for group in groups)


def test_the_first_wrong_node_is_named() -> None:
    wrong = answers()
    nodes = wrong["scenes"]["units"][0]["nodes"]
    last = list(nodes)[-1]
    nodes[last]["world"][12] += 1
    [run] = xform_audit.verify([wrong], expect="godot")["runs"]
    assert not run["followed"]
    assert run["first_wrong"] is not None
    assert run["first_wrong"]["node"] == last


def test_it_is_what_the_program_says(program: Callable[..., bytes], tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(answers()))
    told = program(tmp_path, "verify", str(path), "--format", "json")
    assert json.loads(told) == xform_audit.verify(path)


def test_a_folder_of_own_scenes(tmp_path: Path) -> None:
    (tmp_path / "mine.gltf").write_text(xform_audit.kit_scenes()["units"])
    own = answers()
    own["scenes"]["mine"] = own["scenes"].pop("units")
    [run] = xform_audit.verify(own, scenes=tmp_path)["runs"]
    assert run["followed"]
    [run] = xform_audit.verify(own)["runs"]
    assert not run["followed"] and run["unknown_scenes"] == ["mine"]


def test_what_is_bad_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no engine `gdot`"):
        xform_audit.verify(answers(), expect="gdot")
    with pytest.raises(ValueError, match="answers: document 1: .*missing field `version`"):
        xform_audit.verify({"schema": "xform-answers/1", "engine": "mine", "scenes": {}})
    by_row = answers()
    nodes = by_row["scenes"]["units"][0]["nodes"]
    for node in nodes.values():
        node["world"] = [node["world"][4 * column + row] for row in range(4) for column in range(4)]
    nodes[next(iter(nodes))]["world"][3] = 1
    with pytest.raises(ValueError, match="row by row"):
        xform_audit.verify(by_row)
    with pytest.raises(OSError, match="there is no .gltf"):
        xform_audit.verify(answers(), scenes=tmp_path)
    with pytest.raises(FileNotFoundError):
        xform_audit.verify(tmp_path / "none.json")


GUIDE = Path(__file__).resolve().parents[3] / "docs/verify.md"


def blocks(language: str) -> list[str]:
    """The blocks of the guide in a language."""
    parts = GUIDE.read_text(encoding="utf-8").split("```")
    return [part[len(language) + 1 :] for part in parts[1::2] if part.startswith(language + "\n")]


class Node:
    """As the guide has an importer's nodes."""

    def __init__(self, path: str, world: NDArray[np.float64]) -> None:
        self.name, self.parent, self.world = path, None, world

    def world_matrix(self) -> list[list[float]]:
        return [[float(entry) for entry in row] for row in self.world]


@pytest.mark.parametrize("is_wrong", [True, False])
def test_what_the_guide_shows_comes_out(
    is_wrong: bool, program: Callable[..., bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program(tmp_path, "verify", "--write-scenes", "scenes")

    class Importer:
        @staticmethod
        def load(file: Path) -> list[Node]:
            worlds = worlds_of(json.loads(file.read_text()), is_wrong)
            return [Node(path, world) for path, world in worlds.items()]

    [ask, check] = blocks("python")
    exec(ask, {"my_importer": Importer})
    told = program(tmp_path, "verify", "answers.json").decode()
    shown = [part for part in blocks("console") if "verify answers.json\n" in part]
    # The last digits of a sum depend on its order.
    rounding = re.compile(r"largest residual is [0-9.]+e-1[4-7]\.$", re.MULTILINE)
    said = rounding.sub("", told).splitlines()
    lines = rounding.sub("", shown[0 if is_wrong else 1]).splitlines()[1:]
    assert len(lines) > 2
    for line in lines:
        # What the guide cuts short is not compared.
        assert line.strip() == "…" or line in said, line
    answers = json.loads((tmp_path / "answers.json").read_text())
    if is_wrong:
        with pytest.raises(AssertionError, match="does not follow the rule of Godot"):
            exec(check, {"answers": answers})
    else:
        exec(check, {"answers": answers})


def test_the_json_of_the_guide_is_right() -> None:
    [document] = blocks("json")
    [run] = xform_audit.verify(json.loads(document), tolerance=0.001)["runs"]
    assert run["followed"], run["details"]
