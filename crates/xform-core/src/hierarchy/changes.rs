/// The nodes whose pose or parent changed since the last propagation, each at most once.
///
/// A removed node stays listed until the next propagation, which skips it; so however long nobody
/// propagates, the list is no longer than there are indices.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    list: Vec<u32>,
    /// By index.
    is_listed: Vec<bool>,
}

impl Changes {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { list: Vec::new(), is_listed: Vec::with_capacity(capacity) }
    }

    pub(super) fn reserve(&mut self, additional: usize) {
        self.is_listed.reserve(additional);
    }

    pub(super) fn add(&mut self, index: u32) {
        let position = index as usize;
        if position >= self.is_listed.len() {
            self.is_listed.resize(position + 1, false);
        }
        if !self.is_listed[position] {
            self.is_listed[position] = true;
            self.list.push(index);
        }
    }

    pub(super) fn contains(&self, index: u32) -> bool {
        self.is_listed.get(index as usize) == Some(&true)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.iter().copied()
    }

    pub(super) fn clear(&mut self) {
        for index in self.list.drain(..) {
            self.is_listed[index as usize] = false;
        }
    }
}
