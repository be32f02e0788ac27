//! The sentences of a verification, shared by all writers.

use xform_engines::Engine;
use xform_scene::text::significant;

use crate::{
    answers::Asked,
    convention::Convention,
    distance::ROUNDING,
    verification::{
        FilePose, FirstWrong, FoundAxes, JudgedAs, LikelyMistake, RuleFit, TellsApart, Verdict,
        Verification, VerifiedRun, VerifiedScene,
    },
};

/// The number of engines that are listed by name; the rest are counted.
const NAMED: usize = 4;

/// Formats a residual for people, with two digits.
#[must_use]
pub fn residual(value: Option<f64>) -> String {
    match value {
        Some(0.0) => "0".to_owned(),
        Some(value) => format!("{value:.1e}"),
        None => "not a number".to_owned(),
    }
}

impl Verification {
    /// Returns a sentence with the number of runs that follow the rule that they are judged by.
    #[must_use]
    pub fn headline(&self) -> String {
        if let [run] = &self.runs[..] {
            return run.headline.clone();
        }
        let all = self.runs.len();
        let count =
            |allows_unknown| self.runs.iter().filter(|run| run.holds(allows_unknown)).count();
        let (followed, known) = (count(false), count(true) - count(false));
        let known = match known {
            0 => String::new(),
            known => format!(", and {known} follow it as far as it is known"),
        };
        let counted =
            if followed == all { format!("All {all}") } else { format!("{followed} of {all}") };
        format!("{counted} runs follow their engine's rule{known}.")
    }
}

impl VerifiedRun {
    /// Returns the engine and its version.
    #[must_use]
    pub fn engine_and_version(&self) -> String {
        let engine = Engine::named(&self.engine).map_or(&*self.engine, |engine| engine.name);
        let version = self.version.trim();
        // Many state their name with the version.
        let rest = |name: &str| version.strip_prefix(name)?.strip_prefix(' ');
        let version = rest(engine).or_else(|| rest(&self.engine)).unwrap_or(version);
        format!("{engine} {version}")
    }

    /// Returns the engine and its version, with the name of the run if it differs from the engine's.
    #[must_use]
    pub fn title(&self) -> String {
        let run = if self.run == self.engine { String::new() } else { format!(" ({})", self.run) };
        format!("{}{run}", self.engine_and_version())
    }

    /// Fills in the headline and the details.
    pub(crate) fn say(self) -> Self {
        let (headline, details) = (self.sentence(), self.sentences());
        Self { headline, details, ..self }
    }

    fn sentence(&self) -> String {
        let Some(judged) = &self.judged else {
            return match &self.judged_engine {
                Some(engine) => format!("It is unknown what {} does here.", name(engine)),
                None => "None of the answers could be compared.".to_owned(),
            };
        };
        let rule = self.rule(judged);
        let counted = counted(judged.right, judged.known);
        let is_gltf = judged.is_gltf && self.judged_as == JudgedAs::Nearest;
        match self.verdict {
            Verdict::Follows if is_gltf => format!(
                "It follows what glTF defines, as {rule} {}: {counted}. The largest residual is {}.",
                if judged.rules.len() == 1 { "does" } else { "do" },
                residual(judged.residual)
            ),
            Verdict::Follows => format!(
                "It follows the rule of {rule}: {counted}. The largest residual is {}.",
                residual(judged.residual)
            ),
            Verdict::PartlyKnown => format!(
                "No answer contradicts the rule of {rule}: {counted}. The rule is unknown for {}.",
                others(judged.unknown)
            ),
            Verdict::OtherAxes => {
                format!(
                    "It follows the rule of {rule}, but in other axes than stated: {counted} there."
                )
            }
            Verdict::Nearly => format!(
                "It nearly follows the rule of {rule}: {counted}, and none is off by more than {}.",
                residual(judged.residual)
            ),
            Verdict::Wrong if is_gltf => {
                format!("It follows neither glTF nor any engine's rule. By glTF, {counted}.")
            }
            Verdict::Wrong if self.judged_as == JudgedAs::Nearest => {
                format!(
                    "It follows no engine's rule. The nearest is the rule of {rule}: {counted}."
                )
            }
            Verdict::Wrong => {
                format!("It does not follow the rule of {rule}: {counted}.")
            }
            Verdict::Nothing => format!("It is unknown what {rule} does here."),
        }
    }

    fn sentences(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let (Some(wrong), Some(judged)) = (&self.first_wrong, &self.judged) {
            lines.extend(first_wrong(wrong, &self.short(judged)));
        }
        match self.verdict {
            Verdict::Follows | Verdict::OtherAxes => lines.extend(self.as_well()),
            _ => lines.extend(self.instead()),
        }
        lines.extend(self.axes.as_ref().map(axes));
        lines.extend(self.told_apart());
        for scene in self.scenes.iter().filter(|scene| !scene.strangers.is_empty()) {
            lines.push(misnamed(scene));
        }
        let silent: usize = self.scenes.iter().map(|scene| scene.not_answered).sum();
        // Other queries leave out roots, or are about joints alone.
        let is_asked_of_all =
            matches!(self.asked, Asked::Gltf | Asked::Fbx | Asked::Api | Asked::Trs);
        if silent > 0 && is_asked_of_all {
            let nodes = if silent == 1 { "1 node has" } else { &format!("{silent} nodes have") };
            lines.push(format!("{nodes} no answer."));
        }
        let skinned: usize = self.scenes.iter().map(|scene| scene.not_compared).sum();
        if skinned > 0 {
            let nodes = if skinned == 1 { "1 node" } else { &format!("{skinned} nodes") };
            lines.push(format!(
                "Not compared: {nodes} with skinned meshes, because only joints move these."
            ));
        }
        let ambiguous: usize = self.scenes.iter().map(|scene| scene.ambiguous).sum();
        if ambiguous > 0 {
            lines
                .push(format!("Not compared: {ambiguous} nodes whose path another node also has."));
        }
        if !self.not_in_motion.is_empty() && self.asked == Asked::Gltf {
            let scenes = self.not_in_motion.join(", ");
            lines.push(format!(
                "Animations were not compared, because there are only answers at rest: {scenes}."
            ));
        }
        if !self.unknown_scenes.is_empty() {
            let scenes = self.unknown_scenes.join(", ");
            lines.push(format!("No scenes with these names are known: {scenes}."));
        }
        for failed in &self.failed {
            lines.push(format!(
                "The scene {} failed: {}.",
                failed.scene,
                failed.why.trim_end_matches('.')
            ));
        }
        lines
    }

    /// Names the engines of a rule, or only the engine that the run is judged by, if it was named.
    fn rule(&self, fit: &RuleFit) -> String {
        let own = match self.judged_as {
            JudgedAs::Nearest => None,
            JudgedAs::Expected | JudgedAs::Named => self.judged_name(fit),
        };
        own.unwrap_or_else(|| rules(fit))
    }

    /// Names the engine that the run is judged by, or the first engine of the rule, or glTF if that is the standard.
    fn short(&self, fit: &RuleFit) -> String {
        if fit.is_gltf && self.judged_as == JudgedAs::Nearest {
            return "glTF".to_owned();
        }
        let own = self.judged_name(fit).filter(|_| self.judged_as != JudgedAs::Nearest);
        own.unwrap_or_else(|| fit.rules.first().map_or_else(String::new, |rule| name(&rule.engine)))
    }

    /// Names the engine that was requested or that the file names, with the settings of its rule.
    fn judged_name(&self, fit: &RuleFit) -> Option<String> {
        let asked = self.judged_engine.as_deref()?;
        // The strategy that glTF defines is named after it.
        if fit.is_gltf && asked == "matrices" {
            return Some("glTF".to_owned());
        }
        let rule = fit.rules.iter().find(|rule| rule.engine == asked)?;
        let with = rule.with.as_ref().map_or_else(String::new, |with| format!(" {with}"));
        Some(format!("{}{with}", name(&rule.engine)))
    }

    /// Lists the other rules that the run follows.
    fn as_well(&self) -> Vec<String> {
        let others = self.follows.iter().filter(|fit| Some(*fit) != self.judged.as_ref());
        others.map(|fit| format!("It also follows the rule of {}.", rules(fit))).collect()
    }

    /// Lists the rules that the run follows instead of the one that it is judged by.
    fn instead(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.judged_as != JudgedAs::Nearest {
            lines.extend(self.follows.iter().map(|fit| {
                format!("It follows the rule of {}: {}.", rules(fit), counted(fit.right, fit.known))
            }));
        }
        if let Some(fit) = &self.nearest {
            let counted = counted(fit.right, fit.known);
            lines.push(format!("The rule of {} is nearer: {counted}.", rules(fit)));
        }
        let others = self.nearly.iter().filter(|fit| Some(*fit) != self.judged.as_ref());
        if self.follows.is_empty() {
            lines.extend(others.map(|fit| {
                let off = residual(fit.residual);
                format!(
                    "It nearly follows the rule of {}: no answer is off by more than {off}.",
                    rules(fit)
                )
            }));
        }
        let others = self.possible.iter().filter(|fit| Some(*fit) != self.judged.as_ref());
        if self.follows.is_empty() && self.verdict != Verdict::PartlyKnown {
            lines.extend(others.map(|fit| {
                format!(
                    "No answer contradicts the rule of {}, but the rule is unknown for {} of them.",
                    rules(fit),
                    fit.unknown
                )
            }));
        }
        lines
    }

    /// Names the scenes that would tell the possible engines apart.
    fn told_apart(&self) -> Vec<String> {
        let of = |told: &TellsApart| {
            let groups: Vec<_> =
                told.groups.iter().map(|group| engine_names(group, NAMED)).collect();
            format!(
                "Several rules agree here. The scene {} would tell them apart: {}.",
                told.scene,
                groups.join(" | ")
            )
        };
        let mut lines: Vec<_> = self.told_apart_by.first().map(of).into_iter().collect();
        let others: Vec<_> = self.told_apart_by.iter().skip(1).map(|told| &*told.scene).collect();
        if !others.is_empty() {
            lines.push(format!("After that, {}.", others.join(", ")));
        }
        lines
    }
}

fn others(count: usize) -> String {
    if count == 1 { "1 other".to_owned() } else { format!("{count} others") }
}

/// States how many answers are right, as a clause.
fn counted(right: usize, known: usize) -> String {
    match (right, known) {
        (1, 1) => "the one answer is right".to_owned(),
        (right, known) if right == known => format!("all {known} answers are right"),
        (1, known) => format!("1 of {known} answers is right"),
        _ => format!("{right} of {known} answers are right"),
    }
}

fn name(id: &str) -> String {
    Engine::named(id).map_or_else(|| id.to_owned(), |engine| engine.name.to_owned())
}

/// Lists engines by name, given their ids. At most `most` are named and the rest are counted.
#[must_use]
pub fn engine_names(ids: &[String], most: usize) -> String {
    let named: Vec<_> = ids.iter().take(most).map(|id| name(id)).collect();
    joined(&named, ids.len())
}

fn rules(fit: &RuleFit) -> String {
    let all_with = fit.rules.first().and_then(|rule| rule.with.clone());
    let is_shared = fit.rules.iter().all(|rule| rule.with == all_with);
    let words: Vec<_> = fit
        .rules
        .iter()
        .take(NAMED)
        .map(|rule| match &rule.with {
            Some(with) if !is_shared => format!("{} {with}", name(&rule.engine)),
            _ => name(&rule.engine),
        })
        .collect();
    let joined = joined(&words, fit.rules.len());
    match all_with.filter(|_| is_shared) {
        Some(with) => format!("{joined} {with}"),
        None => joined,
    }
}

/// Joins names: "a, b and c", or "a, b and 3 more" if not all are named.
fn joined(named: &[String], all: usize) -> String {
    let more = all - named.len();
    let (first, last) = match (named, more) {
        ([], _) => return String::new(),
        ([one], 0) => return one.clone(),
        (all, 0) => (&all[..all.len() - 1], all[all.len() - 1].clone()),
        (all, more) => (all, format!("{more} more")),
    };
    format!("{} and {last}", first.join(", "))
}

fn first_wrong(wrong: &FirstWrong, engine: &str) -> Vec<String> {
    let at = wrong
        .seconds
        .map_or_else(String::new, |seconds| format!(" at {} s", significant(seconds, 4)));
    let place = format!("`{}` in the scene {}{at}", wrong.node, wrong.scene);
    let off = residual(wrong.residual);
    let Some(columns) = wrong.columns() else {
        return vec![format!("The first wrong node is {place}: its vertices are off by {off}.")];
    };
    let mut lines = vec![format!("The first wrong node is {place}.{}", in_the_file(wrong))];
    lines.extend(match (&wrong.mistake, &wrong.hangs_below) {
        (Some(mistake), _) => Some(format!(
            "Its matrix is exactly the result if {}. {}",
            mistake.words,
            explained(mistake)
        )),
        (None, Some(other)) => {
            Some(format!("Its matrix is exactly the result if its parent is `{other}`."))
        }
        (None, None) => {
            wrong.are_mistakes_tried.then(|| "No common mistake explains its matrix.".to_owned())
        }
    });
    let three = |numbers: [f64; 3]| {
        let numbers = numbers.map(|number| significant(number, 4));
        format!("({})", numbers.join(", "))
    };
    let names = ["x axis", "y axis", "z axis", "position"];
    let told = columns.iter().copied().zip(names).filter_map(|([answered, expected], name)| {
        let both = [three(answered), three(expected)];
        // Differences that four digits do not show are left out.
        let is_reversed = both[0] == three(expected.map(|part| -part));
        let [answered, expected] = both;
        let reversed = if is_reversed && name != "position" { ", reversed" } else { "" };
        (answered != expected)
            .then(|| format!("its {name} is {answered}, but {engine} has {expected}{reversed}"))
    });
    let apart: Vec<_> = told.collect();
    lines.push(match &apart[..] {
        [] => format!("It is off by {off}."),
        apart => {
            // Equal beyond the digits that are shown.
            let is_same = |[answered, expected]: &[[f64; 3]; 2]| {
                let size = expected.iter().fold(1.0_f64, |size, part| size.max(part.abs()));
                let both = answered.iter().zip(expected);
                both.map(|(a, b)| (a - b).abs()).all(|off| off <= ROUNDING * size)
            };
            let same = columns.iter().filter(|both| is_same(both)).count();
            let is_all = same > 0 && same + apart.len() == names.len();
            let rest = if is_all { ". The rest is right" } else { "" };
            format!("In your axes and unit, {}{rest}.", apart.join("; "))
        }
    });
    lines
}

/// Describes the pose of the first wrong node in the file.
fn in_the_file(wrong: &FirstWrong) -> String {
    let Some(FilePose { translation, rotation, scale }) = &wrong.local else {
        return String::new();
    };
    let listed = |numbers: &[f64]| {
        let numbers: Vec<_> = numbers.iter().map(|number| significant(*number, 4)).collect();
        numbers.join(", ")
    };
    format!(
        " In the file it has the translation ({}), the rotation ({}) and the scale ({}).",
        listed(translation),
        listed(rotation),
        listed(scale)
    )
}

/// States how many of the wrong nodes a mistake explains.
fn explained(mistake: &LikelyMistake) -> String {
    let LikelyMistake { nodes, below, others, .. } = *mistake;
    let all = nodes + others;
    let other = mistake.first_other.as_ref().map_or_else(String::new, |[scene, node]| {
        let first = if others == 1 { "" } else { "the first " };
        format!("{first}`{node}` in {scene}")
    });
    let own = match (nodes, others) {
        (1, 0) => "No other node is wrong on its own".to_owned(),
        (all, 0) => format!("That explains all {all} nodes that are wrong on their own"),
        // If nearly all are explained, a second mistake is likelier than another one instead.
        (nodes, others) if nodes >= 9 * others => {
            format!(
                "That explains all but {others} ({other}) of the {all} nodes that are wrong on their own"
            )
        }
        (nodes, others) => format!(
            "But that explains only {nodes} of the {all} nodes that are wrong on their own, and not {others} others ({other}): it \
             may be another mistake"
        ),
    };
    let below = match below {
        0 => String::new(),
        1 => "; 1 more is wrong only because a node above it is".to_owned(),
        below => format!("; {below} more are wrong only because a node above them is"),
    };
    format!("{own}{below}.")
}

fn axes(found: &FoundAxes) -> String {
    let words = found.convention.words();
    let other = match (found.is_as_named, &found.named) {
        (Some(false), Some(named)) => {
            format!(" According to the file: {}.", Convention::from(*named).words())
        }
        _ => String::new(),
    };
    let as_good = match found.as_good {
        0 => String::new(),
        1 => " One other choice fits these scenes as well.".to_owned(),
        several => format!(" {several} other choices fit these scenes as well."),
    };
    format!("Axes and unit: {words}.{other}{as_good}")
}

fn misnamed(scene: &VerifiedScene) -> String {
    let strangers: Vec<_> =
        scene.strangers.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let strangers = joined(&strangers, scene.strangers.len());
    let silent = scene.not_answered;
    format!(
        "The scene {} has no {strangers}, and {silent} of its nodes have no answer. Nodes are named by the names from the root \
         down, joined by slashes.",
        scene.scene
    )
}
