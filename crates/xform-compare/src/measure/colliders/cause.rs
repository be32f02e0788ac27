//! The scale that is the cause of a difference: what is left without it.

use nalgebra::Vector3;
use xform_engines::{LocalPose, SCALE_ROUNDING, physics::Shape};

use super::{super::uniform_scale::made_uniform, judge::Judge};
use crate::audit::{ColliderCause, PhysicsRoad};

/// A scale is a cause if without it less than this part of a difference remains.
const HELPS: f64 = 0.9;

/// How many of the nearest ancestors are tried.
const TRIED: usize = 32;

impl Judge<'_> {
    /// The nearest scale that, made uniform or taken away, leaves nothing that is seen; else the one that leaves the least. With its place on
    /// the path.
    pub(super) fn cause(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        road: PhysicsRoad,
    ) -> Option<(usize, ColliderCause)> {
        // Beside the shape itself, which a smaller scale makes smaller too.
        let left = |poses: &[LocalPose]| match self.collided(shape, poses, road) {
            Ok(found) => {
                let seen = self.grade(&found, road).0.is_seen();
                (seen, found.percent.unwrap_or(found.distance))
            }
            Err(_) => (true, f64::INFINITY),
        };
        let (_, now) = left(poses);
        // An even scale is the cause only where an engine takes none.
        for is_even in [true, false] {
            let mut best: Option<(f64, usize, ColliderCause)> = None;
            for (at, &node) in self.nodes.iter().enumerate().rev().take(TRIED) {
                let LocalPose::Trs(pose) = poses[at] else { continue };
                let scale = pose.scale;
                let even = Vector3::repeat(made_uniform(&scale).abs());
                let other = if is_even { even } else { Vector3::repeat(1.0) };
                if (other - scale).amax() <= SCALE_ROUNDING * scale.amax() {
                    continue;
                }
                let mut changed = poses.to_vec();
                changed[at] = pose.with_scale(other).into();
                let (is_seen, remains) = left(&changed);
                let turned = self.turned_below(at, poses).map(|node| self.told(node));
                let (node, is_alone) = (self.told(node), !is_seen);
                let cause = ColliderCause { node, scale, turned, is_alone };
                if is_alone {
                    return Some((at, cause));
                }
                if remains < HELPS * now && best.is_none_or(|(least, ..)| remains < least) {
                    best = Some((remains, at, cause));
                }
            }
            if let Some((_, at, cause)) = best {
                return Some((at, cause));
            }
        }
        None
    }

    /// The first node below a place on the path that is turned.
    fn turned_below(&self, at: usize, poses: &[LocalPose]) -> Option<usize> {
        let below = self.nodes.iter().zip(poses).skip(at + 1);
        let mut turned = below.filter(|(_, pose)| match pose {
            LocalPose::Trs(pose) => pose.rotation.angle() > 1e-6,
            LocalPose::Matrix(_) => true,
        });
        turned.next().map(|(&node, _)| node)
    }
}
