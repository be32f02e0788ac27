//! What was found, in sentences: those that every writer has.

use xform_engines::Engine;
use xform_scene::text::{capitalised, significant};

use crate::{
    answers::Asked,
    convention::Convention,
    verification::{
        FirstWrong, FoundAxes, JudgedAs, LikelyMistake, RuleFit, TellsApart, Verdict, Verification,
        VerifiedRun, VerifiedScene,
    },
};

/// How many engines are named; of more, so many and the number of the rest.
const NAMED: usize = 4;

/// A residual for people: two digits.
#[must_use]
pub fn residual(value: Option<f64>) -> String {
    match value {
        Some(0.0) => "0".to_owned(),
        Some(value) => format!("{value:.1e}"),
        None => "not a number".to_owned(),
    }
}

impl Verification {
    /// How many runs follow the rule that they are judged by.
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
            known => format!(", and {known} as far as the rule is known"),
        };
        let counted =
            if followed == all { format!("All {all}") } else { format!("{followed} of {all}") };
        format!("{counted} runs follow the rule of their engine{known}.")
    }
}

impl VerifiedRun {
    /// The engine and its version.
    #[must_use]
    pub fn engine_and_version(&self) -> String {
        let engine = Engine::named(&self.engine).map_or(&*self.engine, |engine| engine.name);
        let version = self.version.trim();
        // Many state their name with the version.
        let rest = |name: &str| version.strip_prefix(name)?.strip_prefix(' ');
        let version = rest(engine).or_else(|| rest(&self.engine)).unwrap_or(version);
        format!("{engine} {version}")
    }

    /// The same, with the name of the run where that is another.
    #[must_use]
    pub fn title(&self) -> String {
        let run = if self.run == self.engine { String::new() } else { format!(" ({})", self.run) };
        format!("{}{run}", self.engine_and_version())
    }

    /// Says what was found of it.
    pub(crate) fn say(self) -> Self {
        let (headline, details) = (self.sentence(), self.sentences());
        Self { headline, details, ..self }
    }

    fn sentence(&self) -> String {
        let Some(judged) = &self.judged else {
            return match &self.judged_engine {
                Some(engine) => format!("Nothing is known of what {} does here.", name(engine)),
                None => "None of the answers can be compared.".to_owned(),
            };
        };
        let gltf = if judged.is_gltf { ", which is what glTF defines" } else { "" };
        let rule = format!("{}{gltf}", self.rule(judged));
        let counted = counted(judged.right, judged.known);
        match self.verdict {
            Verdict::Follows => format!(
                "It follows the rule of {rule}: {counted} are right. The largest residual is {}.",
                residual(judged.residual)
            ),
            Verdict::PartlyKnown => format!(
                "No answer speaks against the rule of {rule}: {counted} are right. Nothing is known of {}.",
                others(judged.unknown)
            ),
            Verdict::OtherAxes => {
                format!(
                    "It follows the rule of {rule}, in other axes than it says: {counted} are right there."
                )
            }
            Verdict::Nearly => format!(
                "It nearly follows the rule of {rule}: {counted} are right, and none is farther off than {}.",
                residual(judged.residual)
            ),
            Verdict::Wrong if self.judged_as == JudgedAs::Nearest => {
                format!(
                    "It follows no engine's rule. The nearest is that of {rule}: {counted} are right."
                )
            }
            Verdict::Wrong => {
                format!("It does not follow the rule of {rule}: {counted} are right.")
            }
            Verdict::Nothing => format!("Nothing is known of what {rule} does here."),
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
        // Elsewhere roots are not asked about, or joints alone are.
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
                "Not compared: {nodes} with a skinned mesh, which importers put elsewhere."
            ));
        }
        if !self.not_in_motion.is_empty() && self.asked == Asked::Gltf {
            let scenes = self.not_in_motion.join(", ");
            lines.push(format!("Not asked about in motion: {scenes}."));
        }
        if !self.unknown_scenes.is_empty() {
            let scenes = self.unknown_scenes.join(", ");
            lines.push(format!("There are no scenes of these names to compare with: {scenes}."));
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

    /// The rules of engines in words. Where it is judged by one that was named, that engine alone.
    fn rule(&self, fit: &RuleFit) -> String {
        let own = match self.judged_as {
            JudgedAs::Nearest => None,
            JudgedAs::Expected | JudgedAs::Named => self.judged_name(fit),
        };
        own.unwrap_or_else(|| rules(fit))
    }

    /// The engine that it is judged by, or the first.
    fn short(&self, fit: &RuleFit) -> String {
        let own = self.judged_name(fit).filter(|_| self.judged_as != JudgedAs::Nearest);
        own.unwrap_or_else(|| fit.rules.first().map_or_else(String::new, |rule| name(&rule.engine)))
    }

    /// The engine that was asked for, or that the file names, with what else its rule takes.
    fn judged_name(&self, fit: &RuleFit) -> Option<String> {
        let asked = self.judged_engine.as_deref()?;
        let rule = fit.rules.iter().find(|rule| rule.engine == asked)?;
        let with = rule.with.as_ref().map_or_else(String::new, |with| format!(" {with}"));
        Some(format!("{}{with}", name(&rule.engine)))
    }

    /// The rules that it follows besides.
    fn as_well(&self) -> Vec<String> {
        let others = self.follows.iter().filter(|fit| Some(*fit) != self.judged.as_ref());
        others.map(|fit| format!("It follows the rule of {} as well.", rules(fit))).collect()
    }

    /// The rules that it follows in place of the one that it is judged by.
    fn instead(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.judged_as != JudgedAs::Nearest {
            lines.extend(self.follows.iter().map(|fit| {
                format!(
                    "It follows the rule of {}: {} are right.",
                    rules(fit),
                    counted(fit.right, fit.known)
                )
            }));
        }
        if let Some(fit) = &self.nearest {
            let counted = counted(fit.right, fit.known);
            lines.push(format!("Nearer is the rule of {}: {counted} are right.", rules(fit)));
        }
        let others = self.nearly.iter().filter(|fit| Some(*fit) != self.judged.as_ref());
        if self.follows.is_empty() {
            lines.extend(others.map(|fit| {
                let off = residual(fit.residual);
                format!(
                    "It nearly follows the rule of {}: no answer is farther off than {off}.",
                    rules(fit)
                )
            }));
        }
        let others = self.possible.iter().filter(|fit| Some(*fit) != self.judged.as_ref());
        if self.follows.is_empty() && self.verdict != Verdict::PartlyKnown {
            lines.extend(others.map(|fit| {
                format!(
                    "No answer speaks against the rule of {}, but nothing is known of {} of them.",
                    rules(fit),
                    fit.unknown
                )
            }));
        }
        lines
    }

    /// Which scenes would tell the engines apart whose rule it may be.
    fn told_apart(&self) -> Vec<String> {
        let of = |told: &TellsApart| {
            let groups: Vec<_> =
                told.groups.iter().map(|group| engine_names(group, NAMED)).collect();
            format!(
                "Several rules come to the same here. The scene {} would tell them apart: {}.",
                told.scene,
                groups.join(" | ")
            )
        };
        let mut lines: Vec<_> = self.told_apart_by.first().map(of).into_iter().collect();
        let rules: usize = self.follows.iter().map(|fit| fit.rules.len()).sum();
        if lines.is_empty() && rules > 1 && self.judged_as == JudgedAs::Nearest {
            lines.push("No other scene tells these engines apart.".to_owned());
        }
        let others: Vec<_> = self.told_apart_by.iter().skip(1).map(|told| &*told.scene).collect();
        if !others.is_empty() {
            lines.push(format!("After that, {}.", others.join(", ")));
        }
        lines
    }
}

fn others(count: usize) -> String {
    if count == 1 { "another one".to_owned() } else { format!("{count} others") }
}

fn counted(right: usize, known: usize) -> String {
    match (right, known) {
        (right, known) if right == known => format!("all {known} answers"),
        _ => format!("{right} of {known} answers"),
    }
}

fn name(id: &str) -> String {
    Engine::named(id).map_or_else(|| id.to_owned(), |engine| engine.name.to_owned())
}

/// Engines by their names, from their ids; of more, so many and the number of the rest.
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

/// "a, b and c", or "a, b and 3 more" of which no more are named.
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
    let mut lines = vec![format!("The first wrong node is {place}.")];
    if let Some(mistake) = &wrong.mistake {
        lines.push(format!(
            "It comes out like this where {}. {}",
            mistake.words,
            explained(mistake)
        ));
    }
    if let Some(other) = &wrong.hangs_below {
        lines.push(format!("It comes out like this where the node hangs below `{other}`."));
    }
    let three = |numbers: [f64; 3]| {
        let numbers = numbers.map(|number| significant(number, 4));
        format!("({})", numbers.join(", "))
    };
    let names = ["x axis", "y axis", "z axis", "position"];
    // What nobody would see in four digits is not told.
    let told = columns.into_iter().zip(names).map(|(both, name)| (both.map(three), name));
    let apart: Vec<_> = told
        .filter(|([answered, expected], _)| answered != expected)
        .map(|([answered, expected], name)| {
            format!("its {name} is {answered}, and {engine} has {expected}")
        })
        .collect();
    lines.push(match &apart[..] {
        [] => format!("It is off by {off}."),
        apart => format!("{}.", capitalised(&apart.join("; "))),
    });
    lines
}

/// How much of what is wrong a mistake explains.
fn explained(mistake: &LikelyMistake) -> String {
    let LikelyMistake { nodes, below, others, .. } = *mistake;
    let wrong = nodes + below + others;
    let (explains, all) = match (others, wrong) {
        (0, 1) => return "No other node is wrong.".to_owned(),
        (0, all) => ("That explains", format!("all {all} nodes that are wrong")),
        (others, all) => {
            ("That explains", format!("{} of {all} nodes that are wrong", all - others))
        }
    };
    let hang = match below {
        0 => String::new(),
        1 => " 1 of them is right below its parent, and only hangs below a wrong one.".to_owned(),
        below => format!(
            " {below} of them are right below their parents, and only hang below a wrong one."
        ),
    };
    let rest = match others {
        0 => String::new(),
        1 => " 1 is wrong for another reason.".to_owned(),
        others => format!(" {others} are wrong for another reason."),
    };
    format!("{explains} {all}.{hang}{rest}")
}

fn axes(found: &FoundAxes) -> String {
    let words = found.convention.words();
    let other = match (found.is_as_named, &found.named) {
        (Some(false), Some(named)) => {
            format!(" The file says {}.", Convention::from(*named).words())
        }
        _ => String::new(),
    };
    let as_good = match found.as_good {
        0 => String::new(),
        1 => " One other choice does as well in these scenes.".to_owned(),
        several => format!(" {several} other choices do as well in these scenes."),
    };
    format!("Axes and unit: {words}.{other}{as_good}")
}

fn misnamed(scene: &VerifiedScene) -> String {
    let strangers: Vec<_> =
        scene.strangers.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let strangers = joined(&strangers, scene.strangers.len());
    let silent = scene.not_answered;
    format!(
        "The scene {} has no {strangers}, and {silent} of its nodes have no answer: nodes go by the names from the root down, joined by \
         slashes.",
        scene.scene
    )
}
