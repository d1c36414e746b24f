//! Whether the aromatic atoms in need of a double bond can be paired off.
//!
//! Forced pairs are taken first (Karp and Sipser 1981), then any. A complete pairing is a Kekulé
//! structure; that none was found does not mean that there is none.
//!
//! **Cost.** Linear in the atoms.

use super::atom::{Order, Sketch};
use super::{Line, NONE};

/// Fused systems with more atoms in need of a double bond are left to the toolkit, whose own search
/// might give up.
const MAX_PAIRED_ATOMS: usize = 24;
/// An atom that has its double bond.
const TAKEN: u8 = u8::MAX;

/// Pairs atoms off; reusable.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairing {
    /// The atoms that each atom could be paired with.
    partners: Vec<[u32; 3]>,
    /// How many of them are left, or [`TAKEN`].
    free: Vec<u8>,
    /// Atoms with at most one partner left.
    forced: Vec<u32>,
    reached: Vec<bool>,
}

impl Pairing {
    /// Finds a complete pairing, if it is easily found.
    pub(super) fn find(&mut self, atoms: &[Sketch], bonds: &[Line]) -> Option<()> {
        let mut left = atoms.iter().filter(|a| a.needs_double_bond()).count();
        if left == 0 {
            return Some(());
        }
        self.prepare(atoms, bonds)?;
        self.are_small(atoms).then_some(())?;
        self.forced.clear();
        let mut next = 0;
        while left > 0 {
            let here = match self.forced.pop() {
                Some(forced) => forced,
                None => {
                    let open = |&v: &usize| atoms[v].needs_double_bond() && self.free[v] != TAKEN;
                    next = (next..atoms.len()).find(open)?;
                    next as u32
                }
            };
            if self.free[here as usize] != TAKEN {
                self.pair(here)?;
                left -= 2;
            }
        }
        Some(())
    }

    /// Aromatic bonds in rings between two atoms in need are where double bonds may go.
    fn prepare(&mut self, atoms: &[Sketch], bonds: &[Line]) -> Option<()> {
        self.partners.clear();
        self.partners.resize(atoms.len(), [NONE; 3]);
        self.free.clear();
        self.free.resize(atoms.len(), 0);
        for line in bonds.iter().filter(|l| l.order == Order::Aromatic && l.in_ring) {
            if [line.a, line.b].iter().all(|&v| atoms[v as usize].needs_double_bond()) {
                for (here, there) in [(line.a, line.b), (line.b, line.a)] {
                    let count = &mut self.free[here as usize];
                    *self.partners[here as usize].get_mut(*count as usize)? = there;
                    *count += 1;
                }
            }
        }
        Some(())
    }

    /// Pairs an atom with its partner of the fewest choices.
    fn pair(&mut self, here: u32) -> Option<()> {
        let free = &self.free;
        let partners = self.partners[here as usize].into_iter().filter(|&p| p != NONE);
        let partners = partners.filter(|&p| free[p as usize] != TAKEN);
        let partner = partners.min_by_key(|&p| free[p as usize])?;
        for v in [here, partner] {
            self.free[v as usize] = TAKEN;
        }
        for v in [here, partner] {
            for p in self.partners[v as usize] {
                if p != NONE && self.free[p as usize] != TAKEN {
                    self.free[p as usize] -= 1;
                    if self.free[p as usize] <= 1 {
                        self.forced.push(p);
                    }
                }
            }
        }
        Some(())
    }

    /// Whether no system of atoms in need, connected by such bonds, is large.
    fn are_small(&mut self, atoms: &[Sketch]) -> bool {
        let queue = &mut self.forced;
        self.reached.clear();
        self.reached.resize(atoms.len(), false);
        for (start, atom) in atoms.iter().enumerate() {
            if self.reached[start] || !atom.needs_double_bond() {
                continue;
            }
            queue.clear();
            queue.push(start as u32);
            self.reached[start] = true;
            let mut at = 0;
            while let Some(&v) = queue.get(at) {
                at += 1;
                for p in self.partners[v as usize] {
                    if p != NONE && !std::mem::replace(&mut self.reached[p as usize], true) {
                        queue.push(p);
                    }
                }
            }
            if queue.len() > MAX_PAIRED_ATOMS {
                return false;
            }
        }
        true
    }
}
