use std::ops::{BitOr, BitOrAssign};

/// What of a transform may have changed: any of position, rotation and scale.
///
/// A part that is not named has the bits that it had, in combined TRS, and is what it was to within
/// rounding in accumulated matrices, where rotation and scale are not kept apart: there
/// `ROTATION` means that the axes may point elsewhere, `SCALE` that their lengths, their signs or the
/// angles between them may be others. [`NONE`](Self::NONE) always means the same bits.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Change(u8);

impl Change {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Where the origin is.
    pub const POSITION: Self = Self(1);
    /// How the axes are turned.
    pub const ROTATION: Self = Self(2);
    /// What the axes are scaled by.
    pub const SCALE: Self = Self(4);
    /// All of them.
    pub const ALL: Self = Self(7);

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether any of these parts is among what changed.
    #[must_use]
    pub fn intersects(self, parts: Self) -> bool {
        self.0 & parts.0 != 0
    }

    /// These parts where the condition holds, else nothing.
    #[must_use]
    pub fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }

    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    pub(crate) fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }
}

impl BitOr for Change {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Change {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}
