//! Repairs against an independent computation of what every vertex shows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod file;
mod generated;
mod oracle;
mod random;
mod refused;
mod worked;
