use std::cell::RefCell;

use crate::audit::Problem;

/// The scenes that were audited; the others are known when the last of them is.
pub(super) fn audited<T>(
    scenes: impl IntoIterator<Item = Result<T, Problem>>,
    errors: &RefCell<Vec<Problem>>,
) -> impl Iterator<Item = T> {
    scenes
        .into_iter()
        .filter_map(|scene| scene.map_err(|problem| errors.borrow_mut().push(problem)).ok())
}
