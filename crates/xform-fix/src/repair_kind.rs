/// What is done about a difference.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum RepairKind {
    /// Every scale below the uppermost non-uniform one goes into vertices, inverse bind matrices and keyframes. In engines that
    /// multiply matrices nothing moves, and in the others everything is where these have it.
    #[default]
    Bake,
    /// The same, but where all that a node loses is a scale, its mesh goes to a new node with that scale and nothing below it,
    /// and its vertices stay as they are.
    Leaf,
    /// Every non-uniform scale above something turned becomes uniform: its geometric mean, at rest and at keyframes. That changes the
    /// shape.
    Uniform,
    /// A node with a sheared `matrix` gets another node above it, so that two poses make that matrix: by its singular value
    /// decomposition. Nothing moves in engines that multiply matrices. Those that combine TRS show something else.
    Helper,
    /// A sheared `matrix` becomes the nearest translation, rotation and scale. That changes the shape.
    Nearest,
}

impl RepairKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Bake, Self::Leaf, Self::Uniform, Self::Helper, Self::Nearest];

    /// Its stable name, for programs.
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
