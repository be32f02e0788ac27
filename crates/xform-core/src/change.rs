use std::ops::{BitOr, BitOrAssign};

/// A set of the parts of a transform that may have changed: position, rotation and scale.
///
/// In combined TRS, a part that is not in the set has exactly the bits that it had before. Accumulated matrices do
/// not keep rotation and scale apart. There, a part that is not in the set is unchanged to within rounding,
/// `ROTATION` means that the axes may point elsewhere, and `SCALE` means that their lengths, their signs or the
/// angles between them may differ. [`NONE`](Self::NONE) always means the same bits.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Change(u8);

impl Change {
    /// The empty set: nothing changed.
    pub const NONE: Self = Self(0);
    /// The position of the origin.
    pub const POSITION: Self = Self(1);
    /// The rotation of the axes.
    pub const ROTATION: Self = Self(2);
    /// The scale along the axes.
    pub const SCALE: Self = Self(4);
    /// Position, rotation and scale.
    pub const ALL: Self = Self(7);

    /// Returns whether nothing changed.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns whether any of these parts is in this set.
    #[must_use]
    pub fn intersects(self, parts: Self) -> bool {
        self.0 & parts.0 != 0
    }

    /// Returns this set if the condition holds, otherwise [`NONE`](Self::NONE).
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
