# What Godot 4 shows of the scenes of a folder: GLTFDocument, FBXDocument, nodes made by calls, and Node.reparent().
#
#   godot --headless --script drivers/godot/driver.gd -- SCENES ANSWERS.jsonl
#
# Relative paths are those of the folder that Godot is started in, unless --path names a project.
extends SceneTree

# The times at which a scene is asked about beside its rest: ../../README.md.
const TIMES: Array[float] = [0.0, 0.5, 1.0, 1.25, 1.75]
const GLTF_AXES := {"from_gltf": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "of_every_node": false, "units_per_metre": 1}


func _initialize() -> void:
	# Nodes have no global transform before the tree runs.
	process_frame.connect(ask_all, CONNECT_ONE_SHOT)


func ask_all() -> void:
	var given := OS.get_cmdline_user_args()
	if given.size() != 2:
		printerr("usage: godot --headless --script driver.gd -- SCENES ANSWERS.jsonl")
		quit(2)
		return
	# What a game has from the start. Without a project it is left out, and meshes stay as the editor would import them.
	GLTFDocument.register_gltf_document_extension(GLTFDocumentExtensionConvertImporterMesh.new())
	var api := run("godot/api", "api", "Node3D: quaternion, scale and position, or transform where there is a matrix")
	var kept := run("godot/reparent", "keep-world", "the same, then reparent() of each node to one without a pose, alone")
	var gltf := run("godot/gltf", "gltf", "GLTFDocument, joints as bones of a Skeleton3D")
	var bones := run("godot/bones", "skin", "GLTFDocument, bones alone")
	var gltf_kept := run("godot/gltf-reparent", "keep-world", "GLTFDocument, then reparent() of each node to the scene's root, alone")
	var fbx := run("godot-FBXDocument", "fbx", "FBXDocument")
	for file in files(given[0], ["gltf", "glb"]):
		var name: String = file.get_file().get_basename()
		ask(api, name, made_moments.bind(file))
		ask(kept, name, made_kept.bind(file))
		ask(gltf, name, imported_moments.bind(file))
		ask(gltf_kept, name, imported_kept.bind(file))
		if document_of(file).has("skins"):
			ask(bones, name, imported_moments.bind(file, true))
	for file in files(given[0], ["fbx"]):
		ask(fbx, file.get_file().get_basename(), imported_moments.bind(file))
	quit(write(given[1], [api, kept, gltf, gltf_kept, bones, fbx]))


func run(name: String, asked: String, how: String) -> Dictionary:
	return {
		"schema": "xform-answers/1", "run": name, "engine": "godot", "version": "godot " + Engine.get_version_info().string,
		"date": Time.get_date_string_from_system(), "by": "Godot itself, %s display" % DisplayServer.get_name(), "asked": asked, "how": how,
		"axes": GLTF_AXES, "scenes": {}, "failed": {},
	}


# Moments are an array, and the reason is a string where there are none. GDScript has no exceptions: a call that fails gives null.
func ask(about: Dictionary, name: String, moments: Callable) -> void:
	var answer = moments.call()
	if answer is Array:
		about.scenes[name] = answer
	else:
		about.failed[name] = str(answer) if answer != null else "an error of the script; Godot printed which"


# Writes runs, a line each; gives the exit status.
func write(file: String, runs: Array) -> int:
	var out := FileAccess.open(file, FileAccess.WRITE)
	if out == null:
		printerr("%s: %s" % [file, error_string(FileAccess.get_open_error())])
		return 1
	for about in runs:
		out.store_line(JSON.stringify(about, "", true, true))
		print("%s, %s: %d scenes" % [about.run, about.version, about.scenes.size()])
		for name in about.failed:
			print("  %s: %s" % [name, about.failed[name]])
	return 0


func files(folder: String, endings: Array) -> Array:
	var named := Array(DirAccess.get_files_at(folder)).filter(func(file): return file.get_extension() in endings)
	named.sort()
	return named.map(func(file): return folder.path_join(file))


# Numbers as JSON has them: what is not finite is null.
func numbers(values: Array) -> Array:
	return values.map(func(value): return value if is_finite(value) else null)


func three(v: Vector3) -> Array:
	return numbers([v.x, v.y, v.z])


# Column by column.
func matrix(t: Transform3D) -> Array:
	var b := t.basis
	return numbers([b.x.x, b.x.y, b.x.z, 0, b.y.x, b.y.y, b.y.z, 0, b.z.x, b.z.y, b.z.z, 0, t.origin.x, t.origin.y, t.origin.z, 1])


func answer_of(node: Node3D) -> Dictionary:
	var world := node.global_transform
	var answer := {"world": matrix(world)}
	# Of a flattened node Godot gives no rotation, but an error.
	if world.basis.determinant() != 0:
		var turn := world.basis.get_rotation_quaternion()
		var getters := {"position": three(node.global_position), "scale": three(world.basis.get_scale())}
		getters.rotation = numbers([turn.x, turn.y, turn.z, turn.w])
		answer.getters = getters
	return answer


# Empty where the file has none.
func document_of(file: String) -> Dictionary:
	var bytes := FileAccess.get_file_as_bytes(file)
	var is_glb := bytes.slice(0, 4) == "glTF".to_ascii_buffer()
	var text := bytes.slice(20, 20 + bytes.decode_u32(12)) if is_glb else bytes
	var document = JSON.parse_string(text.get_string_from_utf8())
	return document if document is Dictionary else {}


# The nodes by path below a new node, which comes first, under "".
func made(file: String) -> Dictionary:
	var nodes: Array = document_of(file).get("nodes", [])
	var top := Node3D.new()
	root.add_child(top)
	var by_path := {"": top}
	var below := {}
	for node in nodes:
		for child in node.get("children", []):
			below[int(child)] = true
	for index in nodes.size():
		if index not in below:
			make(nodes, index, top, "", by_path)
	return by_path


func make(nodes: Array, index: int, parent: Node3D, above: String, by_path: Dictionary) -> void:
	var entry: Dictionary = nodes[index]
	var name: String = entry.get("name", "node%d" % index)
	var node := Node3D.new()
	node.name = name
	if entry.has("matrix"):
		var m: Array = entry.matrix
		var basis := Basis(Vector3(m[0], m[1], m[2]), Vector3(m[4], m[5], m[6]), Vector3(m[8], m[9], m[10]))
		node.transform = Transform3D(basis, Vector3(m[12], m[13], m[14]))
	else:
		var t: Array = entry.get("translation", [0, 0, 0])
		var r: Array = entry.get("rotation", [0, 0, 0, 1])
		var s: Array = entry.get("scale", [1, 1, 1])
		node.position = Vector3(t[0], t[1], t[2])
		node.quaternion = Quaternion(r[0], r[1], r[2], r[3])
		node.scale = Vector3(s[0], s[1], s[2])
	parent.add_child(node)
	var path := name if above == "" else above + "/" + name
	by_path[path] = node
	for child in entry.get("children", []):
		make(nodes, int(child), node, path, by_path)


func made_moments(file: String):
	if document_of(file).is_empty():
		return "no document in the file"
	var by_path := made(file)
	var top: Node3D = by_path[""]
	by_path.erase("")
	var moment := {"seconds": null, "nodes": {}}
	for path in by_path:
		moment.nodes[path] = answer_of(by_path[path])
	top.free()
	return [moment]


func made_kept(file: String):
	if document_of(file).is_empty():
		return "no document in the file"
	var kept := {}
	for path in made_paths(file):
		var by_path := made(file)
		by_path[path].reparent(by_path[""])
		kept[path] = {"world": matrix(by_path[path].global_transform)}
		by_path[""].free()
	return [{"seconds": null, "nodes": kept}]


func made_paths(file: String) -> Array:
	var by_path := made(file)
	by_path[""].free()
	return by_path.keys().filter(func(path): return "/" in path)


# The scene and its nodes by path: a Node3D, or a skeleton and the number of one of its bones. A string where it failed.
func imported(file: String):
	var is_fbx := file.get_extension() == "fbx"
	var document: GLTFDocument = FBXDocument.new() if is_fbx else GLTFDocument.new()
	var state: GLTFState = FBXState.new() if is_fbx else GLTFState.new()
	var error := document.append_from_file(file, state)
	if error != OK:
		return error_string(error)
	var scene := document.generate_scene(state)
	if scene == null:
		return "generate_scene gave no scene"
	root.add_child(scene)
	var skeletons := scene.find_children("*", "Skeleton3D", true, false)
	var nodes := state.get_nodes()
	var by_path := {}
	for index in nodes.size():
		# Nodes that FBXDocument adds had no name in the file.
		if nodes[index].original_name == "":
			continue
		# The name that Godot gave it, which no other has. state.get_scene_node() may have been freed.
		var own: String = nodes[index].resource_name
		var node := scene.find_child(own, true, false)
		if node is Node3D:
			by_path[path_in(nodes, index)] = node
		for skeleton in skeletons:
			if node == null and skeleton.find_bone(own) >= 0:
				by_path[path_in(nodes, index)] = [skeleton, skeleton.find_bone(own)]
	return {"scene": scene, "nodes": by_path}


# By the parents in the file: what is skinned is put elsewhere.
func path_in(nodes: Array, index: int) -> String:
	var own: String = nodes[index].original_name
	var above := path_in(nodes, nodes[index].parent) if nodes[index].parent >= 0 else ""
	return above + "/" + own if above != "" and own != "" else above + own


func imported_moments(file: String, are_bones_alone := false):
	var found = imported(file)
	if found is String:
		return found
	if are_bones_alone:
		for path in found.nodes.keys().filter(func(path): return found.nodes[path] is Node3D):
			found.nodes.erase(path)
	var moments := [moment_of(found.nodes, null)]
	var players: Array = found.scene.find_children("*", "AnimationPlayer", true, false)
	if not players.is_empty():
		var player: AnimationPlayer = players[0]
		player.play(player.get_animation_list()[0])
		for seconds in TIMES:
			player.seek(seconds, true)
			moments.append(moment_of(found.nodes, seconds))
	found.scene.free()
	return moments


func moment_of(nodes: Dictionary, seconds) -> Dictionary:
	var moment := {"seconds": seconds, "nodes": {}, "vertices": {}}
	for path in nodes:
		if nodes[path] is Array:
			var skeleton: Skeleton3D = nodes[path][0]
			moment.nodes[path] = {"world": matrix(skeleton.global_transform * skeleton.get_bone_global_pose(nodes[path][1]))}
			continue
		moment.nodes[path] = answer_of(nodes[path])
		if nodes[path] is MeshInstance3D and (nodes[path].skin or nodes[path].mesh.get_blend_shape_count()):
			moment.vertices[path] = vertices_of(nodes[path])
	return moment


func vertices_of(shown: MeshInstance3D) -> Array:
	var mesh: ArrayMesh = shown.mesh
	if mesh.get_blend_shape_count():
		mesh = shown.bake_mesh_from_current_blend_shape_mix()
	var vertices := []
	for surface in mesh.get_surface_count():
		var arrays := mesh.surface_get_arrays(surface)
		# Bones and weights are left out of what is baked.
		var of_file := shown.mesh.surface_get_arrays(surface)
		for index in arrays[Mesh.ARRAY_VERTEX].size():
			var vertex: Vector3 = arrays[Mesh.ARRAY_VERTEX][index]
			vertices.append(three(shown.global_transform * (skinned(shown, of_file, index, vertex) if shown.skin else vertex)))
	return vertices


# The sum that Godot's shader makes. bake_mesh_from_current_skeleton_pose() asks the rendering server, which has no skeletons if headless.
func skinned(shown: MeshInstance3D, arrays: Array, index: int, vertex: Vector3) -> Vector3:
	var skeleton: Skeleton3D = shown.get_node(shown.skeleton)
	var each: int = arrays[Mesh.ARRAY_BONES].size() / arrays[Mesh.ARRAY_VERTEX].size()
	var sum := Vector3.ZERO
	for place in range(index * each, index * each + each):
		var bind: int = arrays[Mesh.ARRAY_BONES][place]
		var bone := shown.skin.get_bind_bone(bind)
		if bone < 0:
			bone = skeleton.find_bone(shown.skin.get_bind_name(bind))
		sum += arrays[Mesh.ARRAY_WEIGHTS][place] * (skeleton.get_bone_global_pose(bone) * shown.skin.get_bind_pose(bind) * vertex)
	return sum


func imported_kept(file: String):
	var once = imported(file)
	if once is String:
		return once
	var paths: Array = once.nodes.keys().filter(func(path): return once.nodes[path] is Node3D and once.nodes[path].get_parent() != once.scene)
	once.scene.free()
	var kept := {}
	for path in paths:
		var found: Dictionary = imported(file)
		found.nodes[path].reparent(found.scene)
		kept[path] = {"world": matrix(found.nodes[path].global_transform)}
		found.scene.free()
	return [{"seconds": null, "nodes": kept}]
