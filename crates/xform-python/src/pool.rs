//! The threads that work is done on.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads, and the process that has them. A process that Python makes by a fork has none of the threads of the one before, and
/// would wait for them forever.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs something on the threads of this process.
pub(crate) fn in_pool<R: Send>(work: impl FnOnce() -> R + Send) -> PyResult<R> {
    Ok(pool()?.install(work))
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
