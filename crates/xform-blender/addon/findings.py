# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about a scene: losses of the export and differences between engines, each with its cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import xform_audit

from . import losses as lost
from .exporting import Export
from .losses import Loss, Losses, joined
from .written import DUPLI, Written

GRADES = ("identical", "negligible", "visible", "severe")

ENGINES = {engine["id"]: engine["name"] for engine in xform_audit.engines()}


@dataclass
class Finding:
    """A cause, and the object or bone that is affected most."""

    kind: str
    """`export`: the file cannot represent it, so no engine shows it. `engines`: engines read the file differently.
    `unknown`: an engine's result is unknown. `note`: nothing is displaced."""
    grade: str
    brief: str
    """The object or bone, the engines and the amount, for a list."""
    title: str
    """The same as a sentence."""
    cause: str
    advice: str
    engines: list[str]
    """The ids of the engines that show it. Empty if all do."""
    object: str = ""
    bone: str = ""
    frame: float | None = None
    """The frame of the largest difference, or `None` for the rest pose."""
    animation: str = ""
    """The animation of the file that contains the frame."""
    percent: float = 0.0
    """The displacement in percent of the scene's diagonal."""
    displacement: float = 0.0
    """The displacement in Blender's units."""
    nodes: int = 1
    """The number of affected objects and bones."""
    culprit_object: str = ""
    culprit_bone: str = ""
    repair: str = ""
    """The object whose scale *Apply Scale Where Exact* would apply to the meshes, as tried. Empty if it would
    refuse."""


@dataclass
class Draft:
    """A finding before its advice has been tried."""

    finding: Finding
    scaled: bpy.types.Object | None = None
    """The object whose scale might be applied."""
    inverse: bpy.types.Object | None = None
    """The object whose parent inverse shears it, and might be cleared instead."""


def worst(grades: Iterable[str]) -> str:
    return max(grades, key=GRADES.index, default="identical")


def _grade(percent: float, of_itself: float, thresholds: dict[str, float]) -> str:
    """Returns the grade as in docs/report-format.md, from the displacement. A loss without displacement is
    graded identical."""
    is_large = of_itself >= thresholds["large_percent_of_itself"]
    if percent >= thresholds["severe_percent"]:
        return "severe"
    if percent >= thresholds["visible_percent"]:
        return "visible"
    if is_large and percent >= thresholds["visible_if_large_percent"]:
        return "visible"
    return "negligible" if percent > thresholds["identical_percent"] else "identical"


HIDDEN = -1
"""Represents every node that Blender has not evaluated because it is hidden."""


def of_export(
    scene: bpy.types.Scene, export: Export, found: Losses, thresholds: dict[str, float]
) -> list[Draft]:
    nodes = export.tree.nodes
    drafts = []
    by_culprit: dict[int, list[Loss]] = {}
    for loss in found.losses:
        # All hidden nodes share one cause.
        is_hidden = nodes[loss.culprit].seen is not None
        by_culprit.setdefault(HIDDEN if is_hidden else loss.culprit, []).append(loss)
    for culprit, group in by_culprit.items():
        graded = []
        for loss in group:
            percent = 100 * loss.displacement / found.diagonal if found.diagonal else 0.0
            size = found.sizes[loss.node]
            of_itself = 100 * loss.displacement / size if size else 0.0
            graded.append((_grade(percent, of_itself, thresholds), percent, loss))
        grade = worst(one for one, _, _ in graded)
        is_explained = culprit == HIDDEN or found.is_explained(culprit)
        # An unexplained loss that is not visible is rounding in the file.
        if grade == "identical" or not is_explained and grade == "negligible":
            continue
        shown = [entry for entry in graded if entry[0] != "identical"]
        _, percent, loss = max(shown, key=lambda entry: (GRADES.index(entry[0]), entry[1]))
        node, above = nodes[loss.node], nodes[loss.culprit]
        name = called(export, node)
        if culprit == HIDDEN:
            hidden = {nodes[one.node].name for _, _, one in shown if nodes[one.node].seen}
            cause = lost.cause_of_hidden(sorted({above.name} | hidden))
        else:
            parent = nodes[above.parent] if above.parent >= 0 else None
            is_still, is_sheared = culprit in found.still, culprit in found.sheared
            may_flatten = export.format == "GLTF" and loss.frame is None
            cause = lost.cause(above, parent, is_still, is_sheared, may_flatten)
        finding = Finding(
            kind="export",
            grade=grade,
            brief=f"{_percent(percent)} every engine: {more(name, len(shown))}",
            title=f"In every engine, {quoted(name, len(shown))} {_looks(len(shown))} different from Blender, off by up to {_far(scene, loss.displacement, percent)}",
            cause=cause.told,
            advice=cause.advice,
            engines=[],
            frame=loss.frame,
            percent=percent,
            displacement=loss.displacement,
            nodes=len(shown),
            **where(export, node, above),
        )
        drafts.append(Draft(finding, cause.scaled, cause.inverse))
    return drafts


def of_engines(
    blender: bpy.types.Scene, export: Export, written: Written, scene: dict[str, Any]
) -> list[Draft]:
    engines = scene["engines"]
    file = _File(export, written, scene)
    drafts = []
    reference, *differing = engines["groups"]
    reference = [engine["id"] for engine in reference["engines"]]
    others = f"{names_of(reference)} agree." if reference else ""
    for index, shown in enumerate(differing, 1):
        ids = [engine["id"] for engine in shown["engines"]]
        read = [engine["id"] for engine in shown["engines"] if engine["known"] == "read"]
        known = (
            f"The rule of {names_of(read)} is known from reading its source, not from running it."
            if read
            else ""
        )
        by_cause: dict[int | None, list[dict[str, Any]]] = {}
        for entry in shown["nodes"]:
            if entry["grade"] != "identical":
                cause = _cause(scene, index, entry)
                by_cause.setdefault(cause["scaler"] if cause else None, []).append(entry)
        for scaler, group in by_cause.items():
            entry = group[0]
            cause = _cause(scene, index, entry)
            node, name = file.node(entry["node"]), file.name(entry["node"])
            culprit = file.node(scaler) if scaler is not None else None
            frame = None
            if "seconds" in entry:
                frame = written.frame(entry.get("animation_name") or "", entry["seconds"])
            percent = entry.get("displacement_percent") or 0.0
            displacement = entry["displacement"] / export.unit
            finding = Finding(
                kind="engines",
                grade=entry["grade"],
                brief=f"{_percent(percent)} {names_of(ids)}: {more(name, len(group))}",
                title=f"In {names_of(ids)}, {quoted(name, len(group))} {_looks(len(group))} different, off by up to {_far(blender, displacement, percent)}",
                cause=" ".join(filter(None, (_told(file, cause), others, known))),
                advice=_advice(file, cause, culprit),
                engines=ids,
                frame=frame,
                animation=entry.get("animation_name") or "",
                percent=percent,
                displacement=displacement,
                nodes=len(group),
                **where(export, node, culprit),
            )
            is_asked = culprit and not culprit.bone and cause["kind"] not in OTHER_CAUSES
            drafts.append(Draft(finding, culprit.object if is_asked else None))
    for unknown in engines["unknown"]:
        id = unknown["engine"]["id"]
        node, engine = file.node(unknown["node"]), ENGINES[id]
        name = file.name(unknown["node"])
        finding = Finding(
            kind="unknown",
            # An unknown result never counts as safe.
            grade="visible",
            brief=f"not known, {engine}: {name}",
            title=f"It is not known how {engine} shows “{name}”",
            cause=WHY_UNKNOWN.get(unknown["reason"], f"The reason is {unknown['reason']}."),
            advice=f"Look at it in {engine}.",
            engines=[id],
            **where(export, node, node),
        )
        is_scaled = unknown["reason"] in ("mirrored-matrix", "non-uniform-scale")
        drafts.append(Draft(finding, _uppermost_scaled(export, node) if is_scaled else None))
    return drafts


def _uppermost_scaled(export: Export, node: lost.Node | None) -> bpy.types.Object | None:
    """Returns the first object with a non-uniform scale, from the root down to a node."""
    found = None
    while node:
        one = node.object
        if one and not node.bone and len({round(abs(size), 5) for size in one.scale}) > 1:
            found = one
        node = export.tree.nodes[node.parent] if node.parent >= 0 else None
    return found


OTHER_CAUSES = {"inherit-type", "rotation"}
"""Kinds of causes that do not come from a scale."""


WHY_UNKNOWN = {
    "zero-scale": "Its scale is 0 on an axis, or it is a child of such an object.",
    "sheared-matrix": "The file has a sheared matrix for it.",
    "mirrored-matrix": "It is mirrored and sheared, and it is not known how the engine's importer decomposes that.",
    "overflow": "Its numbers are too large.",
    "inheritance": "It does not inherit everything from its parent.",
    "non-uniform-scale": "It is turned below a non-uniform scale, and the engine has not been tested with that.",
    "quaternion": "The file has a rotation for it that is not a unit quaternion.",
    "bind-pose": "It is a joint that was turned when the mesh was bound to it.",
    "inherit-type": "In the file it does not inherit its parent's scale as in a matrix product.",
    "matrix": "The file has a matrix for it.",
    "rounding": "The result depends on rounding.",
}


class _File:
    """The nodes of a file and their counterparts in Blender."""

    def __init__(self, export: Export, written: Written, scene: dict[str, Any]):
        self._export, self._nodes = export, scene["nodes"]
        names = {node.name: index for index, node in enumerate(export.tree.nodes)}
        self._places = dict(written.places)
        # For each instance in FBX, the object that creates it.
        self._instancers: dict[int, int] = {}
        for index, node in enumerate(self._nodes):
            name = node["name"] or ""
            instancer = name.partition("|")[0]
            if DUPLI in name and instancer in names:
                self._instancers[index] = names[instancer]

    def node(self, index: int) -> lost.Node | None:
        """Returns the node of the tree, or for an instance in FBX the object that creates it."""
        place = self._instancers.get(index, self._places.get(index))
        return None if place is None else self._export.tree.nodes[place]

    def name(self, index: int) -> str:
        name = self._nodes[index]["name"] or f"node {index}"
        # The FBX exporter's naming of instances.
        instance, is_instance, _ = name.partition(DUPLI)
        if is_instance:
            parent, _, shown = instance.partition("|")
            return f"{shown} in {parent}"
        place = self._places.get(index)
        is_shown = place is not None and self._export.tree.nodes[place].is_instanced
        return called(self._export, self._export.tree.nodes[place]) if is_shown else name


def called(export: Export, node: lost.Node) -> str:
    """Returns the name of an object or bone. In a collection instance it includes the instancer's name, because there
    may be several."""
    if not node.is_instanced:
        return node.name
    return f"{node.name} in {called(export, export.tree.nodes[node.prefix])}"


def where(export: Export, node: lost.Node | None, culprit: lost.Node | None) -> dict[str, str]:
    """Returns the members of a finding that name the affected object or bone and the cause, both of which can be
    selected."""
    places = {}
    for prefix, one in (("", node), ("culprit_", culprit)):
        while one and one.is_instanced:
            one = export.tree.nodes[one.prefix]
        places[f"{prefix}object"] = one.object.name if one and one.object else ""
        places[f"{prefix}bone"] = one.bone if one else ""
    return places


def _cause(scene: dict[str, Any], group: int, entry: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the cause of a node's difference in a group of engines, at the worst moment as far as that was
    searched."""
    node: dict[str, Any] = scene["nodes"][entry["node"]]
    for row in scene.get("motion", []):
        if row["node"] == entry["node"] and row["animation"] == entry.get("animation"):
            node = row["at_worst"]["node"] if "at_worst" in row else node
    cause: dict[str, Any] | None = node["cause"]
    # The cause was determined for the engines with the largest difference. For other engines it is presumably the same
    # scale, but with a different share.
    return cause if cause is None or node["group"] == group else {**cause, "removes_fraction": None}


def _told(file: _File, cause: dict[str, Any] | None) -> str:
    if cause is None:
        return "Several parents have a non-uniform scale; no single one is the cause."
    scaler, rotator = cause["scaler"], cause["rotator"]
    name = f"“{file.name(scaler)}”"
    if cause["kind"] == "inherit-type":
        return f"{name} does not inherit its parent's scale as in a matrix product, and engines read that in different ways."
    if cause["kind"] == "rotation":
        return f"{name} has a rotation in the file that is not a unit quaternion."
    told = f"{name} has a non-uniform scale"
    if rotator is not None and rotator != scaler:
        told += f", and its child “{file.name(rotator)}” is rotated"
    removes = cause.get("removes_fraction")
    if removes is None or removes < 0.005:
        return f"{told}."
    share = "all" if removes > 0.995 else f"{100 * removes:.0f} %"
    return f"{told}. A uniform scale removes {share} of the difference."


def _advice(file: _File, cause: dict[str, Any] | None, culprit: lost.Node | None) -> str:
    """Returns the advice if no scale can be applied."""
    if cause is None:
        return "Give the parents the same scale on X, Y and Z."
    name = f"“{file.name(cause['scaler'])}”"
    if cause["kind"] == "inherit-type":
        return f"Let {name} inherit its parent's scale in full."
    if cause["kind"] == "rotation":
        return f"Set the rotation of {name} to the one that Blender shows."
    if culprit and culprit.bone:
        return f"Give the bone {name} the same scale on X, Y and Z, in its keyframes too."
    return f"Give {name} the same scale on X, Y and Z."


def names_of(ids: Sequence[str]) -> str:
    return joined([ENGINES[id] for id in ids])


def quoted(name: str, count: int) -> str:
    return more(f"“{name}”", count)


def more(name: str, count: int) -> str:
    return name if count == 1 else f"{name} and {count - 1} more"


def _looks(count: int) -> str:
    return "looks" if count == 1 else "look"


def _far(scene: bpy.types.Scene, displacement: float, percent: float) -> str:
    """Formats a length in the scene's unit, and its percentage."""
    return f"{length(scene, displacement)} ({_percent(percent)} of the scene)"


def length(scene: bpy.types.Scene, displacement: float) -> str:
    """Formats a length in the scene's unit."""
    system = scene.unit_settings.system
    if system == "NONE":
        return f"{displacement:.3g} units"
    return bpy.utils.units.to_string(system, "LENGTH", displacement, precision=3)


def _percent(percent: float) -> str:
    return f"{percent:.2g} %" if percent < 10 else f"{percent:.0f} %"
