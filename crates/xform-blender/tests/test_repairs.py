# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs leave every vertex where it is, or say why they did nothing."""

from __future__ import annotations

from math import radians

import bpy
import numpy as np
import pytest
from mathutils import Vector
from scenes import cube, keep_parent, scattered


def vertices(*objects: bpy.types.Object) -> np.ndarray:
    """In the world, with shape keys and modifiers."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    every = []
    for one in objects:
        shown = one.evaluated_get(depsgraph)
        every += [tuple(shown.matrix_world @ vertex.co) for vertex in shown.data.vertices]
    return np.array(every)


def select(*objects: bpy.types.Object) -> None:
    bpy.context.view_layer.update()
    for one in bpy.context.view_layer.objects:
        one.select_set(one in objects)
    bpy.context.view_layer.objects.active = objects[0]


def grades() -> list[str]:
    bpy.ops.xform.audit()
    return [one.grade for one in bpy.context.window_manager.xform.findings]


@pytest.mark.parametrize("scale", [(2, 1, 1), (-2, 1, 0.5), (1, 1, -1.5)])
def test_a_scale_is_applied_where_that_is_exact(scene, scale) -> None:
    parent = cube("parent", turn=0.4, scale=scale)
    child = cube("child", parent, (1, 2, 0), 0.6, (1, 1.5, 1))
    empty = bpy.data.objects.new("empty", None)
    scene.collection.objects.link(empty)
    empty.parent, empty.location = child, (0, 1, 0)
    leaf = cube("leaf", empty, (0, 1, 0), 0.3)
    child.shape_key_add(name="Basis")
    child.shape_key_add(name="tall").data[7].co.z += 2
    child.data.shape_keys.key_blocks["tall"].value = 0.5
    objects = parent, child, leaf
    before = vertices(*objects)
    assert grades() and all(volume(one.data) > 0 for one in objects)
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"FINISHED"}
    np.testing.assert_allclose(vertices(*objects), before, atol=1e-5)
    assert all(abs(one) == pytest.approx(abs(parent.scale[0]), abs=1e-5) for one in parent.scale)
    assert grades() == []
    # Faces still look outwards.
    assert all(volume(one.data) > 0 for one in objects)


def volume(mesh: bpy.types.Mesh) -> float:
    """Positive where the faces look outwards."""
    mesh.calc_loop_triangles()
    corners = [[mesh.vertices[v].co for v in one.vertices] for one in mesh.loop_triangles]
    return sum(a.dot(b.cross(c)) for a, b, c in corners) / 6


def test_keyframes_of_a_location_are_changed_too(scene) -> None:
    scene.frame_start, scene.frame_end = 1, 12
    parent = cube("parent", turn=0.4, scale=(2, 0.5, 1))
    child = cube("child", parent, turn=0.6)
    child.delta_location = (0.3, 0, 0)
    for frame, place in [(1, (0, 0, 0)), (12, (1, 2, 3))]:
        child.location = place
        child.keyframe_insert("location", frame=frame)
    seen = []
    for repair in (False, True):
        if repair:
            scene.frame_set(7)
            select(parent)
            assert bpy.ops.xform.apply_scale() == {"FINISHED"} and scene.frame_current == 7
        for frame in (1, 4, 9, 12):
            scene.frame_set(frame)
            seen.append(vertices(parent, child))
    np.testing.assert_allclose(seen[4:], seen[:4], atol=1e-5)
    assert tuple(parent.scale) == pytest.approx((1, 1, 1)) and grades() == []


def test_meshes_that_are_shared_stay_shared_as_far_as_they_may(scene) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    first = cube("first", parent, (2, 0, 0), 0.6)
    twin = cube("twin", parent, (4, 0, 0), 0.6)
    other = cube("other", location=(0, 5, 0))
    twin.data = other.data = first.data
    objects = parent, first, twin, other
    before = vertices(*objects)
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"FINISHED"}
    np.testing.assert_allclose(vertices(*objects), before, atol=1e-5)
    assert first.data == twin.data and other.data != first.data


def test_what_may_not_be_applied_is_left_and_told(scene, capfd) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    for frame, turn in [(1, 0.0), (12, 0.8)]:
        child.rotation_euler = (0, 0, turn)
        child.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    before = vertices(parent, child)
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert "“parent” was not changed" in capfd.readouterr().out
    np.testing.assert_array_equal(vertices(parent, child), before)
    assert tuple(parent.scale) == (2, 1, 1) and child.parent == parent


def test_a_modifier_that_depends_on_the_scale_puts_everything_back(scene, capfd) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    child.modifiers.new("Bevel", "BEVEL").width = 0.2
    meshes = list(bpy.data.meshes)
    before = vertices(parent, child)
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert (
        "“parent” was not changed: the modifier “Bevel” would give “child” another shape."
        in capfd.readouterr().out
    )
    np.testing.assert_array_equal(vertices(parent, child), before)
    assert list(bpy.data.meshes) == meshes and tuple(parent.scale) == (2, 1, 1)


def test_nothing_to_apply_is_told(scene, capfd) -> None:
    select(cube("plain"))
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert "Nothing to do: no selected object has a non-uniform scale" in capfd.readouterr().out


def test_a_parent_inverse_goes_into_the_pose(scene) -> None:
    parent = cube("parent", location=(5, 5, 5), turn=0.4, scale=(2, 2, 2))
    child = cube("child", location=(1, 2, 3), turn=0.3, scale=(1, 3, 1))
    keep_parent(child, parent)
    before = vertices(child)
    select(child)
    assert bpy.ops.xform.clear_parent_inverse() == {"FINISHED"}
    np.testing.assert_allclose(vertices(child), before, atol=1e-5)
    assert np.array_equal(np.array(child.matrix_parent_inverse), np.eye(4))


def test_a_shear_has_no_pose_and_says_what_it_costs(scene, capfd) -> None:
    parent = cube("parent", turn=radians(38), scale=(2, 1, 1))
    child = cube("child", location=(3, 1, 0), turn=radians(20))
    keep_parent(child, parent)
    before = vertices(child)
    select(child)
    assert bpy.ops.xform.clear_parent_inverse() == {"CANCELLED"}
    assert "move things by up to 24.5 cm" in capfd.readouterr().out
    np.testing.assert_array_equal(vertices(child), before)
    assert bpy.ops.xform.clear_parent_inverse(allow_loss=True) == {"FINISHED"}
    assert "has moved by up to 24.5 cm" in capfd.readouterr().out
    moved = np.linalg.norm(vertices(child) - before, axis=1).max()
    assert moved == pytest.approx(0.244977, abs=1e-5)
    # The export has what Blender has, now.
    bpy.ops.xform.audit()
    assert "export" not in {one.kind for one in bpy.context.window_manager.xform.findings}


def test_an_offset_goes_into_keyframes(scene) -> None:
    parent = cube("parent", location=(5, 0, 0))
    child = cube("child")
    keep_parent(child, parent)
    for frame, place in [(1, (0, 0, 0)), (10, (1, 2, 3))]:
        child.location = place
        child.keyframe_insert("location", frame=frame)
    seen = []
    for clear in (False, True):
        select(child)
        if clear:
            assert bpy.ops.xform.clear_parent_inverse() == {"FINISHED"}
        for frame in (1, 4, 10):
            scene.frame_set(frame)
            seen.append(vertices(child))
    np.testing.assert_allclose(seen[3:], seen[:3], atol=1e-5)


def test_an_animated_turn_in_the_inverse_is_left(scene, capfd) -> None:
    parent = cube("parent", turn=0.5)
    child = cube("child")
    keep_parent(child, parent)
    child.keyframe_insert("location", frame=1)
    select(child)
    assert bpy.ops.xform.clear_parent_inverse() == {"CANCELLED"}
    assert "has keyframes of its location that would need other axes" in capfd.readouterr().out
    assert not np.array_equal(np.array(child.matrix_parent_inverse), np.eye(4))


def test_what_is_put_back_is_as_it_was(scene) -> None:
    parent = cube("parent", scale=(2, -1, -1))
    child = cube("child", parent, (2, 0, 0), radians(400))
    child.modifiers.new("Bevel", "BEVEL").width = 0.2
    bpy.context.view_layer.update()
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert child.rotation_euler[2] == pytest.approx(radians(400))
    assert tuple(parent.scale) == (2, -1, -1)


def test_what_depends_on_a_scale_from_outside_is_asked_too(scene, capfd) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    cube("child", parent, (2, 0, 0), 0.6)
    follower = cube("follower", location=(0, 9, 0))
    follower.constraints.new("COPY_SCALE").target = parent
    before = vertices(follower)
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert "the constraint “Copy Scale” would put “follower” elsewhere" in capfd.readouterr().out
    np.testing.assert_array_equal(vertices(follower), before)


def test_the_scale_of_what_is_selected_is_applied_alone(scene, capfd) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (2, 0, 0), 0.6)
    other = cube("other", location=(0, 9, 0), scale=(3, 1, 1))
    cube("below", other, turn=0.4)
    select(child)
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert "“parent” was not changed: it is a parent of what is selected" in capfd.readouterr().out
    select(parent)
    # How the user exports does not matter here.
    scene["glTF2ExportSettings"] = {"export_hierarchy_flatten_objs": True, "use_selection": True}
    assert bpy.ops.xform.apply_scale() == {"FINISHED"}
    assert tuple(parent.scale) == pytest.approx((1, 1, 1)) and tuple(other.scale) == (3, 1, 1)


def test_a_loss_is_that_of_everything_below(scene, capfd) -> None:
    parent = cube("parent", turn=radians(38), scale=(2, 1, 1))
    middle = bpy.data.objects.new("middle", None)
    scene.collection.objects.link(middle)
    middle.location, middle.rotation_euler = (3, 1, 0), (0, 0, radians(20))
    keep_parent(middle, parent)
    child = cube("child", middle, (4, 0, 0))
    before = vertices(child)
    select(middle)
    assert bpy.ops.xform.clear_parent_inverse(allow_loss=True) == {"FINISHED"}
    moved = np.linalg.norm(vertices(child) - before, axis=1).max()
    said = bpy.utils.units.to_string("METRIC", "LENGTH", moved, precision=3)
    assert moved > 0.5 and f"has moved by up to {said}." in capfd.readouterr().out


def test_repairs_can_be_undone(scene) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    cube("child", parent, (2, 0, 0), 0.6)
    select(parent)
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.xform.apply_scale("EXEC_DEFAULT", True) == {"FINISHED"}
    assert tuple(bpy.data.objects["parent"].scale) == pytest.approx((1, 1, 1))
    bpy.ops.ed.undo()
    assert tuple(bpy.data.objects["parent"].scale) == (2, 1, 1)


@pytest.mark.parametrize("scale", [(2, 1, 1), (-2, 1, 1)])
def test_custom_normals_stay_in_the_world(scene, scale) -> None:
    parent = cube("parent", turn=0.2, scale=scale)
    child = cube("child", parent, (1, 0, 0), 0.6)
    normal = Vector((1, 0.5, 0.2)).normalized()
    child.data.normals_split_custom_set([normal] * len(child.data.loops))
    bpy.context.view_layer.update()

    def normals() -> np.ndarray:
        back = child.matrix_world.to_3x3().inverted().transposed()
        return np.array([(back @ one.vector).normalized() for one in child.data.corner_normals])

    before = normals()
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"FINISHED"}
    np.testing.assert_allclose(normals(), before, atol=1e-3)


def test_what_blender_does_not_compute_is_left(scene, tmp_path, capfd) -> None:
    parent = cube("parent", location=(5, 0, 0), turn=0.2, scale=(2, 1, 1))
    cube("child", parent, (1, 0, 0), 0.6)
    cube("hidden", parent, (0, 2, 0), 0.7).hide_viewport = True
    blend = str(tmp_path / "hidden.blend")
    bpy.ops.wm.save_as_mainfile(filepath=blend)
    bpy.ops.wm.open_mainfile(filepath=blend)
    select(bpy.data.objects["parent"])
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert "“hidden” is hidden" in capfd.readouterr().out


def test_meshes_that_move_by_themselves_are_left(scene, capfd) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (1, 0, 0), 0.6)
    child.data.vertices[0].keyframe_insert("co", frame=1)
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert "the vertices of “child” are animated" in capfd.readouterr().out


def test_constraints_in_local_space_keep_a_parent_inverse(scene, capfd) -> None:
    parent = cube("parent", location=(1, 2, 3), turn=0.3, scale=(2, 2, 2))
    child = cube("child", turn=0.6)
    keep_parent(child, parent)
    limit = child.constraints.new("LIMIT_LOCATION")
    limit.owner_space, limit.use_max_x, limit.max_x = "LOCAL", True, -0.5
    before = vertices(child)
    select(child)
    assert bpy.ops.xform.clear_parent_inverse() == {"CANCELLED"}
    assert "the constraint “Limit Location” would put “child” elsewhere" in capfd.readouterr().out
    np.testing.assert_array_equal(vertices(child), before)


def test_baked_curves_are_left(scene, part, capfd) -> None:
    parent = cube("parent", location=(5, 0, 0))
    child = cube("child")
    keep_parent(child, parent)
    child.keyframe_insert("location", frame=1)
    child.keyframe_insert("location", frame=9)
    for curve in part("tree").curves(child.animation_data):
        curve.convert_to_samples(1, 9)
    select(child)
    assert bpy.ops.xform.clear_parent_inverse() == {"CANCELLED"}
    assert "baked curves" in capfd.readouterr().out


@pytest.mark.parametrize("kind", ["KEY", "MESH"])
def test_drivers_that_read_a_mesh_read_the_new_one(scene, kind) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (1, 0, 1), 0.5)
    child.shape_key_add(name="Basis")
    child.shape_key_add(name="tall").value = 0.5
    child.data["size"] = 0.5
    other = cube("other", location=(0, 9, 0))
    driver = other.driver_add("location", 2).driver
    target = driver.variables.new().targets[0]
    target.id_type = kind
    target.id = child.data.shape_keys if kind == "KEY" else child.data
    target.data_path = 'key_blocks["tall"].value' if kind == "KEY" else '["size"]'
    driver.expression = "var * 4"
    names = child.data.name, child.data.shape_keys.name
    before = vertices(other)
    assert other.matrix_world[2][3] == pytest.approx(2)
    select(parent)
    assert bpy.ops.xform.apply_scale() == {"FINISHED"}
    np.testing.assert_allclose(vertices(other), before, atol=1e-6)
    assert (child.data.name, child.data.shape_keys.name) == names


@pytest.mark.parametrize("kind", ["ARRAY", "NODES"])
def test_whatever_is_seen_is_compared(scene, kind, capfd) -> None:
    parent = cube("parent", scale=(2, 1, 1))
    child = cube("child", parent, (1, 0, 1), 0.5)
    if kind == "ARRAY":
        bpy.ops.curve.primitive_bezier_curve_add(location=(0, 5, 0))
        bpy.context.object.data.bevel_depth = 0.1
        array = bpy.context.object.modifiers.new("Array", "ARRAY")
        array.use_relative_offset, array.use_object_offset = False, True
        array.offset_object, array.count = parent, 3
    else:
        body = scattered(scene)
        child.modifiers.new("Scatter", "NODES").node_group = body.modifiers[0].node_group
        bpy.data.objects.remove(body)
    select(parent, child)
    assert bpy.ops.xform.apply_scale() == {"CANCELLED"}
    assert "“parent” was not changed" in capfd.readouterr().out
    assert tuple(parent.scale) == (2, 1, 1)


def test_many_groups_are_repaired_at_once(scene) -> None:
    mesh = cube("first").data
    tops = []
    for place in range(300):
        top = bpy.data.objects.new(f"top {place}", mesh)
        child = bpy.data.objects.new(f"child {place}", mesh)
        for one in (top, child):
            scene.collection.objects.link(one)
        child.parent, child.rotation_euler = top, (0, 0, 0.6)
        top.location, top.scale = (3 * place, 0, 0), (2, 1, 1)
        tops.append(top)
    before = vertices(*tops)
    select(*tops)
    assert bpy.ops.xform.apply_scale() == {"FINISHED"}
    assert all(tuple(top.scale) == pytest.approx((1, 1, 1)) for top in tops)
    np.testing.assert_allclose(vertices(*tops), before, atol=1e-3)
