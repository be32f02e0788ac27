use std::sync::{Arc, Mutex, PoisonError};

use crate::NodeId;

/// The indices of removed nodes that may be restored, so that no other node gets them.
#[derive(Debug, Default)]
pub(super) struct Reserved {
    /// The number of reserved indices, including those that were given up and not reclaimed yet.
    len: usize,
    given_up: Arc<GivenUp>,
}

/// The indices of reservations that were dropped.
#[derive(Debug, Default)]
struct GivenUp(Mutex<Vec<u32>>);

/// Holds the ids of removed nodes until they are restored, or until it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    ids: Vec<NodeId>,
    given_up: Arc<GivenUp>,
}

impl Reserved {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn reserve(&mut self, ids: &[NodeId]) -> Reservation {
        self.len += ids.len();
        Reservation { ids: ids.to_vec(), given_up: Arc::clone(&self.given_up) }
    }

    pub(super) fn made(&self, reservation: &Reservation) -> bool {
        Arc::ptr_eq(&self.given_up, &reservation.given_up)
    }

    /// Ends a reservation that was made here, and returns its ids.
    pub(super) fn release(&mut self, mut reservation: Reservation) -> Vec<NodeId> {
        let ids = std::mem::take(&mut reservation.ids);
        self.len -= ids.len();
        ids
    }

    /// Moves the indices that were given up to the vacant ones.
    pub(super) fn reclaim(&mut self, vacant: &mut Vec<u32>) {
        if self.len > 0 {
            let mut given_up = self.given_up.lock();
            self.len -= given_up.len();
            vacant.append(&mut given_up);
        }
    }
}

impl GivenUp {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        // No code panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// Returns the ids, in the order in which they were removed.
    pub(crate) fn ids(&self) -> &[NodeId] {
        &self.ids
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.given_up.lock().extend(self.ids.iter().map(|id| id.index));
    }
}
