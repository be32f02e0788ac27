use std::cmp::Ordering;

use nalgebra::Vector3;
use xform_engines::physics::{Collider, NoCollider, PhysicsEngine, Road, ShapeKind};
use xform_scene::ColliderSource;

use super::Grade;

/// The physics engines that colliders are judged in.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PhysicsChoice {
    /// The engines, each with the way in which shapes come to it.
    pub engines: Vec<PhysicsRoad>,
    /// What every drawn mesh is judged as, in a scene without shapes of its own.
    pub collider: Option<ShapeKind>,
}

/// A physics engine, and the way in which shapes come to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhysicsRoad {
    /// The engine.
    pub engine: &'static PhysicsEngine,
    /// The way.
    pub road: &'static Road,
}

impl PhysicsChoice {
    /// Engines, in the order given, each once, and what meshes are judged as where a scene has no shapes.
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

    /// The engines that scenes with shapes are looked at in where nobody asked.
    #[must_use]
    pub fn usual() -> Self {
        const USUAL: [&str; 5] = ["godot-jolt", "unreal", "havok-babylon", "rapier-r3", "avian"];
        let usual = USUAL.iter().filter_map(|id| PhysicsRoad::named(id));
        Self::named(usual.collect(), None)
    }
}

impl PhysicsRoad {
    /// By the id of an engine, and behind a slash that of a road; without it, the usual one.
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

    /// As on the command line: the id of the engine, and that of the road where it is not the usual one.
    #[must_use]
    pub fn id(&self) -> String {
        let Self { engine, road } = self;
        if *road == engine.road() {
            engine.id.to_owned()
        } else {
            format!("{}/{}", engine.id, road.id)
        }
    }

    /// What people call the engine, with the way in which shapes come to it where that is not the usual one.
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

/// What physics engines make of the shapes of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PhysicsAudit {
    /// Whether it was asked for. Where it was not, shapes were looked at in the usual engines, at rest, meshes by their boxes.
    pub is_asked: bool,
    /// The engines.
    pub engines: Vec<PhysicsRoad>,
    /// What every drawn mesh was judged as, if the scene has no shapes of its own.
    pub judged_as: Option<ShapeKind>,
    /// How many shapes the scene has. Where nobody asked, those that nothing scales were not looked at.
    pub shapes: usize,
    /// Whether there are more that were not looked at, since nobody asked.
    pub has_more: bool,
    /// The shapes that were looked at, in the order of the nodes.
    pub colliders: Vec<ColliderAudit>,
}

/// What physics engines make of a shape.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderAudit {
    /// The index of its node.
    pub node: usize,
    /// Where the file says that there is a shape.
    pub source: ColliderSource,
    /// The kind of the shape; or why it was not judged.
    pub kind: Result<ShapeKind, String>,
    /// Whether physics moves the body that it belongs to.
    pub is_dynamic: bool,
    /// Whether it is drawn skewed where matrices are multiplied, at rest or when it is worst.
    pub is_skewed: bool,
    /// Whether it is drawn mirrored at rest.
    pub is_mirrored: bool,
    /// Whether it is drawn with scales that differ among the axes, skewed or not, at rest or when it is worst.
    pub is_uneven: bool,
    /// The node whose scale leaves an axis of the shape without length.
    pub flattened_by: Option<usize>,
    /// What each engine makes of it, in the order of the engines; empty where it was not judged.
    pub in_engines: Vec<ColliderInEngine>,
    /// The scale that is the cause of the worst difference.
    pub cause: Option<ColliderCause>,
    /// What would help, the best first; each was tried.
    pub advice: Vec<ColliderAdvice>,
}

/// What a physics engine makes of a shape, when it is farthest from what is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderInEngine {
    /// The collider, and how far it is from what the engine draws; or the reason why there is none, or none that is known.
    pub found: Result<ColliderApart, NoCollider>,
    /// Whether bodies can fall through it, though rays hit it.
    pub falls_through: bool,
    /// How bad that is. An engine that refuses is severe, and so is one where bodies can fall through; what is not known has no grade, which is `identical`.
    pub grade: Grade,
    /// The place of the animation in [`SceneAudit::animations`](super::SceneAudit::animations) and the time in seconds; `None` at
    /// rest.
    pub motion: Option<(usize, f64)>,
    /// The same at rest, where there is a collider that is known.
    pub at_rest: Option<ColliderApart>,
}

/// How far a collider is from the same shape as it is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderApart {
    /// The farthest that a point of either surface is from the other, in scene units.
    pub distance: f64,
    /// That in percent of the diagonal of the box about the shape as it is drawn; `None` where that is zero.
    pub percent: Option<f64>,
    /// The collider.
    pub collider: Collider,
    /// The shape as it is drawn.
    pub drawn: Collider,
}

/// The scale that is the cause of a difference between a collider and what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderCause {
    /// The index of the node that has it.
    pub node: usize,
    /// The scale.
    pub scale: Vector3<f64>,
    /// The first node below it, on the way to the shape, that is turned.
    pub turned: Option<usize>,
    /// Whether nobody sees a difference without this scale; otherwise there is more than one cause.
    pub is_alone: bool,
}

/// A way to author a shape so that it collides where it is drawn.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ColliderAdviceKind {
    /// Apply the scale to the numbers or the points of the shape, on a node without a scale at it or above it. Of a shape that is the mesh of its node: apply
    /// the scale to that.
    ApplyScale,
    /// Make the shape a convex hull of points as it is drawn by multiplied matrices, on a node without a scale at it or above it. Of a round shape there are
    /// 255 points at most, which is as many as PhysX takes.
    MakeHull,
    /// Make the scale that is the cause uniform.
    MakeUniform,
}

/// Something that was tried, and what remained in the engines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderAdvice {
    /// What was done.
    pub kind: ColliderAdviceKind,
    /// The worst distance that remained between collider and drawn shape, in scene units.
    pub remaining: f64,
    /// The worst grade that remained.
    pub grade: Grade,
    /// In how many of the engines it is not known what remains.
    pub unknown: usize,
}

impl ColliderAdviceKind {
    /// Its name in reports: `apply-scale`, `make-hull` or `make-uniform`.
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
    /// How far the collider is from what is drawn; 0 where there is none.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.found.as_ref().map_or(0.0, |found| found.distance)
    }

    /// Whether the engine refuses to make it.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self.found, Err(NoCollider::Refused(_)))
    }

    /// Whether the engine, or its helper, has no such shape.
    #[must_use]
    pub fn is_not_made(&self) -> bool {
        matches!(self.found, Err(NoCollider::NoSuchShape))
    }

    /// Whether it is not known what the engine makes of it.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self.found, Err(NoCollider::NotKnown(_) | NoCollider::Pose(_)))
    }
}

impl ColliderAudit {
    /// The worst grade in an engine.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.in_engines.iter().map(|engine| engine.grade).max().unwrap_or_default()
    }

    /// The place of the engine in which it is worst, by grade and then by distance: the first of those that are as bad. `None` where it was not judged.
    #[must_use]
    pub fn worst_engine(&self) -> Option<usize> {
        let badness = |one: &ColliderInEngine| (one.grade, one.distance());
        let worst = self.in_engines.iter().enumerate().rev().max_by(|(_, a), (_, b)| {
            badness(a).partial_cmp(&badness(b)).unwrap_or(Ordering::Equal)
        });
        worst.map(|(place, _)| place)
    }

    /// The farthest that a collider is from what is drawn, in an engine that makes one.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.in_engines.iter().map(ColliderInEngine::distance).fold(0.0, f64::max)
    }

    /// Whether it could not be judged, or it is not known what some engine makes of it.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.kind.is_err() || self.in_engines.iter().any(ColliderInEngine::is_unknown)
    }

    /// Whether there is something to say: a person sees a difference or an engine refuses, it is not known or not made, an axis has no length, it is skewed
    /// and some engine parts, or physics moves it below a scale that is not even.
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
    /// The worst grade of a collider.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.colliders.iter().map(ColliderAudit::grade).max().unwrap_or_default()
    }

    /// How many colliders a person sees to differ from what is drawn in an engine.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.colliders.iter().filter(|one| one.grade().is_seen()).count()
    }

    /// The colliders of which there is something to say, the worst first.
    #[must_use]
    pub fn told(&self) -> Vec<&ColliderAudit> {
        let mut told: Vec<_> = self.colliders.iter().filter(|one| one.is_told()).collect();
        let badness = |one: &ColliderAudit| (one.grade(), one.distance());
        told.sort_by(|a, b| badness(b).partial_cmp(&badness(a)).unwrap_or(Ordering::Equal));
        told
    }
}
