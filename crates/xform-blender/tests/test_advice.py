# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is advised is done here: it works, or it was not advised."""

from __future__ import annotations

from math import radians
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from scenes import animate, armature, cube, keep_parent, recorded_bones, skin
from test_repairs import select, vertices


def findings(format: str = "GLTF") -> list[Any]:
    """What is found but for notes."""
    bpy.context.view_layer.update()
    bpy.ops.xform.audit(format=format)
    known = bpy.context.window_manager.xform.findings
    return [one for one in known if one.kind != "note"]


def press(name: str) -> None:
    """The button that a finding has, which leaves everything where it is and ends the difference."""
    bpy.context.view_layer.update()
    objects = [one for one in bpy.context.view_layer.objects if one.type == "MESH"]
    before = vertices(*objects)
    assert bpy.ops.xform.apply_scale(object=name) == {"FINISHED"}
    np.testing.assert_allclose(vertices(*objects), before, atol=1e-5 * np.abs(before).max())


def empty(name: str, parent: bpy.types.Object | None = None) -> bpy.types.Object:
    one = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(one)
    one.parent = parent
    return one


def test_what_works_is_offered_by_a_button(scene) -> None:
    parent = cube("parent", turn=0.4, scale=(2, 1, 1))
    cube("child", parent, (1, 2, 0), 0.6)
    (found,) = findings()
    assert found.repair == "parent"
    assert found.advice.startswith("Select “parent” and press Apply Scale Where Exact.")
    press(found.repair)
    assert findings() == []


def test_the_object_whose_scale_is_applied_may_be_above_the_cause(scene) -> None:
    top = cube("top", scale=(1.1, 1, 1))
    middle = cube("middle", top, (0, 2, 0), scale=(4, 1, 1))
    cube("child", middle, (1, 2, 0), 0.6)
    found = findings()
    assert found and {one.repair for one in found} == {"top"}
    press("top")
    assert findings() == []


def test_squash_and_stretch_names_its_keys(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 20
    ball = cube("ball")
    animate(ball, "scale", {1: (1, 1, 1), 8: (1.4, 1.4, 0.5), 14: (0.8, 0.8, 1.6), 20: (1, 1, 1)})
    hat = cube("hat", ball, (0, 0, 1))
    hat.rotation_euler = (0.5, 0.3, 0)
    (found,) = findings()
    assert found.repair == "" and "Apply Scale" not in found.advice
    assert found.advice.startswith(
        "At frames 8 and 14, key the same scale on X, Y and Z for “ball”."
    )
    # So it is done.
    animate(ball, "scale", {8: (1, 1, 1), 14: (1, 1, 1)})
    assert findings() == []


def test_a_rig_below_a_scaled_root_keeps_its_scale(scene) -> None:
    root = empty("root")
    root.scale = (1, 1, 2)
    rig = armature(recorded_bones()["nodes"])
    skin(rig)
    rig.parent = root
    for entry in recorded_bones()["nodes"]:
        rig.pose.bones[entry["name"]].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
        rig.pose.bones[entry["name"]].keyframe_insert("rotation_quaternion", frame=1)
    found = [one for one in findings() if one.culprit_object == "root"]
    assert found and {one.repair for one in found} == {""}
    assert found[0].advice == (
        "Give “root” the same scale on X, Y and Z. As it is, the scale of “root” cannot be applied: "
        "an animation rotates “b00”, a bone of “rig”, and “root” above it has a non-uniform scale."
    )
    root.scale = (1, 1, 1)
    assert [one for one in findings() if one.culprit_object == "root"] == []


def test_a_curve_is_converted_first(scene) -> None:
    top = empty("top")
    top.scale = (1, 2, 1)
    curve = bpy.data.curves.new("wire", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.1
    points = curve.splines.new("POLY").points
    points.add(1)
    points[1].co = (1, 0.5, 0, 1)
    wire = bpy.data.objects.new("wire", curve)
    scene.collection.objects.link(wire)
    wire.parent, wire.rotation_euler = top, (0, 0, 0.7)
    (found,) = findings()
    assert found.repair == ""
    assert found.advice.startswith("Convert “wire” to a mesh (Object > Convert > Mesh)")
    select(wire)
    bpy.ops.object.convert(target="MESH")
    (found,) = findings()
    press(found.repair)
    assert findings() == []


def test_a_modifier_is_applied_first(scene) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    panel = cube("panel", parent, (2, 0, 0), 0.6)
    panel.modifiers.new("Solidify", "SOLIDIFY").thickness = 0.2
    meshes = len(bpy.data.meshes)
    (found,) = findings()
    assert found.repair == "" and len(bpy.data.meshes) == meshes
    assert found.advice.startswith("Apply the modifier “Solidify” of “panel”")
    select(panel)
    bpy.ops.object.modifier_apply(modifier="Solidify")
    (found,) = findings()
    press(found.repair)
    assert findings() == []


def test_a_camera_goes_elsewhere_first(scene) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    cube("child", parent, (2, 0, 0), 0.6)
    camera = bpy.data.objects.new("eye", bpy.data.cameras.new("eye"))
    scene.collection.objects.link(camera)
    camera.parent = parent
    (found,) = findings()
    assert found.repair == ""
    assert found.advice.startswith(
        "Clear the parent of “eye” (Alt-P, Keep Transformation), or give it another one"
    )
    select(camera)
    bpy.ops.object.parent_clear(type="CLEAR_KEEP_TRANSFORM")
    (found,) = findings()
    press(found.repair)
    assert findings() == []


def test_a_rotation_that_is_animated_leaves_the_scale_to_change(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0))
    animate(child, "rotation_euler", {1: (0, 0, 0), 12: (0, 0, 1)})
    (found,) = findings()
    assert found.repair == ""
    assert found.advice.startswith("Give “parent” the same scale on X, Y and Z.")
    assert found.advice.endswith(
        "an animation rotates “child”, and “parent” above it has a non-uniform scale."
    )
    parent.scale = (1.5, 1.5, 1.5)
    assert findings() == []


def test_an_action_that_is_shared_is_made_single_first(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    animate(child, "location", {1: (0, 0, 0), 12: (1, 2, 3)})
    other = cube("other", location=(0, 9, 0))
    other.animation_data_create().action = child.animation_data.action
    if hasattr(other.animation_data, "action_slot"):
        other.animation_data.action_slot = child.animation_data.action_slot
    (found,) = findings()
    assert found.repair == "" and "Make Single User > Object Animation" in found.advice
    # It is where it was keyed last, and not where the first frame has it.
    select(child)
    bpy.ops.object.make_single_user(object=False, obdata=False, animation=True)
    (found,) = findings()
    assert found.repair == "" and "“child” has been moved without a keyframe" in found.advice
    scene.frame_set(2)
    (found,) = findings()
    press(found.repair)
    assert findings() == []


def test_a_parent_inverse_that_no_scale_can_mend_is_cleared(scene) -> None:
    parent = cube("parent", turn=radians(38), scale=(2, 1, 1))
    parent.constraints.new("LIMIT_LOCATION")
    child = cube("child", location=(3, 1, 0), turn=radians(20))
    keep_parent(child, parent)
    found = next(one for one in findings() if one.kind == "export")
    assert found.repair == ""
    assert found.advice.startswith(
        "Select “child” and press Clear and Move, which moves things by up to 24.5 cm. Or turn on Flatten"
    )
    select(child)
    assert bpy.ops.xform.clear_parent_inverse(allow_loss=True) == {"FINISHED"}
    assert "export" not in {one.kind for one in findings()}


@pytest.mark.parametrize("format", ["GLTF", "FBX"])
@pytest.mark.parametrize("way", ["monitor", "collection"])
def test_what_was_hidden_before_it_was_ever_computed_is_found(scene, tmp_path, way, format) -> None:
    parent = cube("parent", location=(5, 0, 0), turn=0.2)
    hidden = cube("hidden", parent, (0, 2, 0), 0.7)
    second = cube("second", parent, (0, 1, 0), 0.7)
    if way == "monitor":
        hidden.hide_viewport = second.hide_viewport = True
    else:
        inside = bpy.data.collections.new("inside")
        scene.collection.children.link(inside)
        for one in (hidden, second):
            scene.collection.objects.unlink(one)
            inside.objects.link(one)
        bpy.context.view_layer.layer_collection.children["inside"].exclude = True
    saved_and_opened(tmp_path)
    hidden, second = bpy.data.objects["hidden"], bpy.data.objects["second"]
    found = findings(format)
    if format == "FBX" and way == "collection":
        # It is not exported.
        assert found == []
        return
    (one,) = found
    assert (one.kind, one.grade, one.object) == ("export", "severe", "hidden")
    assert one.cause.startswith("“hidden” and “second” have been hidden since the file was opened")
    # The farthest corner, from the origin to where the parent puts it.
    placed = (
        Matrix.Translation((5, 0, 0))
        @ Matrix.Rotation(0.2, 4, "Z")
        @ Matrix.Translation((0, 2, 0))
        @ Matrix.Rotation(0.7, 4, "Z")
    )
    farthest = max((placed @ v.co - v.co).length for v in hidden.data.vertices)
    assert f"{farthest:.3g} m" in one.title
    # An audit mends nothing: another says the same.
    assert tuple(hidden.location) == (0, 2, 0) and hidden.matrix_world.translation.length == 0
    assert [other.title for other in findings(format)] == [one.title]
    # So it is done.
    if way == "monitor":
        hidden.hide_viewport = second.hide_viewport = False
        bpy.context.view_layer.update()
        hidden.hide_viewport = second.hide_viewport = True
    else:
        layer = bpy.context.view_layer.layer_collection.children["inside"]
        layer.exclude = False
        bpy.context.view_layer.update()
        layer.exclude = True
    assert findings(format) == []


def instanced(scene: bpy.types.Scene) -> tuple[bpy.types.Object, bpy.types.Collection]:
    """A skewed arm in a collection, which is in the scene, and shown a second time, mirrored."""
    source = bpy.data.collections.new("source")
    scene.collection.children.link(source)
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    for one in (parent, child):
        scene.collection.objects.unlink(one)
        source.objects.link(one)
    mirrored = empty("mirrored")
    mirrored.instance_type, mirrored.instance_collection = "COLLECTION", source
    mirrored.location, mirrored.scale = (0, 9, 0), (-1, 1, 1)
    return mirrored, source


def test_what_a_mirrored_instance_shows_has_its_name(scene) -> None:
    _, source = instanced(scene)
    found = findings()
    assert {one.title.split("“")[1].split("”")[0] for one in found} == {
        "child",
        "child in mirrored",
    }
    assert {one.object for one in found} == {"child", "mirrored"}
    # Both follow the objects of the collection.
    assert {one.repair for one in found} == {"parent"}
    press("parent")
    assert findings() == []


def test_a_collection_that_only_instances_show_is_included_first(scene) -> None:
    mirrored, source = instanced(scene)
    layer = bpy.context.view_layer.layer_collection.children["source"]
    layer.exclude = True
    found = [one for one in findings() if one.kind == "engines"]
    assert found and {one.repair for one in found} == {""}
    assert all("(the check mark of its collection, " in one.advice for one in found)
    layer.exclude = False
    found = findings()
    press(found[0].repair)
    layer.exclude = True
    assert [one for one in findings() if one.kind == "engines"] == []


def test_what_is_linked_is_repaired_in_its_own_file(scene, tmp_path) -> None:
    _, source = instanced(scene)
    library = str(tmp_path / "props.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_, to):
        to.collections = ["source"]
    shown = bpy.data.objects.new("shown", None)
    bpy.context.scene.collection.objects.link(shown)
    shown.instance_type, shown.instance_collection = "COLLECTION", bpy.data.collections["source"]
    (found,) = findings()
    assert found.repair == "" and found.object == "shown"
    assert found.advice.startswith("Open “props.blend” and repair it there.")
    main = str(tmp_path / "main.blend")
    bpy.ops.wm.save_as_mainfile(filepath=main)
    bpy.ops.wm.open_mainfile(filepath=library)
    for one in findings():
        assert one.repair == "parent"
    press("parent")
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=main)
    assert findings() == []


def test_a_mesh_that_is_linked_is_made_local_first(scene, tmp_path) -> None:
    cube("shape")
    library = str(tmp_path / "shapes.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    with bpy.data.libraries.load(library, link=True) as (_, to):
        to.meshes = ["shape"]
    child.data = bpy.data.meshes["shape"]
    (found,) = findings()
    assert found.repair == ""
    assert found.advice.startswith("Select “child”, then Object > Relations > Make Local")
    select(child)
    bpy.ops.object.make_local(type="SELECT_OBDATA")
    (found,) = findings()
    press(found.repair)
    assert findings() == []


def test_scales_that_are_uniform_stay_unless_they_are_asked_for(scene) -> None:
    def arm() -> list[bpy.types.Object]:
        parent = cube("parent", turn=0.3, scale=(2, 1, 1))
        child = cube("child", parent, (2, 0, 0), 0.6, (3, 3, 3))
        leaf = cube("leaf", child, (0, 1, 0), 0.2, (0.5, 1, 1))
        tip = cube("tip", leaf, (0, 1, 0), 0.2, (-2, -2, -2))
        return [parent, child, leaf, tip]

    objects = arm()
    press("parent")
    assert findings() == []
    sizes = [[abs(s) for s in one.scale] for one in objects]
    np.testing.assert_allclose(sizes, [[1] * 3, [3] * 3, [1] * 3, [2] * 3], rtol=1e-5)
    for one in objects:
        bpy.data.objects.remove(one)
    objects = arm()
    before = vertices(*objects)
    assert bpy.ops.xform.apply_scale(object="parent", uniform=True) == {"FINISHED"}
    np.testing.assert_allclose(vertices(*objects), before, atol=1e-4)
    sizes = [[abs(s) for s in one.scale] for one in objects]
    np.testing.assert_allclose(sizes, [[1] * 3] * 4, rtol=1e-5)


def test_tracks_are_not_advised_what_is_refused(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    animate(child, "location", {1: (0, 0, 0), 12: (1, 2, 3)})
    track = child.animation_data.nla_tracks.new()
    track.strips.new("slide", 1, child.animation_data.action)
    child.animation_data.action = None
    for one in findings():
        assert one.repair == "" and "“child” has NLA tracks" in one.advice
    assert bpy.ops.xform.apply_scale(object="parent") == {"CANCELLED"}


def test_a_trial_leaves_everything_as_it_was(scene, part) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    parent = cube("parent", turn=0.4, scale=(2, -1, 1))
    child = cube("child", parent, (1, 2, 0), radians(400))
    keep_parent(cube("held", location=(3, 3, 0), turn=0.2), parent)
    child.shape_key_add(name="Basis")
    child.shape_key_add(name="tall").data[7].co.z += 2
    animate(child, "location", {1: (0, 0, 0), 12: (1, 2, 3)})
    scene.frame_set(5)

    def state() -> list[Any]:
        objects = list(bpy.data.objects)
        curves = part("tree").curves(child.animation_data)
        keys = [tuple(key.co) for curve in curves for key in curve.keyframe_points]
        assert len(keys) == 6
        return [
            [[tuple(row) for row in one.matrix_world] for one in objects],
            [[tuple(row) for row in one.matrix_parent_inverse] for one in objects],
            [(one.data.name, tuple(one.rotation_euler), tuple(one.scale)) for one in objects],
            sorted(mesh.name for mesh in bpy.data.meshes),
            sorted(one.name for one in bpy.data.collections),
            [(one.hide_viewport, one.select_get(), len(one.users_collection)) for one in objects],
            keys,
        ]

    before = state()
    assert any(one.repair for one in findings())
    assert state() == before and scene.frame_current == 5


def saved_and_opened(tmp_path: Path) -> None:
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


def test_what_a_keyframe_hides_is_computed_too(scene, tmp_path) -> None:
    parent = cube("parent", location=(5, 0, 0))
    hidden = cube("hidden", parent, (0, 2, 0))
    animate(hidden, "hide_viewport", {1: True})
    saved_and_opened(tmp_path)
    (found,) = findings()
    assert (found.kind, found.object) == ("export", "hidden")
    assert bpy.data.objects["hidden"].hide_viewport
    (curve,) = (
        bpy.data.objects["hidden"].animation_data.action.layers[0].strips[0].channelbags[0].fcurves
    )
    assert not curve.mute


def test_a_hidden_instancer_shows_its_collection_elsewhere(scene, tmp_path) -> None:
    source = bpy.data.collections.new("source")
    inner = cube("inner", location=(0, 1, 0))
    scene.collection.objects.unlink(inner)
    source.objects.link(inner)
    top = empty("top")
    top.location = (7, 0, 0)
    shown = empty("shown", top)
    shown.instance_type, shown.instance_collection = "COLLECTION", source
    shown.hide_viewport = True
    saved_and_opened(tmp_path)
    collections, objects = len(bpy.data.collections), len(bpy.data.objects)
    (found,) = findings()
    assert (found.kind, found.object) == ("export", "shown") and "inner in shown" in found.title
    # It is where the instancer puts it, and the exporter has it at the origin.
    assert "7 m" in found.title
    assert (len(bpy.data.collections), len(bpy.data.objects)) == (collections, objects)
    assert bpy.data.objects["shown"].hide_viewport


def test_what_fails_while_the_hidden_is_shown_leaves_nothing(
    scene, tmp_path, part, monkeypatch
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("broken")

    hidden = cube("hidden", cube("parent", location=(5, 0, 0)), (0, 2, 0))
    hidden.hide_viewport = True
    saved_and_opened(tmp_path)
    monkeypatch.setattr(part("audit"), "losses", broken)
    with pytest.raises(RuntimeError, match="broken"):
        bpy.ops.xform.audit()
    assert len(bpy.data.collections) == 0 and bpy.data.objects["hidden"].hide_viewport


def test_something_far_away_hides_no_move(scene) -> None:
    cube("far", location=(30_000, 0, 0))
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    child.modifiers.new("Bevel", "BEVEL").width = 0.05
    (found,) = [one for one in findings() if one.object == "child"]
    assert found.repair == "" and "“Bevel”" in found.advice


def test_of_two_with_one_name_the_button_is_for_the_one_that_is_here(scene, tmp_path) -> None:
    cube("parent")
    library = str(tmp_path / "others.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_, to):
        to.objects = ["parent"]
    bpy.context.scene.collection.objects.link(bpy.data.objects["parent", library])
    parent = cube("parent", location=(0, 5, 0), scale=(2, 1, 1))
    assert parent.name == "parent"
    cube("child", parent, (2, 0, 0), 0.6)
    (found,) = findings()
    press(found.repair)
    assert findings() == []


def test_a_trial_that_fails_is_put_back(scene, part, monkeypatch) -> None:
    parent = cube("parent", turn=radians(38), scale=(2, 1, 1))
    parent.constraints.new("LIMIT_LOCATION")
    child = cube("child", location=(3, 1, 0), turn=radians(20))
    keep_parent(child, parent)
    before = child.matrix_parent_inverse.copy()
    monkeypatch.setattr(part("changes").Places, "farthest", lambda *_: 1 // 0)
    with pytest.raises(RuntimeError, match="division"):
        bpy.ops.xform.audit()
    assert child.matrix_parent_inverse == before and tuple(child.location) == (3, 1, 0)


def arm(scale: tuple[float, float, float] = (2, 1, 1)) -> tuple[bpy.types.Object, ...]:
    """A parent with a scale, and a turned child."""
    parent = cube("parent", scale=scale)
    return parent, cube("child", parent, (0, 1, 0), 0.5)


def test_channels_that_are_keyed_and_do_not_move_are_keyed_anew(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 24
    parent, child = arm()
    for one in (parent, child):
        for frame in (1, 24):
            for path in ("location", "rotation_euler", "scale"):
                one.keyframe_insert(path, frame=frame)
    (found,) = findings()
    press(found.repair)
    assert findings() == []
    scene.frame_set(12)
    assert tuple(parent.scale) == pytest.approx((1, 1, 1))
    # Where it cannot be applied, the keyframes are named.
    animate(child, "rotation_euler", {1: (0, 0, 0), 24: (0, 0, 1)})
    animate(parent, "scale", {1: (2, 1, 1), 24: (2, 1, 1)})
    (found,) = findings()
    assert found.advice.startswith(
        "At frames 1 and 24, key the same scale on X, Y and Z for “parent”."
    )
    animate(parent, "scale", {1: (2, 2, 2), 24: (2, 2, 2)})
    assert findings() == []


def test_a_scale_that_is_driven_or_in_a_strip_is_named(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    parent, child = arm()
    animate(parent, "scale", {1: (1, 1, 1), 12: (3, 1, 1)})
    action = parent.animation_data.action
    action.name = "grow"
    parent.animation_data.nla_tracks.new().strips.new("grow", 1, action)
    parent.animation_data.action = None
    (found,) = [one for one in findings() if one.kind == "engines"]
    assert found.advice.startswith("In the action “grow” (Nonlinear Animation), key the same scale")
    parent.animation_data_clear()
    parent.driver_add("scale", 0).driver.expression = "2"
    bpy.context.view_layer.update()
    (found,) = [one for one in findings() if one.kind == "engines"]
    assert found.repair == "" and found.advice.startswith(
        "Delete the driver of the scale of “parent”"
    )
    parent.driver_remove("scale", 0)
    parent.scale = (2, 2, 2)
    assert findings() == []


@pytest.mark.parametrize("kind", ["hair", "picture", "field"])
def test_what_shows_more_than_its_mesh_keeps_its_scale(scene, kind) -> None:
    parent, child = arm()
    other = empty("other", parent)
    if kind == "hair":
        child.modifiers.new("Hair", "PARTICLE_SYSTEM")
        child.particle_systems[0].settings.type = "HAIR"
    elif kind == "picture":
        other.empty_display_type = "IMAGE"
        other.data = bpy.data.images.new("picture", 4, 4)
    else:
        select(other)
        bpy.ops.object.forcefield_toggle()
    for one in findings():
        assert one.repair == ""
    assert bpy.ops.xform.apply_scale(object="parent") == {"CANCELLED"}


def test_a_constraint_that_is_off_is_none(scene) -> None:
    _, child = arm()
    child.constraints.new("LIMIT_LOCATION").enabled = False
    (found,) = findings()
    press(found.repair)
    assert findings() == []


def test_a_modifier_on_shape_keys_is_not_advised_to_be_applied(scene) -> None:
    _, child = arm()
    child.modifiers.new("Solidify", "SOLIDIFY").thickness = 0.2
    child.shape_key_add(name="Basis")
    (found,) = findings()
    assert found.advice.startswith("Give “parent” the same scale on X, Y and Z.")


def test_below_an_instancer_that_is_scaled_that_one_is_named(scene) -> None:
    mirrored, _ = instanced(scene)
    mirrored.scale = (3, 1, 1)
    found = findings()
    assert all("in mirrored” the same scale" not in one.advice for one in found)
    by_object = {one.object: one for one in found}
    # The objects themselves are repaired whatever shows them; then the instancer is scaled uniformly.
    press(by_object["child"].repair)
    for one in findings():
        assert one.advice.startswith("Give “mirrored” the same scale on X, Y and Z.")
    mirrored.scale = (3, 3, 3)
    assert findings() == []


def test_a_linked_child_of_a_scale_that_is_here_keeps_its_file(scene, tmp_path) -> None:
    cube("crate", turn=0.4)
    library = str(tmp_path / "crates.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_, to):
        to.objects = ["crate"]
    crate = bpy.data.objects["crate"].override_create()
    bpy.context.scene.collection.objects.link(crate)
    crate.parent = empty("hold")
    crate.parent.scale = (2, 1, 1)
    (found,) = findings()
    assert found.advice.startswith("Give “hold” the same scale on X, Y and Z.")
    bpy.data.objects["hold"].scale = (2, 2, 2)
    assert findings() == []


def test_what_fbx_hides_below_something_hidden_is_found(scene) -> None:
    parent, child = arm()
    bpy.context.view_layer.update()
    parent.hide_viewport = True
    found = findings("FBX")
    (one,) = [one for one in found if one.kind == "export"]
    assert (one.grade, one.object, one.culprit_object) == ("severe", "child", "parent")
    assert "is visible in Blender, and hidden in the exported file" in one.title
    parent.hide_viewport = False
    assert {one.kind for one in findings("FBX")} == {"engines"}


def test_of_what_is_not_known_the_repair_is_offered_too(scene) -> None:
    arm((-2, 1, 1))
    (found,) = findings("FBX")
    assert (found.kind, found.repair) == ("unknown", "parent")
    press("parent")
    assert findings("FBX") == []


def test_a_parent_that_rotates_gives_its_scale_all_the_same(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 24
    parent, child = arm()
    animate(parent, "rotation_euler", {1: (0, 0, 0), 24: (0, 0, 2)})
    scene.frame_set(1)
    seen = []
    (found,) = findings()
    for is_repaired in (False, True):
        if is_repaired:
            press(found.repair)
        for frame in (1, 9, 17, 24):
            scene.frame_set(frame)
            seen.append(vertices(parent, child))
    np.testing.assert_allclose(seen[4:], seen[:4], atol=1e-5)
    assert findings() == []


def test_keyframes_that_differ_in_their_interpolation_alone_are_named(scene, part) -> None:
    scene.frame_start, scene.frame_end = 1, 24
    parent, _ = arm((1, 1, 1))
    animate(parent, "scale", {1: (1, 1, 1), 12: (2, 2, 2), 24: (1, 1, 1)})
    curves = part("tree").curves(parent.animation_data)
    for key in curves[0].keyframe_points:
        key.interpolation = "LINEAR"
    scene.frame_set(2)
    (found,) = findings()
    assert found.advice.startswith(
        "Give the keyframes of the scale of “parent” the same interpolation"
    )
    for key in (key for curve in curves for key in curve.keyframe_points):
        key.interpolation = "LINEAR"
    scene.frame_set(3)
    assert findings() == []


def test_a_collection_that_is_in_no_scene_is_linked_first(scene) -> None:
    _, source = instanced(scene)
    scene.collection.children.unlink(source)
    (found,) = [one for one in findings() if one.kind == "engines"]
    assert found.advice.startswith("Link the collection “source” to this scene")
    scene.collection.children.link(source)
    found = findings()
    press(found[0].repair)
    assert findings() == []


def test_what_keyframes_hide_in_fbx_is_not_blamed_on_others(scene) -> None:
    child = cube("child", cube("parent"), (1, 0, 0))
    animate(child, "hide_viewport", {1: True, 12: False})
    scene.frame_set(1)
    for one in findings("FBX"):
        assert "“parent”" not in one.cause
    scene.frame_set(12)
    assert findings("FBX") == []


def test_an_angle_that_is_keyed_alone_and_stays_is_no_obstacle(scene) -> None:
    _, child = arm()
    tip = cube("tip", child, (0, 1, 0))
    tip.rotation_mode = "AXIS_ANGLE"
    tip.rotation_axis_angle = (1, 1, 2, 3)
    for frame in (1, 24):
        tip.keyframe_insert("rotation_axis_angle", index=0, frame=frame)
    found = findings()
    assert {one.repair for one in found} == {"parent"}
    press("parent")
    scene.frame_set(9)
    assert findings() == []


def test_keyframes_hide_nothing_while_it_is_compared(scene, tmp_path, part, monkeypatch) -> None:
    hidden = cube("hidden", cube("parent", location=(5, 0, 0)), (0, 2, 0))
    animate(hidden, "hide_viewport", {1: True})
    saved_and_opened(tmp_path)
    compare, seen = part("audit").losses, []

    def spied(context: Any, *rest: Any) -> Any:
        context.scene.frame_set(1)
        seen.append(bpy.data.objects["hidden"].hide_viewport)
        return compare(context, *rest)

    monkeypatch.setattr(part("audit"), "losses", spied)
    assert len(findings()) == 1 and seen == [False]
