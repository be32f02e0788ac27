//! The program `xform`: a scene in, a report out.

mod arguments;
mod audits;
mod batches;
mod choices;
mod command;
mod config;
mod cores;
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
mod job;
mod open_regular;
mod output;
mod overwritten;
mod page;
mod page_names;
mod pages;
mod progress;
mod scene_argument;
mod scene_result;
mod signals;
mod suggestion;
mod tally;
mod temporary;
mod verify;
mod worker;
mod workers;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use ending::Ending;
use failure::Failure;

/// A limit was exceeded.
const EXCEEDED: u8 = 1;
/// The command line or an input is bad; clap ends with the same status on its own.
const BAD_INPUT: u8 = 2;
/// A repair could not be proved.
const NOT_PROVED: u8 = 3;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // A worker makes no files, and is told its end by who has started it.
    if !matches!(arguments.command, Command::Work) {
        temporary::remove_on_signals();
    }
    let status = match command::run(&arguments) {
        Ok(Ending::Done) => return ExitCode::SUCCESS,
        Ok(Ending::Exceeded) => EXCEEDED,
        Ok(Ending::NotProved) => NOT_PROVED,
        Ok(Ending::SomeFailed) => BAD_INPUT,
        Err(Failure(lines)) => {
            lines.iter().for_each(|line| output::say_problem(line));
            BAD_INPUT
        }
    };
    ExitCode::from(status)
}
