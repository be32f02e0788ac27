use super::{Collider, ColliderRule, NoCollider, Shape, ShapeKind};
use crate::{Claim, Engine, LocalPose};

/// A physics engine, or one inside another engine, and what it makes of shapes below scales.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PhysicsEngine {
    /// What programs call it: lower-case letters and digits with hyphens.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub sentence: &'static str,
    /// The engine that draws the scene, by its [id](Engine::id), where the physics engine comes inside one: its importer reads the file, and it shows
    /// what the collider is compared with. Elsewhere that is the product of the matrices.
    pub host: Option<&'static str>,
    /// The ways in which shapes come to it, the usual one first.
    pub roads: &'static [Road],
    /// What it does with a scale of zero along one axis.
    pub zero: &'static str,
    /// What becomes of a body that physics moves, where that is known.
    pub dynamic: Option<Moved>,
    /// What else befalls a skewed shape, where that is known.
    pub skewed: Option<Skewed>,
    /// What it says itself of a scale that a shape of one of these kinds cannot have.
    pub says: Option<(&'static [ShapeKind], &'static str)>,
}

/// What a physics engine does with a body that it moves, below a scale that is not even.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// That, in a sentence.
    pub sentence: &'static str,
    /// Whether it does so only where the scale and a turn make a skew.
    pub is_of_skew: bool,
}

/// What befalls a skewed shape in a physics engine beside what a [rule](Road::rule) says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Skewed {
    /// The kinds of shapes that it befalls.
    pub kinds: &'static [ShapeKind],
    /// What does, in a sentence.
    pub sentence: &'static str,
    /// The least skew at which bodies were seen to fall through such a shape, in degrees, though rays hit it; `None` where they do not.
    pub falls_from_degrees: Option<f64>,
}

/// A way in which shapes come to a physics engine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Road {
    /// What programs call it, behind the name of the engine and a slash.
    pub id: &'static str,
    /// What a program does there, in a few words.
    pub words: &'static str,
    /// The kinds of shapes that come to it in this way. It has no others, or its helper makes none.
    pub kinds: &'static [ShapeKind],
    /// What becomes of a shape, and how that is known. The residual of a run is the worst difference of the distance at which a ray hits, divided by
    /// the diagonal of the box about the shape as it is drawn.
    pub rule: Claim<ColliderRule>,
}

impl PhysicsEngine {
    /// The engine that draws what it collides with, where there is one.
    #[must_use]
    pub fn host(&self) -> Option<&'static Engine> {
        self.host.and_then(Engine::named)
    }

    /// The usual way in which shapes come to it.
    #[must_use]
    pub fn road(&self) -> &'static Road {
        &self.roads[0]
    }
}

impl Road {
    /// The collider of a shape on the last node of a chain of local poses, the root's first.
    ///
    /// # Errors
    ///
    /// Why there is none, or none that is known.
    pub fn collider(&self, chain: &[LocalPose], shape: &Shape) -> Result<Collider, NoCollider> {
        if !self.kinds.contains(&shape.kind()) {
            return Err(NoCollider::NoSuchShape);
        }
        self.rule.rule.collider(chain, shape)
    }

    /// What a shape of this kind takes of the scales above it, in a few words: `the mean of the three scales`; `not made` where it has none.
    #[must_use]
    pub fn takes(&self, kind: ShapeKind) -> &'static str {
        if self.kinds.contains(&kind) { self.rule.rule.takes(kind) } else { "not made" }
    }
}
