//! Skins: vertices that follow joints.

use std::{ops::Range, sync::Arc};

use nalgebra::{Matrix4, Point3};

/// A mesh whose vertices follow joints. It is moved by their transforms, not by that of the node that shows it.
///
/// A vertex `v` is at Σ wᵢ · Jᵢ · Bᵢ · v, with the weight `w`, the world transform `J` and the inverse bind matrix
/// `B` of each joint that it follows (glTF 2.0, 3.7.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// The joints; vertices refer to them by index.
    pub joints: Arc<[Joint]>,
    /// The vertices, which several skins can share.
    pub vertices: Arc<SkinVertices>,
}

/// A joint of a [`Skin`].
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The node, an index into [`Scene::nodes`](super::Scene::nodes).
    pub node: usize,
    /// The matrix from the space of the mesh to the joint's own.
    pub inverse_bind: Matrix4<f64>,
}

/// The vertices of a mesh, in the mesh's space, with the joints that each follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinVertices {
    positions: Vec<Point3<f64>>,
    /// For each vertex, the end of its influences. They begin at the end of the previous vertex.
    ends: Vec<usize>,
    influences: Vec<(usize, f64)>,
}

impl SkinVertices {
    /// Adds a vertex that follows joints of the skin, each with a weight.
    ///
    /// The weights are divided by their sum. A vertex whose weights add up to zero is left out, and so is one with a
    /// number that is not finite.
    pub fn push(&mut self, position: Point3<f64>, weights: impl IntoIterator<Item = (usize, f64)>) {
        let start = self.influences.len();
        self.influences.extend(weights.into_iter().filter(|&(_, weight)| weight != 0.0));
        let added = &mut self.influences[start..];
        let sum: f64 = added.iter().map(|(_, weight)| weight).sum();
        let is_usable = sum.is_finite() && sum != 0.0 && position.iter().all(|at| at.is_finite());
        if !is_usable {
            return self.influences.truncate(start);
        }
        added.iter_mut().for_each(|(_, weight)| *weight /= sum);
        self.positions.push(position);
        self.ends.push(self.influences.len());
    }

    /// Iterates over the vertices, each with the joints that it follows, as indices into [`Skin::joints`], and their
    /// weights, whose sum is 1.
    pub fn iter(&self) -> impl Iterator<Item = (&Point3<f64>, &[(usize, f64)])> {
        self.range(0..self.len())
    }

    /// Iterates over a range of the vertices, by their position in [`iter`](Self::iter).
    ///
    /// # Panics
    ///
    /// If the range exceeds the vertices.
    pub fn range(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (&Point3<f64>, &[(usize, f64)])> {
        let first = range.start.checked_sub(1).map_or(0, |before| self.ends[before]);
        let ends = &self.ends[range.clone()];
        let starts = std::iter::once(first).chain(ends.iter().copied());
        let influences = starts.zip(ends).map(|(start, &end)| &self.influences[start..end]);
        self.positions[range].iter().zip(influences)
    }

    /// Returns the number of vertices. One with morph targets counts once for each of its possible positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_divided_by_their_sum_and_what_follows_nothing_is_left_out() {
        let mut vertices = SkinVertices::default();
        vertices.push(Point3::new(1.0, 2.0, 3.0), [(0, 1.0), (5, 0.0), (2, 3.0)]);
        vertices.push(Point3::origin(), [(0, 0.0)]);
        vertices.push(Point3::origin(), [(0, f64::NAN)]);
        vertices.push(Point3::new(0.0, f64::INFINITY, 0.0), [(0, 1.0)]);
        vertices.push(Point3::origin(), [(7, 1.0)]);
        let all: Vec<_> = vertices.iter().map(|(at, follows)| (at.x, follows.to_vec())).collect();
        assert_eq!(all, [(1.0, vec![(0, 0.25), (2, 0.75)]), (0.0, vec![(7, 1.0)])]);
        assert_eq!(vertices.len(), 2);
    }
}
