//! A scale that contributes to several colliders, and a remedy for all of them.

use std::collections::HashMap;

use xform_scene::text::significant;

use crate::{
    audit::{
        ColliderAdvice, ColliderAdviceKind, ColliderAudit, ColliderCause, SceneAudit, node_path,
    },
    measure::made_uniform,
};

/// The scale that contributes to most of the differing colliders, at least two.
pub(super) struct SharedCause<'a> {
    pub(super) cause: ColliderCause,
    colliders: Vec<&'a ColliderAudit>,
}

impl<'a> SharedCause<'a> {
    pub(super) fn of(scene: &'a SceneAudit) -> Option<Self> {
        let (mut all, mut places): (Vec<Self>, HashMap<_, usize>) = Default::default();
        for collider in scene.physics.told() {
            let Some(cause) = collider.cause else { continue };
            let place = *places.entry(key(&cause)).or_insert(all.len());
            if place == all.len() {
                all.push(Self { cause, colliders: Vec::new() });
            }
            all[place].colliders.push(collider);
        }
        // Of scales that affect equally many, the worst.
        all.reverse();
        let most = all.into_iter().max_by_key(|shared| shared.colliders.len());
        most.filter(|shared| shared.colliders.len() > 1)
    }

    /// Names the scale, and a way to author all shapes that it affects, if one works.
    pub(super) fn explain(&self, scene: &SceneAudit) -> String {
        let count = self.colliders.len();
        let is_alone = self.colliders.iter().all(|one| one.cause.is_some_and(|one| one.is_alone));
        let is = if is_alone { "the cause" } else { "a cause" };
        let is_all = count == scene.physics.seen();
        let of = match count {
            2 if is_all => "both".to_owned(),
            _ if is_all => format!("all {count}"),
            _ => format!("{count} of them"),
        };
        let mut ways = Vec::new();
        if self.is_baked() {
            let kinds = self.colliders.iter().filter_map(|one| baked(one));
            let has_hulls =
                kinds.map(|way| way.kind).any(|kind| kind == ColliderAdviceKind::MakeHull);
            let hulls = if has_hulls { ", some of which become hulls," } else { "," };
            ways.push(format!(" Kept away from their shapes{hulls} it affects none of them, and the drawn scene does not change: see the list."));
        }
        let is_uniform = |one: &&ColliderAudit| {
            one.advice.iter().any(|way| serves(way) && way.kind == ColliderAdviceKind::MakeUniform)
        };
        if self.colliders.iter().all(is_uniform) {
            let none = if ways.is_empty() { "none of them" } else { "none either" };
            ways.push(format!(
                " Made uniform, {} on all axes, it affects {none}, but the drawn scene changes.",
                even(&self.cause)
            ));
        }
        let ways = ways.concat();
        let (scale, path) = (scale(&self.cause), node_path(scene, self.cause.node));
        format!("The scale {scale} of {path} is {is} of {of}.{ways}")
    }

    /// Whether all can be mended without changing what is drawn.
    pub(super) fn is_baked(&self) -> bool {
        self.colliders.iter().all(|one| baked(one).is_some())
    }
}

/// Whether nobody sees the remaining difference, in the engines whose result is known.
fn serves(advice: &ColliderAdvice) -> bool {
    !advice.grade.is_seen()
}

/// Returns a way to author the shape that does not change what is drawn.
pub(super) fn baked(collider: &ColliderAudit) -> Option<&ColliderAdvice> {
    let is_baked = |way: &&ColliderAdvice| way.kind != ColliderAdviceKind::MakeUniform;
    collider.advice.iter().find(|way| is_baked(way) && serves(way))
}

/// A key that is equal for two causes that are the same scale: in motion a node has several scales.
pub(super) fn key(cause: &ColliderCause) -> (usize, [u64; 3]) {
    (cause.node, cause.scale.map(f64::to_bits).into())
}

/// The uniform scale that was tried in place of a cause.
pub(super) fn even(cause: &ColliderCause) -> String {
    significant(made_uniform(&cause.scale).abs(), 4)
}

pub(super) fn scale(cause: &ColliderCause) -> String {
    let [x, y, z] = [0, 1, 2].map(|axis| significant(cause.scale[axis], 4));
    format!("({x}, {y}, {z})")
}
