//! Random forests with poses of every kind that a kernel may be given.

use std::{iter, ops::Range};

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_core::{Real, Topology, Trs};

#[derive(Clone, Debug)]
pub(crate) struct Forest {
    pub(crate) topology: Topology,
    pub(crate) locals: Vec<Trs<f32>>,
}

impl Forest {
    pub(crate) fn len(&self) -> usize {
        self.locals.len()
    }

    pub(crate) fn is_at_or_below(&self, slot: usize, top: usize) -> bool {
        iter::successors(Some(slot), |&slot| self.topology.parent(slot)).any(|at| at == top)
    }

    pub(crate) fn with_component(&self, slot: usize, component: usize, value: f32) -> Self {
        let mut locals = self.locals.clone();
        locals[slot] = with_component(&locals[slot], component, value);
        Self { topology: self.topology.clone(), locals }
    }
}

/// Which slot is the parent of a slot other than the first, given a random number.
const SHAPES: [fn(usize, usize) -> Option<usize>; 6] = [
    |slot, random| Some(random % slot),
    |slot, _| Some(slot - 1),
    |_, _| Some(0),
    |slot, random| (!random.is_multiple_of(4)).then_some(random / 4 % slot),
    |slot, random| Some(slot.saturating_sub(1 + random % 4)),
    |_, _| None,
];

pub(crate) fn forest(
    pose: impl Strategy<Value = Trs<f32>>,
    len: Range<usize>,
) -> impl Strategy<Value = Forest> {
    let slots = proptest::collection::vec((any::<usize>(), pose), len);
    (0..SHAPES.len(), slots).prop_map(|(shape, slots)| {
        let parent = |(slot, &(random, _)): (usize, &(usize, _))| {
            (slot > 0).then(|| SHAPES[shape](slot, random)).flatten()
        };
        let parents: Vec<_> = slots.iter().enumerate().map(parent).collect();
        let topology = Topology::from_parents(&parents).unwrap();
        Forest { topology, locals: slots.into_iter().map(|(_, local)| local).collect() }
    })
}

fn sign() -> impl Strategy<Value = f32> {
    prop_oneof![Just(1.0_f32), Just(-1.0)]
}

/// Not proptest's own range of `f32`, which once in some million draws fails an assertion.
fn between(low: f32, high: f32) -> impl Strategy<Value = f32> {
    any::<u16>().prop_map(move |n| low + (high - low) * f32::from(n) / f32::from(u16::MAX))
}

fn moderate() -> impl Strategy<Value = f32> {
    (between(0.3, 3.0), sign()).prop_map(|(size, sign)| size * sign)
}

fn extreme() -> impl Strategy<Value = f32> {
    let subnormal = (1_u32..1 << 23).prop_map(f32::from_bits);
    let any_size = (-40_i32..=30).prop_map(|exponent| 10_f32.powi(exponent));
    let size = prop_oneof![Just(0.0_f32), Just(1.0), subnormal, any_size];
    (size, sign()).prop_map(|(size, sign)| size * sign)
}

/// Mostly moderate, or every path would soon end in zeros and infinities.
fn vector() -> impl Strategy<Value = Vector3<f32>> {
    let some_extreme = proptest::array::uniform3(prop_oneof![moderate(), extreme()]);
    prop_oneof![9 => proptest::array::uniform3(moderate()), 1 => some_extreme]
        .prop_map(Vector3::from)
}

/// Of a length as far from 1 as [`Trs::check`] lets pass.
fn rotation() -> impl Strategy<Value = UnitQuaternion<f32>> {
    let off = f32::rounded(0.99 * Trs::<f32>::UNIT_TOLERANCE);
    let angle = prop_oneof![8 => between(-3.0, 3.0), 1 => Just(0.0), 1 => Just(1e-40)];
    (proptest::array::uniform3(angle), prop_oneof![Just(0.0), between(-off, off)]).prop_map(
        |(axis, off)| {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::from(axis)).into_inner();
            UnitQuaternion::new_unchecked(turn * (1.0 + off))
        },
    )
}

pub(crate) fn any_pose() -> impl Strategy<Value = Trs<f32>> {
    (vector(), rotation(), vector()).prop_map(|(t, r, s)| Trs::from_parts(t, r, s))
}

/// So that nothing overflows, however deep it is.
pub(crate) fn tame_pose() -> impl Strategy<Value = Trs<f32>> {
    let scale = proptest::array::uniform3((between(0.8, 1.25), sign()).prop_map(|(a, b)| a * b));
    let translation = proptest::array::uniform3(between(-3.0, 3.0));
    (translation, rotation(), scale)
        .prop_map(|(t, r, s)| Trs::from_parts(Vector3::from(t), r, Vector3::from(s)))
}

/// Ranges over slots, ascending and apart: fewer of them than `count`, each of a length as `len` gives
/// behind a gap shorter than `gap`.
pub(crate) fn ranges(
    gap: usize,
    len: impl Strategy<Value = usize>,
    count: usize,
) -> impl Strategy<Value = Vec<Range<usize>>> {
    proptest::collection::vec((0..gap, len), 0..count).prop_map(|pieces| {
        let mut end = 0;
        let range = |(gap, len): (usize, usize)| {
            let start = end + gap;
            end = start + len;
            start..end
        };
        pieces.into_iter().map(range).collect()
    })
}

pub(crate) fn clipped(ranges: &[Range<usize>], len: usize) -> Vec<Range<usize>> {
    let within = ranges.iter().filter(|range| range.start < len);
    within.map(|range| range.start..range.end.min(len)).collect()
}

fn with_component(local: &Trs<f32>, component: usize, value: f32) -> Trs<f32> {
    let mut local = *local;
    match component {
        0..3 => local.translation[component] = value,
        3..6 => local.scale[component - 3] = value,
        _ => {
            let mut coords = local.rotation.coords;
            coords[component - 6] = value;
            local.rotation = UnitQuaternion::new_unchecked(Quaternion::from(coords));
        }
    }
    local
}
