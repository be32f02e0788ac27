//! The program `xform`: a scene in, a report out. This library embeds it in another program, such as the Python
//! package. For everything else, depend on `xform-compare` and `xform-report`.

mod arguments;
mod audits;
mod batches;
mod choices;
mod command;
mod config;
mod cores;
mod dead_links;
mod diff;
mod ending;
mod engine_name;
mod engines;
mod failure;
#[cfg(feature = "fbx")]
mod fbx;
#[cfg(not(feature = "fbx"))]
#[path = "no_fbx.rs"]
mod fbx;
mod files;
mod fix;
mod globs;
mod input;
mod invocation;
mod job;
mod log_commands;
mod open_files;
mod output;
mod overwritten;
mod page;
mod page_names;
mod pages;
mod progress;
mod relative_uri;
mod repaired_file;
mod scene_argument;
mod scene_result;
mod signals;
mod suggestion;
mod tally;
mod temporary;
mod verify;
mod worker;
mod workers;

use std::{ffi::OsString, iter};

use clap::Parser;

use arguments::{Arguments, Command};
use ending::Ending;
use failure::Failure;

pub use invocation::Invocation;

/// A limit was exceeded.
const EXCEEDED: u8 = 1;
/// The command line or an input is bad. clap exits with the same status.
const BAD_INPUT: u8 = 2;
/// A repair could not be proved.
const NOT_PROVED: u8 = 3;

/// Runs the program and returns its exit status.
#[must_use]
pub fn run(invocation: &Invocation) -> u8 {
    let name = OsString::from("xform");
    let arguments = match Arguments::try_parse_from(iter::once(&name).chain(&invocation.arguments))
    {
        Ok(arguments) => arguments,
        Err(error) => {
            output::say_usage(&error);
            return error.exit_code().try_into().unwrap_or(BAD_INPUT);
        }
    };
    // A worker creates no files, and its parent process ends it.
    if !matches!(arguments.command, Command::Work) {
        temporary::remove_on_signals();
    }
    match command::run(&arguments, invocation) {
        Ok(Ending::Done) => 0,
        Ok(Ending::Exceeded) => EXCEEDED,
        Ok(Ending::NotProved) => NOT_PROVED,
        Ok(Ending::SomeFailed) => BAD_INPUT,
        Err(Failure(lines)) => {
            lines.iter().for_each(|line| output::say_problem(line));
            BAD_INPUT
        }
    }
}
