/// A definition of the scale of a node in the world.
///
/// The definitions differ if an ancestor's scale is non-uniform and something below it is rotated. They
/// differ in sign if something mirrors.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum WorldScale {
    /// The lengths of the columns of the world matrix: how much a vector along each axis is stretched. Never
    /// negative. Used by Godot, which then negates all three if the matrix mirrors.
    ColumnLengths,
    /// Like [`ColumnLengths`](Self::ColumnLengths), with x negated if the matrix mirrors, because a matrix does not
    /// show which axis does. Used by three.js, glam and Bevy.
    SignedLengths,
    /// The stretching along the axes of the [world rotation](crate::Hierarchy::world_rotation) R: diag(Rᵀ·M), where
    /// M is the 3×3 part of the world matrix. Unity's `lossyScale`.
    Projected,
    /// The product of the local scales from the root down, or from the last node that does not
    /// [inherit](crate::Inherit) scale. Used by Unreal and OGRE, and as the scale in combined TRS.
    Product,
    /// The extent of each column along the corresponding axis of Q, the rotation of the polar decomposition, which
    /// is the rotation nearest to the matrix: diag(Qᵀ·M). If the matrix mirrors, its x axis is reversed first, and x
    /// is negative.
    ///
    /// Q is the rotation that is inherited [without scale](crate::Inherit::NoScale). In combined TRS this is the
    /// world rotation, which also replaces it in a strategy that cannot leave scale out.
    Polar,
}
