//! The values of options with a few choices, each with its line of help.

use clap::ValueEnum;
use serde::Deserialize;
use xform_compare::{Grade, physics::ShapeKind};
use xform_report::{NodeList, NodeSelection};

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
    /// JUnit's XML, for the test results of Jenkins, GitLab, Azure Pipelines and TeamCity
    Junit,
    /// Annotations of GitHub Actions
    Github,
    /// A Code Quality report of GitLab
    Gitlab,
    /// Two tables for statistics, assets.parquet and nodes.parquet, in the folder that --output names
    #[cfg(feature = "parquet")]
    Parquet,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NodeChoice {
    /// Every node of the file
    All,
    /// Nodes that differ, even if nobody sees that, or they draw nothing
    Differing,
    /// Nodes that look different to a person
    Seen,
}

impl From<NodeChoice> for NodeSelection {
    fn from(choice: NodeChoice) -> Self {
        match choice {
            NodeChoice::All => Self::All,
            NodeChoice::Differing => Self::Differing,
            NodeChoice::Seen => Self::Seen,
        }
    }
}

/// What a drawn mesh is judged as.
#[derive(Clone, Copy, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColliderChoice {
    /// A sphere about the middle of its box
    Sphere,
    /// Its box
    Box,
    /// A capsule along the longest side of its box
    Capsule,
    /// Its convex hull
    Hull,
    /// Its triangles
    Mesh,
}

impl From<ColliderChoice> for ShapeKind {
    fn from(choice: ColliderChoice) -> Self {
        match choice {
            ColliderChoice::Sphere => Self::Sphere,
            ColliderChoice::Box => Self::Box,
            ColliderChoice::Capsule => Self::Capsule,
            ColliderChoice::Hull => Self::Hull,
            ColliderChoice::Mesh => Self::Mesh,
        }
    }
}

/// A grade that a limit can be.
#[derive(Clone, Copy, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailOn {
    /// Any difference beyond rounding, skew too, even if nobody sees it
    Negligible,
    /// 0.1 % of the scene, or 0.01 % of it and 5 % of the node
    Visible,
    /// 2 % of the scene
    Severe,
}

impl From<FailOn> for Grade {
    fn from(limit: FailOn) -> Self {
        match limit {
            FailOn::Negligible => Self::Negligible,
            FailOn::Visible => Self::Visible,
            FailOn::Severe => Self::Severe,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ListChoice {
    /// Mirrored in the world: lightmappers and physics engines care
    Mirrored,
    /// Not scaled evenly in the world: physics engines refuse that of many shapes
    NonUniform,
    /// Sheared in engines that multiply matrices
    Sheared,
}

impl From<ListChoice> for NodeList {
    fn from(choice: ListChoice) -> Self {
        match choice {
            ListChoice::Mirrored => Self::Mirrored,
            ListChoice::NonUniform => Self::NonUniform,
            ListChoice::Sheared => Self::Sheared,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum VerifyFormat {
    /// The answer, the first wrong node and one line per scene, for people
    Text,
    /// Every rule, scene and figure, for programs
    Json,
    /// One table per run, for pull requests
    Markdown,
    /// A page with a table of runs and scenes
    Html,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DiffFormat {
    /// A line a node, for people
    Text,
    /// A table, for pull requests
    Markdown,
    /// Every node that changed, for programs
    Json,
    /// A page: both scenes in 3D, coloured by distance, and their animations together
    Html,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FixRepair {
    /// Put scales into the vertices; proved to move nothing in engines that multiply matrices
    Bake,
    /// The same, but a mesh that is only scaled goes to a new node with that scale and keeps its vertices
    Leaf,
    /// Make non-uniform scales above turned nodes uniform; changes the shape, and says by how much
    Uniform,
    /// Make a sheared `matrix` of two nodes; for engines that multiply matrices only, and proved for those
    Helper,
    /// Replace a sheared `matrix` by the nearest translation, rotation and scale; changes the shape, and says by how much
    Nearest,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FixFormat {
    /// What was repaired, what was not and why, for people
    Text,
    /// One object a file, each on a line, for programs
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SeriesFormat {
    /// One object with all samples
    Json,
    /// One row a sample
    Csv,
}
