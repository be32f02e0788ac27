use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf};

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use xform_compare::{
    Engine,
    audit::{PhysicsChoice, PhysicsRoad},
};

use crate::{
    choices::{
        ColliderChoice, DiffFormat, FailOn, FixFormat, FixRepair, Format, ListChoice, NodeChoice,
        SeriesFormat, VerifyFormat,
    },
    engine_name::{self, EngineName},
};

/// The name of the command that runs this program as a worker of another process.
pub(crate) const WORK: &str = "work";

/// Tells whether a glTF or FBX scene looks the same in different engines: those that multiply matrices (Unity, Godot, three.js,
/// Bevy, glTF viewers) and those that combine translations, rotations and scales (Unreal, OGRE).
#[derive(Debug, Parser)]
#[command(
    name = "xform",
    version,
    after_long_help = "\
Example: a page about one asset, opened in the browser
    xform report robot.glb --open"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Writes a page about a scene: whether it looks different, where, why, and what to do
    #[command(
        after_help = "Of several scenes, or of a folder, it writes an index, worst first, and a page for each in which something differs.",
        after_long_help = "\
Of several scenes, or of a folder, it writes an index, worst first, and a page for each in which something differs. A scene
that cannot be read stops none of the others: the index names it, and the exit status is 2.

Example: the page in another place
    xform report robot.glb -o robot.html

Example: an index of all scenes in a folder, opened in the browser
    xform report assets -o pages --open"
    )]
    Report(ReportArguments),
    /// Measures every node of one or more scenes, for people, programs and checks
    #[command(
        after_help = "Exit status: 0 done and within the limits, 1 a limit was exceeded, \
                      2 the command line or an input is bad.",
        after_long_help = "\
Exit status:
    0 done and within the limits
    1 a limit was exceeded
    2 the command line or an input is bad

Example: fail if anything in a folder looks different
    xform audit assets --fail-on visible"
    )]
    Audit(AuditArguments),
    /// Compares two versions of a scene: what of it moved, and in which engines it looks different
    #[command(
        after_help = "Exit status: 0 nothing is worse, 1 something is, \
                      2 the command line or an input is bad.",
        after_long_help = "\
A node is worse if its grade is, or if its displacement grew by more than 0.0001 % of the scene.

Exit status:
    0 nothing is worse
    1 something is worse
    2 the command line or an input is bad

Example: a comment for a pull request
    xform diff robot-before.glb robot.glb --format markdown

Example: a page with both in 3D
    xform diff robot-before.glb robot.glb --format html -o diff.html"
    )]
    Diff(DiffArguments),
    /// Repairs a scene: takes non-uniform scales into the vertices, and proves that nothing moved
    #[command(
        after_help = "Exit status: 0 done, 1 with --strict where something is left, 2 the command line or an input is \
                      bad, 3 the repair was not proved, and nothing was written.",
        after_long_help = "\
What makes Unreal show something else than Unity, Godot, three.js and Blender is taken out: below the uppermost non-uniform
scale all scales go into the vertices. Before anything is written, every vertex, normal and tangent is computed from both
files, at rest and at every keyframe. What cannot be repaired exactly is left as it is, with the reason.

Exit status:
    0 repaired, or nothing to repair, or some of it left with a reason
    1 with --strict: something was left, still differs, or is not known of an engine
    2 the command line or an input is bad
    3 the repair was not proved, and nothing was written

Example: what would be done
    xform fix robot.glb --dry-run

Example: all scenes of a folder into another one
    xform fix assets -o repaired"
    )]
    Fix(FixArguments),
    /// Measures a turned child below a stretched parent, for many turns and stretches, beside the exact formula
    #[command(after_long_help = "\
Example: a table for a spreadsheet
    xform sweep --format csv -o sweep.csv")]
    Sweep(SeriesArguments),
    /// Measures how much precision f32 loses with depth, for both kinds of engines and several shapes
    #[command(after_long_help = "\
Example: a table for a spreadsheet
    xform drift --format csv -o drift.csv")]
    Drift(SeriesArguments),
    /// Tells which engine's rule an importer follows, from what it made of scenes, and the first node where it does not
    #[command(
        after_help = "Exit status: 0 the answers follow the rule, 1 they do not, 2 the command line or an input is bad.",
        after_long_help = "\
The answers are world matrices by scene and node, in the form that docs/verify.md describes. Axes and unit are found.

Exit status:
    0 the answers follow the rule of the engine that --expect names, or else that the file names; if xform does not know that
      engine, any rule will do
    1 they do not, or xform does not know what that engine does
    2 the command line or an input is bad

Example: the scenes to import
    xform verify --write-scenes scenes

Example: which rule the importer follows
    xform verify answers.json

Example: fail if the importer no longer matches Godot
    xform verify answers.json --expect godot"
    )]
    Verify(VerifyArguments),
    /// Lists the engines that scenes are compared in: what each does, and how that is known
    #[command(after_long_help = "\
Example: an asset must look alike in three engines
    xform audit robot.glb --engine unity --engine unreal --engine godot --fail-on visible

Example: a page of all engines that were run, scene by scene
    xform engines --page engines.html")]
    Engines {
        /// Write a page with what each engine that was run answered of each scene of the kit; `-` for standard output
        #[arg(long, value_name = "FILE")]
        page: Option<PathBuf>,
    },
    /// Lists the built-in scenes and what can be set in them
    #[command(after_long_help = "\
Example: a built-in scene with another setting
    xform report skewed-child --set theta=45")]
    Scenes,
    /// Writes a script that completes commands and options in a shell
    #[command(after_long_help = "\
Example: completions for this session of bash
    source <(xform completions bash)")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Works for another process of this program
    #[command(name = WORK, hide = true)]
    Work,
    /// Writes a manual page, for `man`
    #[command(after_long_help = "\
Example: read the page of one command
    xform man audit | man -l -")]
    Man {
        /// The command that it is about [default: the program as a whole]
        command: Option<String>,
    },
}

/// What collides.
#[derive(Args, Debug)]
pub(crate) struct PhysicsArguments {
    /// Judge the colliders in this physics engine; can be repeated; `xform engines` lists them, and behind a slash how shapes come to
    /// each
    #[arg(long = "physics", value_name = "ENGINE", value_parser = engine_name::physics)]
    pub(crate) physics: Vec<PhysicsRoad>,
    /// What to judge each drawn mesh as, in a file without colliders
    #[arg(long, value_enum, value_name = "SHAPE")]
    pub(crate) collider: Option<ColliderChoice>,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// .gltf, .glb, .vrm or .fbx files, patterns such as `*.glb`, folders, `-` for standard input, or names of built-in scenes
    #[arg(default_value = "arm", value_name = "SCENE")]
    pub(crate) scenes: Vec<OsString>,
    /// Where to write the page, `-` for standard output; of several scenes, the folder of their pages [default:
    /// xform-report.html, or the folder xform-report]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Open the page in the browser, or the index
    #[arg(long)]
    pub(crate) open: bool,
    /// Of several scenes, write a page for those too in which nothing differs
    #[arg(long)]
    pub(crate) all_pages: bool,
    /// Show boxes instead of the meshes, which stay out of the page: for assets that may not leave the house
    #[arg(long)]
    pub(crate) no_meshes: bool,
    /// How much of a page the meshes may take, in megabytes; of more, those that differ least are shown as boxes
    #[arg(long, value_name = "MB", default_value_t = 5.0, value_parser = megabytes)]
    pub(crate) mesh_budget: f64,
    /// Say nothing on standard error but problems
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) physics: PhysicsArguments,
    #[command(flatten)]
    pub(crate) settings: ReadingArguments,
    #[command(flatten)]
    pub(crate) config: ConfigArguments,
}

#[derive(Args, Debug)]
pub(crate) struct AuditArguments {
    /// .gltf, .glb, .vrm or .fbx files, patterns such as `*.glb`, folders, `-` for standard input, or names of built-in scenes
    #[arg(required_unless_present = "files_from", value_name = "SCENE")]
    pub(crate) scenes: Vec<OsString>,
    /// A file with one scene per line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// Audit one of N parts of the scenes: every N-th scene, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// How many scenes to audit at a time [default: one per core]
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// How to write what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// List nodes by name and scale, in place of what was found
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["format", "nodes"])]
    pub(crate) list: Option<ListChoice>,
    /// Which nodes to list [default: seen for text and Markdown, all for JSON and CSV, none for JSON Lines]
    #[arg(long, value_enum)]
    pub(crate) nodes: Option<NodeChoice>,
    /// How many findings of a rule SARIF, JUnit, GitHub and GitLab get of a file, the worst first, or `all`
    #[arg(long, value_name = "COUNT", default_value = "10", value_parser = count_or_all)]
    pub(crate) max_per_rule: usize,
    /// Where to write it; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Say nothing on standard error but problems
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) settings: ReadingArguments,
    /// The largest difference of skew from the reference that is allowed of what is drawn, in degrees [default: any]. Under this and
    /// other limits an engine of which nothing is known fails too, unless there is --allow-unknown
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, value_parser = limit)]
    pub(crate) max_skew: Option<f64>,
    /// The largest displacement that is allowed, in percent of the scene's diagonal [default: any]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = limit)]
    pub(crate) max_displacement: Option<f64>,
    /// The mildest grade of difference that is not allowed [default: none]
    #[arg(long, value_enum, value_name = "GRADE")]
    pub(crate) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(crate) physics: PhysicsArguments,
    /// Let pass what could not be judged: engines of which it is not known what they show, and what could not be read
    #[arg(long)]
    pub(crate) allow_unknown: bool,
    /// Count nodes that draw nothing too: empties, cameras, lights, bones, and what the file hides
    #[arg(long)]
    pub(crate) undrawn: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArguments,
}

/// What a repository says about its assets.
#[derive(Args, Debug)]
pub(crate) struct ConfigArguments {
    /// Engines, owners, limits, and exceptions with reasons [default: xform.toml here or in the nearest folder above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Read no xform.toml
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// The scene before: a .gltf, .glb, .vrm or .fbx file, `-` for standard input, or the name of a built-in scene
    pub(crate) before: OsString,
    /// The scene after
    pub(crate) after: OsString,
    /// How to write what changed
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    pub(crate) format: DiffFormat,
    /// Where to write it; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// How far what is drawn may move, in percent of the scene [default: 0.1, where it is visible]
    #[arg(long, value_name = "PERCENT", value_parser = limit)]
    pub(crate) tolerance: Option<f64>,
    /// Compare only what is drawn, in an engine that multiplies matrices
    #[arg(long, conflicts_with = "engines_only")]
    pub(crate) shape_only: bool,
    /// Compare only how engines differ
    #[arg(long)]
    pub(crate) engines_only: bool,
    /// Check only the pose at rest; skip animations
    #[arg(long)]
    pub(crate) no_animation: bool,
    /// Count what draws nothing too: cameras, lights, empties, bones, and what the file hides
    #[arg(long)]
    pub(crate) undrawn: bool,
    /// How much of the page of --format html the meshes of both may take, in megabytes; of more, those that did not move are
    /// shown as boxes
    #[arg(long, value_name = "MB", default_value_t = 5.0, value_parser = megabytes)]
    pub(crate) mesh_budget: f64,
}

#[derive(Args, Debug)]
pub(crate) struct FixArguments {
    /// A .gltf, .glb or .vrm file, or a folder of them
    pub(crate) input: OsString,
    /// Where to write the repaired file, or for a folder those of all its files. A .gltf file has its new data in a .bin
    /// file of the same name, or .2.bin where that is taken
    #[arg(short, long, value_name = "PATH", required_unless_present_any = ["in_place", "dry_run"])]
    pub(crate) output: Option<PathBuf>,
    /// Write the repaired file in place of the input
    #[arg(long, conflicts_with = "output")]
    pub(crate) in_place: bool,
    /// Copy the buffers and images that a .gltf file names, as far as they lie in the folder INPUT or beside the file INPUT, instead of
    /// referring to where they are. Files of their names are replaced
    #[arg(long, conflicts_with_all = ["in_place", "dry_run"])]
    pub(crate) copy: bool,
    /// Replace a file even if it is write-protected, belongs to somebody else, or has other names (hard links)
    #[arg(long)]
    pub(crate) force: bool,
    /// Prove the repair and say what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What to do about a difference
    #[arg(long, value_enum, default_value_t = FixRepair::Bake)]
    pub(crate) repair: FixRepair,
    /// Repair only what this node belongs to: its name, its path such as `Arm/Hand`, or its index
    #[arg(long, value_name = "NODE")]
    pub(crate) only: Option<String>,
    /// Repair what this engine shows differently, or any of `all`; can be repeated [default: as for `xform audit`]
    #[arg(long = "engine", value_name = "ENGINE", value_parser = engine_name::engine_name)]
    pub(crate) engines: Vec<EngineName>,
    /// End with status 1 where something could not be repaired, or still differs
    #[arg(long)]
    pub(crate) strict: bool,
    /// Take out what nothing uses: accessors, buffer views, buffers, and bytes that are in the file
    #[arg(long)]
    pub(crate) compact: bool,
    /// Note in `asset.extras` that the file was repaired
    #[arg(long)]
    pub(crate) stamp: bool,
    /// By how much to multiply how far a vertex may move, 0.000001 of the scene, and how far a normal or tangent may turn,
    /// 0.01°
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = limit)]
    pub(crate) tolerance: f64,
    /// How to write what was done
    #[arg(long, value_enum, default_value_t = FixFormat::Text)]
    pub(crate) format: FixFormat,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Files with answers (docs/verify.md), also packed by gzip; patterns such as `*.json`; `-` for standard input
    #[arg(required_unless_present = "write_scenes", value_name = "ANSWERS")]
    pub(crate) answers: Vec<OsString>,
    /// The engine whose rule the answers must follow, as `xform engines` names it [default: the one that a file names, or any]
    #[arg(long, value_name = "ENGINE", value_parser = engine_name::engine)]
    pub(crate) expect: Option<&'static Engine>,
    /// A folder with the .gltf, .glb and .vrm files that you imported, in place of xform's own test scenes
    #[arg(long, value_name = "FOLDER")]
    pub(crate) scenes: Option<PathBuf>,
    /// Write the test scenes into a folder, and do nothing else
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["answers", "expect", "scenes", "tolerance", "output"])]
    pub(crate) write_scenes: Option<PathBuf>,
    /// How far an answer may be off, relative to its own size (docs/verify.md) [default: 0.000005, the rounding of 32-bit numbers]
    #[arg(long, value_name = "RESIDUAL", value_parser = limit)]
    pub(crate) tolerance: Option<f64>,
    /// Do not fail where xform does not know what the engine of --expect does
    #[arg(long)]
    pub(crate) allow_unknown: bool,
    /// How to write what was found
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(crate) format: VerifyFormat,
    /// Where to write it; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}

/// The tables that `--format parquet` writes into its folder.
#[cfg(feature = "parquet")]
pub(crate) const PARQUET_FILES: [&str; 2] = ["assets.parquet", "nodes.parquet"];

impl AuditArguments {
    /// Returns the files that are written.
    pub(crate) fn outputs(&self) -> Vec<PathBuf> {
        match self.format {
            #[cfg(feature = "parquet")]
            Format::Parquet => PARQUET_FILES.map(|name| self.output.join(name)).into(),
            _ => vec![self.output.clone()],
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct SeriesArguments {
    /// How to write it
    #[arg(long, value_enum, default_value_t = SeriesFormat::Json)]
    pub(crate) format: SeriesFormat,
    /// Where to write it; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}

#[derive(Args, Debug, Default)]
pub(crate) struct ReadingArguments {
    /// Set a parameter of a built-in scene; can be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) values: Vec<(String, f64)>,
    /// Check only the pose at rest; skip animations and binary buffers
    #[arg(long)]
    pub(crate) no_animation: bool,
    /// Compare the scene in this engine, or in `all`; can be repeated; `xform engines` lists them. All that is said, limits and exit
    /// status too, is about these [default: three, babylon, godot, unity, unreal, blender; of built-in scenes, trs]
    #[arg(long = "engine", value_name = "ENGINE", value_parser = engine_name::engine_name)]
    pub(crate) engines: Vec<EngineName>,
    /// The engine that the others are compared with [default: what glTF defines, or what the FBX file says]
    #[arg(long, value_name = "ENGINE", value_parser = engine_name::engine)]
    pub(crate) reference: Option<&'static Engine>,
}

/// One of several parts of the scenes, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shard {
    pub(crate) part: usize,
    pub(crate) of: usize,
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(part, of)| part.parse().ok().zip(of.parse().ok()));
    match parts {
        Some((part, of)) if (1..=of).contains(&part) => Ok(Shard { part, of }),
        _ => Err("write it as I/N, with I from 1 to N".to_owned()),
    }
}

fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "not a whole number from 1 on".to_owned())
}

fn count_or_all(text: &str) -> Result<usize, String> {
    if text == "all" { Ok(usize::MAX) } else { count(text).map(NonZeroUsize::get) }
}

fn limit(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err("a limit is finite and not negative".to_owned())
    }
}

fn megabytes(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=2000.0).contains(&value) {
        Ok(value)
    } else {
        Err("a page has between 0 and 2000 megabytes of meshes".to_owned())
    }
}

impl PhysicsArguments {
    /// Applies these options on top of an earlier choice.
    pub(crate) fn over(&self, before: PhysicsChoice) -> Result<PhysicsChoice, &'static str> {
        let engines = if self.physics.is_empty() { before.engines } else { self.physics.clone() };
        let collider = self.collider.map(Into::into).or(before.collider);
        if collider.is_some() && engines.is_empty() {
            return Err("what meshes are judged as was named, and no physics engine");
        }
        Ok(PhysicsChoice::named(engines, collider))
    }
}

impl ReportArguments {
    /// Returns the most bytes that meshes may take in each page, or `None` for pages without meshes.
    pub(crate) fn mesh_budget(&self) -> Option<u64> {
        (!self.no_meshes).then(|| bytes(self.mesh_budget))
    }
}

impl DiffArguments {
    /// Returns the most bytes that meshes may take in the page.
    pub(crate) fn mesh_budget(&self) -> u64 {
        bytes(self.mesh_budget)
    }
}

fn bytes(megabytes: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to some thousand millions"
    )]
    let bytes = (megabytes * 1e6) as u64;
    bytes
}

fn setting(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    let value = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
    Ok((name.to_owned(), value))
}
