//! The signals that end the program: SIGINT, SIGTERM and SIGHUP, or their counterparts on Windows.

#[cfg(unix)]
pub(crate) use unix::on_end;

/// Calls a function on Ctrl-C, on Ctrl-Break, when the console is closed, and at the end of a session.
#[cfg(not(unix))]
pub(crate) fn on_end(end: impl Fn() + Send + 'static) {
    // Without a handler only the cleanup is lost.
    let _ = ctrlc::try_set_handler(end);
}

#[cfg(unix)]
mod unix {
    use std::{fs, process::Command, thread};

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };

    const ENDING: [(&str, i32); 3] = [("HUP", SIGHUP), ("INT", SIGINT), ("TERM", SIGTERM)];

    /// Calls a function on one of the signals. A signal that is ignored stays ignored, as with `nohup` or in the
    /// background of a script.
    pub(crate) fn on_end(end: impl Fn() + Send + 'static) {
        // Installing a handler would end the ignoring.
        let ignored = from_proc().unwrap_or_else(from_shell);
        let heeded = ENDING.into_iter().filter(|(name, _)| !ignored.contains(name));
        let heeded = heeded.map(|(_, signal)| signal);
        // Without a handler only the cleanup is lost.
        let Ok(mut signals) = Signals::new(heeded) else { return };
        let heed = move || signals.forever().for_each(|_| end());
        let _ = thread::Builder::new().spawn(heed);
    }

    /// Returns the names of the signals that this process ignores, or `None` without a `/proc` like that of Linux.
    ///
    /// The standard library does not expose this, and asking the system would need unsafe code.
    fn from_proc() -> Option<Vec<&'static str>> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        let is_ignored = |signal: i32| mask >> (signal - 1) & 1 == 1;
        Some(
            ENDING
                .into_iter()
                .filter(|&(_, signal)| is_ignored(signal))
                .map(|(name, _)| name)
                .collect(),
        )
    }

    /// Returns the same by asking a shell. It inherits ignored signals and cannot change that, so it survives them.
    fn from_shell() -> Vec<&'static str> {
        let survives = |name: &str| {
            let kill = Command::new("sh").args(["-c", "kill -s \"$0\" $$", name]).status();
            kill.is_ok_and(|status| status.success())
        };
        ENDING.into_iter().map(|(name, _)| name).filter(|name| survives(name)).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Holds whichever signals the tests themselves ignore.
        #[cfg(target_os = "linux")]
        #[test]
        fn a_shell_says_what_the_system_says() {
            assert_eq!(from_proc(), Some(from_shell()));
        }
    }
}
