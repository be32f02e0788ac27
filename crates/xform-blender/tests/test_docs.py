# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/walkthroughs.md shows is what comes out."""

from __future__ import annotations

from math import radians
from pathlib import Path

import bpy
from scenes import cube, keep_parent


def test_the_walk_through_shows_what_is_said(scene, capfd) -> None:
    page = (Path(__file__).parents[3] / "docs" / "walkthroughs.md").read_text(encoding="utf-8")
    story = page.split("## An artist in Blender")[1].split("\n## ")[0]
    blocks = [block.split("```")[0].splitlines() for block in story.split("```text\n")[1:]]
    upper = cube("upper arm", turn=radians(20), scale=(2.5, 1, 1))
    cube("fore arm", upper, (1.2, 0, 0), radians(50))
    hand = cube("hand", location=(6, 0, 0), turn=radians(70))
    keep_parent(hand, upper)

    def said(call, *selected: bpy.types.Object) -> list[str]:
        for one in bpy.context.view_layer.objects:
            one.select_set(one in selected)
        capfd.readouterr()
        call()
        lines = capfd.readouterr().out.splitlines()
        return [
            line.split(": ", 1)[1] for line in lines if line.startswith(("Info: ", "Warning: "))
        ]

    shown = said(bpy.ops.xform.audit)
    for finding in bpy.context.window_manager.xform.findings:
        shown += [finding.brief, f"  {finding.cause}", f"  {finding.advice}"]
    assert shown == [line for line in blocks[0] if line]
    assert said(bpy.ops.xform.clear_parent_inverse, hand) == blocks[1]
    assert said(bpy.ops.xform.apply_scale, upper) + said(bpy.ops.xform.audit) == blocks[2]
