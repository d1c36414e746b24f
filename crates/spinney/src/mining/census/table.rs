//! Names numbered in the order in which they are first met.
//!
//! Open addressing with linear probing. Names are random already: their first lane is the hash.
//! A slot is four bytes, so a table over millions of names stays small.

use crate::mining::census::hash::Name;

/// The numbers of some names.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    names: Vec<Name>,
    /// A name's number plus one; 0 is empty. The first `mask + 1` slots are in use.
    slots: Vec<u32>,
    mask: usize,
    /// How many names these slots are for.
    capacity: usize,
}

const MIN_SLOTS: usize = 1 << 8;
/// Names that are looked up together.
const NAMES_PER_BLOCK: usize = 32;

impl NameTable {
    /// The number of a name, and whether it is new.
    #[inline(always)]
    pub(super) fn enter(&mut self, name: Name) -> (u32, bool) {
        if self.names.len() >= self.capacity {
            self.enlarge();
        }
        let mut at = name.0 as usize & self.mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            if self.names[slot as usize - 1] == name {
                return (slot - 1, false);
            }
            at = (at + 1) & self.mask;
        }
        self.names.push(name);
        self.slots[at] = self.names.len() as u32;
        (self.names.len() as u32 - 1, true)
    }

    /// Enters names one after another; `each` gets the number of each and whether it is new.
    ///
    /// Names are looked up in blocks, so that the waits for memory of a large table overlap.
    pub(super) fn enter_all(&mut self, names: &[Name], mut each: impl FnMut(u32, bool)) {
        for block in names.chunks(NAMES_PER_BLOCK) {
            let mut likely = [0; NAMES_PER_BLOCK];
            for (name, slot) in block.iter().zip(&mut likely) {
                *slot = self.slots.get(name.0 as usize & self.mask).copied().unwrap_or(0);
            }
            let mut known = [false; NAMES_PER_BLOCK];
            for ((name, slot), known) in block.iter().zip(&likely).zip(&mut known) {
                *known = self.names.get((*slot as usize).wrapping_sub(1)) == Some(name);
            }
            for ((&name, slot), known) in block.iter().zip(likely).zip(known) {
                let (number, new) = if known { (slot - 1, false) } else { self.enter(name) };
                each(number, new);
            }
        }
    }

    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.slots[..]) + self.names.capacity() * size_of::<Name>()
    }

    /// The names in order.
    pub(super) fn names(&self) -> &[Name] {
        &self.names
    }

    /// Forgets all names but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.capacity = 0;
        self.names.clear();
    }

    #[cold]
    fn enlarge(&mut self) {
        let size = if self.capacity == 0 { MIN_SLOTS } else { 4 * (self.mask + 1) };
        let used = size.min(self.slots.len());
        self.slots[..used].fill(0);
        self.slots.resize(size.max(self.slots.len()), 0);
        self.mask = size - 1;
        self.capacity = size / 4 * 3;
        for (i, name) in self.names.iter().enumerate() {
            let mut at = name.0 as usize & self.mask;
            while self.slots[at] != 0 {
                at = (at + 1) & self.mask;
            }
            self.slots[at] = i as u32 + 1;
        }
    }
}
