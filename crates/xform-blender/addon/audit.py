# SPDX-License-Identifier: GPL-3.0-or-later
"""The complete audit: the scene as it would be exported, and the findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import bpy
import xform_audit

from . import left_out
from .advice import advised
from .exporting import exported
from .findings import GRADES, Finding, of_engines, of_export, worst
from .hidden import computed
from .losses import losses
from .written import Written


@dataclass
class Audit:
    """The audit of a scene as it would be exported."""

    findings: list[Finding]
    nodes: int
    step: int
    """The interval of the frames that were checked; 0 if nothing moves."""
    engines: list[str]
    """The ids of the engines that are compared."""

    @property
    def grade(self) -> str:
        return worst(finding.grade for finding in self.findings)

    def as_document(self) -> dict[str, Any]:
        """Returns the JSON that the operator writes."""
        return {
            "schema": "xform-blender/1",
            "grade": self.grade,
            "nodes": self.nodes,
            "frame_step": self.step,
            "engines": self.engines,
            "findings": [asdict(finding) for finding in self.findings],
        }


def audit(
    context: bpy.types.Context, format: str, options: dict[str, Any], engines: Sequence[str]
) -> Audit:
    """Audits the scene as Blender exports it with these options.

    Raises `ExportFailed`, and `XformError` for a file that cannot be audited.
    """
    with exported(context, format, options) as export:
        if not export.tree.nodes:
            return Audit(left_out.missing(context, export, [], options), 0, 0, [])
        file = xform_audit.audit(str(export.path), engines=engines or None)
        scene, thresholds = file["scenes"][0], file["thresholds"]
        written = Written(context, export, scene)
        is_animated = options.get("export_animations" if format == "GLTF" else "bake_anim", True)
        with computed(context, export) as unknown:
            found = losses(context, export.tree, written, export.is_at_rest, is_animated)
        drafts = [
            *of_export(context.scene, export, found, thresholds),
            *of_engines(context.scene, export, written, scene),
        ]
        others = [
            *left_out.missing(context, export, found.missing, options),
            *left_out.missing_instances(context, export, scene, options),
            *left_out.hidden_in_file(context, export, written.places, scene),
            *left_out.unseen(unknown),
            *left_out.notes(export, found),
        ]
    # In the user's current state of the scene, from which a repair would also start.
    findings = [*advised(context, drafts), *others]
    # Objects that are missing from the file have no figure and come first.
    findings.sort(key=lambda one: (-GRADES.index(one.grade), one.percent > 0, -one.percent))
    shown = [engine["id"] for group in scene["engines"]["groups"] for engine in group["engines"]]
    return Audit(findings, len(export.tree.nodes), found.step, shown)
