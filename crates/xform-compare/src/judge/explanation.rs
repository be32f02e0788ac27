use nalgebra::{UnitQuaternion, Vector3};
use xform_core::Trs;
use xform_scene::{
    fbx::InheritType,
    text::{label, shortest, significant, units},
};

use xform_engines::fbx::FbxImport;

use super::engines::names;
use crate::audit::{AtWorst, Cause, CauseKind, NodeAudit, SKEWED_DEGREES, SceneAudit};
use crate::measure::UniformScale;

/// Explains why a node differs at rest, in a sentence or two; `None` if no cause was found.
///
/// # Panics
///
/// If `node` is out of range.
#[must_use]
pub fn explain(scene: &SceneAudit, node: usize) -> Option<String> {
    Explanation { scene, node: &scene.nodes[node], posed: &[] }.text()
}

/// Explains why a node differs at its worst, in a sentence or two; `None` if no cause was found.
///
/// # Panics
///
/// If `worst` is not of `scene`.
#[must_use]
pub fn explain_at_worst(scene: &SceneAudit, worst: &AtWorst) -> Option<String> {
    Explanation { scene, node: &worst.node, posed: &worst.posed }.text()
}

/// A node to explain, with the local poses of the moment.
pub(super) struct Explanation<'a> {
    pub(super) scene: &'a SceneAudit,
    pub(super) node: &'a NodeAudit,
    /// The local poses of nodes that are not at rest.
    pub(super) posed: &'a [(usize, Trs<f64>)],
}

impl Explanation<'_> {
    fn name(&self, node: usize) -> String {
        // Backticks enclose names, so a name must not contain any.
        format!("`{}`", label(self.scene, node).replace('`', "'"))
    }

    fn local(&self, node: usize) -> &Trs<f64> {
        let posed = self.posed.iter().find(|(other, _)| *other == node);
        posed.map_or(&self.scene.nodes[node].local, |(_, local)| local)
    }

    pub(super) fn text(&self) -> Option<String> {
        let (node, cause) = (self.node, self.node.cause.as_ref()?);
        if cause.is_shared() && (cause.candidates > 1 || cause.is_cut) {
            return Some(self.shared(cause));
        }
        let mut text = self.what(cause.scaler);
        if let Some(partner) = cause.partner {
            text += &format!(", and {}; neither is the cause alone", self.what(partner));
        } else if let Some(rotator) =
            cause.rotator.filter(|&at| cause.kind == CauseKind::Scale && self.is_told(at))
        {
            let turn = turn(&self.local(rotator).rotation);
            text += &format!("; below it, {} is rotated by {turn}", self.name(rotator));
        }
        let remedy = self.remedy(cause);
        text += &format!("; {remedy} {}", self.removed(cause.removes_fraction));
        if let Some(skew) =
            node.skew_difference_degrees.filter(|&skew| skew > SKEWED_DEGREES && !node.is_followed)
        {
            text += &skew_outcome(cause, skew);
        }
        text += &self.remaining(cause);
        text.push('.');
        if let Some((scaler, added)) = self.compensation(cause) {
            let (name, figure) = (self.name(scaler), self.figure().1);
            let percent = significant(added * 100.0, 3);
            text += &format!(
                " The scale of {name} compensates for some of it: making it uniform would increase the {figure} by {percent} %."
            );
        }
        Some(text)
    }

    /// Whether a rotation is worth mentioning: the node's own, or one of at least a degree. Larger rotations
    /// may follow below a small one.
    fn is_told(&self, rotator: usize) -> bool {
        rotator == self.node.index || self.local(rotator).rotation.angle() >= 1.0_f64.to_radians()
    }

    /// Explains several nodes with the same cause as this one. The sentence is true of each.
    pub(super) fn of_group(&self, nodes: &[&NodeAudit]) -> Option<String> {
        let cause = self.node.cause.as_ref()?;
        let skinned = nodes.iter().filter(|node| node.is_skinned).count();
        let many = |count: usize, one: &str, more: &str| match count {
            1 => one.to_owned(),
            count => format!("{count} {more}"),
        };
        let below = if cause.partner.is_some() { "below both" } else { "below it" };
        let of_nodes = if nodes.iter().any(|node| node.index == cause.scaler) {
            format!("itself and the nodes {below}")
        } else {
            format!("{} {below}", many(nodes.len() - skinned, "a node", "nodes"))
        };
        let of_meshes = many(skinned, "a skinned mesh", "skinned meshes");
        let whom = match (nodes.len() - skinned, skinned) {
            (_, 0) => of_nodes,
            (0, _) => of_meshes,
            _ => format!("{of_nodes} and {of_meshes}"),
        };
        let name = self.name(cause.scaler);
        let why = match cause.partner {
            Some(partner) => {
                let (one, other) = (self.what(cause.scaler), self.what(partner));
                let partner = self.name(partner);
                format!("{name} and {partner} together change {whom}: {one}, and {other}")
            }
            None => {
                let is_mirror = is_mirror(&self.local(cause.scaler).scale);
                let is_scale = cause.kind == CauseKind::Scale && self.is_pose(cause.scaler);
                let is_stretch = is_scale && !is_mirror;
                let acts = if is_stretch { "stretches" } else { "changes" };
                format!("{name} {acts} {whom}: it {}", self.does(cause.scaler))
            }
        };
        let remedy = self.remedy(cause);
        let fractions = nodes.iter().filter_map(|node| Some(node.cause.as_ref()?.removes_fraction));
        let least = fractions.fold(f64::INFINITY, f64::min);
        let is_moved = nodes.iter().all(|node| node.is_by_place());
        let figure = if is_moved { "shift" } else { "difference" };
        let removed = if least > ALL {
            "all".to_owned()
        } else {
            // Rounded down, so that the statement is true.
            format!("at least {} %", shortest((least * 1000.0).floor() / 10.0))
        };
        Some(format!("{why}; {remedy} {removed} of the {figure} of each."))
    }

    /// Explains a difference that no one or two scales cause. Names the scale that contributes most.
    fn shared(&self, cause: &Cause) -> String {
        let figure = self.figure().1;
        let whom = if cause.is_cut { "the nearest" } else { "them" };
        let many = match cause.kind {
            CauseKind::InheritType => "inherit types",
            CauseKind::Scale | CauseKind::Rotation => "scales",
        };
        let text = format!(
            "Several {many} contribute; no one or two of {whom} cause half of the {figure}"
        );
        if cause.removes_fraction < TO_BLAME {
            return text + ".";
        }
        let (name, removed) = (self.name(cause.scaler), self.removed(cause.removes_fraction));
        let there = match cause.kind {
            CauseKind::InheritType => "inherit type RSrs",
            CauseKind::Scale | CauseKind::Rotation => "a uniform scale",
        };
        format!("{text}. {name} contributes most: {there} there removes {removed}.")
    }

    /// Names a node that is a cause and describes what is special about it.
    fn what(&self, node: usize) -> String {
        format!("{} {}", self.name(node), self.does(node))
    }

    /// The same without the name.
    fn does(&self, node: usize) -> String {
        match self.kind() {
            CauseKind::InheritType => return self.inherits(node),
            CauseKind::Rotation => {
                let length = self.scene.nodes[node].rotation_length.unwrap_or(1.0);
                return format!("has a rotation of length {}", significant(length, 4));
            }
            CauseKind::Scale => {}
        }
        if self.is_pose(node) {
            scales(&self.local(node).scale)
        } else {
            "has a sheared matrix, which engines read in different ways".to_owned()
        }
    }

    fn kind(&self) -> CauseKind {
        self.node.cause.as_ref().map_or(CauseKind::Scale, |cause| cause.kind)
    }

    /// Describes how a node of an FBX file inherits its parent's scale, and how the engines read that.
    fn inherits(&self, node: usize) -> String {
        let engines = self.node.group.map(|group| &self.scene.engines.groups[group].engines[..]);
        let engines = engines.unwrap_or_default();
        let rules: Vec<_> = engines.iter().map(|engine| engine.fbx.rule).collect();
        let (who, s) = (names(engines), if engines.len() == 1 { "s" } else { "" });
        let made = if engines.is_empty() {
            String::new()
        } else if rules.contains(&FbxImport::ThreeLoader) {
            format!(", which {who} read{s} differently")
        } else {
            format!(", which {who} ignore{s}")
        };
        match self.scene.nodes[node].inherit_type {
            Some(InheritType::ComponentWise) => {
                format!("inherits its parent's scale axis by axis (inherit type RrSs){made}")
            }
            _ => format!(
                "does not inherit its parent's scale (inherit type Rrs; in Maya, Segment Scale Compensate){made}"
            ),
        }
    }

    /// Names the change that would remove some of the difference.
    fn remedy(&self, cause: &Cause) -> String {
        match cause.kind {
            CauseKind::InheritType if cause.partner.is_some() => {
                return "inherit type RSrs of both removes".to_owned();
            }
            CauseKind::InheritType => return "inherit type RSrs removes".to_owned(),
            CauseKind::Rotation => return "a unit quaternion in its place removes".to_owned(),
            CauseKind::Scale => {}
        }
        match cause.partner {
            Some(_) => "uniform scales of both remove".to_owned(),
            None if self.is_pose(cause.scaler) => {
                let name = self.name(cause.scaler);
                match UniformScale::of(&self.local(cause.scaler).scale).half_turn {
                    // A mirror must remain a mirror.
                    Some(_) => format!("a uniform scale of {name} and half a turn remove"),
                    None => format!("a uniform scale of {name} removes"),
                }
            }
            None => "a uniform scale in its place removes".to_owned(),
        }
    }

    fn is_pose(&self, node: usize) -> bool {
        is_pose(self.scene, node)
    }

    /// Returns the figure that the node is ranked by, and its name.
    fn figure(&self) -> (Option<f64>, &'static str) {
        if self.node.is_by_place() {
            (self.node.displacement, "shift")
        } else {
            (self.node.linear_difference, "difference")
        }
    }

    fn removed(&self, fraction: f64) -> String {
        let figure = self.figure().1;
        if fraction > ALL {
            format!("all of the {figure}")
        } else if fraction < TO_BLAME {
            format!("none of the {figure}")
        } else {
            format!("{} % of the {figure}", significant(fraction * 100.0, 3))
        }
    }

    /// States the remaining displacement, if not all is removed.
    fn remaining(&self, cause: &Cause) -> String {
        let left = (1.0 - cause.removes_fraction.max(0.0)) * self.node.displacement.unwrap_or(0.0);
        if self.node.is_by_place() && (TO_BLAME..=ALL).contains(&cause.removes_fraction) {
            format!("; a shift of {} remains", units(left, 3))
        } else {
            String::new()
        }
    }

    /// Returns the scale that compensates most, and the fraction by which the difference would grow without
    /// it.
    fn compensation(&self, cause: &Cause) -> Option<(usize, f64)> {
        let whole = self.figure().0?;
        let others = cause.contributions.iter().filter(|contribution| {
            contribution.scaler != cause.scaler && Some(contribution.scaler) != cause.partner
        });
        let added = others.filter_map(|contribution| {
            let removes = if self.node.is_by_place() {
                contribution.removes_displacement
            } else {
                contribution.removes_difference
            };
            Some((contribution.scaler, -removes? / whole)).filter(|&(_, added)| added > TO_BLAME)
        });
        added.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Whether a node has a translation, rotation and scale, and not a sheared matrix.
pub(super) fn is_pose(scene: &SceneAudit, node: usize) -> bool {
    scene.nodes[node].local_residual.is_none()
}

fn is_off(factor: f64, from: f64) -> bool {
    (factor - from).abs() > 1e-9 * from
}

/// Whether only the signs of a scale are non-uniform.
pub(super) fn is_mirror(scale: &Vector3<f64>) -> bool {
    let [x, y, z] = scale.abs().into();
    !is_off(y, x) && !is_off(z, x)
}

/// Describes a scale along the axes on which it has an effect.
fn scales(scale: &Vector3<f64>) -> String {
    if is_mirror(scale) {
        let mirrored =
            ["X", "Y", "Z"].into_iter().zip(scale.iter()).filter(|&(_, &factor)| factor < 0.0);
        let axes: Vec<_> = mirrored.map(|(axis, _)| axis).collect();
        return format!("mirrors {}", axes.join(" and "));
    }
    // Less than a hundredth of the largest stretch is taken for rounding by the authoring tool.
    let largest = scale.iter().map(|factor| (factor - 1.0).abs()).fold(0.0, f64::max);
    let acts = |factor: f64| is_off(factor, 1.0) && (factor - 1.0).abs() > largest * 1e-2;
    if scale.iter().all(|&factor| acts(factor)) {
        let factors: Vec<_> = scale.iter().map(|&one| factor(one)).collect();
        return format!("scales by ({})", factors.join(", "));
    }
    let axes = ["X", "Y", "Z"].into_iter().zip(scale.iter()).filter(|&(_, &factor)| acts(factor));
    let axes: Vec<_> =
        axes.map(|(axis, &factor)| format!("{axis} by {}", self::factor(factor))).collect();
    format!("scales {}", axes.join(" and "))
}

/// Formats a factor with enough digits to distinguish it from 1, at least four.
fn factor(value: f64) -> String {
    let digits = (4..10).find(|&digits| significant(value.abs(), digits) != "1");
    significant(value, digits.unwrap_or(4))
}

/// Formats a rotation as its angle, with its axis if that is a coordinate axis, or if it is half a turn.
fn turn(rotation: &UnitQuaternion<f64>) -> String {
    let [x, y, z, w] = rotation.coords.into();
    // The shorter way round.
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let axis = [x, y, z].map(|component| component * sign);
    let sine = axis.iter().map(|component| component * component).sum::<f64>().sqrt();
    let degrees = 2.0 * libm::atan2(sine, w * sign).to_degrees();
    let named = ["X", "Y", "Z"].into_iter().zip(axis);
    // A smaller deviation from the axis does not show in three digits.
    let is_along = |component: f64| component.abs() > (1.0 - 1.25e-7) * sine;
    if let Some((axis, component)) = named.into_iter().find(|&(_, component)| is_along(component)) {
        return format!("{}° about {axis}", significant(degrees.copysign(component), 4));
    }
    let told = significant(degrees, 4);
    if degrees < HALF_A_TURN {
        return format!("{told}°");
    }
    // Half a turn is the same in both directions.
    let largest = axis.into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let sign = largest.map_or(1.0, f64::signum);
    let [x, y, z] = axis.map(|component| significant(sign * component / sine + 0.0, 2));
    format!("{told}° about ({x}, {y}, {z})")
}

/// An angle that rounds to half a turn at four digits, in degrees. It says little without its axis.
const HALF_A_TURN: f64 = 179.95;

/// The fraction below which a scale is not mentioned as a cause.
const TO_BLAME: f64 = 0.01;

/// The fraction above which it is "all" at three digits.
const ALL: f64 = 0.9995;

fn skew_outcome(cause: &Cause, skew: f64) -> String {
    match cause.removes_skew_degrees {
        None => String::new(),
        Some(removed) if removed.abs() <= SKEWED_DEGREES => String::new(),
        Some(removed) if removed > ALL * skew => " and all of the skew".to_owned(),
        Some(removed) if removed >= 0.0 => {
            format!(" and {}° of the skew of {}°", significant(removed, 4), significant(skew, 4))
        }
        Some(removed) => format!(", but adds {}° of skew", significant(-removed, 4)),
    }
}
