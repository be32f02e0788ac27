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
    /// One row per node, for spreadsheets
    Csv,
    /// The verdict and the worst nodes as a table, for pull requests
    Markdown,
    /// One line per scene, written as each finishes, for any number of scenes
    Jsonl,
    /// SARIF 2.1.0, for annotations on code hosts
    Sarif,
    /// JUnit XML, for test results in Jenkins, GitLab, Azure Pipelines and TeamCity
    Junit,
    /// Annotations for GitHub Actions
    Github,
    /// A Code Quality report for GitLab
    Gitlab,
    /// Two tables for statistics, assets.parquet and nodes.parquet, in the folder given by --output
    #[cfg(feature = "parquet")]
    Parquet,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NodeChoice {
    /// Every node of the file
    All,
    /// Nodes that differ, even if invisibly or if they draw nothing
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

/// The shape assumed for a drawn mesh.
#[derive(Clone, Copy, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColliderChoice {
    /// A sphere around the centre of its box
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

/// A grade that can be a limit.
#[derive(Clone, Copy, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailOn {
    /// Any difference beyond rounding, including skew, even if invisible
    Negligible,
    /// It moves by 0.1 % of the scene, or by 0.01 % of it and 5 % of its own size
    Visible,
    /// It moves by 2 % of the scene
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
    /// Mirrored in the world, which matters to lightmappers and physics engines
    Mirrored,
    /// Non-uniformly scaled in the world, which physics engines refuse for many shapes
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
    /// One line per node, for people
    Text,
    /// A table, for pull requests
    Markdown,
    /// Every node that changed, for programs
    Json,
    /// A page with both scenes in 3D, coloured by distance, and their animations
    Html,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FixRepair {
    /// Move scales into the vertices; proved to move nothing in engines that multiply matrices
    Bake,
    /// The same, but a mesh that is only rotated and scaled moves to a new node with that pose and keeps its vertices
    Leaf,
    /// Make non-uniform scales above rotated nodes uniform; changes the shape and reports by how much
    Uniform,
    /// Split a sheared `matrix` into two nodes; only for engines that multiply matrices, and proved for those
    Helper,
    /// Replace a sheared `matrix` with the nearest translation, rotation and scale; changes the shape and reports by
    /// how much
    Nearest,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FixFormat {
    /// For people: the repairs, the refusals and their reasons
    Text,
    /// One object per file, each on one line, for programs
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SeriesFormat {
    /// One object with all samples
    Json,
    /// One row per sample
    Csv,
}
