//! Measures where, why and by how much a scene looks different between engines.
//!
//! The crate takes data and returns data: `xform-scene` reads scenes, `xform-report` writes reports.
//!
//! 1. [`compare_engines`] computes in `f64` how each engine shows a [`Scene`](xform_scene::Scene), and
//!    compares every node with a reference. It returns a [`SceneAudit`], which is plain data. [`compare`]
//!    does the same for the two [strategies](Engine::strategies).
//! 2. [`explain`], [`findings`] and [`advise`] turn the figures into conclusions.
//!
//! ```
//! use xform_compare::compare;
//! use xform_scene::BuiltIn;
//!
//! let scene = BuiltIn::named("skewed-child").expect("built in").scene(&[])?;
//! let audit = compare(&scene)?;
//! assert_eq!(audit.summary.skewed_nodes, 1);
//! assert!((audit.nodes[1].skew_degrees.unwrap() - 36.0442).abs() < 5e-5);
//! assert!((audit.nodes[1].displacement.unwrap() - 0.435338).abs() < 5e-7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The layers of the crate. Each imports only from those above it.
pub mod audit;

pub mod measure;

pub mod judge;

pub use audit::{Audit, CompareError, Grade, NodeAudit, SceneAudit, Summary};
pub use judge::{Advice, Finding, advise, diff, explain, findings};
pub use measure::{compare, compare_engines};
pub use xform_engines::{Engine, physics};
