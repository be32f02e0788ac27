"""Makes FBX files in Blender, and writes beside each what Blender shows of it: the worlds of its objects, and the vertices of its
meshes at some frames, by object and as Blender's coordinates. See `.ci/fbx`."""
import json
import math
import random
import sys
from pathlib import Path

import bpy
from mathutils import Euler, Matrix, Quaternion

folder = Path(sys.argv[-1])
random.seed(7)


def empty_scene(unit=1.0):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.unit_settings.scale_length = unit
    bpy.context.scene.render.fps = 30


def cube(name, parent=None):
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    made.parent = parent
    made.rotation_mode = 'QUATERNION'
    return made


def posed(made, scales):
    made.location = [random.uniform(-2, 2) for _ in range(3)]
    made.rotation_quaternion = Quaternion([random.uniform(-1, 1) for _ in range(4)]).normalized()
    made.scale = [random.choice(scales) for _ in range(3)]


def shown(frames):
    """Worlds and vertices, by frame and object."""
    scene = bpy.context.scene
    found = []
    for frame in frames:
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        objects = {}
        for made in scene.objects:
            evaluated = made.evaluated_get(graph)
            entry = {'world': [list(row) for row in evaluated.matrix_world]}
            if made.type == 'MESH':
                mesh = evaluated.to_mesh()
                entry['vertices'] = [list(evaluated.matrix_world @ vertex.co) for vertex in mesh.vertices]
                evaluated.to_mesh_clear()
            objects[made.name] = entry
        found.append({'seconds': frame / scene.render.fps, 'objects': objects})
    return found


def export(name, frames=(1,), **options):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, max(frames)
    answer = {'is_moving': len(frames) > 1, 'frames': shown(frames)}
    scene.frame_set(1)
    bpy.ops.export_scene.fbx(
        filepath=str(folder / f'{name}.fbx'), bake_anim=len(frames) > 1, bake_anim_simplify_factor=0.0,
        add_leaf_bones=False, bake_anim_use_nla_strips=False, bake_anim_use_all_actions=False, **options)
    (folder / f'{name}.json').write_text(json.dumps(answer))


# Objects below one another, with non-uniform, mirrored and uniform scales, in several units and axes.
for place, (scales, unit, options) in enumerate([
    ([1.0], 1.0, {}),
    ([0.5, 1.0, 2.0], 1.0, {}),
    ([-1.0, 1.0, 2.0], 1.0, {}),
    ([0.5, 1.0, 2.0], 0.01, {}),
    ([0.5, 1.0, 2.0], 1.0, {'apply_scale_options': 'FBX_SCALE_ALL'}),
    ([0.5, 1.0, 2.0], 1.0, {'apply_scale_options': 'FBX_SCALE_UNITS'}),
    ([0.5, -1.0, 2.0], 1.0, {'axis_forward': 'Y', 'axis_up': 'Z'}),
]):
    empty_scene(unit)
    made = []
    for index in range(8):
        parent = random.choice([None, *made]) if made else None
        made.append(cube(f'Cube{index}', parent))
        posed(made[-1], scales)
    export(f'objects{place}', **options)

# Animated objects: a stretch above a turn.
empty_scene()
arm, hand = cube('Arm'), None
hand = cube('Hand', arm)
hand.location = (0, 0, 1)
for frame, stretch, turn in [(1, 1.0, 0.0), (11, 2.0, 30.0), (31, 0.5, 80.0)]:
    arm.scale = (stretch, 1, 1)
    arm.keyframe_insert('scale', frame=frame)
    hand.rotation_quaternion = Euler((0, math.radians(turn), 0)).to_quaternion()
    hand.keyframe_insert('rotation_quaternion', frame=frame)
export('animated', frames=(1, 4, 11, 20, 31))

# Shape keys, one of them in effect.
empty_scene()
keyed = cube('Keyed')
keyed.shape_key_add(name='Basis')
for name, offset, value in [('Up', 0.5, 0.75), ('Side', 1.0, 0.25)]:
    key = keyed.shape_key_add(name=name)
    for point in key.data[:4]:
        point.co.z += offset
    key.value = value
export('shape_keys', use_mesh_modifiers=False)

# An armature, posed and animated, with a uniform and a non-uniform scale of bones.
for name, stretch in [('armature', 1.0), ('stretched', 2.0)]:
    empty_scene()
    data = bpy.data.armatures.new('Rig')
    rig = bpy.data.objects.new('Rig', data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode='EDIT')
    last = None
    for index in range(3):
        bone = data.edit_bones.new(f'Bone{index}')
        bone.head, bone.tail = (0, 0, index), (0.1, 0, index + 1)
        bone.parent = last
        last = bone
    bpy.ops.object.mode_set(mode='OBJECT')
    skin = cube('Skin')
    skin.parent = rig
    for index in range(3):
        group = skin.vertex_groups.new(name=f'Bone{index}')
        group.add(range(index, 8), 0.2 + 0.1 * index, 'REPLACE')
    skin.modifiers.new('Armature', 'ARMATURE').object = rig
    for frame, degrees in [(1, 0.0), (11, 40.0), (21, -20.0)]:
        for index, bone in enumerate(rig.pose.bones):
            bone.rotation_mode = 'QUATERNION'
            bone.rotation_quaternion = Euler((math.radians(degrees * (index + 1) / 2), 0, 0)).to_quaternion()
            bone.keyframe_insert('rotation_quaternion', frame=frame)
            bone.scale = (1.0, stretch if index == 0 and frame > 1 else 1.0, 1.0)
            bone.keyframe_insert('scale', frame=frame)
    export(name, frames=(1, 6, 11, 21))
