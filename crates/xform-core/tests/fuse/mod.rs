//! A strategy with a fuse: it panics in the method and at the call that is asked for, on whatever thread.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, AtomicU32, Ordering},
    },
};

use nalgebra::{Matrix4, Point3, Vector3};
use xform_core::{Change, Inherit, Transform, Trs};

/// No geometry: the world is a digest of the translations from the root down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fused(pub(crate) u64);

/// What may panic.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub(crate) enum Method {
    Identity = 1,
    Concat,
    ToHomogeneous,
    ChangeBelow,
    Inherited,
}

/// The method that will panic, 0 for none, and after how many more calls.
static ARMED: AtomicU8 = AtomicU8::new(0);
static CALLS_LEFT: AtomicU32 = AtomicU32::new(0);
static ONLY_ONE: Mutex<()> = Mutex::new(());

/// What it panics with: no message, since this is planned.
struct Planned;

fn call(method: Method) {
    if ARMED.load(Ordering::Relaxed) == method as u8
        && CALLS_LEFT.fetch_sub(1, Ordering::Relaxed) == 0
    {
        resume_unwind(Box::new(Planned));
    }
}

/// The right to use the strategy, and to light the fuse, which one test has at a time.
pub(crate) struct Fuse {
    _only_one: MutexGuard<'static, ()>,
}

impl Fuse {
    pub(crate) fn new() -> Self {
        Self { _only_one: ONLY_ONE.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Whether something panics, if a method panics after so many more calls. It does not any more then.
    pub(crate) fn blows(&self, method: Method, after: u32, run: impl FnOnce()) -> bool {
        CALLS_LEFT.store(after, Ordering::Relaxed);
        ARMED.store(method as u8, Ordering::Relaxed);
        let result = catch_unwind(AssertUnwindSafe(run));
        ARMED.store(0, Ordering::Relaxed);
        match result {
            Err(panic) if !panic.is::<Planned>() => resume_unwind(panic),
            result => result.is_err(),
        }
    }
}

impl Transform for Fused {
    type Scalar = f64;

    fn identity() -> Self {
        call(Method::Identity);
        Self(1)
    }

    fn concat(&self, local: &Trs<f64>) -> Self {
        call(Method::Concat);
        let mixed = self.0.rotate_left(7) ^ local.translation.x.to_bits();
        Self(mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        *point
    }

    fn transform_vector(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        *vector
    }

    fn inverse_transform_point(&self, _: &Point3<f64>) -> Option<Point3<f64>> {
        None
    }

    fn inverse_transform_vector(&self, _: &Vector3<f64>) -> Option<Vector3<f64>> {
        None
    }

    fn to_homogeneous(&self) -> Matrix4<f64> {
        call(Method::ToHomogeneous);
        Matrix4::repeat((self.0 >> 12) as f64)
    }

    fn inherited(&self, inherit: Inherit, _: &Point3<f64>) -> Option<Self> {
        call(Method::Inherited);
        Some(Self(self.0 ^ u64::from(inherit.scale())))
    }

    fn change_below(&self, of_parent: Change, _: &Trs<f64>, of_local: Change) -> Change {
        call(Method::ChangeBelow);
        of_parent | of_local
    }
}

pub(crate) fn pose(value: f64) -> Trs<f64> {
    Trs::from_translation(Vector3::new(value, 0.0, 0.0))
}
