/// How the program ends where something was written, the worst last.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Ending {
    Done,
    /// Something was written, and a limit was exceeded or something became worse.
    Exceeded,
    /// A repair could not be proved, and was not written.
    NotProved,
    /// Something was written, and some of the scenes could not be audited or repaired.
    SomeFailed,
}
