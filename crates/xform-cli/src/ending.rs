/// How the program ends after output was written, the worst ending last.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Ending {
    Done,
    /// A limit was exceeded, or something became worse.
    Exceeded,
    /// A repair could not be proved and was not written.
    NotProved,
    /// Some of the scenes could not be audited or repaired.
    SomeFailed,
}
