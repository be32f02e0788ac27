//! A strategy with a fuse: it panics in the method and at the call that is asked for, on whatever thread.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, AtomicU32, Ordering},
    },
};

use nalgebra::{Matrix4, Point3, Vector3};
use xform_core::{Inherit, Transform, Trs, changes::Change};

use super::strategy::Digest;

/// A [`Digest`] that may panic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fused(Digest);

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
        Self(Digest::identity())
    }

    fn concat(&self, local: &Trs<f64>) -> Self {
        call(Method::Concat);
        Self(self.0.concat(local))
    }

    fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        self.0.transform_point(point)
    }

    fn transform_vector(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.0.transform_vector(vector)
    }

    fn inverse_transform_point(&self, point: &Point3<f64>) -> Option<Point3<f64>> {
        self.0.inverse_transform_point(point)
    }

    fn inverse_transform_vector(&self, vector: &Vector3<f64>) -> Option<Vector3<f64>> {
        self.0.inverse_transform_vector(vector)
    }

    fn to_homogeneous(&self) -> Matrix4<f64> {
        call(Method::ToHomogeneous);
        self.0.to_homogeneous()
    }

    fn inherited(&self, inherit: Inherit, _: &Point3<f64>) -> Option<Self> {
        call(Method::Inherited);
        Some(Self(Digest(self.0.0 ^ u64::from(inherit.scale()))))
    }

    fn change_below(&self, of_parent: Change, _: &Trs<f64>, of_local: Change) -> Change {
        call(Method::ChangeBelow);
        of_parent | of_local
    }
}
