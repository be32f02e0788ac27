/// What is meant by the scale of a node in the world.
///
/// The three differ where an ancestor's scale is uneven and something below it is turned; and
/// in sign where something mirrors.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum WorldScale {
    /// The lengths of the columns of the world matrix: how much a vector along each axis is
    /// stretched. Never negative. three.js and Bevy (which then negate x where the matrix mirrors),
    /// Godot (which then negates all three).
    ColumnLengths,
    /// diag(Rᵀ·M), M the 3×3 part of the world matrix and R the
    /// [world rotation](crate::Hierarchy::world_rotation): what of the stretching is along the axes of
    /// that rotation. Unity's `lossyScale`.
    Projected,
    /// The product of the local scales from the root down, or from the last node that does not
    /// [inherit](crate::Inherit) scale. Unreal, OGRE; what combined TRS scales by.
    Product,
}
