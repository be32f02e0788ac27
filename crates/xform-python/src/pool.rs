//! The thread pool. Python can interrupt the work on it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    time::Duration,
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The thread pool, and the id of the process that owns it.
// A process forked by Python has none of the threads of its parent. With rayon's own pool, each call in a child waited
// forever. So the pool is stored with the process id, and another process makes another pool. One case remains: a fork
// at the very moment when another thread is creating the first pool.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The interval at which Python is checked for an interrupt.
const TURN: Duration = Duration::from_millis(50);

/// Runs a closure on the thread pool and waits for its result. If Python is interrupted, the wait ends and the closure
/// runs to its end.
pub(crate) fn in_pool<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let (sender, receiver) = mpsc::channel();
    spawn(move || {
        // Fails if the receiver no longer waits.
        let _ = sender.send(work());
    })?;
    received(py, &Mutex::new(receiver))?.ok_or_else(lost)
}

/// Waits for the next value. Returns `None` if there will not be any.
pub(crate) fn received<R: Send>(
    py: Python<'_>,
    receiver: &Mutex<Receiver<R>>,
) -> PyResult<Option<R>> {
    loop {
        let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TURN);
        match py.detach(next) {
            Ok(done) => return Ok(Some(done)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// Starts a closure on the thread pool. A panic ends only this closure.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> PyResult<()> {
    pool()?.spawn(move || {
        // The receiver notices that the result of a panicking closure is missing.
        let _ = catch_unwind(AssertUnwindSafe(work));
    });
    Ok(())
}

pub(crate) fn lost() -> PyErr {
    PyRuntimeError::new_err("xform crashed")
}

fn pool() -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = pool.as_ref().filter(|(of, _)| *of == process) {
        return Ok(Arc::clone(known));
    }
    let made = ThreadPoolBuilder::new().build();
    let made = Arc::new(made.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    // Dropping the pool of another process would wait for its threads.
    std::mem::forget(pool.replace((process, Arc::clone(&made))));
    Ok(made)
}
