//! A strategy of somebody else's that lets its hierarchy down on demand: it panics at some call, or
//! it lies.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_core::{
    Inherit, Transform, Trs,
    changes::Change,
    strategy::{RelativeTransform, Sweep},
};

/// Translations, rotations and scales combined, as plainly as can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnreliableTransform(Trs<f64>);

/// How it behaves, on this thread.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Behaviour {
    Honest,
    /// Panics after so many more calls.
    Panics(u32),
    /// Answers whatever comes to mind, another thing each time; the state of a generator.
    Lies(u64),
}

thread_local! {
    static BEHAVIOUR: Cell<Behaviour> = const { Cell::new(Behaviour::Honest) };
}

/// What it panics with: no message, since this is planned.
struct Planned;

/// Runs something while the strategy behaves so, and lets it be honest again. An error is a panic that was
/// planned; any other goes on.
pub(crate) fn behaving<R>(behaviour: Behaviour, run: impl FnOnce() -> R) -> Result<R, ()> {
    BEHAVIOUR.set(behaviour);
    let result = catch_unwind(AssertUnwindSafe(run));
    BEHAVIOUR.set(Behaviour::Honest);
    result.map_err(|panic: Box<dyn Any + Send>| {
        if !panic.is::<Planned>() {
            resume_unwind(panic);
        }
    })
}

/// Answers a call: with what is true, with a lie of one's own that is made of a random number, or not.
fn answer<R>(truth: impl FnOnce() -> R, lie: impl FnOnce(u64) -> R) -> R {
    match BEHAVIOUR.get() {
        Behaviour::Honest => truth(),
        Behaviour::Panics(0) => resume_unwind(Box::new(Planned)),
        Behaviour::Panics(left) => {
            BEHAVIOUR.set(Behaviour::Panics(left - 1));
            truth()
        }
        Behaviour::Lies(state) => {
            let next =
                state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            BEHAVIOUR.set(Behaviour::Lies(next));
            if next >> 62 == 0 { truth() } else { lie(next >> 20) }
        }
    }
}

const LIES: [f64; 9] =
    [0.0, -0.0, 1.0, -2.5, 5e-324, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// A number that a random number names.
fn number(choice: u64) -> f64 {
    LIES[(choice % 9) as usize]
}

fn vector(choice: u64) -> Vector3<f64> {
    Vector3::new(number(choice), number(choice / 9), number(choice / 81))
}

fn pose(choice: u64) -> Trs<f64> {
    let turn = |axis| UnitQuaternion::from_scaled_axis(axis);
    let rotation = [turn(Vector3::x()), turn(vector(choice))][(choice % 2) as usize];
    Trs::from_parts(vector(choice / 3), rotation, vector(choice / 7))
}

fn some<R>(choice: u64, lie: R) -> Option<R> {
    (!choice.is_multiple_of(3)).then_some(lie)
}

impl Transform for UnreliableTransform {
    type Scalar = f64;

    fn identity() -> Self {
        answer(|| Self(Trs::identity()), |choice| Self(pose(choice)))
    }

    fn concat(&self, local: &Trs<f64>) -> Self {
        let product = || {
            let origin = self.0.transform_point(&local.translation.into()).coords;
            let rotation = UnitQuaternion::new_normalize(*(self.0.rotation * local.rotation));
            Self(Trs::from_parts(origin, rotation, self.0.scale.component_mul(&local.scale)))
        };
        answer(product, |choice| Self(pose(choice)))
    }

    fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        answer(|| self.0.transform_point(point), |choice| vector(choice).into())
    }

    fn transform_vector(&self, of: &Vector3<f64>) -> Vector3<f64> {
        answer(|| self.0.transform_vector(of), vector)
    }

    fn inverse_transform_point(&self, point: &Point3<f64>) -> Option<Point3<f64>> {
        let lie = |choice| some(choice, vector(choice).into());
        answer(|| self.0.inverse_transform_point(point), lie)
    }

    fn inverse_transform_vector(&self, of: &Vector3<f64>) -> Option<Vector3<f64>> {
        answer(|| self.0.inverse_transform_vector(of), |choice| some(choice, vector(choice)))
    }

    fn to_homogeneous(&self) -> Matrix4<f64> {
        let lie = |choice| Matrix4::from_fn(|i, j| number(choice >> (4 * i + j)));
        answer(|| self.0.to_homogeneous(), lie)
    }

    fn parts(&self) -> Option<Trs<f64>> {
        answer(|| Some(self.0), |choice| some(choice, pose(choice)))
    }

    fn for_descendants(&self) -> Self {
        answer(|| *self, |choice| Self(pose(choice)))
    }

    fn inherited(&self, inherit: Inherit, origin: &Point3<f64>) -> Option<Self> {
        let truth = || {
            let one = Trs::from_translation(origin.coords);
            let turned = if inherit.rotation() { one.with_rotation(self.0.rotation) } else { one };
            Some(Self(if inherit.scale() { turned.with_scale(self.0.scale) } else { turned }))
        };
        answer(truth, |choice| some(choice, Self(pose(choice))))
    }

    fn change_below(&self, of_parent: Change, _: &Trs<f64>, of_local: Change) -> Change {
        let lies = [Change::NONE, Change::POSITION, Change::ROTATION, Change::ALL];
        let truth = || Change::ALL.when(!(of_parent | of_local).is_empty());
        answer(truth, |choice| lies[(choice % 4) as usize])
    }

    fn sweep(sweep: Sweep<'_, Self>) {
        // To lie is to leave everything as it is.
        if answer(|| true, |choice| choice.is_multiple_of(2)) {
            sweep.run_plain();
        }
    }
}

impl RelativeTransform for UnreliableTransform {
    fn relative_to(&self, world_from_parent: &Self) -> Option<Trs<f64>> {
        let truth = || {
            let Trs { translation, rotation, scale } = self.0;
            let parent = world_from_parent.0;
            let origin = parent.inverse_transform_point(&translation.into())?.coords;
            let scale = scale.component_div(&parent.scale);
            let local = Trs::from_parts(origin, parent.rotation.inverse() * rotation, scale);
            local.check().is_ok().then_some(local)
        };
        answer(truth, |choice| some(choice, pose(choice)))
    }
}
