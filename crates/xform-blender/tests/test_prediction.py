# SPDX-License-Identifier: GPL-3.0-or-later
"""What is predicted of an export is what the file then has, and what was recorded of Blender."""

from __future__ import annotations

from math import radians
from pathlib import Path

import bpy
import numpy as np
import pytest
import scenes
from scenes import Gltf, animate, armature, cube, keep_parent, skin

MODES = ["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"]


def files_agree(part, tmp_path: Path, **options) -> Gltf:
    """Exports by hand and reads the file by itself. What the add-on reads of its own export, and what the ghost predicts without one,
    is that: at rest, and at each frame if it is animated.
    """
    exporting = part("exporting")
    context, scene = bpy.context, bpy.context.scene
    chosen = exporting.settings(context, "GLTF")[0] | options
    frames = list(range(scene.frame_start, scene.frame_end + 1))
    with exporting.exported(context, "GLTF", chosen) as export:
        tree = export.tree
        audit = xform_audit().audit(str(export.path))
        written = part("written").Written(context, export, audit["scenes"][0])
        seen = [(None, written.at_rest(), tree.at_rest().written(tree.parents))]
        written.sample(frames)
        for step, frame in enumerate(frames):
            scene.frame_set(frame)
            seen.append((frame, written.at(step), tree.now().written(tree.parents)))
    path = tmp_path / "by_hand.glb"
    assert bpy.ops.export_scene.gltf(filepath=str(path), **chosen) == {"FINISHED"}
    file = Gltf(path)
    moving = {
        channel["target"]["node"]
        for animation in file.json.get("animations", [])
        for channel in animation["channels"]
    }
    for frame, read, predicted in seen:
        worlds = file.worlds(None if frame is None else frame / scene.render.fps)
        for index, node in enumerate(tree.nodes):
            if node.is_skinned:
                continue
            world, told = worlds[node.name], f"{node.name} at {frame}"
            size = 1 + np.abs(world).max()
            np.testing.assert_allclose(read[index], world, atol=1e-5 * size, err_msg=told)
            if frame is None or moving:
                np.testing.assert_allclose(predicted[index], world, atol=1e-5 * size, err_msg=told)
    return file


def xform_audit():
    """The wheel, which is there once the add-on is installed."""
    import xform_audit

    return xform_audit


def test_a_parent_inverse_is_lost_as_recorded(scene, audit, part, tmp_path) -> None:
    parent = cube("parent", turn=radians(38), scale=(2, 1, 1))
    child = cube("child", location=(3, 1, 0), turn=radians(20))
    keep_parent(child, parent)
    files_agree(part, tmp_path)
    recorded = scenes.roads()["parent_inverse"]
    for format, road in [("GLTF", "gltf"), ("FBX", "fbx")]:
        (finding, *_) = [one for one in audit(format).findings if one.kind == "export"]
        assert finding.displacement == pytest.approx(recorded[road], abs=1e-6)
        assert (finding.object, finding.grade, finding.frame) == ("child", "severe", None)
        assert "parent inverse (Ctrl-P)" in finding.cause
    flat = audit(export_hierarchy_flatten_objs=True)
    assert not [one for one in flat.findings if one.kind == "export"]
    assert recorded["gltf_flatten"] < 1e-6


def posed_bones(mode: str, is_turned: bool) -> bpy.types.Object:
    """The recorded bones, each with this mode."""
    bones = scenes.recorded_bones()["nodes"]
    rig = armature(bones)
    for entry in bones:
        bone, pose = rig.data.bones[entry["name"]], rig.pose.bones[entry["name"]]
        bone.inherit_scale = mode
        bone.use_inherit_rotation = is_turned
        x, y, z, w = entry["r"]
        pose.location, pose.rotation_quaternion, pose.scale = entry["t"], (w, x, y, z), entry["s"]
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("is_turned", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_bones_are_exported_as_predicted(scene, part, audit, tmp_path, mode, is_turned) -> None:
    rig = posed_bones(mode, is_turned)
    recorded = scenes.recorded_bones()["modes"][mode if is_turned else f"{mode}_NOROT"]
    for name, world in recorded.items():
        # What Blender shows is what Blender showed.
        shown = np.array(rig.pose.bones[name].matrix)
        expected = np.array(world).reshape(4, 4).T
        np.testing.assert_allclose(shown, expected, atol=1e-4 * (1 + np.abs(expected).max()))
    skin(rig)
    as_posed = {"export_rest_position_armature": False}
    worlds = files_agree(part, tmp_path, **as_posed).worlds()
    # What is lost, by the file and the recorded worlds alone: the farthest corner of the box of each bone.
    box = np.array([(x, y, z, 1) for x in (-0.1, 0.1) for y in (0.0, 0.9) for z in (-0.1, 0.1)])
    lost = {}
    for name, world in recorded.items():
        apart = worlds[name] @ np.linalg.inv(scenes.Y_UP) - np.array(world).reshape(4, 4).T
        lost[name] = np.linalg.norm(box @ apart.T, axis=1).max()
    found = [one for one in audit(**as_posed).findings if one.kind == "export"]
    if mode == "FULL" and is_turned:
        assert max(lost.values()) < 1e-4 and not found
        return
    assert found
    worst = max(found, key=lambda one: one.displacement)
    assert worst.displacement == pytest.approx(max(lost.values()), rel=2e-4)
    assert lost[worst.bone] == pytest.approx(worst.displacement, rel=2e-4)
    if mode != "FULL":
        label = part("losses").INHERIT_SCALE[mode]
        assert any(f"inherits scale as “{label}”" in one.cause for one in found)


def test_bones_of_all_modes_lose_in_motion_as_predicted(scene, part, audit, tmp_path) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    rig = posed_bones("FULL", True)
    for name, (mode, is_turned) in scenes.recorded_bones()["mix"].items():
        bone = rig.data.bones[name]
        bone.inherit_scale, bone.use_inherit_rotation = mode, is_turned
    skin(rig)
    for pose in rig.pose.bones:
        for path, none in [("location", 0.0), ("rotation_quaternion", 0.0), ("scale", 1.0)]:
            posed = tuple(getattr(pose, path))
            rest = (1.0, 0, 0, 0) if len(posed) == 4 else (none,) * 3
            animate(pose, path, {1: rest, 12: posed})
    # The file is at rest as the armature is, which loses nothing.
    files_agree(part, tmp_path)
    found = [one for one in audit().findings if one.kind == "export"]
    assert len({one.culprit_bone for one in found}) > 1
    assert all(one.frame is not None for one in found)
    # By the file alone: how far it is from the recorded worlds at the last frame.
    worlds = Gltf(tmp_path / "by_hand.glb").worlds(12 / scene.render.fps)
    box = np.array([(x, y, z, 1) for x in (-0.1, 0.1) for y in (0.0, 0.9) for z in (-0.1, 0.1)])
    for finding in found:
        if finding.frame == 12:
            recorded = np.array(scenes.recorded_bones()["modes"]["MIX"][finding.bone])
            apart = worlds[finding.bone] @ np.linalg.inv(scenes.Y_UP) - recorded.reshape(4, 4).T
            lost = np.linalg.norm(box @ apart.T, axis=1).max()
            assert finding.displacement == pytest.approx(lost, rel=1e-3)


def test_a_pose_that_is_not_exported_is_told(scene, audit) -> None:
    skin(posed_bones("FULL", True))
    assert any("rest position" in one.title for one in audit().findings)
    as_posed = audit(export_rest_position_armature=False)
    assert not any("rest position" in one.title for one in as_posed.findings)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (-2, 1, 1), (-1.5, -0.5, -3), (0, 1, 1), (0, 0, 0)])
def test_odd_scales_are_exported_as_predicted(scene, part, audit, tmp_path, scale) -> None:
    parent = cube("parent", turn=0.4, scale=scale)
    child = cube("child", parent, (1, 2, 0), 0.7, (1, 1.5, 1))
    cube("leaf", child, (0, 1, 1), -0.3)
    bpy.context.view_layer.update()
    files_agree(part, tmp_path)
    if scale == (-1, 1, 1):
        # A mirror and its child are poses, so that nothing is lost.
        assert not [one for one in audit().findings if one.kind == "export"]


def test_animated_scales_are_exported_as_predicted(scene, part, audit, tmp_path) -> None:
    scene.frame_start, scene.frame_end = 1, 24
    parent = cube("parent")
    child = cube("child", parent, (2, 0, 0), 0.8)
    animate(parent, "scale", {1: (1, 1, 1), 24: (3, 0.5, 1)})
    animate(child, "rotation_euler", {1: (0, 0, 0.8), 12: (0.5, 0, 0), 24: (0, 0, 0.8)})
    files_agree(part, tmp_path)
    # Matrix engines show it as Blender does, and Unreal does not, the most at the end.
    found = audit().findings
    assert [(one.kind, one.engines, one.frame) for one in found] == [("engines", ["unreal"], 24)]
    assert (found[0].object, found[0].culprit_object, found[0].grade) == (
        "child",
        "parent",
        "severe",
    )


def test_a_parent_inverse_is_lost_in_motion(scene, part, audit, tmp_path) -> None:
    scene.frame_start, scene.frame_end = 1, 20
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", location=(2, 0, 0))
    keep_parent(child, parent)
    animate(child, "rotation_euler", {1: (0, 0, 0), 20: (0, 0, radians(45))})
    files_agree(part, tmp_path)
    (finding,) = [one for one in audit().findings if one.kind == "export"]
    # At rest there is none, since both have the same axes.
    assert finding.frame == 20 and finding.object == "child"


def test_shape_keys_change_nothing(scene, part, audit, tmp_path) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    child.shape_key_add(name="Basis")
    child.shape_key_add(name="tall").data[7].co.z += 2
    child.data.shape_keys.key_blocks["tall"].value = 0.5
    bpy.context.view_layer.update()
    file = files_agree(part, tmp_path)
    assert [
        len(mesh["primitives"][0]["targets"]) for mesh in file.json["meshes"] if "weights" in mesh
    ] == [1]
    assert [one.kind for one in audit().findings] == ["engines"]


def test_instances_of_collections_are_exported_as_predicted(scene, part, audit, tmp_path) -> None:
    source = bpy.data.collections.new("source")
    source.instance_offset = (1, 0, 0)
    inside = cube("inside", location=(2, 0, 0), turn=0.5)
    scene.collection.objects.unlink(inside)
    source.objects.link(inside)
    shown = bpy.data.objects.new("shown", None)
    scene.collection.objects.link(shown)
    shown.instance_type, shown.instance_collection = "COLLECTION", source
    shown.location, shown.scale, shown.rotation_euler = (0, 5, 0), (2, 1, 1), (0, 0, 0.3)
    bpy.context.view_layer.update()
    with part("exporting").exported(bpy.context, "GLTF", {}) as export:
        poses = export.tree.at_rest()
        file = xform_audit().audit(str(export.path))["scenes"][0]
        written = part("written").Written(bpy.context, export, file).at_rest()
    # As Blender's own list of instances has it.
    instances = bpy.context.evaluated_depsgraph_get().object_instances
    (expected,) = [np.array(one.matrix_world) for one in instances if one.is_instance]
    np.testing.assert_allclose(poses.shown[1], expected, atol=1e-6)
    np.testing.assert_allclose(written[1], expected, atol=1e-6)
    found = audit().findings
    assert {one.kind for one in found} == {"engines", "note"}
    assert any("Instances of collections" in one.title for one in found)


def test_cameras_and_lights_lose_nothing(scene, part, audit, tmp_path) -> None:
    cube("body")
    for name, data in [
        ("camera", bpy.data.cameras.new("camera")),
        ("lamp", bpy.data.lights.new("lamp", "SPOT")),
    ]:
        one = bpy.data.objects.new(name, data)
        scene.collection.objects.link(one)
        one.rotation_euler, one.location = (1, 0.3, 0.2), (3, 4, 5)
    bpy.context.view_layer.update()
    file = files_agree(part, tmp_path, export_cameras=True, export_lights=True)
    assert sorted(file.names) == ["body", "camera", "lamp"]
    assert audit().findings == []


def test_what_the_file_leaves_out_of_the_motion_is_found(scene, part, audit) -> None:
    scene.frame_start, scene.frame_end = 1, 10
    leader = cube("leader")
    animate(leader, "rotation_euler", {1: (0, 0, 0), 10: (0, 0, 1)})
    follower = cube("follower", location=(3, 0, 0))
    follower.constraints.new("COPY_ROTATION").target = leader
    bpy.context.view_layer.update()
    (finding,) = [one for one in audit().findings if one.kind == "export"]
    assert finding.object == "follower" and "no animation of it" in finding.cause
    # So it is in FBX, where the actions are written; as one take of the scene, every frame of it is there.
    (finding,) = [one for one in audit("FBX").findings if one.kind == "export"]
    assert finding.object == "follower"
    scene_take = {"bake_anim_use_all_actions": False, "bake_anim_use_nla_strips": False}
    assert [one.kind for one in audit("FBX", **scene_take).findings] == ["note"]


def test_a_parent_that_is_not_exported_is_named(scene, audit) -> None:
    parent = cube("parent", turn=0.5, scale=(3, 1, 1))
    child = cube("child", parent, (1, 0, 0), 0.6)
    bpy.context.view_layer.update()
    parent.select_set(False)
    child.select_set(True)
    (finding,) = [one for one in audit(use_selection=True).findings if one.kind == "export"]
    assert "sheared by its parent “parent”, which is not exported" in finding.cause


def test_a_constraint_that_shears_is_named(scene, audit) -> None:
    target = cube("target", turn=0.5, scale=(2, 1, 1))
    inner = cube("inner", target, turn=0.7)
    held = cube("held", location=(4, 0, 0))
    held.constraints.new("COPY_TRANSFORMS").target = inner
    bpy.context.view_layer.update()
    (finding,) = [one for one in audit().findings if one.kind == "export"]
    assert finding.object == "held" and "The constraint “Copy Transforms” shears" in finding.cause


def test_a_pose_without_keys_beside_a_motion_is_no_loss(scene, audit) -> None:
    skin(posed_bones("FULL", True))
    animate(cube("other", location=(9, 0, 0)), "location", {1: (9, 0, 0), 20: (9, 5, 0)})
    bpy.context.view_layer.update()
    assert not [one for one in audit().findings if one.kind == "export"]


def test_a_motion_that_only_a_path_makes_is_found(scene, audit) -> None:
    scene.frame_start, scene.frame_end = 1, 20
    curve = bpy.data.curves.new("path", "CURVE")
    curve.dimensions, curve.use_path, curve.path_duration = "3D", True, 20
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (10, 0, 0, 1)
    curve.eval_time = 0
    curve.keyframe_insert("eval_time", frame=1)
    curve.eval_time = 20
    curve.keyframe_insert("eval_time", frame=20)
    path = bpy.data.objects.new("path", curve)
    scene.collection.objects.link(path)
    follower = cube("follower")
    follower.constraints.new("FOLLOW_PATH").target = path
    scene.frame_set(1)
    (finding,) = [one for one in audit().findings if one.kind == "export"]
    assert finding.object == "follower" and finding.displacement > 5


def test_keys_of_shapes_are_no_motion(scene, audit) -> None:
    scene.frame_start, scene.frame_end = 1, 10
    leader = cube("leader")
    animate(leader, "rotation_euler", {1: (0, 0, 0), 10: (0, 0, 1)})
    follower = cube("follower", location=(3, 0, 0))
    follower.constraints.new("COPY_ROTATION").target = leader
    follower.shape_key_add(name="Basis")
    animate(follower.shape_key_add(name="tall"), "value", {1: 0.0, 10: 1.0})
    assert [one.object for one in audit().findings if one.kind == "export"] == ["follower"]


def test_copies_by_the_graphics_card_are_no_loss(scene, audit) -> None:
    parent = cube("parent")
    for place in range(3):
        one = cube(f"copy {place}", parent, (place, 2, 0), 0.3 * place)
        one.data = parent.data
    bpy.context.view_layer.update()
    assert not [one for one in audit(export_gpu_instances=True).findings if one.kind == "export"]


def turning(first: int, last: int) -> None:
    """A child that turns below a non-uniform scale, at its worst in the last frame."""
    parent = cube("parent", scale=(2, 1, 1))
    animate(cube("child", parent), "rotation_euler", {first: (0, 0, 0), last: (0, 0, 0.7)})


@pytest.mark.parametrize("base", [1.0, 2.0])
@pytest.mark.parametrize(
    ("format", "options"),
    [
        ("GLTF", {}),
        ("GLTF", {"export_anim_slide_to_zero": True}),
        ("FBX", {"bake_anim_use_all_actions": True, "bake_anim_use_nla_strips": False}),
        ("FBX", {"bake_anim_use_all_actions": False, "bake_anim_use_nla_strips": False}),
    ],
)
def test_frames_are_those_of_blender(scene, audit, format, options, base) -> None:
    scene.frame_start, scene.frame_end, scene.render.fps_base = 95, 130, base
    turning(101, 112)
    (finding,) = [one for one in audit(format, **options).findings if one.kind == "engines"]
    assert finding.object == "child" and finding.frame == pytest.approx(112, abs=0.3)


def test_the_scene_that_is_open_is_audited(scene, audit) -> None:
    other = bpy.data.scenes.new("other")
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, turn=0.6)
    for one in (parent, child):
        other.collection.objects.link(one)
        scene.collection.objects.unlink(one)
    cube("plain")
    bpy.context.view_layer.update()
    result = audit()
    assert not result.findings and result.nodes == 1


def test_what_fbx_does_not_have_is_not_counted(scene, audit) -> None:
    cube("plain")
    for name, data in [
        ("lattice", bpy.data.lattices.new("lattice")),
        ("speaker", bpy.data.speakers.new("speaker")),
    ]:
        scene.collection.objects.link(bpy.data.objects.new(name, data))
    assert audit("FBX").nodes == 1
