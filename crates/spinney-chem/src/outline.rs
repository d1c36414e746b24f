//! Ordinary SMILES to atoms and bonds in one pass, for labels that look at neither aromaticity nor
//! bond orders.
//!
//! RDKit's default invariants (element, degree, hydrogens, charge, in a ring or not) follow from
//! valences alone; perceiving aromaticity, conjugation and stereochemistry first, as a toolkit must,
//! takes ten times as long and changes none of them.
//!
//! **Invariant.** [`Outliner::read`] knows its limits: it gives a molecule only if the toolkit would
//! accept the SMILES too, and then the same atoms, hydrogens, charges, rings and bonds, in the same
//! order; kinds of bonds and aromatic flags apart. Of whatever is out of the ordinary (other
//! elements, isotopes, radicals, unusual valences and charges, stereo marks in odd places, large
//! fused systems, every mistake) it says nothing, and the toolkit decides.
//!
//! **Aromatic rings** are accepted if pairing off the atoms that need a double bond succeeds by
//! taking forced pairs first (Karp and Sipser 1981); if it fails, the toolkit decides.
//!
//! **Cost.** Linear in the SMILES; rings are marked by walking up the chain, whose bonds lead to
//! earlier atoms.

use crate::molecule::{Atom, Bond, BondKind, Molecule};

/// Larger molecules are left to the toolkit.
const MOST_ATOMS: usize = 400;
/// Fused systems with more atoms in need of a double bond are left to the toolkit.
const MOST_PAIRED: usize = 24;
const NONE: u32 = u32::MAX;

/// Reads ordinary SMILES; reusable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outliner {
    atoms: Vec<Sketch>,
    bonds: Vec<Line>,
    /// Ring bonds: number, how many were opened before, and the bond.
    closures: Vec<(u32, u32, Line)>,
    branches: Vec<u32>,
    /// Open ring bonds: number, opened, atom, sign.
    open: Vec<(u32, u32, u32, Sign)>,
    opened: u32,
    /// For pairing: the aromatic ring bonds of each atom.
    partners: Vec<[u32; 3]>,
    free: Vec<u8>,
    forced: Vec<u32>,
}

/// An atom as written, and what is counted of it.
#[derive(Clone, Copy, Debug, Default)]
struct Sketch {
    element: u8,
    charge: i8,
    /// Hydrogens written in brackets.
    hydrogens: u8,
    is_aromatic: bool,
    in_brackets: bool,
    is_chiral: bool,
    in_ring: bool,
    degree: u8,
    /// Sum of the orders of bonds that are not aromatic.
    orders: u8,
    aromatic_bonds: u8,
    aromatic_ring_bonds: u8,
    /// The atom before it in its chain, and the bond to that.
    before: u32,
    bond_before: u32,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    a: u32,
    b: u32,
    order: Order,
    in_ring: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Single = 1,
    Double = 2,
    Triple = 3,
    Aromatic = 4,
}

/// A bond's sign before an atom or a ring number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Nothing,
    Direction,
    Order(Order),
}

impl Outliner {
    /// The molecule, if it is an ordinary one.
    pub(crate) fn read(&mut self, smiles: &str) -> Option<Molecule> {
        self.parse(smiles.as_bytes())?;
        self.close_rings();
        for atom in &self.atoms {
            atom.implicit_hydrogens()?;
        }
        self.pair_off()?;
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
        (self.atoms.len() <= MOST_ATOMS).then_some(new)
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
            let (mut a, mut b) = (line.a as usize, line.b as usize);
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

    /// Whether the aromatic atoms in need of a double bond can be paired off, as far as is tried.
    fn pair_off(&mut self) -> Option<()> {
        self.free.clear();
        self.partners.clear();
        let needy = self.atoms.iter().filter(|a| a.needs_double_bond()).count();
        if needy == 0 {
            return Some(());
        }
        self.partners.resize(self.atoms.len(), [NONE; 3]);
        self.free.resize(self.atoms.len(), 0);
        for line in &self.bonds {
            let ends = [line.a, line.b];
            let both = ends.iter().all(|&v| self.atoms[v as usize].needs_double_bond());
            if line.order == Order::Aromatic && line.in_ring && both {
                for (here, there) in [(line.a, line.b), (line.b, line.a)] {
                    let count = &mut self.free[here as usize];
                    *self.partners[here as usize].get_mut(*count as usize)? = there;
                    *count += 1;
                }
            }
        }
        self.are_small().then_some(())?;
        self.forced.clear();
        let mut left = needy;
        let mut next = 0;
        while left > 0 {
            let here = match self.forced.pop() {
                Some(forced) => forced,
                None => {
                    next = (next..self.atoms.len())
                        .find(|&v| self.atoms[v].needs_double_bond() && self.free[v] != TAKEN)?;
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

    /// Whether no fused system is so large that the toolkit's own search might give up.
    fn are_small(&mut self) -> bool {
        let mut seen = std::mem::take(&mut self.forced);
        let mut reached = vec![false; self.atoms.len()];
        let mut small = true;
        for start in 0..self.atoms.len() {
            if reached[start] || !self.atoms[start].needs_double_bond() {
                continue;
            }
            seen.clear();
            seen.push(start as u32);
            reached[start] = true;
            let mut at = 0;
            while let Some(&v) = seen.get(at) {
                at += 1;
                for p in self.partners[v as usize] {
                    if p != NONE && !std::mem::replace(&mut reached[p as usize], true) {
                        seen.push(p);
                    }
                }
            }
            small &= seen.len() <= MOST_PAIRED;
        }
        self.forced = seen;
        small
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

/// An atom that has its double bond.
const TAKEN: u8 = u8::MAX;

impl Sketch {
    /// The hydrogens that are not written, if the atom is an ordinary one.
    fn implicit_hydrogens(&self) -> Option<u8> {
        if self.is_aromatic {
            return self.aromatic_hydrogens();
        }
        if self.in_brackets {
            return self.is_saturated().then_some(0);
        }
        let orders = self.orders;
        match (self.element, orders) {
            (6, 0..=4) => Some(4 - orders),
            (7, 0..=3) => Some(3 - orders),
            (8, 0..=2) => Some(2 - orders),
            (9 | 17 | 35 | 53, 0..=1) => Some(1 - orders),
            (16, 0..=2) => Some(2 - orders),
            (16, 4 | 6) => Some(0),
            (15, 0..=3) if !self.in_ring => Some(3 - orders),
            (15, 5) if self.degree == 4 => Some(0),
            _ => None,
        }
    }

    /// Whether an atom in brackets has the bonds that its charge asks for, no more and no fewer.
    fn is_saturated(&self) -> bool {
        let valence = self.orders + self.hydrogens;
        match (self.element, self.charge) {
            (6, 0) => valence == 4 && (!self.is_chiral || self.orders == self.degree),
            _ if self.is_chiral => false,
            (7, 1) | (14, 0) => valence == 4,
            (7, 0) | (8, 1) => valence == 3,
            (7, -1) | (8, 0) => valence == 2,
            (8 | 16, -1) => valence == 1,
            (9 | 17 | 35 | 53, -1) | (3 | 11 | 19, 0 | 1) => valence == 0,
            _ => false,
        }
    }

    fn aromatic_hydrogens(&self) -> Option<u8> {
        let in_rings = self.aromatic_ring_bonds >= 2 && self.degree <= 3;
        let others = self.degree - self.aromatic_bonds;
        let is_single = self.orders == others;
        if !in_rings || self.is_chiral {
            return None;
        }
        match (self.element, self.in_brackets, self.charge, self.hydrogens) {
            (6, false, ..) if self.degree == 2 => Some(1),
            (6, false, ..) if is_single || self.orders == 2 => Some(0),
            (7, false, ..) if is_single => Some(0),
            (8 | 16, false, ..) if self.degree == 2 => Some(0),
            (7, true, 0 | 1, 1) | (7, true, -1, 0) if self.degree == 2 => Some(0),
            (7, true, 1, 0) if self.degree == 3 && is_single => Some(0),
            _ => None,
        }
    }

    /// Whether an aromatic atom takes part in a double bond of the ring, whichever is chosen.
    fn needs_double_bond(&self) -> bool {
        if !self.is_aromatic {
            return false;
        }
        match (self.element, self.charge) {
            (6, _) => self.orders < 2,
            (7, 0) => self.degree == 2 && self.hydrogens == 0,
            (7, 1) => true,
            _ => false,
        }
    }
}

impl Sign {
    fn of(byte: u8) -> Sign {
        match byte {
            b'-' => Sign::Order(Order::Single),
            b'=' => Sign::Order(Order::Double),
            b'#' => Sign::Order(Order::Triple),
            _ => Sign::Direction,
        }
    }
}

impl Order {
    fn kind(self) -> BondKind {
        match self {
            Order::Single => BondKind::Single,
            Order::Double => BondKind::Double,
            Order::Triple => BondKind::Triple,
            Order::Aromatic => BondKind::Aromatic,
        }
    }
}

/// The atom that starts with `byte`; `at` is behind that.
fn atom(byte: u8, text: &[u8], at: &mut usize) -> Option<Sketch> {
    let next = text.get(*at).copied();
    let mut plain = |element, is_aromatic, length: usize| {
        *at += length - 1;
        Some(Sketch { element, is_aromatic, ..Sketch::default() })
    };
    match (byte, next) {
        (b'[', _) => bracket(text, at),
        (b'C', Some(b'l')) => plain(17, false, 2),
        (b'B', Some(b'r')) => plain(35, false, 2),
        (b'C', _) => plain(6, false, 1),
        (b'N', _) => plain(7, false, 1),
        (b'O', _) => plain(8, false, 1),
        (b'F', _) => plain(9, false, 1),
        (b'P', _) => plain(15, false, 1),
        (b'S', _) => plain(16, false, 1),
        (b'I', _) => plain(53, false, 1),
        (b'c', _) => plain(6, true, 1),
        (b'n', _) => plain(7, true, 1),
        (b'o', _) => plain(8, true, 1),
        (b's', _) => plain(16, true, 1),
        _ => None,
    }
}

/// An atom in brackets: symbol, `@` or `@@`, hydrogens, one charge at most.
fn bracket(text: &[u8], at: &mut usize) -> Option<Sketch> {
    let end = *at + text.get(*at..)?.iter().position(|&b| b == b']')?;
    let inner = &text[*at..end];
    *at = end + 1;
    let (element, length) = match inner {
        [b'C', b'l', ..] => (17, 2),
        [b'B', b'r', ..] => (35, 2),
        [b'N', b'a', ..] => (11, 2),
        [b'L', b'i', ..] => (3, 2),
        [b'S', b'i', ..] => (14, 2),
        [b'C', ..] => (6, 1),
        [b'N' | b'n', ..] => (7, 1),
        [b'O', ..] => (8, 1),
        [b'F', ..] => (9, 1),
        [b'S', ..] => (16, 1),
        [b'I', ..] => (53, 1),
        [b'K', ..] => (19, 1),
        _ => return None,
    };
    let is_aromatic = inner[0] == b'n';
    let rest = &inner[length..];
    let unmarked = rest.strip_prefix(b"@@").or_else(|| rest.strip_prefix(b"@")).unwrap_or(rest);
    let is_chiral = unmarked.len() < rest.len();
    let (hydrogens, rest) = match unmarked {
        [b'H', digit @ b'1'..=b'9', rest @ ..] => (digit - b'0', rest),
        [b'H', rest @ ..] => (1, rest),
        rest => (0, rest),
    };
    let charge = match rest {
        [] => 0,
        b"+" => 1,
        b"-" => -1,
        _ => return None,
    };
    let in_brackets = true;
    Some(Sketch {
        element,
        charge,
        hydrogens,
        is_aromatic,
        in_brackets,
        is_chiral,
        ..Sketch::default()
    })
}

/// A ring's number: a digit, or two after `%`.
fn ring_number(byte: u8, text: &[u8], at: &mut usize) -> Option<u32> {
    if byte != b'%' {
        return Some(u32::from(byte - b'0'));
    }
    let &[tens @ b'1'..=b'9', ones @ b'0'..=b'9'] = text.get(*at..*at + 2)? else { return None };
    *at += 2;
    Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
}

#[cfg(test)]
mod tests {
    use super::Outliner;
    use crate::molecule::Molecule;
    use crate::toolkit::from_smiles;

    /// What labels without aromaticity and bond orders look at.
    type Outline = (Vec<(u8, u8, u8, i8, u16, bool)>, Vec<(u32, u32, bool)>);

    fn outline(m: &Molecule) -> Outline {
        let atom = |a: &crate::molecule::Atom| {
            (a.element, a.degree, a.hydrogens, a.charge, a.isotope, a.in_ring)
        };
        let atoms = m.atoms().iter().map(atom).collect();
        (atoms, m.bonds().iter().map(|b| (b.a, b.b, b.in_ring)).collect())
    }

    /// Whether the SMILES was read, after comparing with the toolkit.
    fn agrees(outliner: &mut Outliner, smiles: &str) -> bool {
        let Some(read) = outliner.read(smiles) else { return false };
        match from_smiles(smiles) {
            Ok(full) => assert_eq!(outline(&read), outline(&full), "{smiles}"),
            Err(reason) => panic!("{smiles} was read, but {reason}"),
        }
        true
    }

    const ORDINARY: [&str; 28] = [
        "O=S1(=O)NC=Nc2ccccc12",
        "C[Si](C)(C)CCP1(=O)OCCO1",
        "O=S1C=CC=C1",
        "CP1(=O)C=CC=C1.[Na].[K+]",
        "CCO",
        "c1ccccc1[N+](=O)[O-]",
        "C[C@@H](N)C(=O)O",
        "O=c1[nH]c2ccccc2c(=O)n1C",
        "c1ccc2c(c1)Cc1ccccc1-2",
        "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
        "CS(=O)(=O)Nc1ccc(Cl)cc1.[Na+]",
        "F/C=C/c1cc[n+](C)cc1.[I-]",
        "C1CC2(C1)OCC(=O)N2c1nc2ccccc2s1",
        "c1ccn(-c2ccccc2)c1",
        "c1ccn(c2ccccc2)c1",
        "[O-][n+]1ccccc1",
        "COP(=O)(OC)OC=C(Cl)Cl",
        "C1=CC=CN1",
        "N#Cc1ccc2[nH]ccc2c1",
        "c1ccc2c(c1)ccc1c2ccc2ccccc21",
        "c1cc2cccc3c4cccc5cccc(c(c1)c23)c54",
        "C%10CCCCC%10C=1C=CC=CC1",
        "O=C1C=CC(=O)c2ccccc12",
        "CN(C)CCc1c[nH]c2ccc(cc12)C[C@H]1COC(=O)N1",
        "c1ccc2nc3ccccc3nc2c1",
        "c1ccc2cccc2cc1",
        "Cc1nnc(S)o1",
        "C[NH+](C)CC#N",
    ];

    #[test]
    fn ordinary_molecules_are_those_of_the_toolkit() {
        let mut outliner = Outliner::default();
        for smiles in ORDINARY {
            assert!(agrees(&mut outliner, smiles), "{smiles} is ordinary");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_toolkit() {
        let mut outliner = Outliner::default();
        for smiles in [
            "",
            "C1CC",
            "CC(",
            "C)",
            "C()C",
            "(C)C",
            "C11",
            "C1C1",
            "C=",
            "=C",
            "C..C",
            "C.",
            "C(.C)",
            "c1cccc1",
            "cc",
            "C(C)(C)(C)(C)C",
            "[H]C",
            "[2H]C",
            "[CH3]",
            "C[N]",
            "N(=O)(=O)C",
            "[Fe]",
            "C[Na]",
            "C~C",
            "C$C",
            "C:C",
            "c1ccccc1:C",
            "B(O)O",
            "C1(C)=1",
            "C-1CC=1",
            "C/1CC1",
            "[C@](C)(C)C",
            "C=[C@]=C",
            "n1cccc1",
            "c1cc[nH]cc1",
            "*C",
            "C%1CC%1",
        ] {
            assert!(outliner.read(smiles).is_none(), "{smiles}");
        }
    }

    /// Changes one or two places of ordinary SMILES at random: whatever is still read must be what
    /// the toolkit reads.
    #[test]
    fn changed_molecules_agree_or_are_left_to_the_toolkit() {
        const PIECES: [&str; 40] = [
            "S(=O)(=O)",
            "[Si]",
            "P(=O)",
            "S(=O)",
            "C",
            "N",
            "O",
            "S",
            "c",
            "n",
            "o",
            "s",
            "1",
            "2",
            "3",
            "(",
            ")",
            "=",
            "#",
            "-",
            "/",
            ".",
            "[nH]",
            "[N+]",
            "[O-]",
            "[n+]",
            "[C@H]",
            "[C@@]",
            "F",
            "P",
            "[NH2+]",
            "c1ccccc1",
            "C=1",
            "[S-]",
            "[nH+]",
            "[n-]",
            "(C)",
            "(=O)",
            "%11",
            "Cl",
        ];
        let mut state = 7u64;
        let mut below = |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let rounds = std::env::var("SPINNEY_OUTLINE_ROUNDS").map_or(40_000, |r| r.parse().unwrap());
        let mut outliner = Outliner::default();
        let mut read = 0;
        for _ in 0..rounds {
            let mut smiles = ORDINARY[below(ORDINARY.len())].to_owned();
            for _ in 0..=below(2) {
                let (start, long) = (below(smiles.len() + 1), below(3));
                let end = (start + long).min(smiles.len());
                let piece = if below(4) == 0 { "" } else { PIECES[below(PIECES.len())] };
                smiles.replace_range(start..end, piece);
            }
            read += usize::from(agrees(&mut outliner, &smiles));
        }
        assert!(read > rounds / 10, "{read} of {rounds} were read");
    }
}
