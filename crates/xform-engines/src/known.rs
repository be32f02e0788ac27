use std::fmt;

/// How an engine's rule is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Known {
    /// The engine was run, and its answers are stored beside the tests of this crate.
    Run {
        /// The version that was run.
        version: &'static str,
        /// The name of the run in docs/engines.md.
        run: &'static str,
        /// The number of nodes it answered for.
        nodes: usize,
        /// The largest difference between the rule and the answers: an entry of a world matrix, divided by one more
        /// than the largest entry.
        residual: f64,
    },
    /// Its source code was read.
    Read(&'static str),
    /// Its documentation says so.
    Documented(&'static str),
    /// The rule is the definition of the entry.
    Defined,
    /// Nobody checked.
    NotSeen,
}

impl Known {
    /// Returns `run`, `read`, `documented`, `defined` or `not seen`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Run { .. } => "run",
            Self::Read(_) => "read",
            Self::Documented(_) => "documented",
            Self::Defined => "defined",
            Self::NotSeen => "not seen",
        }
    }
}

/// For example `run: r187`, `read: …` or `defined`.
impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run { version, .. } => write!(f, "run: {version}"),
            Self::Read(source) => write!(f, "read: {source}"),
            Self::Documented(source) => write!(f, "documented: {source}"),
            Self::Defined | Self::NotSeen => write!(f, "{}", self.name()),
        }
    }
}

/// A rule, with how it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim<R> {
    /// The rule.
    pub rule: R,
    /// How it is known.
    pub known: Known,
}

impl<R> Claim<R> {
    pub(crate) const fn new(rule: R, known: Known) -> Self {
        Self { rule, known }
    }
}
