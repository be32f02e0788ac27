use nalgebra::Vector3;

/// A camera or a light at a node. It draws nothing itself; its position and direction have the effect.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Fixture {
    /// Its kind.
    pub kind: FixtureKind,
    /// The format that defines its axes.
    pub axes: FixtureAxes,
}

/// The direction of a [`Fixture`] in the space of its node, a convention of the file format.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FixtureAxes {
    /// In glTF, cameras and lights (`KHR_lights_punctual`) point along −z, and y is up.
    Gltf,
    /// In FBX, cameras look along x with y up, and lights shine along −y.
    Fbx,
}

/// The kind of a [`Fixture`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FixtureKind {
    /// A camera.
    Camera,
    /// A light from one direction, wherever it is.
    DirectionalLight,
    /// A light that shines from its position in all directions.
    PointLight,
    /// A light that shines from its position in one direction.
    SpotLight,
    /// A light that shines from a surface.
    AreaLight,
}

impl FixtureKind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Camera, Self::DirectionalLight, Self::PointLight, Self::SpotLight, Self::AreaLight];

    /// Returns its name in reports: `camera`, `directional-light`, `point-light`, `spot-light` or `area-light`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Camera => "camera",
            Self::DirectionalLight => "directional-light",
            Self::PointLight => "point-light",
            Self::SpotLight => "spot-light",
            Self::AreaLight => "area-light",
        }
    }

    /// Whether its position has an effect.
    #[must_use]
    pub fn has_place(self) -> bool {
        self != Self::DirectionalLight
    }

    /// Whether its direction has an effect.
    #[must_use]
    pub fn has_direction(self) -> bool {
        self != Self::PointLight
    }

    /// Whether its upward direction has an effect.
    #[must_use]
    pub fn has_up(self) -> bool {
        matches!(self, Self::Camera | Self::AreaLight)
    }
}

impl Fixture {
    /// Creates a fixture of a kind, with the axes of a format.
    #[must_use]
    pub fn new(kind: FixtureKind, axes: FixtureAxes) -> Self {
        Self { kind, axes }
    }

    /// Returns the direction in which it points, in the node's own space, as a unit vector.
    #[must_use]
    pub fn forward(self) -> Vector3<f64> {
        match (self.axes, self.kind) {
            (FixtureAxes::Gltf, _) => -Vector3::z(),
            (FixtureAxes::Fbx, FixtureKind::Camera) => Vector3::x(),
            (FixtureAxes::Fbx, _) => -Vector3::y(),
        }
    }

    /// Returns its upward direction in the node's own space, a unit vector perpendicular to
    /// [`forward`](Self::forward).
    #[must_use]
    pub fn up(self) -> Vector3<f64> {
        match (self.axes, self.kind) {
            (FixtureAxes::Gltf, _) | (FixtureAxes::Fbx, FixtureKind::Camera) => Vector3::y(),
            (FixtureAxes::Fbx, _) => Vector3::z(),
        }
    }
}
