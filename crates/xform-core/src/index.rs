//! Indices of nodes and slots as they are stored: in 32 bits, with one value reserved for "none".

/// The value that means no node or no slot.
pub(crate) const NIL: u32 = u32::MAX;

/// Converts the number of a node or slot to the form in which it is stored.
///
/// # Panics
///
/// If the number is not below [`NIL`]. Callers check this before they add nodes.
#[inline]
pub(crate) fn stored(number: usize) -> u32 {
    let stored = u32::try_from(number).ok().filter(|&stored| stored < NIL);
    stored.expect("fewer nodes and slots than NIL")
}
