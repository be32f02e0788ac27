# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's exporters do otherwise than one would think is found, by as much as it is.

The figures beside which findings stand are from the file, read without the add-on, or from Blender's own importer.
"""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
import scenes
from scenes import Gltf, armature, cube, scattered, skin

BOX = np.array([(x, y, z, 1) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def animate(owner: Any, path: str, frames: dict[int, Any]) -> None:
    """The same, as all that there is to see."""
    scenes.animate(owner, path, frames)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = min(frames), max(frames)
    bpy.context.scene.frame_set(min(frames))


def off_in_gltf(one: bpy.types.Object, tmp_path: Path, **options) -> float:
    """How far a cube is off in the file, at its worst frame."""
    path, scene = tmp_path / "by_hand.glb", bpy.context.scene
    assert bpy.ops.export_scene.gltf(filepath=str(path), **options) == {"FINISHED"}
    file, worst = Gltf(path), 0.0
    axes = scenes.Y_UP if options.get("export_yup", True) else np.eye(4)
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        world = scenes.Y_UP @ file.worlds(frame / scene.render.fps)[one.name] @ scenes.Y_UP.T
        apart = axes.T @ world @ axes - np.array(one.matrix_world)
        worst = max(worst, np.linalg.norm(BOX @ apart.T, axis=1).max())
    return worst


def off_in_fbx(one: bpy.types.Object, tmp_path: Path, **options) -> float:
    """How far a cube is off at rest, as Blender itself reads the file."""
    path, name = tmp_path / "by_hand.fbx", one.name
    expected = np.array(one.matrix_world)
    assert bpy.ops.export_scene.fbx(filepath=str(path), **options) == {"FINISHED"}
    here = bpy.context.scene
    there = bpy.data.scenes.new("there")
    bpy.context.window.scene = there
    bpy.ops.import_scene.fbx(filepath=str(path), use_anim=False)
    bpy.context.view_layer.update()
    (read,) = [found for found in there.objects if found.name.split(".")[0] == name]
    apart = np.array(read.matrix_world) - expected
    for found in list(there.objects):
        bpy.data.objects.remove(found)
    bpy.context.window.scene = here
    bpy.data.scenes.remove(there)
    return np.linalg.norm(BOX @ apart.T, axis=1).max()


def lost(audit, format: str = "GLTF", **options) -> dict[str, float]:
    """The displacement of each object that the export puts elsewhere."""
    found = [one for one in audit(format, **options).findings if one.kind == "export"]
    return {one.object: one.displacement for one in found}


def rig() -> bpy.types.Object:
    """Two bones, one above the other, as boxes."""
    straight = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0]
    bones = [
        {"name": "low", "parent": None, "rest": [*straight, 0, 0, 0, 1]},
        {"name": "high", "parent": "low", "rest": [*straight, 0, 0, 1, 1]},
    ]
    made = armature(bones)
    for pose in made.pose.bones:
        pose.rotation_mode = "XYZ"
    skin(made)
    return made


def on_bone(made: bpy.types.Object) -> bpy.types.Object:
    child = cube("child", made, (1, 2, 3), 0.4)
    child.parent_type, child.parent_bone = "BONE", "high"
    bpy.context.view_layer.update()
    return child


def test_a_moving_instance_with_an_offset(scene, audit, tmp_path) -> None:
    source = bpy.data.collections.new("source")
    source.instance_offset = (1, 0, 0.5)
    inside = cube("inside", location=(1, 2, 0))
    scene.collection.objects.unlink(inside)
    source.objects.link(inside)
    shown = bpy.data.objects.new("shown", None)
    scene.collection.objects.link(shown)
    shown.instance_type, shown.instance_collection = "COLLECTION", source
    animate(shown, "location", {1: (0, 0, 0), 10: (5, 0, 0)})
    # The keyframes lack the offset.
    assert lost(audit)["shown"] == pytest.approx(np.linalg.norm((1, 0, 0.5)), rel=1e-4)


@pytest.mark.parametrize(
    "options", [{"export_yup": False}, {"export_hierarchy_flatten_objs": True}, {}]
)
def test_an_animated_child_of_a_bone(scene, audit, tmp_path, options) -> None:
    made = rig()
    child = on_bone(made)
    animate(child, "location", {1: (1, 2, 3), 5: (2, 2, 3)})
    animate(made.pose.bones["high"], "rotation_euler", {1: (0, 0, 0), 5: (0, 1, 0)})
    expected = off_in_gltf(child, tmp_path, **options)
    found = lost(audit, **options).get("child", 0.0)
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert (expected > 1) == ("export_yup" in options)


def test_a_motion_of_which_the_file_has_a_part(scene, audit, tmp_path) -> None:
    target = cube("target", location=(9, 0, 0))
    animate(target, "rotation_euler", {1: (0, 0, 0), 5: (0, 0, 1.5)})
    made = rig()
    animate(made, "location", {1: (0, 0, 0), 5: (1, 0, 0)})
    made.constraints.new("COPY_ROTATION").target = target
    child = cube("child", made, (2, 0, 0))
    scene.frame_set(1)
    expected = off_in_gltf(child, tmp_path)
    found = lost(audit)
    assert max(found.values(), default=0) == pytest.approx(expected, rel=1e-3, abs=1e-4)
    # Blender 4.2 wrote all of it.
    assert expected > 1 or bpy.app.version < (4, 4)


def test_vertices_that_make_instances_and_move_lose_nothing(scene, audit) -> None:
    parent = cube("parent")
    child = cube("child", parent, scale=(0.1, 0.1, 0.1))
    parent.instance_type = "VERTS"
    animate(parent, "location", {1: (0, 0, 0), 10: (5, 0, 0)})
    assert child.name and not lost(audit)


def test_a_child_of_an_instancer_is_not_said_to_be_sheared(scene, audit) -> None:
    source = bpy.data.collections.new("source")
    inside = cube("inside")
    scene.collection.objects.unlink(inside)
    source.objects.link(inside)
    shown = bpy.data.objects.new("shown", None)
    scene.collection.objects.link(shown)
    shown.instance_type, shown.instance_collection = "COLLECTION", source
    shown.location = (3, 0, 0)
    cube("child", shown, (0, 2, 0))
    bpy.context.view_layer.update()
    (finding,) = [one for one in audit().findings if one.object == "child"]
    # The exporter takes the place of the instance twice.
    assert finding.displacement == pytest.approx(3, rel=1e-4)
    assert "has “child” in another place" in finding.cause


def test_what_is_not_in_the_file_is_told(scene, audit) -> None:
    away = bpy.data.objects.new("away", None)
    cube("child", away)
    bpy.context.view_layer.update()
    (finding,) = audit().findings
    assert finding.title == "“child” is not in the exported file" and finding.grade == "severe"
    assert not audit("FBX").findings


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
def test_objects_of_all_types_lose_nothing(scene, audit, format) -> None:
    bpy.ops.object.metaball_add(location=(5, 0, 0))
    bpy.ops.object.metaball_add(location=(6, 0, 0))
    bpy.ops.object.text_add(rotation=(0.3, 0, 0))
    bpy.ops.curve.primitive_bezier_curve_add(location=(0, 5, 0))
    bpy.ops.surface.primitive_nurbs_surface_sphere_add(location=(9, 0, 0))
    for add in ("empty", "camera", "light", "speaker", "lightprobe", "volume", "armature"):
        getattr(bpy.ops.object, f"{add}_add")(location=(1, 2, 3), rotation=(0.1, 0.2, 0.3))
    assert audit(format).findings == []


def test_instances_of_geometry_nodes(scene, audit) -> None:
    scattered(scene)
    (finding,) = [one for one in audit().findings if one.kind == "export"]
    assert finding.title == "2 of 2 instances are not in the exported file, such as of “body”"
    kinds = [one.kind for one in audit(export_gn_mesh=True).findings]
    assert "export" not in kinds and "engines" in kinds


def test_nobody_asks_for_a_motion_that_is_not_exported(scene, audit) -> None:
    body = cube("body")
    animate(body, "location", {1: (0, 0, 0), 5: (5, 0, 0)})
    cube("still", location=(0, 3, 0))
    assert not lost(audit, export_animations=False) and not lost(audit, "FBX", bake_anim=False)


@pytest.mark.parametrize("kind", ["CAMERA", "LIGHT"])
def test_children_of_cameras_and_lights_in_fbx(scene, audit, tmp_path, kind) -> None:
    data = bpy.data.cameras.new("c") if kind == "CAMERA" else bpy.data.lights.new("l", "SPOT")
    above = bpy.data.objects.new("above", data)
    scene.collection.objects.link(above)
    above.rotation_euler = (1, 0, 0.5)
    child = cube("child", above, (1, 2, 3), 0.3)
    bpy.context.view_layer.update()
    found = lost(audit, "FBX")
    assert found["child"] > 3
    if kind == "CAMERA":
        assert found["child"] == pytest.approx(off_in_fbx(child, tmp_path), rel=1e-3)


def test_a_child_of_a_bone_with_other_axes_in_fbx(scene, audit, tmp_path) -> None:
    child = on_bone(rig())
    axes = {"primary_bone_axis": "X", "secondary_bone_axis": "Z"}
    expected = off_in_fbx(child, tmp_path, **axes)
    assert expected > 1 and lost(audit, "FBX", **axes)["child"] == pytest.approx(expected, rel=1e-3)
    assert not lost(audit, "FBX")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"global_scale": 5.0},
        {"apply_scale_options": "FBX_SCALE_ALL"},
        {"axis_up": "Z", "axis_forward": "Y"},
        {"bake_space_transform": True},
    ],
)
def test_axes_and_units_of_fbx_are_no_loss(scene, audit, part, options) -> None:
    parent = cube("parent", location=(1, 2, 3), turn=0.4, scale=(2, 2, 2))
    child = cube("child", parent, (1, 0, 0), 0.3)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.rotation_euler = (1, 0.2, 0.3)
    rig().location = (4, 5, 6)
    bpy.context.view_layer.update()
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "SPOT"))
    scene.collection.objects.link(lamp)
    lamp.rotation_euler = (0.4, 0.2, 0.3)
    bpy.context.view_layer.update()
    assert child.name and not audit("FBX", **options).findings
    # Each node by itself, those that draw nothing as well.
    import xform_audit

    with part("exporting").exported(bpy.context, "FBX", options) as export:
        file = xform_audit.audit(str(export.path))["scenes"][0]
        written = part("written").Written(bpy.context, export, file).at_rest()
        shown = export.tree.at_rest().shown
    for index, node in enumerate(export.tree.nodes):
        if not node.is_skinned:
            np.testing.assert_allclose(written[index], shown[index], atol=2e-5, err_msg=node.name)


def test_rigs_with_bones_of_the_same_names_in_fbx(scene, audit) -> None:
    for place, name in enumerate(("one", "two")):
        made = rig()
        made.name, made.location = name, (5 * place, 0, 0)
    bpy.context.view_layer.update()
    assert not audit("FBX").findings


def test_what_bends_otherwise_is_told(scene, audit) -> None:
    body = next(one for one in [rig()] and scene.objects if one.type == "MESH")
    body.modifiers["Armature"].use_deform_preserve_volume = True
    (note,) = audit().findings
    assert note.kind == "note" and "preserves volume" in note.cause


def two_actions(made: bpy.types.Object, names: tuple[str, ...]) -> None:
    """Of a rig; the second is on, and the first is longer."""
    for name, last, turn in zip(names, (30, 12), (0.8, 0.3)):
        made.animation_data_create()
        made.animation_data.action = None
        scenes.animate(made.pose.bones["low"], "rotation_euler", {1: (0, 0, 0), last: (turn, 0, 0)})
        made.animation_data.action.name = name
        made.animation_data.action.use_fake_user = True
    bpy.context.scene.frame_set(1)


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
@pytest.mark.parametrize(
    "names",
    [
        ("walk", "run"),
        ("run", "walk"),
        ("rig|mixamo|walk", "rig|mixamo|run"),
        ("a|b", "b"),
        ("b", "a|b"),
    ],
)
def test_the_action_that_is_on_is_compared(scene, audit, format, names) -> None:
    two_actions(rig(), names)
    assert not lost(audit, format)


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
def test_actions_that_are_not_on_are_not_compared(scene, audit, format) -> None:
    made = rig()
    two_actions(made, ("walk", "run"))
    made.animation_data.action = None
    assert not lost(audit, format)
    track = made.animation_data.nla_tracks.new()
    track.strips.new("walk", 5, bpy.data.actions["walk"])
    assert not lost(audit, format)


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
def test_poses_survive_exports_of_several_actions(scene, audit, format) -> None:
    made = rig()
    two_actions(made, ("walk", "run"))
    bone = made.pose.bones["high"]
    bone.location, bone.rotation_euler, bone.scale = (1, 2, 3), (0.5, 0.25, 0), (1, 2, 1)
    bpy.context.view_layer.update()
    audit(format)
    audit(format, export_animation_mode="BROADCAST")
    assert tuple(bone.location) == (1, 2, 3) and tuple(bone.scale) == (1, 2, 1)
    assert tuple(bone.rotation_euler) == (0.5, 0.25, 0)


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
def test_a_cycle_is_compared_as_long_as_its_action(scene, audit, part, format) -> None:
    made = rig()
    animate(
        made.pose.bones["low"], "rotation_euler", {1: (0, 0, 0), 12: (0.6, 0, 0), 24: (0, 0, 0)}
    )
    for curve in part("tree").curves(made.animation_data):
        curve.modifiers.new("CYCLES")
    made.animation_data.action.update_tag()
    scene.frame_end = 100
    scene.frame_set(35)
    assert made.pose.bones["low"].rotation_euler[0] > 0.5
    assert not lost(audit, format)


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
def test_an_action_may_end_between_two_frames(scene, audit, format) -> None:
    cube("still", location=(0, 5, 0))
    body = cube("body")
    for frame, place in [(0.0, (0, 0, 0)), (20.9, (9, 0, 0))]:
        body.location = place
        body.keyframe_insert("location", frame=frame)
    scene.frame_start, scene.frame_end = 0, 30
    assert not lost(audit, format)


@pytest.mark.parametrize(
    "options",
    [{}, {"export_animation_mode": "ACTIVE_ACTIONS"}, {"export_frame_range": True}],
)
def test_negative_frames(scene, audit, options) -> None:
    cube("still", location=(0, 5, 0))
    body = cube("body")
    animate(body, "rotation_euler", {-10: (0, 0, 0), 30: (0, 0, 3)})
    scene.frame_start, scene.frame_end = (0, 20) if "export_frame_range" in options else (10, 20)
    assert not lost(audit, **options)


@pytest.mark.parametrize("mode", ["EDIT", "POSE"])
def test_modes_make_no_difference(scene, audit, mode) -> None:
    made = rig()
    two_actions(made, ("walk", "run"))
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode=mode)
    assert not lost(audit, "FBX") and not lost(audit)
    assert bpy.context.mode == ("EDIT_ARMATURE" if mode == "EDIT" else "POSE")


def test_bones_that_deform_nothing_may_be_left_out(scene, audit) -> None:
    rig().data.bones["high"].use_deform = False
    assert not lost(audit, "FBX", use_armature_deform_only=True)


def test_linked_objects_in_fbx(scene, audit, tmp_path) -> None:
    source = bpy.data.collections.new("source")
    scene.collection.children.link(source)
    inside = cube("inside", turn=0.4)
    scene.collection.objects.unlink(inside)
    source.objects.link(inside)
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {source})
    bpy.data.objects.remove(inside)
    bpy.data.collections.remove(source)
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.collections = ["source"]
    scene.collection.children.link(wanted.collections[0])
    cube("own", location=(4, 0, 0))
    bpy.context.view_layer.update()
    result = audit("FBX")
    assert not result.findings and result.nodes == 2


def test_turns_are_in_the_right_direction(scene, audit, tmp_path) -> None:
    """The oracles of this file themselves."""
    child = cube("child", cube("parent", turn=pi / 3), (1, 0, 0), 0.2)
    bpy.context.view_layer.update()
    assert off_in_gltf(child, tmp_path) < 1e-5 and off_in_fbx(child, tmp_path) < 1e-5
