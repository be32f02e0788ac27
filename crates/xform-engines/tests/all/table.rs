//! Every rule against every run: within its bound, and as the profiles and the table of docs/engines.md say.

use std::{env, fmt::Write, fs, path::Path};

use xform_engines::{Engine, Known, fbx::InheritType, physics::PhysicsEngine};

use crate::{
    answers::ANSWERS,
    exported, getters, physics, quaternions,
    runs::{all_known, bones_checked, checked, rules},
    skins,
    told_apart::plain,
};

/// What a rule was found to be off by.
struct Row {
    run: String,
    version: String,
    words: String,
    nodes: usize,
    residual: f64,
    bound: f64,
    plain: Option<[f64; 2]>,
}

fn rows() -> Vec<Row> {
    let of_worlds = rules().into_iter().map(|rule| {
        let (nodes, residual) = checked(&rule);
        let plain = Some(plain(&rule));
        let version = ANSWERS.runs[&rule.run].version.clone();
        let words = rule.words.to_owned();
        Row { run: rule.run, version, words, nodes, residual, bound: rule.bound, plain }
    });
    let of_getters = found(
        getters::checked(),
        "getters",
        "world position, rotation and scale as its getters give them",
    );
    let of_skins = found(skins::checked(), "vertices", "vertices of skinned meshes");
    let of_quaternions =
        found(quaternions::checked(), "quaternions", "quaternions that are not of unit length");
    let of_bones = ANSWERS.bones.modes.keys().map(|mode| {
        let (nodes, residual) = bones_checked(mode);
        let words = "bones with general rest poses".to_owned();
        let (run, version) = (format!("blender/rest-{mode}"), "Blender 5.2.3 LTS".to_owned());
        Row { run, version, words, nodes, residual, bound: 3e-6, plain: None }
    });
    let of_exported = [
        (
            "maya",
            "Maya 2023",
            "FBX InheritTypes 1 and 2 as written: vertices of a skin at eight frames",
        ),
        (
            "motionbuilder",
            "MotionBuilder 2023",
            "FBX InheritType 0 as written: vertices of a skin at five frames",
        ),
    ]
    .map(|(program, version, words)| {
        let (nodes, residual) = exported::checked(program, exported::as_written);
        let plain = [InheritType::Matrix, InheritType::ComponentWise];
        let plain = plain.map(|all| exported::checked(program, |_| all).1);
        let (run, words) = (format!("{program}/inherit-types"), words.to_owned());
        Row {
            run,
            version: version.to_owned(),
            words,
            nodes,
            residual,
            bound: 1e-6,
            plain: Some(plain),
        }
    });
    of_worlds
        .chain(of_getters)
        .chain(of_skins)
        .chain(of_quaternions)
        .chain(of_bones)
        .chain(of_exported)
        .collect()
}

/// What was found of a part of some runs: its name in their claims, and in words.
fn found(
    rows: Vec<(String, usize, f64)>,
    part: &'static str,
    words: &'static str,
) -> impl Iterator<Item = Row> {
    rows.into_iter().map(move |(run, nodes, residual)| Row {
        version: ANSWERS.runs[&run].version.clone(),
        run: format!("{run} {part}"),
        words: words.to_owned(),
        nodes,
        residual,
        bound: 3e-6,
        plain: None,
    })
}

#[test]
fn every_rule_says_what_the_engine_answered_to_rounding() {
    for Row { run, nodes, residual, bound, .. } in rows() {
        assert!(nodes > 0 && residual <= bound, "{run}: {nodes} nodes, {residual:e} of {bound:e}");
    }
}

#[test]
fn a_profile_states_what_was_found() {
    let rows = rows();
    let check = |known: Known| {
        let Known::Run { version, run, nodes, residual } = known else { return };
        let row = rows.iter().find(|row| row.run == run).expect("every run is checked");
        assert!(
            nodes == row.nodes && (residual - row.residual).abs() <= 0.06 * row.residual,
            "{run}: {nodes}, {residual:e} is stated, {}, {:.1e} was found",
            row.nodes,
            row.residual
        );
        let words =
            version.split([' ', ',']).filter(|word| word.chars().any(|c| c.is_ascii_digit()));
        for word in words.map(|word| word.trim_start_matches('r')) {
            assert!(
                row.version.contains(word),
                "{run}: {version} is stated, {} was run",
                row.version
            );
        }
    };
    all_known().for_each(check);
}

const UPDATE: &str = "XFORM_UPDATE_ENGINES";

/// The tables of the page are what the profiles and the runs say. `XFORM_UPDATE_ENGINES=1` writes them.
#[test]
fn the_page_shows_the_profiles_and_what_was_found() {
    is_up_to_date(
        "docs/engines.md",
        &[
            ("engines", engines()),
            ("switches", switches()),
            ("runs", runs()),
            ("quaternions", quaternions::table()),
            ("skins", skins::table()),
        ],
    );
}

#[test]
fn the_page_of_colliders_shows_the_rules() {
    let tables = [("shapes", physics::shapes()), ("physics", physics::roads_table())];
    is_up_to_date("docs/physics.md", &tables);
}

fn is_up_to_date(page: &str, tables: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let written = fs::read_to_string(&path).expect("the page").replace("\r\n", "\n");
    let made =
        tables.iter().fold(written.clone(), |made, (name, table)| with_table(&made, name, table));
    if env::var_os(UPDATE).is_some() {
        fs::write(path, made).expect("the page can be written");
    } else {
        assert!(written == made, "{page} is out of date; {UPDATE}=1 writes it anew");
    }
}

#[test]
fn pages_count_the_engines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (count, physics) = (Engine::all().len(), PhysicsEngine::all());
    let roads: usize = physics.iter().map(|engine| engine.roads.len()).sum();
    for (page, words) in [
        ("../../README.md", format!("lists {count} ")),
        ("../../docs/engines.md", format!("covers {count} engines")),
        ("README.md", format!("has the rules of {count} engines")),
        ("../../README.md", format!("It knows {} physics engines", physics.len())),
        ("../../CHANGELOG.md", format!("of {} physics engines on {roads} roads", physics.len())),
    ] {
        let text = fs::read_to_string(root.join(page)).expect("the page").replace("\r\n", "\n");
        let text = text.replace('\n', " ");
        assert!(text.contains(&words), "{page} does not say: {words}");
    }
}

/// The page with the table between the marks of a name.
fn with_table(page: &str, name: &str, table: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&start).expect("the mark of the table");
    let (_, after) = rest.split_once(&end).expect("the end of the table");
    format!("{before}{start}\n{table}\n{end}{after}")
}

fn engines() -> String {
    let mut table =
        "| engine | `--engine` | what it does | known |\n|---|---|---|---|\n".to_owned();
    for engine in Engine::all() {
        let Engine { name, id, sentence, accumulation, import, .. } = engine;
        let known = match import.known {
            Known::NotSeen => accumulation.known.to_string(),
            import if import.to_string() == accumulation.known.to_string() => import.to_string(),
            import => format!("worlds: {}; sheared matrices: {import}", accumulation.known),
        };
        writeln!(table, "| {name} | `{id}` | {sentence} | {known} |").expect("a string");
    }
    table
}

fn switches() -> String {
    let mut table =
        "| engine | setting or call | what it does | known |\n|---|---|---|---|\n".to_owned();
    for engine in Engine::all() {
        for switch in engine.switches {
            let name = engine.name;
            writeln!(
                table,
                "| {name} | `{}` | {} | {} |",
                switch.setting, switch.effect, switch.known
            )
            .expect("a string");
        }
    }
    table
}

fn runs() -> String {
    let mut table =
        "| run | version | rule | nodes | off by | plain matrices | plain combined TRS |\n\
                     |---|---|---|---:|---:|---:|---:|\n"
            .to_owned();
    for Row { run, version, words, nodes, residual, plain, .. } in rows() {
        let [matrix, trs] = plain.map_or(["–".to_owned(), "–".to_owned()], |plain| {
            plain.map(|off| format!("{off:.1e}"))
        });
        writeln!(
            table,
            "| {run} | {version} | {words} | {nodes} | {residual:.1e} | {matrix} | {trs} |"
        )
        .expect("a string");
    }
    table
}
