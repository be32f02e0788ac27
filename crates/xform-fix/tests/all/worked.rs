//! Repairs worked out by hand.
