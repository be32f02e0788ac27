use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::Trs;

use super::humanoid::skeleton;

/// The shape of a generated forest: how parents are assigned.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// Each node's parent is the previous node.
    Chain,
    /// All nodes are children of the first.
    Fan,
    /// Four children per node, breadth first.
    Tree,
    /// Skeletons of 64 joints side by side, each depth first.
    Humanoids,
    /// Each node's parent is one of the thousand before it.
    Random,
}

/// Parents and random local poses, identical for the same seed on every machine.
///
/// Parents come before their children. Scales are non-uniform and within 1 % of 1, so that a chain of a million nodes
/// stays finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    /// The parent of each node.
    pub parents: Vec<Option<usize>>,
    /// The local pose of each node.
    pub locals: Vec<Trs<f64>>,
}

impl Forest {
    /// Generates a forest of `nodes` nodes.
    #[must_use]
    pub fn generate(shape: Shape, nodes: u32, seed: u64) -> Self {
        let mut random = SplitMix64(seed);
        let skeleton = skeleton();
        let parent = |node: usize, random: &mut SplitMix64| match shape {
            Shape::Chain => node.checked_sub(1),
            Shape::Fan => (node > 0).then_some(0),
            Shape::Tree => node.checked_sub(1).map(|below_root| below_root / 4),
            Shape::Humanoids => {
                let first = node - node % skeleton.len();
                skeleton[node % skeleton.len()].map(|parent| first + parent)
            }
            Shape::Random => node.checked_sub(1).map(|last| last - random.below(node.min(1000))),
        };
        let nodes = 0..nodes as usize;
        let parents = nodes.clone().map(|node| parent(node, &mut random)).collect();
        let locals = nodes.map(|_| random.pose()).collect();
        Self { parents, locals }
    }
}

/// Steele, Lea and Flood 2014. Implemented here, in six lines, so that no new version of a dependency changes the
/// scenes.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in 0..bound. `bound` is small, so the bias is too.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("less than a usize")
    }

    /// Uniform in [−1, 1), a multiple of 2⁻²³ and so exact in `f32`.
    fn signed(&mut self) -> f64 {
        (self.next() >> 40) as f64 / f64::from(1 << 23) - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.signed(), self.signed(), self.signed())
    }

    /// Rotated by up to about 55°, moved by up to 1 along each axis.
    fn pose(&mut self) -> Trs<f64> {
        let axis = self.vector() * 0.3;
        let rotation = UnitQuaternion::new_normalize(Quaternion::from_parts(1.0, axis));
        let scale = Vector3::repeat(1.0) + self.vector() * 0.01;
        Trs::from_parts(self.vector(), rotation, scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_has_64_joints_and_a_forest_repeats_it() {
        assert_eq!(skeleton().len(), 64);
        let forest = Forest::generate(Shape::Humanoids, 200, 1);
        assert_eq!(forest.parents.iter().filter(|parent| parent.is_none()).count(), 4);
        assert_eq!(forest.parents[64 + 1], Some(64));
    }

    #[test]
    fn the_same_seed_gives_the_same_forest_and_another_one_another() {
        let [a, b, c] = [1, 1, 2].map(|seed| Forest::generate(Shape::Random, 50, seed));
        assert_eq!(a, b);
        assert_ne!(a.parents, c.parents);
        assert_ne!(a.locals, c.locals);
    }

    #[test]
    fn the_first_draws_of_splitmix64_are_the_published_ones() {
        // The output of the authors' C program for seed 1234567.
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
