//! Lists of training graphs, two bytes a graph where there are at most 65,536.

/// Positions of training graphs, in as few bytes as they need.
#[derive(Debug)]
pub(super) enum PositionStore {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

/// The training graphs of a class, by position, ascending.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'t> {
    /// Of at most 65,536 training graphs.
    Short(&'t [u16]),
    /// Of any number.
    Long(&'t [u32]),
}

impl<'t> Positions<'t> {
    /// Calls `f` with every position.
    pub fn for_each(self, mut f: impl FnMut(u32)) {
        match self {
            Positions::Short(all) => all.iter().for_each(|&p| f(p.into())),
            Positions::Long(all) => all.iter().for_each(|&p| f(p)),
        }
    }

    /// The positions one by one.
    pub fn iter(self) -> impl Iterator<Item = u32> + 't {
        let mut short: &[u16] = &[];
        let mut long: &[u32] = &[];
        match self {
            Positions::Short(all) => short = all,
            Positions::Long(all) => long = all,
        }
        short.iter().map(|&p| p.into()).chain(long.iter().copied())
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Positions::Short(all) => all.len(),
            Positions::Long(all) => all.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl PositionStore {
    pub(super) fn new(graphs: usize) -> PositionStore {
        if graphs <= 1 << 16 {
            PositionStore::Short(Vec::new())
        } else {
            PositionStore::Long(Vec::new())
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            PositionStore::Short(all) => all.len(),
            PositionStore::Long(all) => all.len(),
        }
    }

    pub(super) fn extend(&mut self, positions: &[u32]) {
        match self {
            PositionStore::Short(all) => all.extend(positions.iter().map(|&p| p as u16)),
            PositionStore::Long(all) => all.extend_from_slice(positions),
        }
    }

    pub(super) fn get(&self, range: std::ops::Range<usize>) -> Positions<'_> {
        match self {
            PositionStore::Short(all) => Positions::Short(&all[range]),
            PositionStore::Long(all) => Positions::Long(&all[range]),
        }
    }
}
