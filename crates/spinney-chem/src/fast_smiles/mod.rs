//! Ordinary SMILES to atoms and bonds in one pass, for labels that look at neither aromaticity nor
//! bond orders.
//!
//! RDKit's default invariants (element, degree, hydrogens, charge, in a ring or not) follow from
//! valences alone; perceiving aromaticity, conjugation and stereochemistry first, as a toolkit
//! must, takes ten times as long and changes none of them.
//!
//! **Invariant.** [`FastSmiles::read`] knows its limits: it gives a molecule only if the toolkit
//! would accept the SMILES too, and then the same atoms, hydrogens, charges, rings and bonds, in
//! the same order; kinds of bonds and aromatic flags apart. Of whatever is out of the ordinary
//! (other elements, isotopes, radicals, unusual valences and charges, stereo marks in odd places,
//! large fused systems, every mistake) it says nothing, and the toolkit decides.
//!
//! **Aromatic rings** are accepted if pairing off the atoms that need a double bond succeeds by
//! taking forced pairs first (Karp and Sipser 1981); if it fails, the toolkit decides.
//!
//! **Cost.** Linear in the SMILES; rings are marked by walking up the chain, whose bonds lead to
//! earlier atoms.

mod atom;
mod pairing;
#[cfg(test)]
mod tests;

use atom::{Order, Sign, Sketch, atom, ring_number};
use pairing::Pairing;

use crate::molecule::{Atom, Bond, Molecule};

/// Larger molecules are left to the toolkit.
const MAX_ATOMS: usize = 400;
const NONE: u32 = u32::MAX;

/// Reads ordinary SMILES; reusable.
#[derive(Clone, Debug, Default)]
pub(crate) struct FastSmiles {
    atoms: Vec<Sketch>,
    bonds: Vec<Line>,
    /// Ring bonds: number, how many were opened before, and the bond.
    closures: Vec<(u32, u32, Line)>,
    branches: Vec<u32>,
    /// Open ring bonds: number, opened, atom, sign.
    open: Vec<(u32, u32, u32, Sign)>,
    opened: u32,
    pairing: Pairing,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    a: u32,
    b: u32,
    order: Order,
    in_ring: bool,
}

impl FastSmiles {
    /// The molecule, if it is an ordinary one.
    pub(crate) fn read(&mut self, smiles: &str) -> Option<Molecule> {
        self.parse(smiles.as_bytes())?;
        self.close_rings();
        for atom in &self.atoms {
            atom.implicit_hydrogens()?;
        }
        self.pairing.find(&self.atoms, &self.bonds)?;
        Some(self.molecule())
    }

    fn parse(&mut self, text: &[u8]) -> Option<()> {
        self.atoms.clear();
        self.bonds.clear();
        self.closures.clear();
        self.branches.clear();
        self.open.clear();
        self.opened = 0;
        let (mut at, mut last, mut sign) = (0, NONE, Sign::Nothing);
        // Whether a branch has just begun: an atom, perhaps after a bond, must come.
        let mut fresh = false;
        while let Some(&byte) = text.get(at) {
            at += 1;
            match byte {
                b'-' | b'=' | b'#' | b'/' | b'\\' => {
                    if sign != Sign::Nothing || last == NONE {
                        return None;
                    }
                    sign = Sign::of(byte);
                }
                b'(' if last != NONE && sign == Sign::Nothing && !fresh => {
                    self.branches.push(last);
                    fresh = true;
                }
                b')' if sign == Sign::Nothing && !fresh => last = self.branches.pop()?,
                b'.' if last != NONE && sign == Sign::Nothing && self.is_closed() => last = NONE,
                b'0'..=b'9' | b'%' if last != NONE && !fresh => {
                    let number = ring_number(byte, text, &mut at)?;
                    self.ring(number, last, std::mem::replace(&mut sign, Sign::Nothing))?;
                }
                _ => {
                    let atom = atom(byte, text, &mut at)?;
                    last = self.add(atom, last, std::mem::replace(&mut sign, Sign::Nothing))?;
                    fresh = false;
                }
            }
        }
        (last != NONE && sign == Sign::Nothing && self.is_closed()).then_some(())
    }

    /// Whether no branch and no ring is open.
    fn is_closed(&self) -> bool {
        self.branches.is_empty() && self.open.is_empty()
    }

    /// Adds an atom, bound to the last one.
    fn add(&mut self, mut atom: Sketch, last: u32, sign: Sign) -> Option<u32> {
        let new = self.atoms.len() as u32;
        (atom.before, atom.bond_before) = (last, self.bonds.len() as u32);
        self.atoms.push(atom);
        if last != NONE {
            let order = self.order(last, new, sign)?;
            self.bonds.push(Line { a: last, b: new, order, in_ring: false });
        }
        (self.atoms.len() <= MAX_ATOMS).then_some(new)
    }

    fn order(&self, a: u32, b: u32, sign: Sign) -> Option<Order> {
        let aromatic = self.atoms[a as usize].is_aromatic && self.atoms[b as usize].is_aromatic;
        match sign {
            Sign::Nothing if aromatic => Some(Order::Aromatic),
            Sign::Nothing => Some(Order::Single),
            Sign::Direction => (!aromatic).then_some(Order::Single),
            Sign::Order(order) => (!aromatic || order == Order::Single).then_some(order),
        }
    }

    /// Opens or closes a ring bond at atom `here`.
    fn ring(&mut self, number: u32, here: u32, sign: Sign) -> Option<()> {
        if sign == Sign::Direction {
            return None;
        }
        let Some(open) = self.open.iter().position(|o| o.0 == number) else {
            self.open.push((number, self.opened, here, sign));
            self.opened += 1;
            return Some(());
        };
        let (_, opened, there, first) = self.open.swap_remove(open);
        let joins = |l: &Line| (l.a, l.b) == (here, there) || (l.a, l.b) == (there, here);
        let closures = self.closures.iter().map(|c| &c.2);
        let known = here == there || self.bonds.iter().chain(closures).any(joins);
        let signs_agree = first == Sign::Nothing || sign == Sign::Nothing || first == sign;
        if known || !signs_agree {
            return None;
        }
        // RDKit's bond starts where its order is written first, else where the ring is closed.
        let (a, b) = if first == Sign::Nothing { (here, there) } else { (there, here) };
        let order = self.order(a, b, if first == Sign::Nothing { sign } else { first })?;
        self.closures.push((number, opened, Line { a, b, order, in_ring: true }));
        Some(())
    }

    /// Puts ring bonds after the others, as RDKit does, marks what is in rings and counts bonds.
    fn close_rings(&mut self) {
        self.closures.sort_unstable_by_key(|c| (c.0, c.1));
        for &(_, _, line) in &self.closures {
            let mut a = line.a as usize;
            let mut b = line.b as usize;
            while a != b {
                let later = if a > b { &mut a } else { &mut b };
                let Sketch { before, bond_before, .. } = self.atoms[*later];
                self.bonds[bond_before as usize].in_ring = true;
                *later = before as usize;
            }
        }
        self.bonds.extend(self.closures.iter().map(|c| c.2));
        for line in &self.bonds {
            for v in [line.a, line.b] {
                let atom = &mut self.atoms[v as usize];
                atom.degree = atom.degree.saturating_add(1);
                atom.in_ring |= line.in_ring;
                if line.order == Order::Aromatic {
                    atom.aromatic_bonds += 1;
                    atom.aromatic_ring_bonds += u8::from(line.in_ring);
                } else {
                    atom.orders = atom.orders.saturating_add(line.order as u8);
                }
            }
        }
    }

    fn molecule(&self) -> Molecule {
        let atom = |a: &Sketch| Atom {
            element: a.element,
            degree: a.degree,
            hydrogens: a.implicit_hydrogens().unwrap_or(0) + a.hydrogens,
            charge: a.charge,
            isotope: 0,
            in_ring: a.in_ring,
            aromatic: a.is_aromatic,
        };
        let bond = |l: &Line| Bond { a: l.a, b: l.b, kind: l.order.kind(), in_ring: l.in_ring };
        let atoms = self.atoms.iter().map(atom).collect();
        Molecule::from_parts(atoms, self.bonds.iter().map(bond).collect())
    }
}
