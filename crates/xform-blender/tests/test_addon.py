# SPDX-License-Identifier: GPL-3.0-or-later
"""Installing, operators, the check on export, the ghost, and scenes of any size."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import bpy
import numpy as np
import pytest
import scenes
from scenes import armature, cube, skin

ADDON = "bl_ext.user_default.xform"


def skewed() -> tuple[bpy.types.Object, bpy.types.Object]:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    bpy.context.view_layer.update()
    return parent, child


def test_the_package_is_whole(package: Path) -> None:
    with zipfile.ZipFile(package) as packed:
        names = set(packed.namelist())
        manifest = tomllib.loads(packed.read("blender_manifest.toml").decode())
    assert {
        "__init__.py",
        "LICENSE",
        *(wheel.removeprefix("./") for wheel in manifest["wheels"]),
    } <= names
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    root = tomllib.loads((Path(__file__).parents[3] / "Cargo.toml").read_text())
    assert manifest["version"] == root["workspace"]["package"]["version"]
    assert manifest["platforms"] == ["linux-x64"] or sys.platform != "linux"


def test_blender_finds_the_package_valid(package: Path) -> None:
    scripts = Path(bpy.utils.resource_path("LOCAL")) / "scripts"
    command = scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    run = [sys.executable, str(command), "validate", str(package)]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0 and "FATAL_ERROR" not in done.stdout, done.stdout


def test_it_can_be_switched_off_and_on(scene) -> None:
    for _ in range(3):
        bpy.ops.preferences.addon_disable(module=ADDON)
        assert not hasattr(bpy.types.Scene, "xform") and not hasattr(bpy.types, "XFORM_PT_audit")
        exporter = sys.modules["io_scene_gltf2"].ExportGLTF2
        assert not hasattr(exporter.execute, "xform_unchecked")
        bpy.ops.preferences.addon_enable(module=ADDON)
        assert hasattr(exporter.execute, "xform_unchecked")
        assert bpy.ops.xform.audit() == {"FINISHED"}


def test_an_empty_scene_has_nothing_to_say(scene) -> None:
    for format in ("GLTF", "FBX"):
        assert bpy.ops.xform.audit(format=format) == {"FINISHED"}
        known = bpy.context.window_manager.xform
        assert not known.findings and known.summary.startswith("Nothing is exported")


def test_what_is_found_is_written_and_fails(scene, tmp_path) -> None:
    skewed()
    path = tmp_path / "findings.json"
    with pytest.raises(RuntimeError, match="1 severe problem: In Unreal, “child” looks different"):
        bpy.ops.xform.audit(fail_on="VISIBLE", filepath=str(path))
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["schema"] == "xform-blender/1" and document["grade"] == "severe"
    assert document["findings"][0]["engines"] == ["unreal"]
    assert bpy.ops.xform.audit(fail_on="NEVER") == {"FINISHED"}


def test_a_selection_is_audited_alone(scene) -> None:
    parent, child = skewed()
    plain = cube("plain")
    for one in (parent, child, plain):
        one.select_set(one == plain)
    assert bpy.ops.xform.audit(selection=True) == {"FINISHED"}
    assert not bpy.context.window_manager.xform.findings
    assert bpy.ops.xform.audit(selection=False) == {"FINISHED"}
    assert bpy.context.window_manager.xform.findings


def test_engines_may_be_chosen(scene) -> None:
    skewed()
    scene.xform.engines = {"ogre", "bevy"}
    bpy.ops.xform.audit()
    titles = [one.title for one in bpy.context.window_manager.xform.findings]
    assert len(titles) == 1 and titles[0].startswith("In OGRE, “child” looks different")


def test_what_is_not_known_of_an_engine_is_no_pass(scene) -> None:
    # A child without height below a mirror has no rotation in Unreal.
    parent = cube("parent", scale=(2, 1, -1))
    cube("child", parent, (1, 0, 0), 0.5, (1, 1, 0))
    bpy.context.view_layer.update()
    bpy.ops.xform.audit()
    known = bpy.context.window_manager.xform.findings
    (unknown,) = [one for one in known if one.kind == "unknown"]
    assert (unknown.grade, unknown.object) == ("visible", "child")
    assert unknown.title == "It is not known how Unreal shows “child”"
    assert "scale is 0" in unknown.cause


def test_errors_are_reports(scene, tmp_path) -> None:
    skewed()
    with pytest.raises(RuntimeError, match="No such file or directory"):
        bpy.ops.xform.audit(filepath=str(tmp_path / "nowhere" / "findings.json"))
    with pytest.raises(RuntimeError, match="No such file or directory"):
        bpy.ops.xform.report(filepath=str(tmp_path / "nowhere" / "report.html"))


def test_another_version_of_the_exporter_is_no_safe_scene(scene, part, monkeypatch) -> None:
    skewed()
    listener = part("hooks").Listener
    monkeypatch.setattr(listener, "_after", lambda *_: None.gone)
    with pytest.raises(
        RuntimeError, match="does not understand this version of Blender's exporter"
    ):
        bpy.ops.xform.audit()
    monkeypatch.setattr(listener, "mark", lambda _: None)
    monkeypatch.setattr(listener, "take", lambda *_: None)
    with pytest.raises(RuntimeError, match="did not report the object of each node"):
        bpy.ops.xform.audit()


def test_a_finding_selects_its_object_and_its_frame(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    parent, child = skewed()
    for frame, turn in [(1, 0.0), (12, 0.8)]:
        child.rotation_euler = (0, 0, turn)
        child.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(5)
    bpy.ops.xform.audit()
    assert scene.frame_current == 5
    known = bpy.context.window_manager.xform
    known.active = 0
    assert bpy.context.object == child and child.select_get() and not parent.select_get()
    assert scene.frame_current == 12
    bpy.ops.xform.select(culprit=True)
    assert bpy.context.object == parent and not child.select_get()
    bpy.data.objects.remove(child)
    assert bpy.ops.xform.select() == {"CANCELLED"}


def test_a_finding_selects_its_bone(scene) -> None:
    rig = armature(scenes.recorded_bones()["nodes"])
    skin(rig)
    top = rig.data.bones[0].name
    below = rig.data.bones[top].children[0].name
    rig.data.bones[below].inherit_scale = "NONE"
    rig.pose.bones[top].scale = (1, 3, 1)
    rig.pose.bones[top].keyframe_insert("scale", frame=1)
    rig.pose.bones[below].rotation_quaternion = (0.9, 0.1, 0.3, 0.2)
    rig.pose.bones[below].keyframe_insert("rotation_quaternion", frame=1)
    bpy.ops.xform.audit()
    known = bpy.context.window_manager.xform
    place = next(i for i, one in enumerate(known.findings) if one.culprit_bone == below)
    known.active = place
    bpy.ops.xform.select(culprit=True)
    assert bpy.context.mode == "POSE" and rig.data.bones.active.name == below


def test_an_audit_leaves_everything_as_it_was(scene) -> None:
    rig = armature(scenes.recorded_bones()["nodes"])
    skin(rig)
    scene.frame_set(7)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    before = [
        list(one.name for one in kind)
        for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.actions)
    ]
    bpy.ops.xform.audit()
    assert bpy.context.mode == "POSE" and scene.frame_current == 7
    after = [
        list(one.name for one in kind)
        for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.actions)
    ]
    assert before == after and "glTF2ExportSettings" not in scene


def test_a_pose_without_a_keyframe_is_not_lost(scene) -> None:
    rig = armature(scenes.recorded_bones()["nodes"])
    body = skin(rig)
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="wide")
    key.keyframe_insert("value", frame=1)
    rig.keyframe_insert("location", frame=1)
    pose = rig.pose.bones[0]
    pose.keyframe_insert("location", frame=1)
    rig.location, pose.location, key.value = (1, 2, 3), (4, 5, 6), 0.5
    bpy.context.view_layer.update()
    bpy.ops.xform.audit()
    assert tuple(rig.location) == (1, 2, 3) and tuple(rig.matrix_world.translation) == (1, 2, 3)
    assert tuple(pose.location) == (4, 5, 6) and key.value == 0.5


def test_whatever_has_keyframes_keeps_what_has_none_yet(scene) -> None:
    one = cube("plain")
    lamp = bpy.data.lights.new("lamp", "POINT")
    scene.collection.objects.link(bpy.data.objects.new("lamp", lamp))
    one["ik"], one["reach"] = 0.0, [1.0, 2.0]
    for owner, path in [
        (one, '["ik"]'),
        (one, '["reach"]'),
        (one, "delta_location"),
        (lamp, "energy"),
    ]:
        owner.keyframe_insert(path, frame=1)
    one["ik"], one["reach"], one.delta_location, lamp.energy = 1.0, [3.0, 4.0], (5, 0, 0), 99
    bpy.context.view_layer.update()
    bpy.ops.xform.audit()
    assert one["ik"] == 1.0 and list(one["reach"]) == [3.0, 4.0]
    assert tuple(one.delta_location) == (5, 0, 0) and lamp.energy == 99


def test_a_click_can_be_undone_by_itself(scene) -> None:
    skewed()
    cube("plain")
    bpy.ops.xform.audit()
    for name in ("plain", "parent"):
        bpy.context.view_layer.objects.active = bpy.data.objects[name]
        bpy.ops.ed.undo_push(message=name)
    bpy.context.window_manager.xform.active = 0
    assert bpy.context.object.name == "child"
    bpy.ops.ed.undo()
    assert bpy.context.object.name == "parent"


def test_what_cannot_be_selected_is_told(scene, capfd) -> None:
    _, child = skewed()
    bpy.ops.xform.audit()
    child.hide_set(True)
    bpy.context.window_manager.xform.active = 0
    assert "“child” is hidden, and cannot be selected." in capfd.readouterr().out


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
def test_of_an_instance_its_instancer_is_selected(scene, format) -> None:
    source = bpy.data.collections.new("source")
    parent, child = skewed()
    for one in (parent, child):
        scene.collection.objects.unlink(one)
        source.objects.link(one)
    shown = bpy.data.objects.new("shown", None)
    scene.collection.objects.link(shown)
    shown.instance_type, shown.instance_collection = "COLLECTION", source
    shown.scale, shown.rotation_euler = (1, 3, 1), (0, 0, 0.3)
    bpy.context.view_layer.update()
    bpy.ops.xform.audit(format=format)
    known = bpy.context.window_manager.xform
    found = [one for one in known.findings if one.grade != "identical"]
    assert found and {one.object for one in found} == {"shown"}
    assert all("|" not in one.title for one in found)


def test_options_of_another_version_are_an_error(scene) -> None:
    cube("plain")
    scene["glTF2ExportSettings"] = {"export_image_format": "GONE"}
    with pytest.raises(RuntimeError, match="GONE"):
        bpy.ops.xform.audit()


def test_the_report_is_a_page(scene, tmp_path) -> None:
    skewed()
    path = tmp_path / "page.html"
    assert bpy.ops.xform.report(filepath=str(path)) == {"FINISHED"}
    page = path.read_text(encoding="utf-8")
    assert "untitled.glb" in page and page.rstrip().endswith("</html>")


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
def test_exports_are_checked(scene, tmp_path, format) -> None:
    preferences = bpy.context.preferences.addons[ADDON].preferences
    operator = bpy.ops.export_scene.gltf if format == "GLTF" else bpy.ops.export_scene.fbx
    path = tmp_path / ("out.glb" if format == "GLTF" else "out.fbx")
    _, child = skewed()
    preferences.check, preferences.at_least = "STOP", "VISIBLE"
    with pytest.raises(RuntimeError, match="Not exported. xform: 1 severe problem"):
        operator(filepath=str(path))
    assert not path.exists()
    preferences.check = "WARN"
    assert operator(filepath=str(path)) == {"FINISHED"} and path.exists()
    path.unlink()
    # What is not exported is not checked.
    preferences.check = "STOP"
    cube("plain").select_set(True)
    child.select_set(False)
    assert operator(filepath=str(path), use_selection=True) == {"FINISHED"} and path.exists()
    path.unlink()
    preferences.check = "OFF"
    assert operator(filepath=str(path)) == {"FINISHED"} and path.exists()


def test_a_check_that_fails_stops_only_where_it_shall(scene, tmp_path, part, monkeypatch) -> None:
    def broken(*_):
        raise ZeroDivisionError("broken")

    cube("plain")
    monkeypatch.setattr(part("audit"), "audit", broken)
    preferences = bpy.context.preferences.addons[ADDON].preferences
    preferences.check = "WARN"
    assert bpy.ops.export_scene.gltf(filepath=str(tmp_path / "a.glb")) == {"FINISHED"}
    preferences.check = "STOP"
    with pytest.raises(
        RuntimeError, match="could not check this export: xform failed: ZeroDivisionError: broken"
    ):
        bpy.ops.export_scene.gltf(filepath=str(tmp_path / "b.glb"))
    assert not (tmp_path / "b.glb").exists()


def test_the_options_that_the_file_keeps_are_used(scene, part) -> None:
    skewed()
    scene["glTF2ExportSettings"] = {"export_hierarchy_flatten_objs": True, "gone_since": 3}
    options, origin = part("exporting").settings(bpy.context, "GLTF")
    assert origin == "the options stored in this file"
    assert options["export_hierarchy_flatten_objs"]
    # Flattened, Unreal shows what Blender does but for the shear, which no engine does.
    bpy.ops.xform.audit()
    kinds = {one.kind for one in bpy.context.window_manager.xform.findings}
    assert kinds == {"export"}


@pytest.mark.parametrize("engine", ["file", "three", "ogre", "unreal"])
def test_ghosts_are_where_engines_have_them(scene, part, engine) -> None:
    parent, child = skewed()
    parent.scale = (2, 1, 3)
    bpy.context.view_layer.update()
    ghosts, told = part("overlay").triangles(bpy.context, engine)
    if engine in ("file", "three"):
        assert len(ghosts) == 0 and told == "At this frame every mesh is where Blender shows it."
        return
    # By the formula of combined scales and rotations: place + turn · (scale ⊙ corner).
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    turn = np.array(child.rotation_euler.to_matrix())
    expected = np.array([4, 0, 0]) + (corners * np.array([2, 1, 3])) @ turn.T
    found = np.unique(np.round(ghosts, 5), axis=0)
    np.testing.assert_allclose(found, np.unique(np.round(expected, 5), axis=0), atol=2e-5)
    assert len(ghosts) == 36


def test_the_ghost_of_a_skinned_mesh_is_by_its_bones(scene, part) -> None:
    rig = armature(scenes.recorded_bones()["nodes"])
    body = skin(rig)
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="wide").data[0].co.x += 0.5
    body.data.shape_keys.key_blocks["wide"].value = 0.7
    for entry in scenes.recorded_bones()["nodes"]:
        pose = rig.pose.bones[entry["name"]]
        x, y, z, w = entry["r"]
        pose.location, pose.rotation_quaternion, pose.scale = entry["t"], (w, x, y, z), entry["s"]
        rig.data.bones[entry["name"]].inherit_scale = "ALIGNED"
    bpy.context.view_layer.update()
    overlay, trees = part("overlay"), part("tree")
    tree = trees.of_objects(bpy.context.view_layer.objects, "FBX", {})
    poses = tree.now()
    _, here, there = overlay._skinned(tree, poses.shown, poses.written(tree.parents), body)
    # Where Blender itself has the vertices.
    shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    np.testing.assert_allclose(here, trees.coordinates(shown.data.vertices), atol=1e-3)
    assert np.abs(there - here).max() > 0.5
    ghosts, _ = overlay.triangles(bpy.context, "file")
    assert len(ghosts) == 3 * len(body.data.polygons)


def test_a_ghost_goes_with_the_add_on(scene, part) -> None:
    skewed()
    assert bpy.ops.xform.ghost() == {"FINISHED"}
    overlay = part("overlay")
    assert overlay.is_on() and len(overlay._ghost._places) == 0
    scene.xform.ghost = "unreal"
    assert bpy.app.timers.is_registered(overlay._make)
    overlay._make()
    assert len(overlay._ghost._places) == 36
    handlers = len(bpy.app.handlers.frame_change_post)
    bpy.ops.preferences.addon_disable(module=ADDON)
    assert len(bpy.app.handlers.frame_change_post) == handlers - 1 and not overlay.is_on()
    bpy.ops.preferences.addon_enable(module=ADDON)
    assert bpy.ops.xform.ghost() == {"FINISHED"} and bpy.ops.xform.ghost() == {"FINISHED"}


def test_a_large_mesh_has_no_ghost(scene, part, monkeypatch) -> None:
    skewed()
    monkeypatch.setattr(part("overlay"), "MOST_VERTICES", 15)
    ghosts, told = part("overlay").triangles(bpy.context, "unreal")
    assert len(ghosts) == 0 and told == "No ghost: 16 vertices exceed the limit of 15."


def test_five_thousand_objects(scene) -> None:
    """Chains of five, half of them skewed, all of it moving."""
    scene.frame_start, scene.frame_end = 1, 100
    mesh = cube("first").data
    for chain in range(1000):
        above = None
        for link in range(5):
            one = bpy.data.objects.new(f"{chain}.{link}", mesh)
            scene.collection.objects.link(one)
            one.parent, one.location = above, (chain if link == 0 else 1, 0, 0)
            if link == 0:
                one.scale = (2, 1, 1) if chain % 2 else (1, 1, 1)
            one.rotation_euler = (0, 0, 0.3 * link)
            above = one
    top = bpy.data.objects["1.0"]
    for frame in (1, 100):
        top.scale = (2 + frame / 100, 1, 1)
        top.keyframe_insert("scale", frame=frame)
    assert bpy.ops.xform.audit() == {"FINISHED"}
    known = bpy.context.window_manager.xform
    assert len(known.findings) == 500 and "1.0" in {one.culprit_object for one in known.findings}


def test_the_command_line_of_the_documentation(scene, tmp_path) -> None:
    """In a process of its own, as pipelines call it."""
    page = (Path(__file__).parents[3] / "docs" / "blender.md").read_text(encoding="utf-8")
    (expression,) = [line.split('"')[1] for line in page.splitlines() if '--python-expr "' in line]
    skewed()
    blend = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    # The module does not switch extensions on by itself, as the program does.
    script = [
        "import bpy",
        f"bpy.ops.preferences.addon_enable(module={ADDON!r})",
        f"bpy.ops.wm.open_mainfile(filepath={str(blend)!r})",
        expression,
    ]
    run = subprocess.run(
        [sys.executable, "-c", "; ".join(script)], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode != 0 and "In Unreal, “child” looks different" in run.stderr
    assert json.loads((tmp_path / "findings.json").read_text(encoding="utf-8"))["grade"] == "severe"
