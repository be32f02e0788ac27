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

/// Checks whether a glTF or FBX scene looks the same in engines that multiply matrices (Unity, Godot, three.js, Bevy,
/// glTF viewers) and in engines that combine translation, rotation and scale (Unreal, OGRE).
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
    /// Writes a page about a scene: does it look different, where and why, and what to do
    #[command(
        after_help = "For several scenes or a folder it writes an index, worst first, and a page for each scene in which something differs.",
        after_long_help = "\
For several scenes or a folder it writes an index, worst first, and a page for each scene in which something differs. A scene
that cannot be read does not stop the others: the index lists it, and the exit status is 2.

Example: write the page somewhere else
    xform report robot.glb -o robot.html

Example: an index of all scenes in a folder, opened in the browser
    xform report assets -o pages --open"
    )]
    Report(ReportArguments),
    /// Measures every node of one or more scenes, for people, programs and automated checks
    #[command(
        after_help = "Exit status: 0 all within the limits, 1 a limit was exceeded, \
                      2 invalid command line or input.",
        after_long_help = "\
Exit status:
    0 all within the limits
    1 a limit was exceeded
    2 invalid command line or input

Example: fail if anything in a folder looks different
    xform audit assets --fail-on visible"
    )]
    Audit(AuditArguments),
    /// Compares two versions of a scene: what moved, and in which engines it now looks different
    #[command(
        after_help = "Exit status: 0 nothing is worse, 1 something is worse, \
                      2 invalid command line or input.",
        after_long_help = "\
A node is worse if its grade is worse, or if its displacement grew by more than 0.0001 % of the scene.

Exit status:
    0 nothing is worse
    1 something is worse
    2 invalid command line or input

Example: a comment for a pull request
    xform diff robot-before.glb robot.glb --format markdown

Example: a page with both in 3D
    xform diff robot-before.glb robot.glb --format html -o diff.html"
    )]
    Diff(DiffArguments),
    /// Repairs a scene: moves non-uniform scales into the vertices, and proves that nothing moved
    #[command(
        after_help = "Exit status: 0 done, 1 with --strict if something is left, 2 invalid command line or input, \
                      3 the repair could not be proved, so nothing was written.",
        after_long_help = "\
Removes what makes Unreal show something other than Unity, Godot, three.js and Blender: all scales below the uppermost
non-uniform scale move into the vertices. Before anything is written, every vertex, normal and tangent is computed from both
files, at rest and at every keyframe. Anything that cannot be repaired exactly stays as it is, with the reason.

Exit status:
    0 repaired, nothing to repair, or partly left as it is for the reasons given
    1 with --strict: something was left as it is, still differs, or is unknown in an engine
    2 invalid command line or input
    3 the repair could not be proved, so nothing was written

Example: show what would be done
    xform fix robot.glb --dry-run

Example: repair all scenes of a folder into another folder
    xform fix assets -o repaired"
    )]
    Fix(FixArguments),
    /// Measures a rotated child below a stretched parent for many rotations and stretches, and compares with the exact
    /// formula
    #[command(after_long_help = "\
Example: a table for a spreadsheet
    xform sweep --format csv -o sweep.csv")]
    Sweep(SeriesArguments),
    /// Measures how much precision f32 loses with depth, for both kinds of engines and several hierarchies
    #[command(after_long_help = "\
Example: a table for a spreadsheet
    xform drift --format csv -o drift.csv")]
    Drift(SeriesArguments),
    /// Reports which engine's rule an importer follows, from its world matrices of test scenes, or the first wrong node
    #[command(
        after_help = "Exit status: 0 the answers follow the rule, 1 they do not, 2 invalid command line or input.",
        after_long_help = "\
The answers are world matrices by scene and node, in the format described in docs/verify.md. Axes and unit are detected.

Exit status:
    0 the answers follow the rule of the engine named by --expect, or else by the file; if xform does not know that engine,
      any rule is accepted
    1 they do not, or xform does not know what that engine does
    2 invalid command line or input

Example: write the scenes to import
    xform verify --write-scenes scenes

Example: find the rule that the importer follows
    xform verify answers.json

Example: fail if the importer no longer matches Godot
    xform verify answers.json --expect godot"
    )]
    Verify(VerifyArguments),
    /// Lists the engines in which scenes are compared, with the rule of each and how it is known
    #[command(after_long_help = "\
Example: an asset must look the same in three engines
    xform audit robot.glb --engine unity --engine unreal --engine godot --fail-on visible

Example: a page about all engines that were run, scene by scene
    xform engines --page engines.html")]
    Engines {
        /// Write a page with the answers of each engine that was run for each test scene; `-` for standard output
        #[arg(long, value_name = "FILE")]
        page: Option<PathBuf>,
    },
    /// Lists the built-in scenes and their parameters
    #[command(after_long_help = "\
Example: a built-in scene with another parameter
    xform report skewed-child --set theta=45")]
    Scenes,
    /// Writes a shell completion script
    #[command(after_long_help = "\
Example: completions for the current bash session
    source <(xform completions bash)")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Works for another process of this program (internal)
    #[command(name = WORK, hide = true)]
    Work,
    /// Writes a manual page, for `man`
    #[command(after_long_help = "\
Example: read the page of one command
    xform man audit | man -l -")]
    Man {
        /// The command to describe [default: the whole program]
        command: Option<String>,
    },
}

/// Options for physics engines.
#[derive(Args, Debug)]
pub(crate) struct PhysicsArguments {
    /// Check the colliders in this physics engine; can be repeated. `xform engines` lists the engines and, after a
    /// slash, the ways in which each gets its shapes
    #[arg(long = "physics", value_name = "ENGINE", value_parser = engine_name::physics)]
    pub(crate) physics: Vec<PhysicsRoad>,
    /// The collider shape of each drawn mesh, in a file without colliders
    #[arg(long, value_enum, value_name = "SHAPE")]
    pub(crate) collider: Option<ColliderChoice>,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// .gltf, .glb, .vrm or .fbx files, patterns such as `*.glb`, folders, `-` for standard input, or names of built-in scenes
    #[arg(default_value = "arm", value_name = "SCENE")]
    pub(crate) scenes: Vec<OsString>,
    /// Output file, `-` for standard output; for several scenes, the folder of their pages [default: xform-report.html,
    /// or the folder xform-report]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Open the page or the index in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// For several scenes, also write pages of scenes without a difference
    #[arg(long)]
    pub(crate) all_pages: bool,
    /// Show boxes and leave the meshes out of the page, for assets that must stay confidential
    #[arg(long)]
    pub(crate) no_meshes: bool,
    /// The size that meshes may take in a page, in megabytes; beyond it, those that differ least are shown as boxes
    #[arg(long, value_name = "MB", default_value_t = 5.0, value_parser = megabytes)]
    pub(crate) mesh_budget: f64,
    /// Print only problems on standard error
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
    /// Audit shard I of N: every N-th scene, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Number of scenes to audit in parallel [default: one per core]
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// List nodes by name and scale instead of the results
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["format", "nodes"])]
    pub(crate) list: Option<ListChoice>,
    /// Nodes to list [default: seen for text and Markdown, all for JSON and CSV, none for JSON Lines]
    #[arg(long, value_enum)]
    pub(crate) nodes: Option<NodeChoice>,
    /// The number of findings per rule and file in SARIF, JUnit, GitHub and GitLab, worst first, or `all`
    #[arg(long, value_name = "COUNT", default_value = "10", value_parser = count_or_all)]
    pub(crate) max_per_rule: usize,
    /// Output file; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Print only problems on standard error
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) settings: ReadingArguments,
    /// Largest allowed difference of skew from the reference, in degrees, for anything drawn [default: no limit]. With
    /// this or another limit, an engine whose result is unknown also fails, unless --allow-unknown is given
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, value_parser = limit)]
    pub(crate) max_skew: Option<f64>,
    /// Largest allowed displacement, in percent of the scene's diagonal [default: no limit]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = limit)]
    pub(crate) max_displacement: Option<f64>,
    /// Fail on differences of this grade or worse [default: never]
    #[arg(long, value_enum, value_name = "GRADE")]
    pub(crate) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(crate) physics: PhysicsArguments,
    /// Allow results that are unknown: engines whose rule is not known, and parts that could not be read
    #[arg(long)]
    pub(crate) allow_unknown: bool,
    /// Also count nodes that draw nothing: empties, cameras, lights, bones and hidden nodes
    #[arg(long)]
    pub(crate) undrawn: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArguments,
}

/// The configuration file.
#[derive(Args, Debug)]
pub(crate) struct ConfigArguments {
    /// Configuration file with engines, owners, limits and exceptions [default: xform.toml in this folder or the
    /// nearest above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Do not read xform.toml
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// The scene before: a .gltf, .glb, .vrm or .fbx file, `-` for standard input, or the name of a built-in scene
    pub(crate) before: OsString,
    /// The scene after
    pub(crate) after: OsString,
    /// Output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    pub(crate) format: DiffFormat,
    /// Output file; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// How far anything drawn may move, in percent of the scene [default: 0.1, the threshold of visibility]
    #[arg(long, value_name = "PERCENT", value_parser = limit)]
    pub(crate) tolerance: Option<f64>,
    /// Compare only the shape, as drawn by engines that multiply matrices
    #[arg(long, conflicts_with = "engines_only")]
    pub(crate) shape_only: bool,
    /// Compare only the differences between engines
    #[arg(long)]
    pub(crate) engines_only: bool,
    /// Check only the pose at rest; skip animations
    #[arg(long)]
    pub(crate) no_animation: bool,
    /// Also count nodes that draw nothing: cameras, lights, empties, bones and hidden nodes
    #[arg(long)]
    pub(crate) undrawn: bool,
    /// Size limit for the meshes of both scenes in the page of --format html, in megabytes; beyond it the meshes that
    /// did not move are shown as boxes
    #[arg(long, value_name = "MB", default_value_t = 5.0, value_parser = megabytes)]
    pub(crate) mesh_budget: f64,
}

#[derive(Args, Debug)]
pub(crate) struct FixArguments {
    /// A .gltf, .glb or .vrm file, or a folder of them
    pub(crate) input: OsString,
    /// Output file, or output folder if the input is a folder. The new data of a .gltf file go to a .bin file of the
    /// same name, or .2.bin if that name is taken
    #[arg(short, long, value_name = "PATH", required_unless_present_any = ["in_place", "dry_run"])]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the input with the repaired file
    #[arg(long, conflicts_with = "output")]
    pub(crate) in_place: bool,
    /// Copy the buffers and images of a .gltf file that are in the folder INPUT or beside the file INPUT, instead of
    /// referring to them where they are. Existing files with their names are replaced
    #[arg(long, conflicts_with_all = ["in_place", "dry_run"])]
    pub(crate) copy: bool,
    /// Replace a file even if it is write-protected, belongs to another user or has hard links
    #[arg(long)]
    pub(crate) force: bool,
    /// Prove the repair and report what would be done, without writing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Kind of repair
    #[arg(long, value_enum, default_value_t = FixRepair::Bake)]
    pub(crate) repair: FixRepair,
    /// Repair only the part of the scene that this node belongs to: its name, its path such as `Arm/Hand`, or its index
    #[arg(long, value_name = "NODE")]
    pub(crate) only: Option<String>,
    /// Repair what this engine, or any of `all`, shows differently; can be repeated [default: as for `xform audit`]
    #[arg(long = "engine", value_name = "ENGINE", value_parser = engine_name::engine_name)]
    pub(crate) engines: Vec<EngineName>,
    /// Exit with status 1 if something could not be repaired or still differs
    #[arg(long)]
    pub(crate) strict: bool,
    /// Remove unused accessors, buffer views, buffers and embedded bytes
    #[arg(long)]
    pub(crate) compact: bool,
    /// Record in `asset.extras` that the file was repaired
    #[arg(long)]
    pub(crate) stamp: bool,
    /// Scale the tolerances of the proof. At 1, a vertex may move by 0.000001 of the scene, and a normal or tangent may
    /// turn by 0.01°
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = limit)]
    pub(crate) tolerance: f64,
    /// Output format
    #[arg(long, value_enum, default_value_t = FixFormat::Text)]
    pub(crate) format: FixFormat,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Files with answers (docs/verify.md), optionally compressed with gzip; patterns such as `*.json`; `-` for
    /// standard input
    #[arg(required_unless_present = "write_scenes", value_name = "ANSWERS")]
    pub(crate) answers: Vec<OsString>,
    /// Engine whose rule the answers must follow, named as in `xform engines` [default: the engine named by the file,
    /// or any]
    #[arg(long, value_name = "ENGINE", value_parser = engine_name::engine)]
    pub(crate) expect: Option<&'static Engine>,
    /// Folder with the .gltf, .glb and .vrm files that you imported instead of xform's test scenes
    #[arg(long, value_name = "FOLDER")]
    pub(crate) scenes: Option<PathBuf>,
    /// Write the test scenes into this folder and exit
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["answers", "expect", "scenes", "tolerance", "output"])]
    pub(crate) write_scenes: Option<PathBuf>,
    /// Largest allowed error of an answer, relative to its size (docs/verify.md) [default: 0.000005, the rounding of
    /// 32-bit floats]
    #[arg(long, value_name = "RESIDUAL", value_parser = limit)]
    pub(crate) tolerance: Option<f64>,
    /// Do not fail if xform does not know what the engine of --expect does
    #[arg(long)]
    pub(crate) allow_unknown: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(crate) format: VerifyFormat,
    /// Output file; `-` for standard output
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
    /// Output format
    #[arg(long, value_enum, default_value_t = SeriesFormat::Json)]
    pub(crate) format: SeriesFormat,
    /// Output file; `-` for standard output
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
    /// Compare the scene in this engine, or in `all`; can be repeated. `xform engines` lists them. The whole report,
    /// the limits and the exit status are about these engines [default: three, babylon, godot, unity, unreal, blender;
    /// for built-in scenes, trs]
    #[arg(long = "engine", value_name = "ENGINE", value_parser = engine_name::engine_name)]
    pub(crate) engines: Vec<EngineName>,
    /// Engine that the others are compared with [default: the meaning defined by glTF, or by the FBX file]
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
    text.parse().map_err(|_| "not a whole number of at least 1".to_owned())
}

fn count_or_all(text: &str) -> Result<usize, String> {
    if text == "all" { Ok(usize::MAX) } else { count(text).map(NonZeroUsize::get) }
}

fn limit(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err("a limit must be finite and not negative".to_owned())
    }
}

fn megabytes(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=2000.0).contains(&value) {
        Ok(value)
    } else {
        Err("the meshes of a page may take 0 to 2000 megabytes".to_owned())
    }
}

impl PhysicsArguments {
    /// Applies these options on top of an earlier choice.
    pub(crate) fn over(&self, before: PhysicsChoice) -> Result<PhysicsChoice, &'static str> {
        let engines = if self.physics.is_empty() { before.engines } else { self.physics.clone() };
        let collider = self.collider.map(Into::into).or(before.collider);
        if collider.is_some() && engines.is_empty() {
            return Err("a shape for meshes was given without a physics engine");
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
