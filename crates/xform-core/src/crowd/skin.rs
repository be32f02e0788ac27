use nalgebra::Matrix4;

use super::{CrowdTransform, LANES, lanes::Lanes};

/// The joints that a mesh is bound to, each with its inverse bind matrix. Made once for each mesh.
///
/// An inverse bind matrix is the inverse of the joint's world matrix in the bind pose. It takes points from the
/// mesh's own space to the joint's. The two correspond to glTF's `joints` and `inverseBindMatrices`.
#[derive(Clone, Debug)]
pub struct InverseBinds(pub(super) Vec<InverseBind>);

/// An inverse bind matrix without its last row, with each entry repeated in every lane. With four lanes, repeating the
/// twelve entries only when they are used took a third of the time of `Crowd::skin_into`.
#[derive(Clone, Copy, Debug)]
pub(super) struct InverseBind {
    pub(super) joint: usize,
    pub(super) rows: [[Lanes; 4]; 3],
}

impl InverseBinds {
    /// Creates the binds from pairs of a joint and its inverse bind matrix. The last row of each matrix is not read
    /// and is taken to be 0 0 0 1.
    #[must_use]
    pub fn new(binds: impl IntoIterator<Item = (usize, Matrix4<f32>)>) -> Self {
        let spread = |(joint, matrix): (usize, Matrix4<f32>)| {
            let row = |row: usize| [0, 1, 2, 3].map(|column| Lanes::from(matrix[(row, column)]));
            InverseBind { joint, rows: [row(0), row(1), row(2)] }
        };
        Self(binds.into_iter().map(spread).collect())
    }

    /// Returns the number of binds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no binds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One pass over groups of [`LANES`] instances, that writes their skinning matrices.
#[derive(Debug)]
pub struct Skinning<'a, X: CrowdTransform> {
    /// The number of joints, at least one.
    pub(super) joints: usize,
    /// All joints of the first group, then of the next, and room for one more group if their number is odd.
    pub(super) worlds: &'a [X::Block],
    /// For each group, whether its instances take part.
    pub(super) active: &'a [[bool; LANES]],
    /// At least one, each of a joint that there is.
    pub(super) inverse_binds: &'a [InverseBind],
    /// One for each inverse bind of the first instance, then of the next.
    pub(super) palettes: &'a mut [[f32; 12]],
}

impl<X: CrowdTransform> Skinning<'_, X> {
    /// Runs the pass one group after another.
    pub fn run_plain(self) {
        let groups = self.worlds.chunks_exact(self.joints).zip(self.active);
        let palettes = self.palettes.chunks_mut(LANES * self.inverse_binds.len());
        for ((worlds, active), palettes) in groups.zip(palettes) {
            skin_group::<X>(worlds, *active, self.inverse_binds, palettes);
        }
    }
}

fn skin_group<X: CrowdTransform>(
    worlds: &[X::Block],
    active: [bool; LANES],
    inverse_binds: &[InverseBind],
    palettes: &mut [[f32; 12]],
) {
    if active == [false; LANES] {
        return;
    }
    for (i, bind) in inverse_binds.iter().enumerate() {
        let world = X::matrices(&worlds[bind.joint]);
        for row in 0..3 {
            let rows = world.row_of_product(row, &bind.rows);
            for lane in 0..LANES {
                if active[lane] {
                    let palette = &mut palettes[lane * inverse_binds.len() + i];
                    palette[4 * row..][..4].copy_from_slice(&rows[lane]);
                }
            }
        }
    }
}
