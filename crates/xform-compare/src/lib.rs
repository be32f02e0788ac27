//! Where, why and by how much a scene looks different in engines that multiply matrices and in engines that combine
//! TRS.
//!
//! 1. A [`Scene`] comes from a glTF file ([`read_gltf`]), is built in ([`BuiltIn`]), or is made of [`Node`]s.
//! 2. [`compare`] runs both strategies over it in `f64` and measures every node. The [`SceneAudit`] that it returns
//!    is plain data.
//! 3. [`explain`], [`findings`] and [`advise`] say what to make of it.
//! 4. The `write_*` functions turn it into text, JSON, a page and other formats. The [guide](report_guide) explains what is in
//!    them.
//!
//! ```
//! use xform_compare::{BuiltIn, compare};
//!
//! let scene = BuiltIn::named("skewed-child").expect("built in").scene(&[])?;
//! let audit = compare(&scene)?;
//! assert_eq!(audit.summary.skewed_nodes, 1);
//! assert!((audit.nodes[1].skew_degrees.unwrap() - 36.0442).abs() < 5e-5);
//! assert!((audit.nodes[1].displacement.unwrap() - 0.435338).abs() < 5e-7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod report_guide;

// The floors of the crate: each imports only from those before it.
mod text;

mod scene;

mod audit;

mod measure;

mod judge;

mod write;

pub use audit::{
    AnimationAudit, AnimationPeak, AtWorst, Audit, Background, Cause, CompareError, Contribution,
    DIFFERING_FRACTION, Defect, Drift, DriftSample, EngineAudit, EngineChoice, EngineNode,
    EnginePair, Grade, GradeCounts, MotionSummary, NodeAudit, NodeMotion, ParameterSweep, Peak,
    Playback, PlayedAnimation, PlayedFigures, PlayedWeights, Problem, RankedMotion, Ranking,
    SKEWED_DEGREES, SceneAudit, Show, Summary, SweepSample, TimelinePoint, UnknownEngine,
    WorstInMotion, node_path,
};
pub use judge::{
    Advice, Advised, CauseGroup, DiffChange, DiffSide, Excess, Finding, Limits, MotionAdvice,
    NodeDiff, NodeFigures, RULES, Refusal, Repair, RepairOutcome, Report, ReportError, ReportFrame,
    Rule, ScaleChange, SceneDiff, Severity, Slider, advise, advise_in_motion, diff, explain,
    explain_at_worst, findings,
};
pub use measure::{
    EvenScale, compare, compare_engines, displacement, linear_difference, measure_drift,
    measure_sweep, orthogonality, skew_pairs,
};
pub use scene::{
    Animation, Animations, Bounds, BoundsShape, BuiltIn, Channel, Curve, CurveError, Drawing,
    ErrorCode, FbxHierarchy, FbxNode, Follows, Forest, GltfAccessors, GltfAsset, GltfError,
    GltfErrors, Interpolation, Joint, LocalPose, Mesh, MeshPart, MorphTrack, Node, NodeUses,
    NotSampled, NotSampledCode, Parameter, PartKind, Scene, SettingError, Shape, ShownMesh, Skin,
    SkinVertices, Track, Undrawn, Warning, WarningCode, gltf_buffer_files, read_gltf,
    read_gltf_drawing, read_gltf_drawing_with, read_gltf_file, read_gltf_file_drawing,
    read_gltf_with,
};
pub use text::without_controls;
pub use write::{
    Colour, Document, DocumentFormat, IndexEntry, NodeSelection, Part, TextStyle, write_csv,
    write_diff_json, write_diff_markdown, write_diff_text, write_drift_csv, write_drift_json,
    write_html, write_index, write_json, write_markdown, write_sarif, write_sweep_csv,
    write_sweep_json, write_text,
};
#[cfg(feature = "parquet")]
pub use write::{ParquetTables, write_parquet_rows};
pub use xform_core::Inherit;
pub use xform_engines::Engine;

/// The examples of the README, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the page on matrices, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/matrices.md")]
struct Matrices;
