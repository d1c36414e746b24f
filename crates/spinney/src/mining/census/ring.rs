//! Naming a ring of values: a cyclic sequence, up to rotation and reflection.
//!
//! A *reading* starts at some vertex and goes around in one of two directions. By doubling (each
//! round, what is known of the next 1, 2, 4, … vertices is put together), every vertex learns its
//! two readings; the name is the sum over all readings. Two rings with a reading in common are the
//! same, and a ring has the same readings wherever one starts, so the name is complete.
//!
//! **Cost.** Length × log length.

use crate::mining::census::hash::{mixed, then};

/// What a vertex of a ring holds, and the seed of the edge to the next one.
pub(super) struct RingValue {
    pub(super) value: u64,
    pub(super) next_edge: u64,
}

/// Buffers for naming rings.
#[derive(Debug, Default)]
pub(super) struct RingNamer {
    /// What each vertex has read, ahead and back.
    read: Vec<[u64; 2]>,
    next: Vec<[u64; 2]>,
}

impl RingNamer {
    /// The sum over all readings of a ring, whose last edge has the seed `last`.
    pub(super) fn readings(&mut self, ring: impl Iterator<Item = RingValue>, last: u64) -> u64 {
        self.read.clear();
        let mut before = last;
        self.read.extend(ring.map(|RingValue { value, next_edge }| {
            let read = [mixed(value.wrapping_add(next_edge)), mixed(value.wrapping_add(before))];
            before = next_edge;
            read
        }));
        let mut reach = 1;
        while reach < self.read.len() {
            self.double(reach);
            reach *= 2;
        }
        self.read.iter().fold(0u64, |sum, r| sum.wrapping_add(r[0]).wrapping_add(r[1]))
    }

    /// Every reading is followed by the one `reach` further on.
    fn double(&mut self, reach: usize) {
        let read = &self.read[..];
        let n = read.len();
        self.next.clear();
        self.next.extend((0..n).map(|i| {
            let ahead = if i + reach < n { i + reach } else { i + reach - n };
            let back = if i >= reach { i - reach } else { i + n - reach };
            [then(read[i][0], read[ahead][0]), then(read[i][1], read[back][1])]
        }));
        std::mem::swap(&mut self.read, &mut self.next);
    }
}
