//! The findings of an audit, one by one, with their severity.

mod unknown_engines;

use xform_scene::{
    Warning,
    text::{rounded, shortest, significant, units},
};

use super::{
    UndrawnFigures, colliders::finding_message, engines::shown_in, explain, explain_at_worst,
    unread::unread,
};
use crate::audit::{
    AnimationPeak, Grade, NEWS, NodeAudit, SKEWED_DEGREES, SceneAudit, WorstInMotion, node_path,
};
use unknown_engines::unknown_engines;

/// A finding about a scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The [`Rule::id`](super::Rule::id).
    pub rule: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The node that it is about, with its path: the names from the root down.
    pub node: Option<(usize, String)>,
    /// Its place in the file, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The finding in words.
    pub message: String,
    /// The name of the animation in which it was found; `None` at rest.
    pub animation: Option<String>,
    /// The figure that exceeds a limit; `None` if none does.
    pub excess: Option<Excess>,
    // A configuration decides what fails, not what was measured. It turns findings into severities and does
    // not change JSON, text or the page, so two people with different configurations get the same figures.
    /// Whether it makes the audit fail: it exceeds a limit, or a configuration makes it an error.
    pub fails: bool,
    /// The reason why it does not count, if somebody chose to ignore it.
    pub ignored: Option<String>,
}

/// The severity of a [`Finding`], ordered from mild to severe.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// Not worth reporting.
    Off,
    /// Good to know.
    Note,
    /// Worth a look.
    Warning,
    /// Not allowed.
    Error,
}

/// A figure beyond its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Excess {
    /// The figure.
    pub value: f64,
    /// Figure and limit in words, such as `skew 9.2° > 5°`.
    pub words: String,
}

/// The worst figures allowed for a node that [counts](NodeAudit::counts), at rest and in motion. `None` means
/// no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest difference in skew between an engine and the reference, in degrees.
    pub max_skew_degrees: Option<f64>,
    /// The largest displacement, as a percentage of the scene's diagonal.
    pub max_displacement_percent: Option<f64>,
    /// The mildest grade that exceeds the limit.
    pub fail_on: Option<Grade>,
    /// Whether anything that could not be judged is within the limits.
    pub allows_unknown: bool,
}

impl Limits {
    /// Whether anything is limited.
    #[must_use]
    pub fn is_any(&self) -> bool {
        let Self { max_skew_degrees, max_displacement_percent, fail_on, .. } = self;
        max_skew_degrees.is_some() || max_displacement_percent.is_some() || fail_on.is_some()
    }

    /// Whether anything that could not be judged exceeds the limits.
    fn refuses_unknown(&self) -> bool {
        self.is_any() && !self.allows_unknown
    }
}

/// Returns the findings about a scene.
///
/// First come the nodes that differ from the reference at rest, worst first. Then come nodes that differ only
/// or more in motion, then colliders, then engines whose result is unknown, and the scene's warnings.
///
/// A node that counts is as severe as the [`Grade`] of its figure, and an error if it exceeds a limit. A
/// warning of the scene is a note. If there is a limit, anything that could not be judged is an error too: an
/// engine whose result is unknown, or a part of the scene that could not be read.
#[must_use]
pub fn findings(scene: &SceneAudit, limits: &Limits) -> Vec<Finding> {
    let unread = unread(scene).filter(|_| limits.refuses_unknown());
    let not_judged = unread.map(|warning| not_judged(scene, warning));
    let warnings = scene.warnings.iter().map(|warning| of_warning(scene, warning));
    let at_rest = scene.ranking.at_rest.iter();
    let at_rest = at_rest.flat_map(|&node| of_node(scene, &scene.nodes[node], limits));
    let moves = !scene.animations.is_empty();
    let in_motion = if moves { scene.worst_in_motion() } else { Vec::new() };
    let in_motion = in_motion.into_iter().enumerate();
    let in_motion = in_motion.filter_map(|(node, worst)| Some((node, worst?)));
    let in_motion = in_motion.flat_map(|(node, worst)| of_motion(scene, node, worst, limits));
    let unknown = unknown_engines(scene, limits);
    let colliders = of_colliders(scene, limits);
    let findings = at_rest.chain(in_motion).chain(colliders);
    let findings = findings.chain(unknown).chain(not_judged).chain(warnings);
    findings.filter(|finding| finding.severity > Severity::Off).collect()
}

/// A part of the scene that could not be read and so was not judged. Reported only if there is a limit.
fn not_judged(scene: &SceneAudit, warning: &Warning) -> Finding {
    let severity = Severity::Error;
    Finding { rule: "not-judged", severity, fails: true, ..of_warning(scene, warning) }
}

/// A node, its grade, and whether the grade counts.
type Graded = (usize, Grade, bool);

fn of_node(scene: &SceneAudit, node: &NodeAudit, limits: &Limits) -> impl Iterator<Item = Finding> {
    let because = explain(scene, node.index).map_or_else(String::new, |why| format!(" {why}"));
    let [where_, skew_where] =
        [node.group, node.skew_group].map(|group| shown_in(scene, node.index, group));
    let skew = node.skew_difference_degrees.unwrap_or(0.0);
    let percent = node.percent_of_scene().unwrap_or(0.0);
    let graded = (node.index, node.grade(), node.counts_at_rest());
    let over = |limit: Option<f64>, value: f64, figure: &str, unit: &str| {
        Excess::over(limit.filter(|_| node.counts_at_rest()), value, figure, unit)
    };
    // Only one of the findings exceeds the limit on grades.
    let is_moved = node.is_displaced();
    let by_axes = UndrawnFigures::at_rest(node).by_axes();
    let worst = if is_moved { percent } else { skew };
    let by_grade = Excess::of_grade(limits.fail_on, graded, worst, &where_);
    let [by_axis, by_skew, by_place] = match (by_axes.is_some(), is_moved) {
        (true, _) => [by_grade, None, None],
        (false, true) => [None, None, by_grade],
        (false, false) => [None, by_grade, None],
    };
    let turned = by_axes.map(|does| {
        of_rule("turned", scene, graded, &format!("{does} {where_}.{because}"), by_axis)
    });
    let excess = placed(over(limits.max_skew_degrees, skew, "skew", "°"), &skew_where).or(by_skew);
    let skewed = (skew > SKEWED_DEGREES || excess.is_some()).then(|| {
        // The cause explains the group that shows the node worst.
        let because = if node.skew_group == node.group { &*because } else { "" };
        let what = format!("{} {skew_where}.{because}", skewed_by(skew));
        of_rule("skewed", scene, graded, &what, excess)
    });
    let displaced = is_moved.then(|| {
        let excess = over(limits.max_displacement_percent, percent, "displacement", " %");
        let excess = placed(excess, &where_);
        let moved = moves_by(node.displacement.unwrap_or(0.0), node.displacement_percent);
        let what = format!("{moved} {where_}.{because}");
        of_rule("displaced", scene, graded, &what, excess.or(by_place))
    });
    turned.into_iter().chain(skewed).chain(displaced)
}

/// Returns the findings of a node that is worse in motion than at rest.
fn of_motion(
    scene: &SceneAudit,
    node: usize,
    worst: WorstInMotion,
    limits: &Limits,
) -> impl Iterator<Item = Finding> {
    let at_rest = &scene.nodes[node];
    let graded = (node, worst.grade, at_rest.counts);
    let skew = worst.skew_difference_degrees.map_or(0.0, |worst| worst.peak.max);
    let percent = worst.percent_of_scene().unwrap_or(0.0);
    let over = |limit: Option<f64>, value: f64, figure: &str, unit: &str| {
        Excess::over(limit.filter(|_| at_rest.counts), value, figure, unit)
    };
    // A node that fails at rest need not fail again.
    let fails_at_rest = at_rest.counts_at_rest() && limits.fail_on <= Some(at_rest.grade());
    let fail_on = limits.fail_on.filter(|_| !fails_at_rest);
    let excess = over(limits.max_displacement_percent, percent, "displacement", " %");
    let rest = at_rest.percent_of_scene();
    // A figure that exceeds a limit only in motion is a finding, however little worse it is than at rest.
    let is_beyond = excess.is_some() && rest.is_none_or(|rest| percent > rest);
    let is_moved_more = at_rest.is_moved_more(percent) || is_beyond;
    let is_by_place = worst.grade > Grade::Negligible && !at_rest.role.is_by_axes();
    let is_moved = is_moved_more || is_by_place && worst.grade > at_rest.grade();
    let moved = worst.displacement.filter(|_| is_moved);

    let then = UndrawnFigures::at_rest(at_rest);
    let turned = worst.turned_degrees.or(worst.linear_difference);
    let turned = turned.filter(|turned| {
        let rest = then.turned_degrees.or(then.linear_difference).unwrap_or(f64::INFINITY);
        at_rest.role.is_by_axes() && turned.peak.max > NEWS * rest
    });
    let turned = turned.and_then(|peak| {
        let figures = UndrawnFigures {
            turned_degrees: worst.turned_degrees.map(|found| found.peak.max),
            linear_difference: worst.linear_difference.map(|found| found.peak.max),
            skew_difference_degrees: Some(skew),
            ..then
        };
        let excess =
            Excess::of_grade(fail_on, graded, peak.peak.max, &when_worst(scene, node, &peak));
        Some(in_motion("turned", scene, graded, &peak, &figures.by_axes()?, excess))
    });
    // Only one of the findings exceeds the limit on grades.
    let fail_on = fail_on.filter(|_| turned.is_none());
    let by_grade = |value: f64, worst: &AnimationPeak| {
        Excess::of_grade(fail_on, graded, value, &when_worst(scene, node, worst))
    };
    let skewed = worst.skew_difference_degrees.and_then(|worst| {
        let excess = over(limits.max_skew_degrees, skew, "skew", "°");
        let is_beyond =
            excess.is_some() && at_rest.skew_difference_degrees.is_none_or(|rest| skew > rest);
        let by_skew = if moved.is_some() { None } else { by_grade(skew, &worst) };
        let is_news = at_rest.is_more_skewed(skew) || is_beyond || by_skew.is_some();
        let excess = excess.filter(|_| is_beyond);
        let excess = placed(excess, &when_worst(scene, node, &worst)).or(by_skew);
        is_news.then(|| in_motion("skewed", scene, graded, &worst, &skewed_by(skew), excess))
    });
    let displaced = moved.map(|when| {
        let what = moves_by(when.peak.max, worst.displacement_percent);
        let excess = placed(excess.filter(|_| is_moved_more), &when_worst(scene, node, &when));
        let excess = excess.or_else(|| by_grade(percent, &when));
        in_motion("displaced", scene, graded, &when, &what, excess)
    });
    turned.into_iter().chain(skewed).chain(displaced)
}

/// Returns the findings about colliders, if the caller requested physics engines: differences and unknown
/// results.
fn of_colliders<'a>(
    scene: &'a SceneAudit,
    limits: &'a Limits,
) -> impl Iterator<Item = Finding> + 'a {
    let asked = scene.physics.is_asked.then(|| scene.physics.told());
    asked.into_iter().flatten().flat_map(|collider| {
        let (node, grade) = (collider.node, collider.grade());
        let message = finding_message(scene, collider);
        let unknown = collider.is_unknown().then(|| {
            let path = node_path(scene, node);
            let message = format!("{path}: {message}");
            let fails = limits.refuses_unknown();
            let severity = if fails { Severity::Error } else { Severity::Note };
            let found = Finding::new("collider-unknown", severity, pointer(scene, node), message);
            Finding { node: Some((node, path)), fails, ..found }
        });
        let differs = grade > Grade::Identical || unknown.is_none();
        let known = differs.then(|| {
            let worst = collider.in_engines.iter().filter_map(|one| one.found.as_ref().ok());
            let worst = worst.map(|found| found.distance).fold(0.0, f64::max);
            let graded = (node, grade, true);
            let excess = Excess::of_grade(limits.fail_on, graded, worst, "as a collider");
            let found = of_rule("collider", scene, graded, &message, excess);
            Finding { severity: found.severity.max(Severity::Note), ..found }
        });
        known.into_iter().chain(unknown)
    })
}

fn in_motion(
    rule: &'static str,
    scene: &SceneAudit,
    graded: Graded,
    worst: &AnimationPeak,
    what: &str,
    excess: Option<Excess>,
) -> Finding {
    let name = scene.animations[worst.animation].label();
    let when = when_worst(scene, graded.0, worst);
    // The cause is that of the worst moment.
    let at_worst = scene.at_worst_of(worst.animation, graded.0);
    let at_worst =
        at_worst.filter(|at| at.seconds == worst.peak.seconds && at.node.group == worst.group);
    let why = at_worst.and_then(|at_worst| explain_at_worst(scene, at_worst));
    let because = why.map_or_else(String::new, |why| format!(" {why}"));
    let finding = of_rule(rule, scene, graded, &format!("{what} {when}.{because}"), excess);
    Finding { animation: Some(name), ..finding }
}

/// Names the engines and the time in which something is worst.
fn when_worst(scene: &SceneAudit, node: usize, worst: &AnimationPeak) -> String {
    let name = scene.animations[worst.animation].label();
    let seconds = significant(worst.peak.seconds, 4);
    format!("{}, {seconds} s into {name}", shown_in(scene, node, worst.group))
}

/// Appends to an excess the engines in which it occurs, and the time.
fn placed(excess: Option<Excess>, place: &str) -> Option<Excess> {
    excess.map(|excess| Excess { words: format!("{} {place}", excess.words), ..excess })
}

fn skewed_by(skew: f64) -> String {
    format!("its skew differs by {}°", significant(skew, 4))
}

fn moves_by(moved: f64, percent: Option<f64>) -> String {
    format!("moves by {}", how_far(moved, percent))
}

/// Formats a displacement in scene units and as a percentage of the scene's diagonal.
fn how_far(moved: f64, percent: Option<f64>) -> String {
    let share = percent.map_or_else(String::new, |percent| {
        format!(" ({} % of the scene)", significant(percent, 3))
    });
    format!("{}{share}", units(moved, 4))
}

/// Returns a severity that corresponds to the grade if the node counts; an error beyond a limit.
fn severity(grade: Grade, counts: bool, is_beyond: bool) -> Severity {
    match grade {
        _ if is_beyond => Severity::Error,
        Grade::Identical => Severity::Off,
        // Nobody sees this difference.
        Grade::Negligible => Severity::Note,
        _ if !counts => Severity::Note,
        Grade::Visible => Severity::Warning,
        Grade::Severe => Severity::Error,
    }
}

fn of_rule(
    rule: &'static str,
    scene: &SceneAudit,
    (node, grade, counts): Graded,
    what: &str,
    excess: Option<Excess>,
) -> Finding {
    let path = node_path(scene, node);
    let severity = severity(grade, counts, excess.is_some());
    let message = format!("{path}: {what}");
    let found = Finding::new(rule, severity, pointer(scene, node), message);
    Finding { node: Some((node, path)), fails: excess.is_some(), excess, ..found }
}

/// Returns a node's place in its file as a JSON pointer; empty for FBX, which has no JSON.
fn pointer(scene: &SceneAudit, node: usize) -> String {
    if scene.fbx.is_some() { String::new() } else { scene.nodes[node].pointer() }
}

fn of_warning(scene: &SceneAudit, warning: &Warning) -> Finding {
    let Warning { code, pointer, message, .. } = warning;
    let found = Finding::new(code.name(), Severity::Note, pointer, message);
    Finding { node: warning.node.map(|node| (node, node_path(scene, node))), ..found }
}

impl Finding {
    /// Creates a finding about a whole scene, at rest.
    #[must_use]
    pub fn new(
        rule: &'static str,
        severity: Severity,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let (pointer, message) = (pointer.into(), message.into());
        Self {
            rule,
            severity,
            node: None,
            pointer,
            message,
            animation: None,
            excess: None,
            fails: false,
            ignored: None,
        }
    }
}

impl Excess {
    /// Returns an excess if a value is strictly greater than the limit.
    fn over(limit: Option<f64>, value: f64, figure: &str, unit: &str) -> Option<Self> {
        let limit = limit.filter(|&limit| value > limit)?;
        // As many digits as are needed to distinguish it from the limit, at least four.
        let is_told = |digits: &usize| rounded(value, *digits) > limit;
        let shown = (4..17).find(is_told).map_or(value, |digits| rounded(value, digits));
        Some(Self {
            value,
            words: format!("{figure} {}{unit} > {}{unit}", shortest(shown), shortest(limit)),
        })
    }

    /// Returns an excess if a node counts and its grade is at least as bad as the limit. `value` is the
    /// figure behind the grade, `place` the clause that says where.
    fn of_grade(
        limit: Option<Grade>,
        (_, grade, counts): Graded,
        value: f64,
        place: &str,
    ) -> Option<Self> {
        let limit = limit.filter(|&limit| counts && grade >= limit)?;
        let words = format!("{} {place}; the limit is {}", grade.name(), limit.name());
        Some(Self { value, words })
    }
}
