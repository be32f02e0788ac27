use nalgebra::{UnitQuaternion, Vector3};
use xform_core::Trs;

use crate::{
    audit::{AtWorst, Cause, Contribution, NodeAudit, SKEWED_DEGREES, SceneAudit},
    text::{label, significant},
};

/// Why a node is skewed or differs at rest, in a sentence or two; `None` where no cause was found.
///
/// # Panics
///
/// If `node` is out of range.
#[must_use]
pub fn explain(scene: &SceneAudit, node: usize) -> Option<String> {
    Explanation { scene, node: &scene.nodes[node], posed: &[] }.text()
}

/// Why a node is skewed or differs when it is at its worst, in a sentence or two; `None` where no cause was found.
///
/// # Panics
///
/// If `worst` is not of `scene`.
#[must_use]
pub fn explain_at_worst(scene: &SceneAudit, worst: &AtWorst) -> Option<String> {
    Explanation { scene, node: &worst.node, posed: &worst.posed }.text()
}

/// A node, and the poses that explain it.
struct Explanation<'a> {
    scene: &'a SceneAudit,
    node: &'a NodeAudit,
    /// The local poses of nodes that are not at rest.
    posed: &'a [(usize, Trs<f64>)],
}

impl Explanation<'_> {
    fn name(&self, node: usize) -> String {
        format!("`{}`", label(self.scene.nodes.as_slice(), node))
    }

    fn local(&self, node: usize) -> &Trs<f64> {
        let posed = self.posed.iter().find(|(other, _)| *other == node);
        posed.map_or(&self.scene.nodes[node].local, |(_, local)| local)
    }

    fn text(&self) -> Option<String> {
        let (node, cause) = (self.node, self.node.cause.as_ref()?);
        let is_pose = self.scene.nodes[cause.scaler].local_residual.is_none();
        let is_shared = removed_fraction(cause, node.linear_difference) < TO_BLAME;
        if is_pose && is_shared && is_moved(cause) {
            return Some(self.shared_blame(cause));
        }
        let scaler = self.name(cause.scaler);
        let (mut text, remedy) = if is_pose {
            let scales = scales(&self.local(cause.scaler).scale);
            (format!("{scaler} {scales}"), format!("making {scaler} uniform"))
        } else {
            let text = format!("{scaler} has a matrix that is no translation, rotation and scale");
            (text, "a pose with a uniform scale in its place".to_owned())
        };
        if let Some(rotator) = cause.rotator {
            let turn = turn(&self.local(rotator).rotation);
            text += &format!("; {} is turned {turn} below it", self.name(rotator));
        }
        text += &format!("; {remedy} {}", outcome(cause, node.linear_difference));
        if let Some(skew) = node.skew_degrees.filter(|_| node.is_skewed()) {
            text += &skew_outcome(cause, skew);
        }
        text.push('.');
        if let Some((scaler, added)) = compensation(&cause.contributions) {
            let (name, added) = (self.name(scaler), significant(added, 4));
            text += &format!(
                " {name} compensates: without its scale there would be {added}° more skew."
            );
        }
        Some(text)
    }

    /// Why, where no scale alone removes anything to speak of: the one that has most to do with it.
    fn shared_blame(&self, cause: &Cause) -> String {
        let largest = |a: &&Contribution, b: &&Contribution| {
            a.removes_difference.abs().total_cmp(&b.removes_difference.abs())
        };
        let most = cause.contributions.iter().max_by(largest);
        let (scaler, removes) = most.map_or((cause.scaler, cause.removes_skew_degrees), |most| {
            (most.scaler, most.removes_skew_degrees)
        });
        let (name, scales) = (self.name(scaler), scales(&self.local(scaler).scale));
        let mut text =
            format!("No single scale is to blame. Most depends on that of {name}, which {scales}");
        let added = removes.map(|removed| -removed).filter(|&added| added > 0.0);
        if let Some(added) = added.filter(|&added| added > SKEWED_DEGREES) {
            text += &format!(": made uniform, there would be {}° more skew", significant(added, 4));
        }
        text + "."
    }
}

/// Whether a scale has anything to do with the difference.
fn is_moved(cause: &Cause) -> bool {
    let removes = |contribution: &Contribution| contribution.removes_difference.abs() >= 1e-9;
    cause.removes_difference.abs() >= 1e-9 || cause.contributions.iter().any(removes)
}

/// The scale that compensates most, and the skew that there would be more without it.
fn compensation(contributions: &[Contribution]) -> Option<(usize, f64)> {
    let added = contributions.iter().filter_map(|contribution| {
        Some((contribution.scaler, -contribution.removes_skew_degrees?))
    });
    let added = added.filter(|&(_, added)| added > SKEWED_DEGREES);
    added.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What a scale does along the axes where it does anything.
fn scales(scale: &Vector3<f64>) -> String {
    let is_off = |factor: f64, from: f64| (factor - from).abs() > 1e-9 * from;
    let [x, y, z] = scale.abs().into();
    if !is_off(y, x) && !is_off(z, x) {
        let mirrored =
            ["X", "Y", "Z"].into_iter().zip(scale.iter()).filter(|&(_, &factor)| factor < 0.0);
        let axes: Vec<_> = mirrored.map(|(axis, _)| axis).collect();
        return format!("mirrors {}", axes.join(" and "));
    }
    let acts = |factor: f64| is_off(factor, 1.0);
    if scale.iter().all(|&factor| acts(factor)) {
        let factors: Vec<_> = scale.iter().map(|&one| factor(one)).collect();
        return format!("scales by ({})", factors.join(", "));
    }
    let axes = ["X", "Y", "Z"].into_iter().zip(scale.iter()).filter(|&(_, &factor)| acts(factor));
    let axes: Vec<_> =
        axes.map(|(axis, &factor)| format!("{axis} by {}", self::factor(factor))).collect();
    format!("scales {}", axes.join(" and "))
}

/// A factor with as many digits as tell it from 1, four at least.
fn factor(value: f64) -> String {
    let digits = (4..10).find(|&digits| significant(value.abs(), digits) != "1");
    significant(value, digits.unwrap_or(4))
}

/// A rotation as angle and axis.
fn turn(rotation: &UnitQuaternion<f64>) -> String {
    let [x, y, z, w] = rotation.coords.into();
    // The shorter way round.
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let axis = [x, y, z].map(|component| component * sign);
    let sine = axis.iter().map(|component| component * component).sum::<f64>().sqrt();
    let degrees = 2.0 * libm::atan2(sine, w * sign).to_degrees();
    let named = ["X", "Y", "Z"].into_iter().zip(axis);
    let is_along = |component: f64| component.abs() > (1.0 - 1e-9) * sine;
    if let Some((axis, component)) = named.into_iter().find(|&(_, component)| is_along(component)) {
        return format!("{}° about {axis}", significant(degrees.copysign(component), 4));
    }
    let axis = axis.map(|component| significant(component / sine, 3));
    format!("{}° about ({})", significant(degrees, 4), axis.join(", "))
}

/// A scale is a cause if taking it away removes at least this fraction of the difference.
const TO_BLAME: f64 = 0.01;

fn removed_fraction(cause: &Cause, difference: Option<f64>) -> f64 {
    cause.removes_difference / difference.unwrap_or(f64::INFINITY)
}

fn outcome(cause: &Cause, difference: Option<f64>) -> String {
    let fraction = removed_fraction(cause, difference);
    if cause.removes_difference.abs() < 1e-9 {
        "leaves its axes as they are: it is moved by what is above it".to_owned()
    } else if fraction > 0.9995 {
        "removes all of the difference".to_owned()
    } else if fraction > 0.0 {
        format!("removes {} % of the difference", significant(fraction * 100.0, 3))
    } else {
        "adds to the difference: no single scale is to blame".to_owned()
    }
}

fn skew_outcome(cause: &Cause, skew: f64) -> String {
    match cause.removes_skew_degrees {
        None => String::new(),
        Some(removed) if removed > 0.9995 * skew => " and all of the skew".to_owned(),
        Some(removed) if removed >= 0.0 => {
            format!(" and {}° of the skew of {}°", significant(removed, 4), significant(skew, 4))
        }
        Some(removed) => format!(", but adds {}° of skew", significant(-removed, 4)),
    }
}
