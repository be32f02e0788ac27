//! Causes against a brute-force recomputation of the whole scene.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{NodeAudit, compare};
use xform_core::{Inherit, Trs};
use xform_matrix::{AccumulatedMatrix, Method};
use xform_scene::{LocalPose, Scene};

use crate::cause::scene;

/// The geometric mean of |s| with the sign of the determinant, 1 where it is 0.
fn uniform(scale: &Vector3<f64>) -> Vector3<f64> {
    let product: f64 = scale.iter().product();
    let mean = product.abs().cbrt();
    Vector3::repeat(if mean > 0.0 { mean * product.signum() } else { 1.0 })
}

/// The pose of a node as combined TRS has it.
fn pose(local: &LocalPose) -> Trs<f64> {
    match local {
        LocalPose::Trs(trs) => *trs,
        LocalPose::Matrix(matrix) => matrix.decompose(Method::NearestTrs).unwrap().trs,
    }
}

/// A scene with some scales made uniform.
pub(crate) fn without(scene: &Scene, removed: &[usize]) -> Scene {
    let mut ablated = scene.clone();
    for &scaler in removed {
        let local = pose(&scene.nodes[scaler].local);
        ablated.nodes[scaler].local = LocalPose::Trs(local.with_scale(uniform(&local.scale)));
    }
    ablated
}

/// What a node is ranked by, in an audit with some scales made uniform. It is chosen before.
pub(crate) fn figure(before: &NodeAudit, after: &NodeAudit) -> Option<f64> {
    if before.is_displaced() { after.displacement } else { after.linear_difference }
}

/// The candidates above a node, the nearest first.
pub(crate) fn candidates(scene: &Scene, node: usize) -> Vec<usize> {
    // Where a parent has no part in a node's place, neither does its scale.
    let above = |&node: &usize| {
        scene.nodes[node].parent.filter(|_| scene.nodes[node].inherit != Inherit::Nothing)
    };
    let path = std::iter::successors(Some(node), above);
    let candidates = path.filter(|&candidate| {
        let scale = pose(&scene.nodes[candidate].local).scale;
        let is_matrix = matches!(scene.nodes[candidate].local, LocalPose::Matrix(_));
        is_matrix || candidate != node && scale.max() != scale.min()
    });
    candidates.collect()
}

/// The node without some scales: all of the scene compared again.
fn recomputed(scene: &Scene, node: usize, removed: &[usize]) -> NodeAudit {
    compare(&without(scene, removed)).unwrap().nodes.swap_remove(node)
}

fn any_scale() -> impl Strategy<Value = Vector3<f64>> {
    let factor = prop_oneof![6 => 0.3..3.0, 1 => -3.0..-0.3, 1 => Just(1.0), 1 => Just(0.0)];
    let any = proptest::array::uniform3(factor).prop_map(Vector3::from);
    prop_oneof![2 => any, 1 => (0.5..2.0).prop_map(Vector3::repeat)]
}

fn any_local() -> impl Strategy<Value = LocalPose> {
    let turn = proptest::array::uniform3(-3.0..3.0);
    let rotation = turn.prop_map(|axis| UnitQuaternion::from_scaled_axis(Vector3::from(axis)));
    let rotation = prop_oneof![3 => rotation, 1 => Just(UnitQuaternion::identity())];
    let translation = proptest::array::uniform3(-3.0..3.0).prop_map(Vector3::from);
    let trs = (translation, rotation, any_scale())
        .prop_map(|(t, r, s)| LocalPose::Trs(Trs::from_parts(t, r, s)));
    let matrix = proptest::array::uniform9(-2.0..2.0).prop_map(|entries| {
        let linear = nalgebra::Matrix3::from_row_slice(&entries);
        LocalPose::Matrix(AccumulatedMatrix::from_matrix(linear.to_homogeneous()).unwrap())
    });
    prop_oneof![6 => trs, 1 => matrix]
}

pub(crate) fn any_scene() -> impl Strategy<Value = Scene> {
    (1_usize..14).prop_flat_map(|len| {
        // Mostly chains, so that causes are far up.
        let parents = (0..len).map(|node| {
            (0..4_usize, any::<prop::sample::Index>()).prop_map(move |(kind, other)| {
                if kind == 0 && node > 0 { Some(other.index(node)) } else { node.checked_sub(1) }
            })
        });
        let locals = proptest::collection::vec(any_local(), len);
        (parents.collect::<Vec<_>>(), locals)
            .prop_map(|(parents, locals)| scene(parents.into_iter().zip(locals)))
    })
}

/// Scenes without a matrix, and without a scale of zero, of which engines may make nothing that is known.
pub(crate) fn any_posed_scene() -> impl Strategy<Value = Scene> {
    any_scene().prop_map(|mut scene| {
        for node in &mut scene.nodes {
            let local = pose(&node.local);
            let scale = local.scale.map(|s| if s.abs() < 0.2 { 1.0 } else { s });
            node.local = LocalPose::Trs(local.with_scale(scale));
        }
        scene
    })
}

/// Scenes in which about every other node inherits less than everything. None is flattened, since
/// the rotation of what is flat hangs on its rounding.
fn any_inheriting_scene() -> impl Strategy<Value = Scene> {
    let inherits = proptest::collection::vec((0..9_usize).prop_map(|n| n.saturating_sub(4)), 14);
    (any_scene(), inherits).prop_map(|(mut scene, inherits)| {
        for (node, inherit) in scene.nodes.iter_mut().zip(inherits) {
            node.inherit = Inherit::EACH[inherit];
            let local = pose(&node.local);
            let scale = local.scale.map(|s| if s.abs() < 0.2 { 1.0 } else { s });
            if !matches!(node.local, LocalPose::Matrix(_)) {
                node.local = LocalPose::Trs(local.with_scale(scale));
            }
        }
        scene
    })
}

fn assert_ablation_equals_a_recomputation(scene: &Scene) -> Result<(), TestCaseError> {
    let audit = compare(scene).unwrap();
    for node in &audit.nodes {
        let is_affected = node.is_differing() || node.is_skewed();
        if !is_affected || figure(node, node).is_none() {
            prop_assert_eq!(&node.cause, &None);
            continue;
        }
        let candidates = candidates(scene, node.index);
        let Some(cause) = &node.cause else {
            prop_assert!(candidates.is_empty());
            continue;
        };
        prop_assert_eq!(cause.candidates, candidates.len());
        let whole = figure(node, node).unwrap();
        let removes = |removed: &[usize]| {
            Some(whole - figure(node, &recomputed(scene, node.index, removed))?)
        };
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-8 * (1.0 + whole);
        let alone = candidates.iter().filter_map(|&candidate| removes(&[candidate]));
        let best = alone.fold(f64::MIN, f64::max);
        // The cause removes at least as much as any scale alone, and what it says that it removes.
        let named: Vec<_> = [cause.scaler].into_iter().chain(cause.partner).collect();
        let removed = removes(&named).unwrap();
        prop_assert!(same(cause.removes_fraction * whole, removed), "{cause:?}: {removed}");
        prop_assert!(removed > best || same(removed, best), "{removed}, not {best}");
        prop_assert!(cause.partner.is_none() || best < 0.5 * whole);
        if cause.is_shared() {
            // These have few candidates, so that all pairs are tried.
            for (i, &one) in candidates.iter().enumerate().filter(|_| candidates.len() <= 8) {
                for &other in &candidates[..i] {
                    let both = removes(&[one, other]).unwrap_or(0.0);
                    prop_assert!(
                        both < 0.5 * whole || same(both, 0.5 * whole),
                        "{one} and {other}: {both}"
                    );
                }
            }
        }
        for (contribution, &scaler) in cause.contributions.iter().zip(&candidates) {
            prop_assert_eq!(contribution.scaler, scaler);
            let after = recomputed(scene, node.index, &[scaler]);
            let pairs = [
                (contribution.removes_displacement, node.displacement, after.displacement),
                (contribution.removes_difference, node.linear_difference, after.linear_difference),
            ];
            for (removed, before, after) in pairs {
                let expected = before.zip(after).map(|(before, after)| before - after);
                prop_assert_eq!(removed.is_some(), expected.is_some());
                let (removed, expected) = (removed.unwrap_or(0.0), expected.unwrap_or(0.0));
                prop_assert!(
                    (removed - expected).abs() <= 1e-8 * (1.0 + expected.abs() + whole),
                    "{removed} is not {expected}"
                );
            }
            // Near an axis without length, angles are all rounding.
            let skew = node.skew_degrees.zip(after.skew_degrees);
            prop_assert_eq!(contribution.removes_skew_degrees.is_some(), skew.is_some());
            if let (Some(removed), Some((before, after)), true) =
                (contribution.removes_skew_degrees, skew, node.orthogonality > Some(1e-3))
            {
                prop_assert!((removed - (before - after)).abs() < 1e-4, "{removed} of {before}");
            }
        }
    }
    Ok(())
}

properties! {
    #![cases(32)]

    #[test]
    fn ablation_equals_a_recomputation_of_the_whole_scene(scene in any_scene()) {
        assert_ablation_equals_a_recomputation(&scene)?;
    }

    #[test]
    fn ablation_follows_what_nodes_inherit(scene in any_inheriting_scene()) {
        assert_ablation_equals_a_recomputation(&scene)?;
    }
}
