use crate::node_id::Generation;

/// A place in the history of a hierarchy's world transforms: it knows what has changed since it was last asked.
///
/// It comes from [`Hierarchy::change_cursor`](crate::Hierarchy::change_cursor), and is asked by
/// [`Hierarchy::changed_since`](crate::Hierarchy::changed_since). There may be any number of cursors, and each of them
/// sees every change, over however many propagations: one for the upload, one for the physics, one for a view that is
/// drawn every tenth frame.
///
/// Which one to take:
///
/// - [`changed`](crate::Hierarchy::changed) is what the *last* propagation changed. It costs nothing, and is enough where
///   somebody looks after each of them.
/// - A cursor is for whoever looks at their own time.
/// - A [`Watcher`](crate::watcher::Watcher) is for a few nodes, asked from any thread.
///
/// A cursor is only two numbers: a copy of it goes its own way from there. Asked of another hierarchy than before, as of a
/// clone that took its place, it tells everything once; of one from which no cursor was ever taken, every time.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChangeCursor {
    /// The history that it is a place in.
    pub(crate) history: Generation,
    /// The number of the last propagation that was seen.
    pub(crate) seen: u64,
}
