//! The threads that work is done on, while Python may interrupt.

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

/// The threads, and the process that has them. A process that Python makes by a fork has none of the threads of the one before, and
/// would wait for them forever.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// How often Python is asked whether somebody has interrupted it.
const TURN: Duration = Duration::from_millis(50);

/// Runs something on the threads of this process. If Python is interrupted meanwhile, nobody waits for the end of it any longer.
pub(crate) fn in_pool<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let (sender, receiver) = mpsc::channel();
    spawn(move || {
        // Nobody may wait for it any longer.
        let _ = sender.send(work());
    })?;
    received(py, &Mutex::new(receiver))?.ok_or_else(lost)
}

/// What comes next; `None` where nothing will.
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

/// Begins something on the threads of this process. One that panics ends itself alone.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> PyResult<()> {
    pool()?.spawn(move || {
        // What it was to send is missed by who waits for it.
        let _ = catch_unwind(AssertUnwindSafe(work));
    });
    Ok(())
}

pub(crate) fn lost() -> PyErr {
    PyRuntimeError::new_err("xform crashed on it")
}

fn pool() -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = pool.as_ref().filter(|(of, _)| *of == process) {
        return Ok(Arc::clone(known));
    }
    let made = ThreadPoolBuilder::new().build();
    let made = Arc::new(made.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    // To drop the threads of another process would be to wait for them.
    std::mem::forget(pool.replace((process, Arc::clone(&made))));
    Ok(made)
}
