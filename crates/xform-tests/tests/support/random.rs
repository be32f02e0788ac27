//! Choices that a seed settles.

use nalgebra::{UnitQuaternion, Vector3};
use xform_core::Trs;

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        let unit = f32::from(u16::try_from(self.next() >> 48).unwrap()) / f32::from(u16::MAX);
        low + unit * (high - low)
    }

    pub(crate) fn vector(&mut self, low: f32, high: f32) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.between(low, high))
    }

    /// Scales so near 1 that no depth that comes up makes them overflow.
    pub(crate) fn pose(&mut self) -> Trs<f32> {
        let mirrored = if self.one_in(8) { -1.0 } else { 1.0 };
        let rotation = UnitQuaternion::from_scaled_axis(self.vector(-3.0, 3.0));
        Trs::from_parts(self.vector(-5.0, 5.0), rotation, self.vector(0.8, 1.25) * mirrored)
    }

    /// Trees of `len` nodes in all, parents before children or the other way round.
    pub(crate) fn forest(&mut self, len: usize) -> Vec<Option<usize>> {
        let parent_of = |node: usize, random: &mut Self| {
            (node > 0 && !random.one_in(8)).then(|| node - 1 - random.below(node.min(12)))
        };
        let parents: Vec<_> = (0..len).map(|node| parent_of(node, self)).collect();
        if self.one_in(2) {
            return parents;
        }
        parents.iter().rev().map(|parent| parent.map(|parent| len - 1 - parent)).collect()
    }
}
