# How many of 45 bodies fall through a static slab of 4 x 0.4 x 2 without touching it. The slab is turned about z below a node
# with a scale. godot --headless --fixed-fps 60 --path PROJECT -s godot_contacts.gd, in a project with the physics engine that is asked.
extends SceneTree

var is_started := false

func _process(_delta):
	if not is_started:
		is_started = true
		run()
	return false

func slab(kind: String) -> Shape3D:
	var mesh := BoxMesh.new()
	mesh.size = Vector3(4, 0.4, 2)
	return mesh.create_trimesh_shape() if kind == "mesh" else mesh.create_convex_shape()

func body_shape(kind: String) -> Shape3D:
	match kind:
		"sphere":
			var sphere := SphereShape3D.new()
			sphere.radius = 0.15
			return sphere
		"box":
			var box := BoxShape3D.new()
			box.size = Vector3.ONE * 0.3
			return box
		"capsule":
			var capsule := CapsuleShape3D.new()
			capsule.radius = 0.15
			capsule.height = 0.5
			return capsule
		_:
			var cylinder := CylinderShape3D.new()
			cylinder.radius = 0.15
			cylinder.height = 0.3
			return cylinder

# How many of the bodies that were dropped above the slab are below its surface and have touched nothing.
func fallen(static_body: StaticBody3D, kind: String) -> Array:
	var space := root.get_world_3d().direct_space_state
	var dropped := []
	for i in range(-4, 5):
		for j in range(-2, 3):
			var over := static_body.global_transform * Vector3(i * 0.4, 0, j * 0.35)
			var ray := PhysicsRayQueryParameters3D.create(over + Vector3(0, 10, 0), over - Vector3(0, 10, 0))
			var hit := space.intersect_ray(ray)
			if hit.is_empty():
				continue
			var body := RigidBody3D.new()
			var shape := CollisionShape3D.new()
			shape.shape = body_shape(kind)
			body.add_child(shape)
			body.collision_layer = 0
			body.contact_monitor = true
			body.max_contacts_reported = 4
			body.can_sleep = false
			body.position = hit.position + Vector3(0, 0.7, 0)
			root.add_child(body)
			dropped.append({"body": body, "surface": hit.position.y, "is_done": false, "fell": false})
	for frame in 50:
		await physics_frame
		for one in dropped:
			if one.is_done:
				continue
			if one.body.get_contact_count() > 0:
				one.is_done = true
			elif one.body.position.y < one.surface - 0.15:
				one.is_done = true
				one.fell = true
	var count := 0
	for one in dropped:
		if one.fell:
			count += 1
		one.body.free()
	return [count, dropped.size()]

func run():
	var cases := []
	for degrees in [0, 2, 5, 10, 20, 30, 45, 60, 90]:
		cases.append([Vector3(2, 1, 1), degrees, "mesh"])
	for degrees in [10, 30]:
		cases.append([Vector3(1.1, 1, 1), degrees, "mesh"])
		cases.append([Vector3(1.5, 1, 1), degrees, "mesh"])
	cases.append([Vector3(2, 1, 1), 30, "hull"])
	cases.append([Vector3(2, 2, 2), 30, "mesh"])
	cases.append([Vector3(-1, 1, 1), 30, "mesh"])
	cases.append([Vector3(-2, 1, 1), 30, "mesh"])
	print("scale x,scale y,scale z,degrees,static shape,body,fell,dropped")
	for one in cases:
		var scaled := Node3D.new()
		scaled.scale = one[0]
		var static_body := StaticBody3D.new()
		static_body.rotation = Vector3(0, 0, deg_to_rad(one[1]))
		var shape := CollisionShape3D.new()
		shape.shape = slab(one[2])
		static_body.add_child(shape)
		scaled.add_child(static_body)
		root.add_child(scaled)
		await physics_frame
		await physics_frame
		for kind in ["sphere", "box", "capsule", "cylinder"]:
			var counts = await fallen(static_body, kind)
			print("%.1f,%.1f,%.1f,%d,%s,%s,%d,%d" % [one[0].x, one[0].y, one[0].z, one[1], one[2], kind, counts[0], counts[1]])
		scaled.free()
		await physics_frame
	quit()
