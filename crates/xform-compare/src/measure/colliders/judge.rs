//! One shape in some engines: the collider that each makes of it below poses, and its distance from the drawn
//! shape.

use std::collections::HashMap;

use nalgebra::Matrix4;
use xform_core::{
    Inherit,
    linear::{axis_lengths, skew},
    spaces::Orientation,
};
use xform_engines::{
    LocalPose, Reason, SourceNode,
    physics::{Collider, NoCollider, Shape, ShapeKind, is_even},
};
use xform_scene::{Animation, NodeCollider, Scene, Trs, animation::Track, fbx::InheritType};

use super::{
    super::{metrics::percent, motion},
    apart,
};
use crate::audit::{
    ColliderApart, ColliderAudit, ColliderInEngine, DIFFERING_FRACTION, Grade, PhysicsRoad,
    SKEWED_DEGREES,
};

/// How often the step around the worst time of an animation is halved, and the number of sampled times above
/// which this is done.
const ROUNDS: usize = 5;
const FEW: usize = 8;

/// The tracks of an animation, by node.
pub(super) type Channels<'a> = (&'a Animation, HashMap<usize, Vec<&'a Track>>);

pub(super) fn channels(animation: &Animation) -> Channels<'_> {
    let mut tracks: HashMap<_, Vec<_>> = HashMap::new();
    for channel in &animation.channels {
        tracks.entry(channel.node).or_default().push(&channel.track);
    }
    (animation, tracks)
}

/// One shape to be judged in some engines.
pub(super) struct Judge<'a> {
    scene: &'a Scene,
    collider: &'a NodeCollider,
    pub(super) engines: &'a [PhysicsRoad],
    diagonal: f64,
    /// The nodes from the root to the node of the shape, by index.
    pub(super) nodes: Vec<usize>,
    /// Their poses, followed by the shape's own pose on its node if it has one.
    pub(super) poses: Vec<LocalPose>,
    /// The reason why the result is unknown in every engine: a node on the path does not inherit as in glTF.
    unknown: Option<Reason>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        collider: &'a NodeCollider,
        engines: &'a [PhysicsRoad],
        diagonal: f64,
    ) -> Self {
        let mut nodes: Vec<_> =
            std::iter::successors(Some(collider.node), |&node| scene.nodes[node].parent).collect();
        nodes.reverse();
        let inherits_less = |&node: &usize| scene.nodes[node].inherit != Inherit::All;
        let has_type = |&node: &usize| {
            let of_fbx = scene.fbx.as_ref().zip(scene.of_file(node));
            let of_fbx = of_fbx.and_then(|(file, node)| file.nodes.get(node));
            of_fbx.is_some_and(|node| node.inherit != InheritType::Matrix)
        };
        let unknown = if nodes.iter().any(inherits_less) {
            Some(Reason::Inheritance)
        } else {
            nodes.iter().any(has_type).then_some(Reason::InheritType)
        };
        let mut poses: Vec<_> = nodes.iter().map(|&node| scene.nodes[node].local).collect();
        if collider.offset != Trs::identity() {
            poses.push(collider.offset.into());
        }
        Self { scene, collider, engines, diagonal, nodes, poses, unknown }
    }

    /// Combines the properties of the shape with the results in the engines.
    pub(super) fn found(
        &self,
        kind: Result<ShapeKind, String>,
        in_engines: Vec<ColliderInEngine>,
    ) -> ColliderAudit {
        let drawn = Drawn::by(&self.poses);
        let is_zero = |&node: &usize| {
            let local = self.scene.nodes[node].local.to_affine().linear();
            let flat = local.column_iter().filter(|axis| axis.norm() == 0.0).count();
            // If all axes are zero the shape is hidden, and there is nothing to collide with.
            flat == 1 || flat == 2
        };
        ColliderAudit {
            node: self.told(self.collider.node),
            source: self.collider.source,
            kind,
            is_dynamic: self.collider.is_dynamic,
            is_skewed: drawn.is_skewed,
            is_mirrored: drawn.is_mirrored,
            is_uneven: drawn.is_uneven,
            flattened_by: self.nodes.iter().copied().find(is_zero).map(|node| self.told(node)),
            in_engines,
            cause: None,
            advice: Vec::new(),
        }
    }

    /// Returns the node of the file that a node stands for.
    pub(super) fn told(&self, node: usize) -> usize {
        self.scene.of_file(node).unwrap_or(node)
    }

    pub(super) fn at_rest(&self, shape: &Shape) -> ColliderAudit {
        let engines = self.engines.iter();
        let in_engines = engines.map(|&road| self.in_engine(shape, &self.poses, road, None));
        self.found(Ok(shape.kind()), in_engines.collect())
    }

    /// Updates the worst result of each engine with those at up to `times` times of an animation.
    pub(super) fn in_motion(
        &self,
        shape: &Shape,
        (place, channels): (usize, &Channels<'_>),
        times: usize,
        in_engines: &mut [ColliderInEngine],
    ) {
        let (animation, tracks) = channels;
        if !self.nodes.iter().any(|node| tracks.contains_key(node)) {
            return;
        }
        let times = motion::times(animation, times);
        for &time in &times {
            let poses = self.poses_at(channels, time);
            for (so_far, &road) in in_engines.iter_mut().zip(self.engines) {
                self.look(shape, &poses, (place, time), road, so_far);
            }
        }
        let widest = times.windows(2).map(|ends| ends[1] - ends[0]).fold(0.0, f64::max);
        let lasts = times.first().zip(times.last()).map(|(&first, &last)| first..=last);
        let (true, Some(lasts)) = (times.len() > FEW, lasts) else { return };
        for (so_far, &road) in in_engines.iter_mut().zip(self.engines) {
            let mut step = widest;
            for _ in 0..ROUNDS {
                let Some((_, worst)) = so_far.motion.filter(|(worst, _)| *worst == place) else {
                    break;
                };
                step /= 2.0;
                for time in [worst - step, worst + step] {
                    if lasts.contains(&time) {
                        let poses = self.poses_at(channels, time);
                        self.look(shape, &poses, (place, time), road, so_far);
                    }
                }
            }
        }
    }

    /// Updates the worst result of an engine with that of a moment, if it is worse.
    fn look(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        moment: (usize, f64),
        road: PhysicsRoad,
        so_far: &mut ColliderInEngine,
    ) {
        let is_hidden = product(poses).fixed_view::<3, 3>(0, 0).amax() == 0.0;
        if is_hidden || self.is_no_worse(shape, poses, road, so_far) {
            return;
        }
        let then = self.in_engine(shape, poses, road, Some(moment));
        if is_worse(&then, so_far) {
            *so_far = ColliderInEngine { at_rest: so_far.at_rest.take(), ..then };
        }
    }

    /// Whether an upper bound proves that a collider is no farther from the drawn shape than before, within
    /// rounding. The bound is cheaper than the distance.
    fn is_no_worse(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        road: PhysicsRoad,
        so_far: &ColliderInEngine,
    ) -> bool {
        let Ok((drawn, collider)) = self.placed(shape, poses, road) else { return false };
        let Some(most) = apart::at_most(&drawn, &collider) else { return false };
        let least = so_far.found.as_ref().map_or(f64::INFINITY, |found| found.distance);
        let most_percent = percent(most, apart::size(&drawn));
        let at_most = ColliderApart { distance: most, percent: most_percent, collider, drawn };
        let (worst, _) = self.grade(&at_most, road);
        let rounding = DIFFERING_FRACTION * self.diagonal;
        worst <= so_far.grade && most <= least.max(rounding)
    }

    /// Returns the poses on the path at a time of an animation.
    pub(super) fn poses_at(&self, (_, tracks): &Channels<'_>, time: f64) -> Vec<LocalPose> {
        let mut poses = self.poses.clone();
        for (pose, node) in poses.iter_mut().zip(&self.nodes) {
            if let LocalPose::Trs(pose) = pose {
                for track in tracks.get(node).into_iter().flatten() {
                    *pose = track.pose(pose, time);
                }
            }
        }
        poses
    }

    /// Returns the collider that an engine makes of a shape below poses, and its distance from the drawn
    /// shape.
    fn in_engine(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        road: PhysicsRoad,
        motion: Option<(usize, f64)>,
    ) -> ColliderInEngine {
        let found = self.collided(shape, poses, road);
        let (grade, falls_through) = match &found {
            Ok(found) => self.grade(found, road),
            Err(NoCollider::Refused(_)) => (Grade::Severe, false),
            Err(_) => (Grade::Identical, false),
        };
        let at_rest = found.as_ref().ok().filter(|_| motion.is_none()).cloned();
        ColliderInEngine { found, falls_through, grade, motion, at_rest }
    }

    /// Returns the grade, as for a node, and whether bodies can fall through the collider, which is severe.
    /// In a scene without extent the grade is relative to the shape.
    pub(super) fn grade(&self, found: &ColliderApart, on: PhysicsRoad) -> (Grade, bool) {
        let of_scene = percent(found.distance, self.diagonal).or(found.percent);
        let grade = Grade::new(of_scene, found.percent, None);
        let kind = found.collider.shape.kind();
        let skewed = on.engine.skewed.filter(|skewed| skewed.kinds.contains(&kind));
        let least = skewed.and_then(|skewed| skewed.falls_from_degrees);
        let skew = skew(&found.collider.linear).map_or(0.0, f64::to_degrees);
        match least {
            Some(least) if skew >= least => (Grade::Severe, true),
            // Falling through was not observed at a smaller skew, but the skew is reported anyway.
            Some(_) if skew > SKEWED_DEGREES => (grade.max(Grade::Negligible), false),
            _ => (grade, false),
        }
    }

    pub(super) fn collided(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        on: PhysicsRoad,
    ) -> Result<ColliderApart, NoCollider> {
        let (drawn, collider) = self.placed(shape, poses, on)?;
        let apart = self.apart(drawn, collider);
        if apart.distance.is_finite() { Ok(apart) } else { Err(Reason::Overflow.into()) }
    }

    /// Returns the shape as drawn, and its collider.
    fn placed(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        on: PhysicsRoad,
    ) -> Result<(Collider, Collider), NoCollider> {
        let drawn = self.drawn(shape, poses, on)?;
        let imported = poses.iter().map(|local| match on.engine.host() {
            Some(host) => host.imported(local),
            None => Ok(*local),
        });
        let imported: Vec<_> = imported.collect::<Result<_, Reason>>()?;
        Ok((drawn, on.road.collider(&imported, shape)?))
    }

    pub(super) fn apart(&self, drawn: Collider, collider: Collider) -> ColliderApart {
        let distance = apart::distance(&drawn, &collider);
        let percent = percent(distance, apart::size(&drawn));
        ColliderApart { distance, percent, collider, drawn }
    }

    /// Returns the shape as the host engine draws it or, without a host, as the product of the matrices
    /// places it.
    pub(super) fn drawn(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        on: PhysicsRoad,
    ) -> Result<Collider, NoCollider> {
        if let Some(reason) = self.unknown {
            return Err(reason.into());
        }
        let Some(host) = on.engine.host() else { return Ok(as_drawn(shape, &product(poses))) };
        let above = (0..).map(|index: usize| index.checked_sub(1));
        let nodes: Vec<_> =
            poses.iter().zip(above).map(|(&local, parent)| SourceNode { parent, local }).collect();
        let worlds = host.worlds(&nodes).expect("a chain is a forest");
        let own = worlds.into_iter().next_back().expect("a node of its own");
        let world = own.map_err(|unknown| unknown.reason)?;
        Ok(as_drawn(shape, &world.to_homogeneous()))
    }
}

/// The effect of the product of poses on a shape.
pub(super) struct Drawn {
    pub(super) is_skewed: bool,
    pub(super) is_uneven: bool,
    is_mirrored: bool,
}

impl Drawn {
    pub(super) fn by(poses: &[LocalPose]) -> Self {
        let world = product(poses).fixed_view::<3, 3>(0, 0).into_owned();
        let is_skewed = skew(&world).map_or(0.0, f64::to_degrees) > SKEWED_DEGREES;
        Self {
            is_skewed,
            is_uneven: is_skewed || !is_even(&axis_lengths(&world)),
            is_mirrored: Orientation::of(&world) == Orientation::Mirrored,
        }
    }
}

/// Compares by grade, then by distance.
fn is_worse(then: &ColliderInEngine, so_far: &ColliderInEngine) -> bool {
    if then.is_unknown() || so_far.is_unknown() {
        // A visible difference takes precedence over an unknown result.
        return if then.is_unknown() {
            !so_far.is_unknown() && !so_far.grade.is_seen()
        } else {
            then.grade.is_seen()
        };
    }
    // By more than rounding, so that the result at rest is preferred.
    then.grade > so_far.grade
        || then.distance() > so_far.distance() * (1.0 + 1e-6) && then.grade == so_far.grade
}

/// Returns a shape as a world matrix draws it.
pub(super) fn as_drawn(shape: &Shape, world: &Matrix4<f64>) -> Collider {
    Collider {
        shape: shape.clone(),
        linear: world.fixed_view::<3, 3>(0, 0).into_owned(),
        position: world.column(3).xyz(),
    }
}

pub(super) fn product(poses: &[LocalPose]) -> Matrix4<f64> {
    poses.iter().fold(Matrix4::identity(), |above, local| above * local.to_affine().matrix())
}
