//! Where, why and by how much accumulated matrices and combined TRS differ on a scene.
//!
//! A [`Scene`] comes from a glTF file ([`read_gltf`]) or is built in ([`BuiltIn`]); [`compare`]
//! runs both strategies over it in `f64` and yields plain data; the `write_*` functions turn that
//! into text, JSON or a page.
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

mod advice;
mod animation;
mod audit;
mod built_in;
mod cause;
mod code;
mod compare;
mod drift;
mod explain;
mod finding;
mod gltf;
mod metrics;
mod motion;
mod noticed;
mod path;
mod ranking;
mod report;
mod scene;
mod sweep;
mod warning;
mod worlds;
mod write;

pub use advice::{Advice, Outcome, Refusal, Repair, advise};
pub use animation::{Animation, Channel, Curve, CurveError, Interpolation, NotSampled, Track};
pub use audit::{
    AnimationAudit, AtWorst, Audit, LocalAudit, MatrixAudit, Moment, MotionSummary, NodeAudit,
    NodeMotion, Peak, SceneAudit, Summary, Thresholds, TrsAudit, Worst, WorstInMotion,
};
pub use built_in::{BuiltIn, Forest, Parameter, SettingError, Shape};
pub use cause::{Cause, Contribution};
pub use code::{ErrorCode, NotSampledCode};
pub use compare::{CompareError, compare};
pub use drift::{Drift, DriftSample};
pub use explain::explain;
pub use finding::{Excess, Finding, Limits, Severity, findings};
pub use gltf::{Animations, GltfError, read_gltf, read_gltf_file};
pub use metrics::{displacement, linear_difference, orthogonality, skew_pairs};
pub use path::node_path;
pub use report::{Report, ReportError, Slider, Solid};
pub use scene::{Bounds, Local, Node, Scene, Ties};
pub use sweep::{Sweep, SweepSample};
pub use warning::{Warning, WarningCode};
#[cfg(feature = "parquet")]
pub use write::ParquetTables;
pub use write::{
    Colour, Nodes, Problem, RULES, write_csv, write_drift_csv, write_drift_json, write_error_row,
    write_file_row, write_html, write_ignored_row, write_json, write_markdown, write_node_rows,
    write_sarif, write_sweep_csv, write_sweep_json, write_text,
};
pub use xform_core::Inherit;

/// The examples of the README, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Those of the page on matrices.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/matrices.md")]
struct Matrices;
