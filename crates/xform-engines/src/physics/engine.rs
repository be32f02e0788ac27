use super::{Collider, ColliderRule, NoCollider, Shape, ShapeKind};
use crate::{Claim, Engine, LocalPose};

/// A physics engine, possibly one inside another engine, with its rules for shapes below scales.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PhysicsEngine {
    /// The name for programs: lower-case letters and digits with hyphens.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// A one-sentence summary of its rules.
    pub sentence: &'static str,
    /// The engine that draws the scene, by its [id](Engine::id), if the physics engine is part of one. Its importer
    /// reads the file, and the collider is compared with the geometry that it shows. Otherwise the collider is
    /// compared with the product of the matrices.
    pub host: Option<&'static str>,
    /// The ways for shapes to reach it, the usual one first.
    pub roads: &'static [Road],
    /// How it treats a scale of zero along one axis.
    pub zero: &'static str,
    /// Its effect on a body that physics moves, if known.
    pub dynamic: Option<Moved>,
    /// A further effect of skew on its shapes, if known.
    pub skewed: Option<Skewed>,
    /// Its own message about a scale that it does not support, for shapes of these kinds.
    pub says: Option<(&'static [ShapeKind], &'static str)>,
}

/// The effect of a physics engine on a body that it moves, below a scale that is not uniform.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// The effect, in a sentence.
    pub sentence: &'static str,
    /// Whether this happens only if the scale and a rotation cause skew.
    pub is_of_skew: bool,
}

/// An effect of skew on a shape in a physics engine beyond its [rule](Road::rule).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Skewed {
    /// The kinds of shapes that it affects.
    pub kinds: &'static [ShapeKind],
    /// The effect, in a sentence.
    pub sentence: &'static str,
    /// The smallest skew, in degrees, at which bodies were seen to fall through such a shape although rays hit it.
    /// `None` if they do not fall through.
    pub falls_from_degrees: Option<f64>,
}

/// A way for shapes to reach a physics engine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Road {
    /// The name for programs. It follows the name of the engine and a slash.
    pub id: &'static str,
    /// The way in which a program uses it, in a few words.
    pub words: &'static str,
    /// The kinds of shapes that can use it. The engine has no others, or its helper does not create them.
    pub kinds: &'static [ShapeKind],
    /// The rule for shapes, with how it is known. The residual of a run is the largest difference in the distance at
    /// which a ray hits, divided by the diagonal of the box around the drawn shape.
    pub rule: Claim<ColliderRule>,
}

impl PhysicsEngine {
    /// Returns the engine that draws the scene, if the physics engine is part of one.
    #[must_use]
    pub fn host(&self) -> Option<&'static Engine> {
        self.host.and_then(Engine::named)
    }

    /// Returns the usual way for shapes to reach the engine.
    #[must_use]
    pub fn road(&self) -> &'static Road {
        &self.roads[0]
    }
}

impl Road {
    /// Returns the collider of a shape on the last node of a chain of local poses, which begins with the root.
    ///
    /// # Errors
    ///
    /// The reason why there is no collider, or why it is not known.
    pub fn collider(&self, chain: &[LocalPose], shape: &Shape) -> Result<Collider, NoCollider> {
        if !self.kinds.contains(&shape.kind()) {
            return Err(NoCollider::NoSuchShape);
        }
        self.rule.rule.collider(chain, shape)
    }

    /// Describes which of the scales above it a shape of this kind uses, in a few words, such as
    /// `the mean of the three scales`. Returns `not made` if such shapes cannot use this road.
    #[must_use]
    pub fn takes(&self, kind: ShapeKind) -> &'static str {
        if self.kinds.contains(&kind) { self.rule.rule.takes(kind) } else { "not made" }
    }
}
