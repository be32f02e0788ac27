//! The program `xform`: a scene in, a report out.

mod arguments;
mod command;
mod input;
mod limits;
mod output;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

/// A limit was exceeded.
const EXCEEDED: u8 = 1;
/// The command line or an input is bad; clap ends with the same status on its own.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let status = match command::run(&Arguments::parse()) {
        Ok(exceeded) if exceeded.is_empty() => return ExitCode::SUCCESS,
        Ok(exceeded) => {
            print_lines(&exceeded);
            EXCEEDED
        }
        Err(problems) => {
            print_lines(&problems);
            BAD_INPUT
        }
    };
    ExitCode::from(status)
}

/// A problem a line.
fn print_lines(lines: &[String]) {
    for line in lines {
        output::say(&format!("xform: {line}"));
    }
}
