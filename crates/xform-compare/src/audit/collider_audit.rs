use std::cmp::Ordering;

use nalgebra::Vector3;
use xform_engines::physics::{Collider, NoCollider, PhysicsEngine, Road, ShapeKind};
use xform_scene::ColliderSource;

use super::Grade;

/// The physics engines in which colliders are judged.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PhysicsChoice {
    /// The engines, each with the importer or helper that hands it the shapes.
    pub engines: Vec<PhysicsRoad>,
    /// The shape that every drawn mesh is judged as, in a scene without shapes of its own.
    pub collider: Option<ShapeKind>,
}

/// A physics engine, and the road by which shapes reach it: an importer or a helper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhysicsRoad {
    /// The engine.
    pub engine: &'static PhysicsEngine,
    /// The road.
    pub road: &'static Road,
}

impl PhysicsChoice {
    /// Creates a choice of these engines, in the order given and without duplicates. Meshes are judged as
    /// `collider` in a scene without shapes.
    #[must_use]
    pub fn named(engines: Vec<PhysicsRoad>, collider: Option<ShapeKind>) -> Self {
        let mut once: Vec<PhysicsRoad> = Vec::new();
        for road in engines {
            if !once.contains(&road) {
                once.push(road);
            }
        }
        Self { engines: once, collider }
    }

    /// Returns the engines that are used for scenes with shapes if the caller named none.
    #[must_use]
    pub fn usual() -> Self {
        const USUAL: [&str; 5] = ["godot-jolt", "unreal", "havok-babylon", "rapier-r3", "avian"];
        let usual = USUAL.iter().filter_map(|id| PhysicsRoad::named(id));
        Self::named(usual.collect(), None)
    }
}

impl PhysicsRoad {
    /// Finds an engine by its id, optionally followed by a slash and the id of a road. Without a road, the
    /// engine's usual one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (id, road) = name.split_once('/').map_or((name, None), |(id, road)| (id, Some(road)));
        let engine = PhysicsEngine::named(id)?;
        let road = match road {
            Some(road) => engine.roads.iter().find(|found| found.id == road)?,
            None => engine.road(),
        };
        Some(Self { engine, road })
    }

    /// Returns the id as on the command line: that of the engine, with that of the road if it is not the
    /// usual one.
    #[must_use]
    pub fn id(&self) -> String {
        let Self { engine, road } = self;
        if *road == engine.road() {
            engine.id.to_owned()
        } else {
            format!("{}/{}", engine.id, road.id)
        }
    }

    /// Returns the engine's name for people, with the road in parentheses if it is not the usual one.
    #[must_use]
    pub fn name(&self) -> String {
        let Self { engine, road } = self;
        if *road == engine.road() {
            engine.name.to_owned()
        } else {
            format!("{} ({})", engine.name, road.words)
        }
    }
}

/// How physics engines collide with the shapes of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PhysicsAudit {
    /// Whether the caller requested it. If not, shapes were judged in the usual engines, at rest, and meshes
    /// by their boxes.
    pub is_asked: bool,
    /// The engines.
    pub engines: Vec<PhysicsRoad>,
    /// The shape that every drawn mesh was judged as, if the scene has no shapes of its own.
    pub judged_as: Option<ShapeKind>,
    /// The number of shapes in the scene. Unless the caller requested the judgement, shapes that nothing
    /// scales were skipped.
    pub shapes: usize,
    /// Whether further shapes were skipped because the caller did not request the judgement.
    pub has_more: bool,
    /// The shapes that were judged, in the order of the nodes.
    pub colliders: Vec<ColliderAudit>,
}

/// How physics engines collide with one shape.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderAudit {
    /// The index of its node.
    pub node: usize,
    /// The place in the file that defines the shape.
    pub source: ColliderSource,
    /// The kind of the shape, or the reason why it was not judged.
    pub kind: Result<ShapeKind, String>,
    /// Whether physics moves its body.
    pub is_dynamic: bool,
    /// Whether engines that multiply matrices draw it skewed, at rest or at its worst.
    pub is_skewed: bool,
    /// Whether it is drawn mirrored at rest.
    pub is_mirrored: bool,
    /// Whether it is drawn with a different scale along different axes, skewed or not, at rest or at its
    /// worst.
    pub is_uneven: bool,
    /// The node whose scale gives an axis of the shape zero length.
    pub flattened_by: Option<usize>,
    /// The result in each engine, in the order of the engines; empty if the shape was not judged.
    pub in_engines: Vec<ColliderInEngine>,
    /// The scale that causes the worst difference.
    pub cause: Option<ColliderCause>,
    /// Remedies, the best first. Each was tried.
    pub advice: Vec<ColliderAdvice>,
}

/// The collider that a physics engine makes of a shape, at the time when it is farthest from the drawn shape.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderInEngine {
    /// The collider, and its distance from the shape that the engine draws; or the reason why there is none
    /// or why it is unknown.
    pub found: Result<ColliderApart, NoCollider>,
    /// Whether bodies can fall through it, although rays hit it.
    pub falls_through: bool,
    /// How bad the difference is. An engine that refuses the shape is severe, and so is one where bodies can
    /// fall through. An unknown result has no grade and counts as `identical`.
    pub grade: Grade,
    /// The animation, as an index into [`SceneAudit::animations`](super::SceneAudit::animations), and the
    /// time in seconds; `None` at rest.
    pub motion: Option<(usize, f64)>,
    /// The same at rest, if the collider is known there.
    pub at_rest: Option<ColliderApart>,
}

/// The distance between a collider and the same shape as it is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderApart {
    /// The farthest that a point of either surface is from the other surface, in scene units.
    pub distance: f64,
    /// The distance as a percentage of the diagonal of the box around the drawn shape; `None` if the diagonal
    /// is zero.
    pub percent: Option<f64>,
    /// The collider.
    pub collider: Collider,
    /// The shape as it is drawn.
    pub drawn: Collider,
}

/// The scale that causes a difference between a collider and the drawn shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderCause {
    /// The index of the node with the scale.
    pub node: usize,
    /// The scale.
    pub scale: Vector3<f64>,
    /// The first rotated node on the path from the scale down to the shape.
    pub turned: Option<usize>,
    /// Whether no visible difference remains without this scale. Otherwise there is more than one cause.
    pub is_alone: bool,
}

/// A way to author a shape so that it collides where it is drawn.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ColliderAdviceKind {
    /// Apply the scale to the numbers or points of the shape, on a node that neither has nor inherits a
    /// scale. If the shape is the mesh of its node, apply the scale to the mesh.
    ApplyScale,
    /// Replace the shape by a convex hull of the points that engines draw by multiplying matrices, on a node
    /// that neither has nor inherits a scale. A round shape gets at most 255 points, the limit of PhysX.
    MakeHull,
    /// Make the scale that is the cause uniform.
    MakeUniform,
}

/// A remedy that was tried, and the difference that remained in the engines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderAdvice {
    /// The remedy.
    pub kind: ColliderAdviceKind,
    /// The worst remaining distance between collider and drawn shape, in scene units.
    pub remaining: f64,
    /// The worst remaining grade.
    pub grade: Grade,
    /// The number of engines in which the result is unknown.
    pub unknown: usize,
}

impl ColliderAdviceKind {
    /// Returns its name in reports: `apply-scale`, `make-hull` or `make-uniform`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ApplyScale => "apply-scale",
            Self::MakeHull => "make-hull",
            Self::MakeUniform => "make-uniform",
        }
    }
}

impl ColliderInEngine {
    /// Returns the distance of the collider from the drawn shape; 0 if there is no collider.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.found.as_ref().map_or(0.0, |found| found.distance)
    }

    /// Whether the engine refuses to make the collider.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self.found, Err(NoCollider::Refused(_)))
    }

    /// Whether the engine, or the helper that hands it shapes, has no such shape.
    #[must_use]
    pub fn is_not_made(&self) -> bool {
        matches!(self.found, Err(NoCollider::NoSuchShape))
    }

    /// Whether the engine's result is unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self.found, Err(NoCollider::NotKnown(_) | NoCollider::Pose(_)))
    }
}

impl ColliderAudit {
    /// Returns the worst grade in any engine.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.in_engines.iter().map(|engine| engine.grade).max().unwrap_or_default()
    }

    /// Returns the index of the engine in which it is worst, by grade and then by distance. Of equally bad
    /// engines, the first. `None` if the shape was not judged.
    #[must_use]
    pub fn worst_engine(&self) -> Option<usize> {
        let badness = |one: &ColliderInEngine| (one.grade, one.distance());
        let worst = self.in_engines.iter().enumerate().rev().max_by(|(_, a), (_, b)| {
            badness(a).partial_cmp(&badness(b)).unwrap_or(Ordering::Equal)
        });
        worst.map(|(place, _)| place)
    }

    /// Returns the farthest that a collider is from the drawn shape, in any engine that makes one.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.in_engines.iter().map(ColliderInEngine::distance).fold(0.0, f64::max)
    }

    /// Whether it could not be judged, or its result is unknown in some engine.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.kind.is_err() || self.in_engines.iter().any(ColliderInEngine::is_unknown)
    }

    /// Whether it is worth reporting.
    ///
    /// It is if any of these holds: a person sees a difference or an engine refuses the shape; a result is
    /// unknown, or an engine has no such shape; an axis has zero length; it is skewed and some engine
    /// differs; physics moves it and its scale is uneven.
    #[must_use]
    pub fn is_told(&self) -> bool {
        let grade = self.grade();
        let is_not_made = self.in_engines.iter().any(ColliderInEngine::is_not_made);
        let is_flat = self.flattened_by.is_some();
        let parts_by_skew = self.is_skewed && grade > Grade::Identical;
        let is_moved = self.is_dynamic && self.is_uneven;
        grade.is_seen() || self.is_unknown() || is_not_made || is_flat || parts_by_skew || is_moved
    }
}

impl PhysicsAudit {
    /// Returns the worst grade of any collider.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.colliders.iter().map(ColliderAudit::grade).max().unwrap_or_default()
    }

    /// Returns the number of colliders that visibly differ from the drawn shape in some engine.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.colliders.iter().filter(|one| one.grade().is_seen()).count()
    }

    /// Returns the colliders that are [worth reporting](ColliderAudit::is_told), worst first.
    #[must_use]
    pub fn told(&self) -> Vec<&ColliderAudit> {
        let mut told: Vec<_> = self.colliders.iter().filter(|one| one.is_told()).collect();
        let badness = |one: &ColliderAudit| (one.grade(), one.distance());
        told.sort_by(|a, b| badness(b).partial_cmp(&badness(a)).unwrap_or(Ordering::Equal));
        told
    }
}
