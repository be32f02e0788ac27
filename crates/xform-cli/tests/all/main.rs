//! The program from outside: its arguments, files, output and exit status.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../xform-report/tests/odd/mod.rs"]
mod odd;
#[path = "../program/mod.rs"]
mod program;
#[cfg(feature = "fbx")]
#[allow(dead_code, reason = "the tests of xform-fbx use the rest")]
#[path = "../../../xform-fbx/tests/all/text.rs"]
mod text;

mod advised_fix;
mod bad_input;
mod configuration;
mod diff;
mod engines;
mod fail_open;
#[cfg(feature = "fbx")]
mod fbx;
mod fix;
mod fix_elsewhere;
mod globs;
mod good_input;
mod help;
#[cfg(unix)]
mod links;
#[cfg(target_os = "linux")]
mod many_files;
mod many_reports;
mod odd_files;
mod overwriting;
mod physics;
mod pipelines;
mod reports;
#[cfg(unix)]
mod signals;
#[cfg(target_os = "linux")]
mod terminal;
mod verdicts;
mod verify;
