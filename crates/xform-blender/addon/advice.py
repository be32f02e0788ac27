# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds advice to findings. The add-on never advises a repair that it would refuse: each repair is tried first and
undone."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import xform_audit

from .as_it_was import in_object_mode
from .changes import Refused
from .exporting import ExportFailed
from .findings import Draft, Finding, length
from .repairs import Outlook, loss_of_clearing, made_uniform, outlooks


def advised(context: bpy.types.Context, drafts: Iterable[Draft]) -> list[Finding]:
    """Returns the findings with advice that has been tried."""
    drafts = list(drafts)
    asked = {draft.scaled for draft in drafts if draft.scaled}
    if asked:
        with in_object_mode(context):
            try:
                known = outlooks(context, asked)
            except (ExportFailed, xform_audit.XformError) as error:
                # Repairs are computed from a glTF export.
                reason = Refused(f"it could not be tried: {error}.")
                known = {one: Outlook(one, reason) for one in asked}
            for draft in drafts:
                if draft.scaled:
                    _advise(context, draft, known.get(draft.scaled))
    return [draft.finding for draft in drafts]


def _advise(context: bpy.types.Context, draft: Draft, outlook: Outlook | None) -> None:
    finding = draft.finding
    if finding.kind == "engines":
        finding.advice = made_uniform(draft.scaled)
    if outlook is None:
        # The cause is not the object's own scale.
        if draft.inverse:
            finding.advice = f"{_of_inverse(context, draft.inverse)} {finding.advice}".strip()
        return
    top, refusal = outlook.top.name, outlook.refusal
    if refusal is None:
        finding.repair = top
        finding.advice = f"Select “{top}” and press Apply Scale Where Exact. Ctrl-A would change the shape of its children."
        return
    if refusal.instead:
        finding.advice = refusal.instead
    elif draft.inverse:
        finding.advice = f"{_of_inverse(context, draft.inverse)} {finding.advice}".strip()
    finding.advice += f" As it is, the scale of “{top}” cannot be applied: {refusal}"


def _of_inverse(context: bpy.types.Context, one: bpy.types.Object) -> str:
    """Returns advice about a parent inverse that shears, if the parent's scale cannot be applied."""
    try:
        lost = loss_of_clearing(context, one)
    except Refused as reason:
        return (
            reason.instead
            or f"Clear the parent of “{one.name}” (Alt-P, Keep Transformation). Its parent inverse alone cannot be cleared: {reason}"
        )
    return f"Select “{one.name}” and press Clear and Move, which moves things by up to {length(context.scene, lost)}."
