//! Pools of threads.

use rayon::{ThreadPool, ThreadPoolBuilder};

pub(crate) fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}
