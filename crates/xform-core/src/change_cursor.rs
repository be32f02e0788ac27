use crate::node_id::Generation;

/// A position in the history of a hierarchy's world transforms, from which later changes are reported.
///
/// [`Hierarchy::change_cursor`](crate::Hierarchy::change_cursor) creates one, and
/// [`Hierarchy::changed_since`](crate::Hierarchy::changed_since) reports the changes since the last call with it.
/// There may be any number of cursors, and each of them sees every change, over any number of propagations: one for
/// the upload, one for the physics, one for a view that is drawn every tenth frame.
///
/// There are three ways to find changes:
///
/// - [`changed`](crate::Hierarchy::changed) returns the changes of the *last* propagation. It costs nothing, and is
///   enough if you query it after every propagation.
/// - A cursor is for a reader with its own schedule.
/// - A [`Watcher`](crate::watcher::Watcher) is for a few nodes, and can be queried from any thread.
///
/// A cursor is two numbers; a copy advances independently. With another hierarchy than before, such as a clone that
/// took its place, the next call reports everything once. With a hierarchy for which no cursor was ever created,
/// every call reports everything.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChangeCursor {
    /// The history in which this is a position.
    pub(crate) history: Generation,
    /// The number of the last propagation that was seen.
    pub(crate) seen: u64,
}
