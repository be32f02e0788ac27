//! What moves the nodes of a scene over time.

mod curve;

use nalgebra::{Quaternion, UnitQuaternion};
use serde::Serialize;
use xform_core::Trs;

use crate::{Local, NotSampledCode, Scene, Warning, WarningCode};

pub use curve::{Curve, CurveError, Interpolation};

/// Poses of some nodes over time; what it does not move stays at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// Its number in the file.
    pub index: usize,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// What it moves; of two that move the same, the last counts.
    pub channels: Vec<Channel>,
    /// What of it could not be read, and so is not in the channels.
    pub not_sampled: Vec<NotSampled>,
}

/// One property of one node over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// The node, an index into [`Scene::nodes`].
    pub node: usize,
    /// The property, in the space of the node's parent.
    pub track: Track,
}

/// A property of a pose over time, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Track {
    /// Where it stands.
    Translation(Curve<3>),
    /// Quaternions, x y z w, of any length but zero. Between them it turns the shorter way
    /// round at an even rate.
    Rotation(Curve<4>),
    /// The factors along its own axes.
    Scale(Curve<3>),
}

/// A part of an animation that could not be read: what it moves counts as at rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotSampled {
    /// Where it is in the file, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The node that it moves, where that can be told.
    pub node: Option<usize>,
    /// Why; stable, for programs.
    pub code: NotSampledCode,
    /// Why, for people.
    pub why: String,
}

impl Track {
    /// When there are keyframes, in ascending order.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => curve.times(),
            Self::Rotation(curve) => curve.times(),
        }
    }

    /// What is between the keyframes.
    #[must_use]
    pub fn interpolation(&self) -> Interpolation {
        match self {
            Self::Translation(curve) | Self::Scale(curve) => curve.interpolation(),
            Self::Rotation(curve) => curve.interpolation(),
        }
    }

    /// The pose with this property as it is at a time.
    #[must_use]
    pub fn pose(&self, pose: &Trs<f64>, time: f64) -> Trs<f64> {
        match self {
            Self::Translation(curve) => pose.with_translation(curve.at(time).into()),
            Self::Rotation(curve) => pose.with_rotation(rotation(curve.rotation_at(time))),
            Self::Scale(curve) => pose.with_scale(curve.at(time).into()),
        }
    }
}

/// The rotation of a quaternion of any length; of length zero, which a spline may pass, none.
fn rotation(components: [f64; 4]) -> UnitQuaternion<f64> {
    // Divided by the largest component first, so that the squares neither overflow nor vanish.
    let quaternion = Quaternion::from(nalgebra::Vector4::from(components));
    match quaternion.coords.amax() {
        0.0 => UnitQuaternion::identity(),
        largest => UnitQuaternion::new_normalize(quaternion / largest),
    }
}

impl Scene {
    /// The scene without its animations, with a warning that says so where there are any.
    #[must_use]
    pub fn at_rest(mut self) -> Self {
        let animations = match self.animations.len() {
            0 => return self,
            1 => "1 animation moves".to_owned(),
            count => format!("{count} animations move"),
        };
        self.animations.clear();
        self.warnings.push(Warning {
            code: WarningCode::AnimationNotSampled,
            node: None,
            pointer: "/animations".to_owned(),
            message: format!("{animations} nodes; only the pose at rest was audited"),
        });
        self
    }

    /// The scene as it stands at a time of one of its animations, by position in
    /// [`animations`](Self::animations); nothing moves it any more.
    ///
    /// A channel of a node that does not exist, or that has a matrix, moves nothing.
    ///
    /// # Panics
    ///
    /// If there is no such animation.
    #[must_use]
    pub fn posed(&self, animation: usize, time: f64) -> Self {
        let mut posed = Self {
            source: self.source.clone(),
            nodes: self.nodes.clone(),
            animations: Vec::new(),
            warnings: Vec::new(),
        };
        for Channel { node, track } in &self.animations[animation].channels {
            if let Some(Local::Trs(pose)) = posed.nodes.get_mut(*node).map(|node| &mut node.local) {
                *pose = track.pose(pose, time);
            }
        }
        posed
    }
}
