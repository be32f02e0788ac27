//! The time for memory alone if every pose is set: the bytes that each method moves, without arithmetic.

use std::{hint::black_box, ops::BitXor};

use benches::{measure::timed, ours::Input, row::Row};

use crate::{animated::against_glam, full::inputs};

/// The same amount of memory as the columns of the nodes, in words of eight bytes.
struct Columns {
    ids: Vec<u64>,
    /// The table in which ids are looked up.
    entries: Vec<u64>,
    slots: Vec<u64>,
    parents: Vec<u64>,
    frames: [Vec<u64>; 2],
    locals: Vec<u64>,
    worlds: Vec<u64>,
}

impl Columns {
    fn of(input: &Input) -> Self {
        let column = |bytes: usize| vec![1; input.nodes() * bytes / 8];
        Self {
            ids: column(16),
            entries: column(16),
            slots: column(4),
            parents: column(4),
            frames: [40, 40].map(column),
            locals: column(40),
            worlds: column(64),
        }
    }

    /// Reads like `set_locals` before it sets anything: ids are looked up and poses checked.
    fn check(&self, turn: usize) {
        for column in [&self.ids, &self.entries, &self.frames[turn], &self.slots] {
            read(column);
        }
    }

    /// Sets all poses, then reads them and writes all world transforms.
    fn set_and_propagate(&mut self, turn: usize) {
        self.locals.copy_from_slice(&self.frames[turn]);
        read(&self.parents);
        read(&self.locals);
        self.worlds.fill(turn as u64);
    }
}

fn read(column: &[u64]) {
    black_box(column.iter().fold(0, BitXor::bitxor));
}

/// The bars are those of the `all-set` rows that move the same bytes.
pub(crate) fn all() -> Vec<Row> {
    let rows = |input: Input| {
        [
            of_all("memory, all set at once", 0.8, &input, true),
            of_all("memory, all set, slices", 0.62, &input, false),
        ]
    };
    inputs(&[10_000, 100_000]).flat_map(rows).collect()
}

fn of_all(case: &'static str, bar: f64, input: &Input, checks: bool) -> Row {
    let mut columns = Columns::of(input);
    let mut turn = 0;
    let moved = || {
        turn = 1 - turn;
        timed(|| {
            if checks {
                columns.check(turn);
            }
            columns.set_and_propagate(turn);
        })
    };
    against_glam(case, bar, input, moved)
}
