//! Repairs against an independent computation of what every vertex shows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod compaction;
mod compressed;
mod diffed;
mod file;
mod generated;
mod kinds;
mod kinds_generated;
mod kinds_odd;
mod leniency;
mod oracle;
mod random;
mod refused;
mod worked;
