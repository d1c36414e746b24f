//! A molecule as Spinney needs it: atoms, bonds and rings, free of any toolkit's types.
//!
//! **Invariant.** Hydrogens are counts, not atoms, except those that RDKit keeps as atoms too
//! (isotopes, H₂, bridging). `degree` counts neighbours that are not hydrogen. Rings follow from
//! the bonds alone: a bond is in a ring if and only if it is no bridge, dative bonds apart.

/// An atom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Atom {
    /// Atomic number; 0 for a wildcard.
    pub element: u8,
    /// Neighbours that are not hydrogen.
    pub degree: u8,
    /// Hydrogens on it, implicit, explicit and as atoms.
    pub hydrogens: u8,
    /// Formal charge.
    pub charge: i8,
    /// Isotope, 0 if not given.
    pub isotope: u16,
    /// Whether it lies in a ring.
    pub in_ring: bool,
    /// Whether it is aromatic.
    pub aromatic: bool,
}

/// What kind of bond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BondKind {
    /// Single.
    #[default]
    Single,
    /// Double.
    Double,
    /// Triple.
    Triple,
    /// Aromatic.
    Aromatic,
    /// From a donor to an acceptor. As in RDKit, it closes no ring.
    Dative,
    /// Anything else: quadruple, of order zero.
    Other,
}

/// A bond between two atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bond {
    /// One atom.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// What kind.
    pub kind: BondKind,
    /// Whether it lies in a ring.
    pub in_ring: bool,
}

/// Atoms and bonds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Molecule {
    atoms: Vec<Atom>,
    bonds: Vec<Bond>,
}

impl Molecule {
    /// A molecule of atoms (element, hydrogens besides atoms, charge, isotope and aromaticity are
    /// taken from them) and bonds; degrees, hydrogen neighbours and rings are worked out.
    #[must_use]
    pub fn new(mut atoms: Vec<Atom>, mut bonds: Vec<Bond>) -> Molecule {
        for atom in &mut atoms {
            (atom.degree, atom.in_ring) = (0, false);
        }
        for bond in &bonds {
            for (here, there) in [(bond.a, bond.b), (bond.b, bond.a)] {
                let is_hydrogen = atoms[there as usize].element == 1;
                let atom = &mut atoms[here as usize];
                if is_hydrogen {
                    atom.hydrogens = atom.hydrogens.saturating_add(1);
                } else {
                    atom.degree = atom.degree.saturating_add(1);
                }
            }
        }
        let bridges = bridges(atoms.len(), &bonds);
        debug_assert!(bonds.iter().zip(&bridges).all(|(b, is)| b.kind != BondKind::Dative || *is));
        for (bond, is_bridge) in bonds.iter_mut().zip(bridges) {
            bond.in_ring = !is_bridge;
            if bond.in_ring {
                atoms[bond.a as usize].in_ring = true;
                atoms[bond.b as usize].in_ring = true;
            }
        }
        Molecule { atoms, bonds }
    }

    /// A molecule whose degrees, hydrogens and rings are known.
    pub(crate) fn from_parts(atoms: Vec<Atom>, bonds: Vec<Bond>) -> Molecule {
        Molecule { atoms, bonds }
    }

    /// The atoms.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The bonds.
    #[must_use]
    pub fn bonds(&self) -> &[Bond] {
        &self.bonds
    }

    /// The part made of the atoms at `keep` (ascending), with the atoms' own properties unchanged.
    #[must_use]
    pub fn part(&self, keep: &[u32]) -> Molecule {
        let mut new = vec![u32::MAX; self.atoms.len()];
        keep.iter().enumerate().for_each(|(i, &v)| new[v as usize] = i as u32);
        let atoms = keep.iter().map(|&v| self.atoms[v as usize]).collect();
        let inside =
            self.bonds.iter().map(|b| Bond { a: new[b.a as usize], b: new[b.b as usize], ..*b });
        let bonds = inside.filter(|b| b.a != u32::MAX && b.b != u32::MAX).collect();
        Molecule { atoms, bonds }
    }

    /// The connected fragments, each as ascending atoms, in the order of their first atoms.
    #[must_use]
    pub fn fragments(&self) -> Vec<Vec<u32>> {
        let around = adjacency(self.atoms.len(), &self.bonds);
        let mut seen = vec![false; self.atoms.len()];
        let mut fragments = Vec::new();
        for start in 0..self.atoms.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            let mut fragment = vec![start as u32];
            let mut at = 0;
            while at < fragment.len() {
                for &(next, _) in &around[fragment[at] as usize] {
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        fragment.push(next);
                    }
                }
                at += 1;
            }
            fragment.sort_unstable();
            fragments.push(fragment);
        }
        fragments
    }

    /// The fragment with the most heavy atoms (the first of those), as a molecule of its own.
    #[must_use]
    pub fn largest_fragment(&self) -> Molecule {
        self.part(&self.largest_fragment_atoms())
    }

    /// The atoms of that fragment, ascending.
    #[must_use]
    pub fn largest_fragment_atoms(&self) -> Vec<u32> {
        let heavy = |f: &[u32]| f.iter().filter(|&&v| self.atoms[v as usize].element != 1).count();
        let mut best: Vec<u32> = Vec::new();
        for fragment in self.fragments() {
            if best.is_empty() || heavy(&fragment) > heavy(&best) {
                best = fragment;
            }
        }
        best
    }
}

pub(crate) fn adjacency(atoms: usize, bonds: &[Bond]) -> Vec<Vec<(u32, u32)>> {
    let mut around = vec![Vec::new(); atoms];
    for (i, bond) in bonds.iter().enumerate() {
        around[bond.a as usize].push((bond.b, i as u32));
        around[bond.b as usize].push((bond.a, i as u32));
    }
    around
}

/// For each bond, whether taking it away would disconnect its ends (Tarjan 1974), iteratively.
fn bridges(atoms: usize, bonds: &[Bond]) -> Vec<bool> {
    let around = adjacency(atoms, bonds);
    let closes_rings = |bond: u32| bonds[bond as usize].kind != BondKind::Dative;
    let mut found = vec![0u32; atoms];
    let mut low = vec![0u32; atoms];
    let mut is_bridge: Vec<bool> = bonds.iter().map(|b| b.kind == BondKind::Dative).collect();
    let mut clock = 0;
    for root in 0..atoms {
        if found[root] != 0 {
            continue;
        }
        clock += 1;
        (found[root], low[root]) = (clock, clock);
        // Atom, the bond that led to it, and how many of its neighbours have been looked at.
        let mut stack = vec![(root, u32::MAX, 0)];
        while let Some((v, via, next)) = stack.last_mut() {
            let v = *v;
            let via = *via;
            if let Some(&(w, bond)) = around[v].get(*next) {
                *next += 1;
                let w = w as usize;
                if bond == via || !closes_rings(bond) {
                    continue;
                }
                if found[w] == 0 {
                    clock += 1;
                    (found[w], low[w]) = (clock, clock);
                    stack.push((w, bond, 0));
                } else {
                    low[v] = low[v].min(found[w]);
                }
            } else {
                stack.pop();
                if let Some(&(parent, _, _)) = stack.last() {
                    low[parent] = low[parent].min(low[v]);
                    is_bridge[via as usize] = low[v] > found[parent];
                }
            }
        }
    }
    is_bridge
}

#[cfg(test)]
mod tests {
    use super::{Atom, Bond, BondKind, Molecule};

    fn carbon(n: usize) -> Vec<Atom> {
        vec![Atom { element: 6, ..Atom::default() }; n]
    }

    fn bonds(pairs: &[(u32, u32)]) -> Vec<Bond> {
        pairs.iter().map(|&(a, b)| Bond { a, b, ..Bond::default() }).collect()
    }

    #[test]
    fn rings_are_what_is_no_bridge() {
        // Two triangles joined by a bond, with a tail.
        let m = Molecule::new(
            carbon(7),
            bonds(&[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6)]),
        );
        let rings: Vec<bool> = m.bonds().iter().map(|b| b.in_ring).collect();
        assert_eq!(rings, [true, true, true, false, true, true, true, false]);
        assert!(m.atoms()[..6].iter().all(|a| a.in_ring) && !m.atoms()[6].in_ring);
        assert_eq!(m.atoms()[2].degree, 3);
    }

    #[test]
    fn a_dative_bond_closes_no_ring() {
        let mut ring = bonds(&[(0, 1), (1, 2), (2, 3), (3, 0)]);
        ring[3].kind = BondKind::Dative;
        let m = Molecule::new(carbon(4), ring);
        assert!(m.atoms().iter().all(|a| !a.in_ring) && m.bonds().iter().all(|b| !b.in_ring));
    }

    #[test]
    fn hydrogens_as_atoms_are_counted_and_are_no_neighbours() {
        let mut atoms = carbon(2);
        atoms[1].element = 1;
        atoms[0].hydrogens = 3;
        let m = Molecule::new(atoms, bonds(&[(0, 1)]));
        assert_eq!((m.atoms()[0].hydrogens, m.atoms()[0].degree), (4, 0));
        assert_eq!(m.atoms()[1].degree, 1);
    }

    #[test]
    fn the_largest_fragment_wins() {
        let m = Molecule::new(carbon(6), bonds(&[(0, 1), (2, 4), (4, 5)]));
        assert_eq!(m.fragments(), [vec![0, 1], vec![2, 4, 5], vec![3]]);
        assert_eq!(m.largest_fragment_atoms(), [2, 4, 5]);
        let largest = m.largest_fragment();
        assert_eq!((largest.atoms().len(), largest.bonds().len()), (3, 2));
        assert_eq!(Molecule::default().largest_fragment(), Molecule::default());
    }
}
