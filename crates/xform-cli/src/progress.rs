use std::{io::IsTerminal, thread, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::output;

/// The delay before progress is shown.
const LONG: Duration = Duration::from_millis(500);

/// The interval between updates.
const TICK: Duration = Duration::from_millis(100);

/// A progress bar, shown only on a terminal and only after a delay.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Shows that one scene is being worked on, without a percentage.
    pub(crate) fn of_one(is_quiet: bool) -> Self {
        Self::new(is_quiet, || Some(1))
    }

    /// Shows the progress over many scenes. `count` is called only if somebody may see the bar.
    pub(crate) fn new(is_quiet: bool, count: impl FnOnce() -> Option<u64>) -> Self {
        let is_wanted = !is_quiet && std::io::stderr().is_terminal();
        let count = if is_wanted { count() } else { None };
        let bar = ProgressBar::with_draw_target(count, ProgressDrawTarget::hidden());
        let template = match count {
            Some(1) => "{spinner} working for {elapsed}",
            Some(_) => "{wide_bar} {pos} of {len} scenes, {rate} per second, {eta} left",
            None => "{spinner} {pos} scenes, {rate} per second",
        };
        let style = ProgressStyle::with_template(template).expect("the templates are valid");
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A failure here only affects the display.
            let _ = write!(out, "{:.0}", state.per_sec());
        };
        bar.set_style(style.with_key("rate", rate));
        if is_wanted {
            let bar = bar.clone();
            thread::spawn(move || {
                thread::sleep(LONG);
                if !bar.is_finished() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        Self { bar }
    }

    /// Adds to the number of finished scenes.
    pub(crate) fn advance(&self, scenes: u64) {
        self.bar.inc(scenes);
    }

    /// Prints lines above the bar.
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
