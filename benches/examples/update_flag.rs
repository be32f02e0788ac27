//! Arche's `Collider::_onUpdate` with a physics engine behind it: the colliders of a level in Rapier, and whether they are where `xform audit`
//! said before.
//!
//! `cargo run -p benches --features rapier --example update_flag`

use std::error::Error;

use nalgebra::{UnitQuaternion, Vector3};
use rapier3d::{
    glamx::{Pose3, Quat, Vec3},
    prelude::{ColliderBuilder, ColliderHandle, PhysicsWorld, QueryFilter, Ray, SharedShape},
};
use xform_compare::{
    audit::{PhysicsChoice, PhysicsRoad},
    compare,
    measure::collide,
    physics::Shape,
};
use xform_matrix::{
    AccumulatedMatrix, Hierarchy, HierarchyError, NodeId, Transform,
    changes::{Change, Watcher},
    spaces::WorldScale,
};
use xform_scene::{LocalPose, Scene, gltf::read_gltf_drawing, read_gltf};

type Level = Hierarchy<AccumulatedMatrix<f64>>;

const LEVEL: &[u8] = include_bytes!("level.gltf");

/// Frames of the animation, in a second.
const FRAMES: u8 = 60;

/// Rays at each collider in each frame.
const RAYS: u32 = 200;

/// Where rays begin, and how far from a surface they may hit: Rapier computes in single precision.
const FAR: f64 = 10.0;
const SAME: f64 = 1e-4;

/// A collider of a node.
struct Collider {
    node: NodeId,
    moved: Watcher,
    shape: Shape,
    handle: ColliderHandle,
    /// How often its pose and its shape were written.
    writes: [u32; 2],
}

impl Collider {
    /// `Collider::_onUpdate`: only what has changed is written.
    fn on_update(
        &mut self,
        level: &Level,
        physics: &mut PhysicsWorld,
    ) -> Result<(), Box<dyn Error>> {
        let change = self.moved.take().ok_or("the node is gone")?;
        if change.is_empty() {
            return Ok(());
        }
        let pose = level.collider_pose(self.node, WorldScale::Projected)?;
        let collider = physics.colliders.get_mut(self.handle).ok_or("the collider is gone")?;
        if change.intersects(Change::POSITION | Change::ROTATION) {
            collider.set_position(Pose3::from_parts(single(pose.position), turn(&pose.rotation)));
            self.writes[0] += 1;
        }
        if change.intersects(Change::SCALE) {
            collider.set_shape(scaled(&self.shape, &pose.scale)?);
            self.writes[1] += 1;
        }
        Ok(())
    }
}

/// What is drawn, and what collides, as vertices in the world.
struct Solid(Vec<Vector3<f64>>);

#[expect(clippy::cast_possible_truncation, reason = "Rapier is of single precision")]
fn single(at: Vector3<f64>) -> Vec3 {
    Vec3::new(at.x as f32, at.y as f32, at.z as f32)
}

fn double(at: Vec3) -> Vector3<f64> {
    Vector3::new(at.x.into(), at.y.into(), at.z.into())
}

#[expect(clippy::cast_possible_truncation, reason = "Rapier is of single precision")]
fn turn(rotation: &UnitQuaternion<f64>) -> Quat {
    Quat::from_xyzw(rotation.i as f32, rotation.j as f32, rotation.k as f32, rotation.w as f32)
}

/// The vertices of a box, or of a hull.
fn vertices(shape: &Shape) -> Result<Vec<Vector3<f64>>, String> {
    match shape {
        Shape::Box { half_extents } => {
            let sign = |at: u8, axis: usize| if at >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let corner =
                |at| half_extents.component_mul(&Vector3::from_fn(|axis, _| sign(at, axis)));
            Ok((0..8).map(corner).collect())
        }
        Shape::Hull(points) => Ok(points.to_vec()),
        other => Err(format!("the level has no {}", other.kind().name())),
    }
}

/// A shape with a scale along its own axes.
fn scaled(shape: &Shape, scale: &Vector3<f64>) -> Result<SharedShape, String> {
    if let Shape::Box { half_extents } = shape {
        let half = single(half_extents.component_mul(scale).abs());
        return Ok(SharedShape::cuboid(half.x, half.y, half.z));
    }
    let points = vertices(shape)?;
    let points: Vec<_> = points.iter().map(|at| single(at.component_mul(scale))).collect();
    SharedShape::convex_hull(&points).ok_or_else(|| "points without a volume".to_owned())
}

impl Solid {
    /// As Rapier has it.
    fn collided(physics: &PhysicsWorld, handle: ColliderHandle) -> Result<Self, String> {
        let collider = &physics.colliders[handle];
        let corners: Vec<Vec3> = if let Some(cuboid) = collider.shape().as_cuboid() {
            let half = double(cuboid.half_extents);
            vertices(&Shape::Box { half_extents: half })?.into_iter().map(single).collect()
        } else {
            let hull = collider.shape().as_convex_polyhedron().ok_or("neither box nor hull")?;
            hull.points().to_vec()
        };
        let pose = collider.position();
        Ok(Self(corners.into_iter().map(|at| double(pose.transform_point(at))).collect()))
    }

    /// How far any vertex is from another solid. The distance from a convex solid is a convex function, so that it is largest at a vertex.
    fn beyond(&self, other: &Self) -> Result<f64, String> {
        let hull = other.hull()?;
        let far =
            self.0.iter().map(|&at| f64::from(hull.distance_to_local_point(single(at), true)));
        Ok(far.fold(0.0, f64::max))
    }

    /// The farthest that either is from the other.
    fn distance(&self, other: &Self) -> Result<f64, String> {
        Ok(self.beyond(other)?.max(other.beyond(self)?))
    }

    fn hull(&self) -> Result<SharedShape, String> {
        let points: Vec<_> = self.0.iter().copied().map(single).collect();
        SharedShape::convex_hull(&points).ok_or_else(|| "points without a volume".to_owned())
    }

    fn centre(&self) -> Vector3<f64> {
        self.0.iter().sum::<Vector3<f64>>() / self.0.len() as f64
    }
}

/// Directions all around, evenly (a Fibonacci lattice).
fn directions() -> impl Iterator<Item = Vector3<f64>> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..RAYS).map(move |i| {
        let y = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(RAYS);
        let (sine, cosine) = (golden * f64::from(i)).sin_cos();
        let across = (1.0 - y * y).sqrt();
        Vector3::new(cosine * across, y, sine * across)
    })
}

/// How far the points that rays hit of a collider, from all around, are from the surface of a solid.
fn hits_apart(
    physics: &PhysicsWorld,
    handle: ColliderHandle,
    solid: &Solid,
) -> Result<f64, String> {
    let (hull, centre) = (solid.hull()?, solid.centre());
    let is_it = |found: ColliderHandle, _: &rapier3d::geometry::Collider| found == handle;
    let query = physics.query_pipeline_with_filter(QueryFilter::new().predicate(&is_it));
    let mut most = 0.0_f64;
    for from in directions() {
        let ray = Ray::new(single(centre + from * FAR), single(-from));
        let (_, length) = query.cast_ray(&ray, f32::MAX, true).ok_or("a ray misses")?;
        most = most.max(hull.distance_to_local_point(ray.point_at(length), false).into());
    }
    Ok(most)
}

/// The poses from the root to a node.
fn chain(level: &Level, node: NodeId) -> Result<Vec<LocalPose>, HierarchyError> {
    let above = level.ancestors(node)?.collect::<Vec<_>>().into_iter().rev();
    above.chain([node]).map(|node| Ok((*level.local(node)?).into())).collect()
}

/// The nodes of the file as a hierarchy.
fn loaded(scene: &Scene) -> Result<(Level, Vec<NodeId>), Box<dyn Error>> {
    let (mut level, mut ids) = (Level::new(), Vec::new());
    for node in &scene.nodes {
        let LocalPose::Trs(local) = node.local else {
            return Err("the level has no matrix".into());
        };
        ids.push(level.insert(node.parent.map(|parent| ids[parent]), local)?);
    }
    Ok((level, ids))
}

#[expect(clippy::print_stdout, reason = "a program prints")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut scene = read_gltf(LEVEL, "level.gltf")?;
    scene.drawing = read_gltf_drawing(LEVEL)?;
    let arche = PhysicsRoad::named("arche").ok_or("Arche is known")?;
    // As `xform audit level.gltf --physics arche` does.
    let choice = PhysicsChoice::named(vec![arche], None);
    let audit = collide(&scene, &choice, compare(&scene)?.summary.diagonal);

    let (mut level, ids) = loaded(&scene)?;
    let mut physics = PhysicsWorld::new();
    let mut colliders = Vec::new();
    for found in &scene.colliders {
        let shape = found.resolved(&scene.drawing)?;
        let unscaled = ColliderBuilder::new(scaled(&shape, &Vector3::repeat(1.0))?);
        let (node, handle) = (ids[found.node], physics.insert_collider(unscaled, None));
        let moved = level.watch(node)?;
        colliders.push(Collider { node, moved, shape, handle, writes: [0; 2] });
    }
    let mut most = vec![0.0_f64; colliders.len()];
    for frame in 0..=FRAMES {
        for channel in &scene.animations[0].channels {
            let node = ids[channel.node];
            let pose = channel.track.pose(level.local(node)?, f64::from(frame) / f64::from(FRAMES));
            level.set_local(node, pose)?;
        }
        level.propagate();
        for collider in &mut colliders {
            collider.on_update(&level, &mut physics)?;
        }
        physics.step();
        for (collider, most) in colliders.iter().zip(&mut most) {
            let Collider { node, handle, shape, .. } = collider;
            let corners = vertices(shape)?;
            let world = level.world(*node)?;
            let drawn = Solid(
                corners.iter().map(|at| world.transform_point(&(*at).into()).coords).collect(),
            );
            *most = most.max(drawn.distance(&Solid::collided(&physics, *handle)?)?);
            // The rule of Arche knows nothing of the hierarchy, of its watchers, or of Rapier.
            let rule = arche.road.collider(&chain(&level, *node)?, shape)?;
            let predicted = vertices(&rule.shape)?;
            let predicted =
                Solid(predicted.iter().map(|at| rule.linear * at + rule.position).collect());
            let off = hits_apart(&physics, *handle, &predicted)?;
            assert!(off < SAME, "frame {frame}, {shape:?}: rays hit {off} from the rule");
        }
    }
    println!("collider      audit said  measured in Rapier  poses and shapes written");
    for ((collider, said), measured) in colliders.iter().zip(&audit.colliders).zip(most) {
        let name = scene.nodes[said.node].name.as_deref().unwrap_or_default();
        let [poses, shapes] = collider.writes;
        println!("{name:<13} {:>10.4}  {measured:>18.4}  {poses} and {shapes}", said.distance());
        // The audit looks at other times than the frames.
        assert!((said.distance() - measured).abs() < 1e-3 * measured + SAME, "{name}");
    }
    Ok(())
}

#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    main()
}
