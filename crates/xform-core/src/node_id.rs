use std::{
    fmt,
    num::NonZeroU64,
    sync::atomic::{AtomicU64, Ordering},
};

/// Identifies one node of one [`Hierarchy`](crate::Hierarchy) for as long as the node lives.
///
/// An id contains a generation, a number that is drawn once per insertion and never again in this process. So an id
/// that outlived its node or came from another hierarchy is recognised, and never refers to another node. A clone of
/// a hierarchy knows the ids that its original had given out before. A node that is inserted later into either of
/// the two is known only to that one.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct NodeId {
    pub(crate) index: u32,
    pub(crate) generation: Generation,
}

/// A number that is unique in the process; 2⁶⁴ insertions are out of reach.
pub(crate) type Generation = NonZeroU64;

/// Reserves `count` consecutive generations that were never drawn before, and returns the first.
pub(crate) fn draw_generations(count: usize) -> Generation {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let first = NEXT.fetch_add(count as u64, Ordering::Relaxed);
    Generation::new(first).expect("counts up from 1 and cannot wrap in practice")
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}#{}", self.index, self.generation)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeId({}#{})", self.index, self.generation)
    }
}
