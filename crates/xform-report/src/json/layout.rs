use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use xform_scene::text::shortest;

/// Writes a value as JSON. Objects and arrays down to a depth are spread over lines; everything inside them is on one
/// line.
pub(crate) fn write_value(
    value: &impl Serialize,
    spread_depth: usize,
    mut out: impl Write,
) -> io::Result<()> {
    write_at(value, spread_depth, 0, &mut out)?;
    out.write_all(b"\n")
}

/// Writes an item of a list that is spread over lines at this depth, with a leading comma.
pub(crate) fn write_item(
    value: &impl Serialize,
    spread_depth: usize,
    depth: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b",")?;
    new_line(depth, out)?;
    write_at(value, spread_depth, depth, out)
}

/// Ends a list at this depth whose items are spread over lines.
pub(crate) fn end_list(has_items: bool, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    if has_items {
        new_line(depth, out)?;
    }
    out.write_all(b"]")
}

/// Writes a value without its last `brackets` closing brackets, so that more members can follow.
pub(crate) fn write_open(
    value: &impl Serialize,
    spread_depth: usize,
    brackets: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    write_at(value, spread_depth, 0, &mut bytes)?;
    for depth in 0..brackets {
        // A line break, the indentation and the bracket.
        bytes.truncate(bytes.len() - 2 - 2 * depth);
    }
    out.write_all(&bytes)
}

/// Writes a value that is inside `depth` others.
pub(crate) fn write_at(
    value: &impl Serialize,
    spread_depth: usize,
    depth: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let formatter = LineAnItem { spread_depth, depth, is_empty: true };
    value.serialize(&mut Serializer::with_formatter(out, formatter))?;
    Ok(())
}

fn new_line(depth: usize, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    out.write_all(b"\n")?;
    out.write_all("  ".repeat(depth).as_bytes())
}

/// Indents the outer levels and puts everything inside them on one line.
struct LineAnItem {
    spread_depth: usize,
    depth: usize,
    is_empty: bool,
}

impl LineAnItem {
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
        let is_spread = self.depth <= self.spread_depth && !self.is_empty;
        self.depth -= 1;
        self.is_empty = false;
        if is_spread {
            new_line(self.depth, out)?;
        }
        out.write_all(bracket)
    }

    fn new_line(&self, out: &mut (impl Write + ?Sized), or: &str) -> io::Result<()> {
        if self.depth > self.spread_depth {
            return out.write_all(or.as_bytes());
        }
        new_line(self.depth, out)
    }
}

impl Formatter for LineAnItem {
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
