use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use xform_compare::NodeSelection;

/// Shows where accumulated matrices and combined TRS give other world transforms on a glTF scene,
/// and by how much.
#[derive(Debug, Parser)]
#[command(name = "xform", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Writes a page about one scene
    Report(ReportArguments),
    /// Measures every node of one or more scenes
    #[command(after_help = "Exit status: 0 done and within the limits, 1 a limit was exceeded, \
                            2 the command line or an input is bad.")]
    Audit(AuditArguments),
    /// Measures a turned child below a stretched parent over both parameters, beside closed forms
    Sweep(SeriesArguments),
    /// Measures how far f32 is from f64 by depth, for both strategies and several shapes
    Drift(SeriesArguments),
    /// Lists the built-in scenes and what can be set
    Scenes,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// A .gltf or .glb file, `-` for standard input, or the name of a built-in scene
    #[arg(default_value = "piston")]
    pub(crate) scene: OsString,
    /// Where to write the page; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "xform-report.html")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Args, Debug)]
pub(crate) struct AuditArguments {
    /// .gltf or .glb files, folders of them, `-` for standard input, or names of built-in scenes
    #[arg(required_unless_present = "files_from", value_name = "SCENE")]
    pub(crate) scenes: Vec<OsString>,
    /// A file that names a scene a line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// The I-th of N parts of the scenes: every N-th of them, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// How many scenes are audited at a time; as many as there are cores unless set
    #[arg(long, value_name = "COUNT")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// How to write what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Which nodes JSON and CSV have, all unless set, and JSON Lines, none unless set; text and Markdown
    /// list the worst of those that differ
    #[arg(long, value_enum)]
    pub(crate) nodes: Option<NodeChoice>,
    /// Where to write it; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// The largest skew of a node that is allowed, in degrees
    #[arg(long, value_name = "DEG", value_parser = limit)]
    pub(crate) max_skew: Option<f64>,
    /// The largest displacement of a node that is allowed, in percent of the scene's diagonal
    #[arg(long, value_name = "PERCENT", value_parser = limit)]
    pub(crate) max_displacement: Option<f64>,
    /// What is allowed and what is ignored; `xform.toml` in the current folder or the nearest above unless set
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Looks for no such file
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SeriesFormat {
    /// One object with all samples
    Json,
    /// One row a sample
    Csv,
}

#[derive(Args, Debug)]
pub(crate) struct Settings {
    /// Sets a parameter of a built-in scene; can be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) values: Vec<(String, f64)>,
    /// Leaves animations aside: the pose at rest alone is looked at, and of a GLB the JSON alone is read
    #[arg(long)]
    pub(crate) no_animation: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Format {
    /// The verdict and the worst nodes, for people
    Text,
    /// Every node with every figure, for programs
    Json,
    /// One row a node, for spreadsheets
    Csv,
    /// The verdict and the worst nodes as a table, for pull requests
    Markdown,
    /// One line a scene, written as it goes, for any number of them
    Jsonl,
    /// SARIF 2.1.0, for code hosts to annotate the assets with
    Sarif,
    /// Two tables for statistics, assets.parquet and nodes.parquet, in the folder that --output names
    #[cfg(feature = "parquet")]
    Parquet,
}

/// One of several parts of the scenes, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shard {
    pub(crate) part: usize,
    pub(crate) of: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NodeChoice {
    /// Every node of the file
    All,
    /// Those alone that are skewed or differ
    Differing,
}

impl From<NodeChoice> for NodeSelection {
    fn from(choice: NodeChoice) -> Self {
        match choice {
            NodeChoice::All => Self::All,
            NodeChoice::Differing => Self::Differing,
        }
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(part, of)| part.parse().ok().zip(of.parse().ok()));
    match parts {
        Some((part, of)) if (1..=of).contains(&part) => Ok(Shard { part, of }),
        _ => Err("write it as I/N, with I from 1 to N".to_owned()),
    }
}

fn limit(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err("a limit is finite and not negative".to_owned())
    }
}

fn setting(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    let value = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
    Ok((name.to_owned(), value))
}
