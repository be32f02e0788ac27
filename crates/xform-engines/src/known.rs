use std::fmt;

/// How it is known what an engine does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Known {
    /// It was run, and its answers are kept beside the tests of this crate.
    Run {
        /// The version that was run.
        version: &'static str,
        /// The name of the run in docs/engines.md.
        run: &'static str,
        /// How many nodes it answered for.
        nodes: usize,
        /// The worst that the rule is from its answers: an entry of a world matrix divided by one more than the largest.
        residual: f64,
    },
    /// Its source code was read.
    Read(&'static str),
    /// Its documentation says so.
    Documented(&'static str),
    /// It is what the entry stands for.
    Defined,
    /// Nobody looked.
    NotSeen,
}

impl Known {
    /// `run`, `read`, `documented`, `defined` or `not seen`.
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

/// As `run: r187`, `read: …` and `defined`.
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

/// A rule, and how it is known.
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
