use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::number::shortest;
use crate::Audit;

/// Writes an audit as JSON: the contract that programs read, described in docs/report-format.md.
///
/// One line a node, so that two reports can be compared line by line.
///
/// # Errors
///
/// Those of the output.
pub fn write_json(audit: &Audit, out: &mut impl Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(
        &mut *out,
        LineANode {
            depth: 0,
            is_empty: true,
        },
    );
    audit.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// The objects and arrays down to here are spread over lines: audit, scenes, scene, its lists.
const SPREAD_DEPTH: usize = 4;

/// Indents the outer levels and puts whatever is inside them on one line.
struct LineANode {
    depth: usize,
    is_empty: bool,
}

impl LineANode {
    fn begin(&mut self, out: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_empty = true;
        out.write_all(bracket)
    }

    fn item(&mut self, out: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        if !is_first {
            out.write_all(b",")?;
        }
        self.is_empty = false;
        self.new_line(out, if is_first { "" } else { " " })
    }

    fn end(&mut self, out: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        let is_spread = self.depth <= SPREAD_DEPTH && !self.is_empty;
        self.depth -= 1;
        self.is_empty = false;
        if is_spread {
            out.write_all(b"\n")?;
            out.write_all("  ".repeat(self.depth).as_bytes())?;
        }
        out.write_all(bracket)
    }

    fn new_line(&self, out: &mut (impl Write + ?Sized), or: &str) -> io::Result<()> {
        if self.depth > SPREAD_DEPTH {
            return out.write_all(or.as_bytes());
        }
        out.write_all(b"\n")?;
        out.write_all("  ".repeat(self.depth).as_bytes())
    }
}

impl Formatter for LineANode {
    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        out.write_all(shortest(value).as_bytes())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}
