//! The scale that causes a difference, found by removing each scale in turn.

use nalgebra::Vector3;
use xform_engines::{LocalPose, physics::Shape};

use super::judge::Judge;
use crate::audit::{ColliderCause, PhysicsRoad};

/// The fraction of a difference below which it must fall without a scale for that scale to be a cause.
const HELPS: f64 = 0.9;

/// The number of nearest ancestors that are tried.
const TRIED: usize = 32;

impl Judge<'_> {
    /// Returns the nearest scale without which no visible difference remains; otherwise the scale without
    /// which the least remains. The index is its position on the path.
    pub(super) fn cause(
        &self,
        shape: &Shape,
        poses: &[LocalPose],
        road: PhysicsRoad,
    ) -> Option<(usize, ColliderCause)> {
        // Relative to the size of the shape, because a smaller scale also makes the shape smaller.
        let left = |poses: &[LocalPose]| match self.collided(shape, poses, road) {
            Ok(found) => {
                let seen = self.grade(&found, road).0.is_seen();
                (seen, found.percent.unwrap_or(found.distance))
            }
            Err(_) => (true, f64::INFINITY),
        };
        let (_, now) = left(poses);
        let mut best: Option<(f64, usize, ColliderCause)> = None;
        for (at, &node) in self.nodes.iter().enumerate().rev().take(TRIED) {
            let LocalPose::Trs(pose) = poses[at] else { continue };
            let scale = pose.scale;
            if scale == Vector3::repeat(1.0) {
                continue;
            }
            let mut changed = poses.to_vec();
            changed[at] = pose.with_scale(Vector3::repeat(1.0)).into();
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
        best.map(|(_, at, cause)| (at, cause))
    }

    /// Returns the first rotated node below an index on the path.
    fn turned_below(&self, at: usize, poses: &[LocalPose]) -> Option<usize> {
        let below = self.nodes.iter().zip(poses).skip(at + 1);
        let mut turned = below.filter(|(_, pose)| match pose {
            LocalPose::Trs(pose) => pose.rotation.angle() > 1e-6,
            LocalPose::Matrix(_) => true,
        });
        turned.next().map(|(&node, _)| node)
    }
}
