//! Log commands of pipeline runners. A name in a file may contain one.

use std::{
    borrow::Cow,
    env,
    io::{self, Write},
};

/// The prefixes of commands that runners accept anywhere in a line: GitHub's (actions/runner, `ActionCommand.cs`) and
/// that of Azure Pipelines (microsoft/azure-pipelines-agent, `Command.cs`).
const COMMANDS: [&[u8]; 2] = [b"##[", b"##vso["];

/// Whether this process runs in such a pipeline.
pub(crate) fn are_taken() -> bool {
    ["GITHUB_ACTIONS", "TF_BUILD"].iter().any(|name| env::var_os(name).is_some())
}

/// Returns a line with its commands disarmed, if this process runs in such a pipeline.
pub(crate) fn without(line: &str) -> Cow<'_, str> {
    if !are_taken() {
        return line.into();
    }
    let mut bytes = Vec::new();
    // Writing to memory never fails.
    let _ = WithoutCommands::new(&mut bytes).write_all(line.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// A writer that inserts a space into each command, so that runners ignore it.
pub(crate) struct WithoutCommands<W: Write> {
    out: W,
    /// The last bytes, if they may be the start of a command.
    held: Vec<u8>,
    /// The number of colons at the start of the line after blanks: GitHub's runner takes `::` there for a command.
    /// `None` further on in a line, and if the lines are commands of this program.
    colons: Option<usize>,
    has_own: bool,
}

impl<W: Write> WithoutCommands<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, held: Vec::new(), colons: Some(0), has_own: false }
    }

    /// Creates a writer for lines that begin with intended commands.
    pub(crate) fn but_own(out: W) -> Self {
        Self { out, held: Vec::new(), colons: None, has_own: true }
    }

    fn take(&mut self, byte: u8) -> io::Result<()> {
        if !self.has_own {
            self.colons = match (byte, self.colons) {
                (b'\n' | b'\r', _) => Some(0),
                (b':', Some(1)) => {
                    self.held.push(b' ');
                    None
                }
                (b':', Some(colons)) => Some(colons + 1),
                (blank, Some(0)) if blank.is_ascii_whitespace() => Some(0),
                _ => None,
            };
        }
        self.held.push(byte);
        let is_begun = |held: &[u8]| {
            let begun = COMMANDS.iter().find(|command| {
                command.get(..held.len()).is_some_and(|part| part.eq_ignore_ascii_case(held))
            });
            begun.map(|command| command.len() == held.len())
        };
        loop {
            match is_begun(&self.held) {
                Some(true) => {
                    self.held.insert(1, b' ');
                    return self.let_go();
                }
                Some(false) => return Ok(()),
                None => {
                    let first = self.held.remove(0);
                    self.out.write_all(&[first])?;
                }
            }
        }
    }

    fn let_go(&mut self) -> io::Result<()> {
        self.out.write_all(&self.held)?;
        self.held.clear();
        Ok(())
    }
}

impl<W: Write> Write for WithoutCommands<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.iter().try_for_each(|&byte| self.take(byte))?;
        Ok(bytes.len())
    }

    /// The possible start of a command is held back until the end.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Drop for WithoutCommands<W> {
    fn drop(&mut self) {
        // Nobody is left to report an error to.
        let _ = self.let_go().and_then(|()| self.out.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_none_in_whatever_pieces_they_come() {
        let text = "a ##[add-mask]x # ## ##vs ###[b] ##VSO[task] ##v[ é## ##";
        let expected = "a # #[add-mask]x # ## ##vs ## #[b] # #VSO[task] ##v[ é## ##";
        for size in 1..text.len() {
            let mut written = Vec::new();
            let mut out = WithoutCommands::new(&mut written);
            text.as_bytes().chunks(size).for_each(|piece| out.write_all(piece).unwrap());
            drop(out);
            assert_eq!(String::from_utf8(written).unwrap(), expected);
        }
    }

    #[test]
    fn no_line_begins_with_a_command_but_those_that_are_meant() {
        let text = "::error::x\n  ::warning::y\na ::b\n:c ::d\r\t::e\n:\n:f";
        let all = |mut out: WithoutCommands<&mut Vec<u8>>| {
            text.as_bytes().chunks(1).for_each(|piece| out.write_all(piece).unwrap());
        };
        let [mut without, mut own] = [Vec::new(), Vec::new()];
        all(WithoutCommands::new(&mut without));
        let expected = ": :error::x\n  : :warning::y\na ::b\n:c ::d\r\t: :e\n:\n:f";
        assert_eq!(String::from_utf8(without).unwrap(), expected);
        all(WithoutCommands::but_own(&mut own));
        assert_eq!(String::from_utf8(own).unwrap(), text);
    }
}
