//! Animations: how the nodes of a scene move over time.

mod curve;
mod turn;

use nalgebra::{Quaternion, UnitQuaternion};
use serde::Serialize;
use xform_core::Trs;

pub use crate::code::NotSampledCode;

pub use curve::non_uniformity;
pub use curve::{Curve, CurveError, Interpolation};
pub use turn::KnownTurn;

/// Poses of some nodes over time. The other nodes stay at rest.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Animation {
    /// Its index in the file.
    pub index: usize,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// Whether it uses the first of several channels for one property, as some engines do. The variant that uses the
    /// last channels is an animation of its own with the same index.
    pub takes_first_channels: bool,
    /// The properties that it moves. If two channels move the same property of a node, the last one counts.
    pub channels: Vec<Channel>,
    /// The parts that could not be read. They are not in the channels.
    pub not_sampled: Vec<NotSampled>,
}

impl Animation {
    /// Creates an animation from its index in the file and its channels.
    #[must_use]
    pub fn new(index: usize, channels: Vec<Channel>) -> Self {
        Self { index, channels, ..Self::default() }
    }
}

/// One property of one node over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// The node, an index into [`Scene::nodes`](super::Scene::nodes).
    pub node: usize,
    /// The property, in the space of the node's parent.
    pub track: Track,
}

/// A property of a local pose over time, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Track {
    /// The translation, in the parent's space.
    Translation(Curve<3>),
    /// The rotation, as quaternions x y z w of any nonzero length. Between two of them it turns at a constant rate,
    /// the shorter way.
    Rotation(Curve<4>),
    /// The scale along the node's own axes.
    Scale(Curve<3>),
}

/// A part of an animation that could not be read or sampled. The properties that it moves count as at rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NotSampled {
    /// Its place in the file, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The node that it moves, if known.
    pub node: Option<usize>,
    /// The reason; stable, for programs.
    pub code: NotSampledCode,
    /// The reason, for people.
    pub why: String,
}

impl NotSampled {
    /// Creates one for which the node is not known.
    #[must_use]
    pub fn new(pointer: impl Into<String>, code: NotSampledCode, why: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), node: None, code, why: why.into() }
    }
}

impl Track {
    /// Returns the times of the keyframes, in seconds, in ascending order.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => curve.times(),
            Self::Rotation(curve) => curve.times(),
        }
    }

    /// Returns how values between two keyframes are interpolated.
    #[must_use]
    pub fn interpolation(&self) -> Interpolation {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => curve.interpolation(),
            Self::Rotation(curve) => curve.interpolation(),
        }
    }

    /// Whether it leaves a pose unchanged at all times, up to the rounding of files.
    #[must_use]
    pub fn keeps(&self, pose: &Trs<f64>) -> bool {
        match self {
            Self::Translation(curve) => curve.stays_at(&[pose.translation.into()]),
            Self::Scale(curve) => curve.stays_at(&[pose.scale.into()]),
            Self::Rotation(curve) => {
                // A quaternion and its negative are the same rotation.
                let components: [f64; 4] = pose.rotation.coords.into();
                curve.stays_at(&[components, components.map(|component| -component)])
            }
        }
    }

    /// Returns the pose with this property as at a time, in seconds.
    #[must_use]
    pub fn pose(&self, pose: &Trs<f64>, time: f64) -> Trs<f64> {
        let mut poses = [*pose];
        self.set(&mut poses, &[time], &mut KnownTurn::default());
        poses[0]
    }

    /// Sets this property in each pose as at the corresponding time, in seconds.
    pub fn set<'a, const TIMES: usize>(
        &'a self,
        poses: &mut [Trs<f64>; TIMES],
        times: &[f64; TIMES],
        known: &mut KnownTurn<'a>,
    ) {
        match self {
            Self::Translation(curve) => {
                for (pose, &time) in poses.iter_mut().zip(times) {
                    pose.translation = curve.at(time).into();
                }
            }
            Self::Rotation(curve) => {
                for (pose, components) in poses.iter_mut().zip(curve.rotations_at(times, known)) {
                    pose.rotation = rotation(components);
                }
            }
            Self::Scale(curve) => {
                for (pose, &time) in poses.iter_mut().zip(times) {
                    pose.scale = curve.at(time).into();
                }
            }
        }
    }
}

/// The rotation of a quaternion of any length. Length zero, which a spline can pass, is no rotation.
fn rotation(components: [f64; 4]) -> UnitQuaternion<f64> {
    // Divided by the largest component first, so that the squares neither overflow nor vanish.
    let quaternion = Quaternion::from(nalgebra::Vector4::from(components));
    match quaternion.coords.amax() {
        0.0 => UnitQuaternion::identity(),
        largest => UnitQuaternion::new_normalize(quaternion / largest),
    }
}
