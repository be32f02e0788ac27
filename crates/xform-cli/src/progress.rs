use std::{
    cell::Cell,
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::output;

/// What takes less needs no bar.
const LONG: Duration = Duration::from_millis(500);

/// How far an audit of many scenes is: on a terminal alone, and only once it takes long.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    is_wanted: Cell<bool>,
}

impl Progress {
    /// `count` is asked for only where somebody may see the bar.
    pub(crate) fn new(is_quiet: bool, count: impl FnOnce() -> Option<u64>) -> Self {
        let is_wanted = !is_quiet && std::io::stderr().is_terminal();
        let count = if is_wanted { count() } else { None };
        let bar = ProgressBar::with_draw_target(count, ProgressDrawTarget::hidden());
        let template = match count {
            Some(_) => "{wide_bar} {pos} of {len} scenes, {rate} a second, {eta} left",
            None => "{spinner} {pos} scenes, {rate} a second",
        };
        let style = ProgressStyle::with_template(template).expect("the templates are valid");
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // That nobody sees it is no error.
            let _ = write!(out, "{:.0}", state.per_sec());
        };
        bar.set_style(style.with_key("rate", rate));
        Self { bar, started: Instant::now(), is_wanted: Cell::new(is_wanted) }
    }

    pub(crate) fn advance(&self, files: usize) {
        if self.is_wanted.get() && self.started.elapsed() > LONG {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_wanted.set(false);
        }
        self.bar.inc(files as u64);
    }

    /// Says lines above the bar.
    pub(crate) fn say(&self, lines: &[String]) {
        if !lines.is_empty() {
            self.bar.suspend(|| lines.iter().for_each(|line| output::say_problem(line)));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
