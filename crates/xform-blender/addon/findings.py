# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found of a scene: what the export loses, and what engines make of the file, each by its cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import bpy
import xform_audit

from . import losses as lost
from .exporting import Export, exported
from .losses import Loss, Losses
from .tree import SHAPES
from .written import DUPLI, Written

GRADES = ("identical", "negligible", "visible", "severe")

ENGINES = {engine["id"]: engine["name"] for engine in xform_audit.engines()}


@dataclass
class Finding:
    """One cause, and the object or bone that shows it most."""

    kind: str
    """`export`: the file does not hold it, so that no engine shows it. `engines`: engines read the file in different ways.
    `unknown`: it is not known what an engine shows. `note`: nothing is elsewhere."""
    grade: str
    brief: str
    """The object or bone, the engines, and by how much: for a list."""
    title: str
    """The same as a sentence."""
    cause: str
    advice: str
    engines: list[str]
    """Ids of the engines that show it; empty if all do."""
    object: str = ""
    bone: str = ""
    frame: float | None = None
    """When it is at its worst; `None` is at rest."""
    animation: str = ""
    """The animation of the file that the frame is in."""
    percent: float = 0.0
    """The displacement in percent of the scene's diagonal."""
    displacement: float = 0.0
    """The same in Blender's units."""
    nodes: int = 1
    """How many objects and bones are affected."""
    culprit_object: str = ""
    culprit_bone: str = ""


@dataclass
class Audit:
    """A scene as it would be exported."""

    findings: list[Finding]
    nodes: int
    step: int
    """Of Blender's animation every so many frames were looked at; 0 if nothing moves."""

    @property
    def grade(self) -> str:
        return worst(finding.grade for finding in self.findings)

    def as_document(self) -> dict[str, Any]:
        """What the operator writes as JSON."""
        return {
            "schema": "xform-blender/1",
            "grade": self.grade,
            "nodes": self.nodes,
            "frame_step": self.step,
            "findings": [asdict(finding) for finding in self.findings],
        }


def worst(grades: Iterable[str]) -> str:
    return max(grades, key=GRADES.index, default="identical")


def audit(
    context: bpy.types.Context, format: str, options: dict[str, Any], engines: Sequence[str]
) -> Audit:
    """Audits the scene as Blender exports it with these options.

    Raises `ExportFailed`, and `XformError` for a file that cannot be audited.
    """
    with exported(context, format, options) as export:
        if not export.tree.nodes:
            return Audit(_missing(context, export, [], options), 0, 0)
        file = xform_audit.audit(str(export.path), engines=engines or None)
        scene, thresholds = file["scenes"][0], file["thresholds"]
        written = Written(context, export, scene)
        is_animated = options.get("export_animations" if format == "GLTF" else "bake_anim", True)
        found = lost.losses(context, export.tree, written, export.is_at_rest, is_animated)
        findings = [
            *_of_export(export, found, thresholds),
            *_of_engines(export, written, scene),
            *_missing(context, export, found.missing, options),
            *_missing_instances(context, export, scene, options),
            *_notes(export, found),
        ]
    findings.sort(key=lambda one: (-GRADES.index(one.grade), one.kind, -one.percent))
    return Audit(findings, len(export.tree.nodes), found.step)


def _grade(percent: float, of_itself: float, thresholds: dict[str, float]) -> str:
    """As docs/report-format.md has it, by the displacement; a loss without one is none."""
    is_large = of_itself >= thresholds["large_percent_of_itself"]
    if percent >= thresholds["severe_percent"]:
        return "severe"
    if percent >= thresholds["visible_percent"]:
        return "visible"
    if is_large and percent >= thresholds["visible_if_large_percent"]:
        return "visible"
    return "negligible" if percent > thresholds["identical_percent"] else "identical"


def _of_export(export: Export, found: Losses, thresholds: dict[str, float]) -> list[Finding]:
    nodes = export.tree.nodes
    findings = []
    by_culprit: dict[int, list[Loss]] = {}
    for loss in found.losses:
        by_culprit.setdefault(loss.culprit, []).append(loss)
    for culprit, group in by_culprit.items():
        graded = []
        for loss in group:
            percent = 100 * loss.displacement / found.diagonal if found.diagonal else 0.0
            size = found.sizes[loss.node]
            of_itself = 100 * loss.displacement / size if size else 0.0
            graded.append((_grade(percent, of_itself, thresholds), percent, loss))
        grade = worst(one for one, _, _ in graded)
        is_explained = found.is_explained(culprit)
        # What nothing explains and nobody sees is the rounding of files.
        if grade == "identical" or not is_explained and grade == "negligible":
            continue
        shown = [entry for entry in graded if entry[0] != "identical"]
        _, percent, loss = max(shown, key=lambda entry: (GRADES.index(entry[0]), entry[1]))
        node, above = nodes[loss.node], nodes[culprit]
        parent = nodes[above.parent] if above.parent >= 0 else None
        is_sheared = culprit in found.sheared
        cause, advice = lost.cause(above, parent, culprit in found.still, is_sheared)
        findings.append(
            Finding(
                kind="export",
                grade=grade,
                brief=f"{_more(node.name, len(shown))}: every engine, {_percent(percent)}",
                title=f"Every engine shows {_of(node.name, len(shown))} differently from Blender, off by up to {_percent(percent)} of the scene",
                cause=cause,
                advice=advice,
                engines=[],
                frame=loss.frame,
                percent=percent,
                displacement=loss.displacement,
                nodes=len(shown),
                **_where(export, node, above),
            )
        )
    return findings


def _of_engines(export: Export, written: Written, scene: dict[str, Any]) -> list[Finding]:
    engines = scene.get("engines")
    if engines is None:
        return []
    places = _selectable(export, written, scene)
    findings = []
    for pair in engines["pairs"]:
        if pair["groups"][0] != 0:
            continue
        ids = [engine["id"] for engine in engines["groups"][pair["groups"][1]]["engines"]]
        reference = [engine["id"] for engine in engines["groups"][0]["engines"]]
        by_cause: dict[int | None, list[dict[str, Any]]] = {}
        for entry in pair["nodes"]:
            if entry["grade"] != "identical":
                cause = _cause(scene, entry)
                by_cause.setdefault(cause["scaler"] if cause else None, []).append(entry)
        for scaler, group in by_cause.items():
            entry = group[0]
            cause = _cause(scene, entry)
            node, name = _node(export, places, entry["node"]), _name(scene, entry["node"])
            culprit = _node(export, places, scaler) if scaler is not None else None
            frame = None
            if "seconds" in entry:
                frame = written.frame(entry.get("animation_name") or "", entry["seconds"])
            percent = entry.get("displacement_percent") or 0.0
            shows = "shows" if len(ids) == 1 else "show"
            beside = _names(reference) if reference else "what the file defines"
            findings.append(
                Finding(
                    kind="engines",
                    grade=entry["grade"],
                    brief=f"{_more(name, len(group))}: {_names(ids)}, {_percent(percent)}",
                    title=f"{_names(ids)} {shows} {_of(name, len(group))} differently, off by up to {_percent(percent)} of the scene",
                    cause=f"{_told(scene, cause)} Compared with {beside}.",
                    advice=_advice(scene, cause),
                    engines=ids,
                    frame=frame,
                    animation=entry.get("animation_name") or "",
                    percent=percent,
                    displacement=entry["displacement"],
                    nodes=len(group),
                    **_where(export, node, culprit),
                )
            )
    for unknown in engines["unknown"]:
        node, engine = _node(export, places, unknown["node"]), ENGINES[unknown["id"]]
        name = _name(scene, unknown["node"])
        findings.append(
            Finding(
                kind="unknown",
                # Whoever names an engine wants to know; nothing unknown is safe.
                grade="visible" if engines["named"] else "identical",
                brief=f"{name}: {engine}, not known",
                title=f"It is not known what {engine} shows of “{name}”",
                cause=f"The reason is {unknown['reason'].replace('-', ' ')}.",
                advice="",
                engines=[unknown["id"]],
                **_where(export, node, node),
            )
        )
    return findings


def _selectable(export: Export, written: Written, scene: dict[str, Any]) -> dict[int, int]:
    """The node of the tree for each of the file; of an instance in FBX, the object that makes it."""
    names = {node.name: index for index, node in enumerate(export.tree.nodes)}
    places = dict(written.places)
    for index, node in enumerate(scene["nodes"]):
        if DUPLI in (node["name"] or "") and node["name"].partition("|")[0] in names:
            places[index] = names[node["name"].partition("|")[0]]
    return places


def _missing(
    context: bpy.types.Context, export: Export, missing: list[int], options: dict[str, Any]
) -> list[Finding]:
    """What is seen in Blender and not in the file, where the user has not left it out."""
    nodes = export.tree.nodes
    lacking = [nodes[index] for index in missing if nodes[index].object]
    known = {node.object for node in nodes}
    is_chosen = any(options.get(name) for name in FILTERS)
    shown = context.view_layer.objects if not is_chosen else []
    names = [node.name for node in lacking] + [
        one.name
        for one in shown
        if one not in known and one.type in SHAPES and one.visible_get() and not one.hide_render
    ]
    if not names:
        return []
    one = context.view_layer.objects.get(names[0])
    return [
        Finding(
            kind="export",
            grade="severe",
            brief=f"{_more(names[0], len(names))}: not in the file",
            title=f"{_of(names[0], len(names))} {'is' if len(names) == 1 else 'are'} not in the exported file",
            cause="Blender's exporter leaves out what hangs on something that it does not export.",
            advice="Export its parent too, or clear the parent.",
            engines=[],
            object=one.name if one else "",
            nodes=len(names),
            culprit_object=one.name if one else "",
        )
    ]


def _missing_instances(
    context: bpy.types.Context, export: Export, scene: dict[str, Any], options: dict[str, Any]
) -> list[Finding]:
    """Instances of geometry nodes and others that an exporter leaves out."""
    if any(options.get(name) for name in FILTERS):
        return []
    shown = [
        one.parent.original.name
        for one in context.evaluated_depsgraph_get().object_instances
        if one.is_instance and one.object.type in SHAPES
    ]
    nodes = export.tree.nodes
    known = [node for node in nodes if node.is_instanced or node.is_fixed or node.object is None]
    known = [node for node in known if node.object is None or node.object.type in SHAPES]
    written = [node for node in scene["nodes"] if DUPLI in (node["name"] or "")]
    lacking = len(shown) - len(written if export.format == "FBX" else known)
    if lacking <= 0:
        return []
    name = max(set(shown), key=shown.count)
    return [
        Finding(
            kind="export",
            grade="severe",
            brief=f"{name}: {lacking} instances not in the file",
            title=f"{lacking} of {len(shown)} instances are not in the exported file, such as of “{name}”",
            cause="Blender's exporter leaves out instances of geometry nodes, unless it is told otherwise, and of objects whose parent is elsewhere.",
            advice="Make instances real (Object > Apply), or for glTF turn on Geometry Nodes Instances.",
            engines=[],
            object=name,
            nodes=lacking,
            culprit_object=name,
        )
    ]


FILTERS = (
    "use_selection",
    "use_visible",
    "use_renderable",
    "use_active_collection",
    "collection",
    "object_types",
)


def _notes(export: Export, found: Losses) -> list[Finding]:
    """What becomes something else in a file, even where nothing is elsewhere."""
    notes = []
    nodes = export.tree.nodes
    held = [
        node
        for place, node in enumerate(nodes)
        if lost.constraints(node) and place not in found.still
    ]
    if held:
        notes.append(
            _note(
                export,
                f"The constraints of {_count(len(held))} are baked: the file has where they lead, frame by frame",
                f"“{held[0].name}” has “{lost.constraints(held[0])[-1]}”. Engines do not follow its target any more.",
                held[0],
            )
        )
    posed = [
        node
        for place, node in enumerate(nodes)
        if node.bone and place not in found.moving and lost.is_posed(node)
    ]
    if export.is_at_rest and posed:
        rig = posed[0].object.name
        notes.append(
            _note(
                export,
                f"“{rig}” is exported in its rest position, not in its pose",
                f"“{posed[0].name}” is posed and has no animation in the file. To export the pose, turn off Use Rest Position Armature.",
                posed[0],
            )
        )
    bent = [(node, why) for node in nodes if (why := _not_linear(node))]
    if bent:
        node, why = bent[0]
        notes.append(
            _note(
                export,
                f"{_of(node.name, len(bent))} will bend differently",
                f"“{node.name}” {why}. Files only have bones with weights.",
                node,
            )
        )
    instances = [node for node in nodes if node.is_instanced and not node.bone]
    if instances:
        notes.append(
            _note(
                export,
                f"Each instance of a collection becomes objects of its own, {len(instances)} in all",
                f"“{instances[0].name}” is in one. They still share their meshes.",
                instances[0],
            )
        )
    return notes


def _not_linear(node: lost.Node) -> str | None:
    """What of a mesh's armatures no file has, if anything."""
    if node.object is None or node.object.type != "MESH":
        return None
    bending = [one for one in node.object.modifiers if one.type == "ARMATURE" and one.show_viewport]
    if len(bending) > 1:
        return "has several armature modifiers"
    if bending and bending[0].use_deform_preserve_volume:
        return "preserves volume (armature modifier)"
    return "is bent by envelopes" if bending and bending[0].use_bone_envelopes else None


def _note(export: Export, title: str, cause: str, node: lost.Node) -> Finding:
    return Finding("note", "identical", title, title, cause, "", [], **_where(export, node, node))


def _where(export: Export, node: lost.Node | None, culprit: lost.Node | None) -> dict[str, str]:
    """The members of a finding that say which object or bone it is, and which one causes it: what can be selected."""
    places = {}
    for prefix, one in (("", node), ("culprit_", culprit)):
        while one and one.is_instanced:
            one = export.tree.nodes[one.prefix]
        places[f"{prefix}object"] = one.object.name if one and one.object else ""
        places[f"{prefix}bone"] = one.bone if one else ""
    return places


def _cause(scene: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any] | None:
    """The cause of a node's difference, where it is at its worst as far as that was looked for."""
    at_rest: dict[str, Any] | None = scene["nodes"][entry["node"]]["cause"]
    for row in scene.get("motion", []):
        if row["node"] == entry["node"] and row["animation"] == entry.get("animation"):
            worst_then = row.get("at_worst")
            return worst_then["node"]["cause"] if worst_then else at_rest
    return at_rest


def _told(scene: dict[str, Any], cause: dict[str, Any] | None) -> str:
    if cause is None:
        return "Uneven scales above it act along other axes there."
    scaler, rotator = cause["scaler"], cause["rotator"]
    told = f"“{_name(scene, scaler)}” has an uneven scale"
    if rotator is not None and rotator != scaler:
        told += f", and “{_name(scene, rotator)}” is turned below it"
    removes = cause.get("removes_fraction")
    if removes is None or removes < 0.005:
        return f"{told}."
    share = "all" if removes > 0.995 else f"{100 * removes:.0f} %"
    return f"{told}. An even scale removes {share} of the difference."


def _advice(scene: dict[str, Any], cause: dict[str, Any] | None) -> str:
    if cause is None:
        return "Make the scales above it even."
    return f"Apply the scale of “{_name(scene, cause['scaler'])}”, or make it even."


def _name(scene: dict[str, Any], node: int) -> str:
    name = scene["nodes"][node]["name"] or f"node {node}"
    # So the FBX exporter calls an instance.
    instance, is_instance, _ = name.partition(DUPLI)
    if not is_instance:
        return name
    parent, _, shown = instance.partition("|")
    return f"{shown} in {parent}"


def _node(export: Export, places: dict[int, int], node: int) -> lost.Node | None:
    place = places.get(node)
    return None if place is None else export.tree.nodes[place]


def _names(ids: Sequence[str]) -> str:
    names = [ENGINES[id] for id in ids]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _of(name: str, count: int) -> str:
    return _more(f"“{name}”", count)


def _more(name: str, count: int) -> str:
    return name if count == 1 else f"{name} and {count - 1} more"


def _count(count: int) -> str:
    return "1 object or bone" if count == 1 else f"{count} objects or bones"


def _percent(percent: float) -> str:
    return f"{percent:.2g} %" if percent < 10 else f"{percent:.0f} %"
