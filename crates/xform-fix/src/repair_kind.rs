/// The kind of repair to apply to a difference.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum RepairKind {
    /// Moves every scale below the uppermost non-uniform one into vertices, inverse bind matrices and keyframes.
    /// Nothing moves in engines that multiply matrices, and other engines show everything in the same place.
    #[default]
    Bake,
    /// Like [`Bake`](Self::Bake), but a node that loses only a rotation and a scale passes its mesh to a new child node
    /// with that pose. The child has no children, and the vertices stay as they are.
    Leaf,
    /// Makes every non-uniform scale above something turned uniform: it becomes its geometric mean, at rest and at
    /// keyframes. This changes the shape.
    Uniform,
    /// Adds a parent to a node with a sheared `matrix`, so that two poses produce that matrix, by its singular value
    /// decomposition. Nothing moves in engines that multiply matrices. Engines that combine TRS show something else.
    Helper,
    /// Replaces a sheared `matrix` with the nearest translation, rotation and scale. This changes the shape.
    Nearest,
}

impl RepairKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Bake, Self::Leaf, Self::Uniform, Self::Helper, Self::Nearest];

    /// Returns its stable name, for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bake => "bake",
            Self::Leaf => "leaf",
            Self::Uniform => "uniform",
            Self::Helper => "helper",
            Self::Nearest => "nearest",
        }
    }

    /// Whether engines that multiply matrices show the same afterwards, which is then proved.
    #[must_use]
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Bake | Self::Leaf | Self::Helper)
    }
}
