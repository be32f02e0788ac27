//! Places a vertex in the world.

use nalgebra::{Matrix3, Matrix4, Vector3};

use super::side::Vertices;

/// The maps that take one vertex into the world.
pub(super) struct Shown {
    pub(super) world: Matrix4<f64>,
    pub(super) linear: Matrix3<f64>,
    pub(super) of_normals: Matrix3<f64>,
    pub(super) side: f64,
}

/// A vertex in the world.
pub(super) struct PlacedVertex {
    pub(super) position: Vector3<f64>,
    pub(super) normal: Option<Vector3<f64>>,
    pub(super) tangent: Option<Vector3<f64>>,
    /// The handedness of its normal and tangent, including the side from which it is seen: its sign counts.
    pub(super) side: f64,
}

/// The relative volume at or below which a linear map counts as flattening. It is a fraction of the cube of its largest
/// entry.
const FLAT: f64 = 1e-7;

/// Whether a linear map leaves no volume beyond rounding.
pub(super) fn is_flat(linear: &Matrix3<f64>) -> bool {
    let size = linear.amax();
    let unit = linear / if size > 0.0 { size } else { 1.0 };
    let volume = unit.determinant().abs();
    volume.is_nan() || volume <= FLAT
}

impl Shown {
    /// Whether the vertex is flattened.
    pub(super) fn is_flat(&self) -> bool {
        is_flat(&self.linear)
    }

    pub(super) fn new(vertices: &Vertices, worlds: &[Matrix4<f64>], vertex: usize) -> Self {
        let world = match vertices.follows.get(vertex) {
            None => worlds[0],
            Some(follows) => {
                let sum: f64 = follows.iter().map(|(_, weight)| weight).sum();
                let blended = follows.iter().fold(Matrix4::zeros(), |blended, &(joint, weight)| {
                    blended + worlds[joint] * weight
                });
                if sum == 0.0 { blended } else { blended / sum }
            }
        };
        let linear: Matrix3<f64> = world.fixed_view::<3, 3>(0, 0).into_owned();
        let determinant = linear.determinant();
        // A flattening matrix transforms normals too: by the inverse transpose up to its length, which is the cofactor
        // matrix.
        let of_normals = match linear.try_inverse() {
            Some(inverse) => inverse.transpose(),
            None => linear.cofactor(),
        };
        Self { world, linear, of_normals, side: determinant.signum() }
    }

    pub(super) fn at(
        &self,
        vertices: &Vertices,
        vertex: usize,
        morph: Option<usize>,
    ) -> PlacedVertex {
        let target = morph.map(|target| &vertices.targets[target]);
        let with = |base: Vector3<f64>, offsets: Option<&Vec<Vector3<f64>>>| {
            offsets.and_then(|offsets| offsets.get(vertex)).map_or(base, |offset| base + offset)
        };
        let position = with(vertices.positions[vertex], target.map(|target| &target.positions));
        let normal = vertices
            .normals
            .get(vertex)
            .map(|&normal| self.of_normals * with(normal, target.map(|target| &target.normals)));
        let tangent = vertices.tangents.get(vertex);
        let side = tangent.map_or(0.0, |tangent| tangent.w * self.side);
        let tangent = tangent.map(|tangent| {
            self.linear * with(tangent.xyz(), target.map(|target| &target.tangents))
        });
        let position = (self.world * position.push(1.0)).xyz();
        PlacedVertex { position, normal, tangent, side }
    }
}

trait Cofactor {
    fn cofactor(&self) -> Self;
}

impl Cofactor for Matrix3<f64> {
    /// Returns the matrix of cofactors: the inverse transpose times the determinant. It exists for every matrix.
    fn cofactor(&self) -> Self {
        let [x, y, z] = [0, 1, 2].map(|i| self.column(i).into_owned());
        Self::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)])
    }
}
