//! Atoms and signs of an ordinary SMILES, and the hydrogens that valences ask for.
//!
//! **Invariant.** What is not in these tables is not ordinary: `None`, and the toolkit decides.

use crate::molecule::BondKind;

/// An atom as written, and what is counted of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sketch {
    pub(super) element: u8,
    pub(super) charge: i8,
    /// Hydrogens written in brackets.
    pub(super) hydrogens: u8,
    pub(super) is_aromatic: bool,
    pub(super) in_brackets: bool,
    pub(super) is_chiral: bool,
    pub(super) in_ring: bool,
    pub(super) degree: u8,
    /// Sum of the orders of bonds that are not aromatic.
    pub(super) orders: u8,
    pub(super) aromatic_bonds: u8,
    pub(super) aromatic_ring_bonds: u8,
    /// The atom before it in its chain, and the bond to that.
    pub(super) before: u32,
    pub(super) bond_before: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Single = 1,
    Double = 2,
    Triple = 3,
    Aromatic = 4,
}

/// A bond's sign before an atom or a ring number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Nothing,
    Direction,
    Order(Order),
}

impl Sketch {
    /// The hydrogens that are not written, if the atom is an ordinary one.
    pub(super) fn implicit_hydrogens(&self) -> Option<u8> {
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
    pub(super) fn needs_double_bond(&self) -> bool {
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
    pub(super) fn of(byte: u8) -> Sign {
        match byte {
            b'-' => Sign::Order(Order::Single),
            b'=' => Sign::Order(Order::Double),
            b'#' => Sign::Order(Order::Triple),
            _ => Sign::Direction,
        }
    }
}

impl Order {
    pub(super) fn kind(self) -> BondKind {
        match self {
            Order::Single => BondKind::Single,
            Order::Double => BondKind::Double,
            Order::Triple => BondKind::Triple,
            Order::Aromatic => BondKind::Aromatic,
        }
    }
}

/// The atom that starts with `byte`; `at` is behind that.
pub(super) fn atom(byte: u8, text: &[u8], at: &mut usize) -> Option<Sketch> {
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
    let (element, length) = symbol(inner)?;
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

/// The element that an atom in brackets starts with, and the length of its symbol.
fn symbol(inner: &[u8]) -> Option<(u8, usize)> {
    Some(match inner {
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
    })
}

/// A ring's number: a digit, or two after `%`.
pub(super) fn ring_number(byte: u8, text: &[u8], at: &mut usize) -> Option<u32> {
    if byte != b'%' {
        return Some(u32::from(byte - b'0'));
    }
    let &[tens @ b'1'..=b'9', ones @ b'0'..=b'9'] = text.get(*at..*at + 2)? else { return None };
    *at += 2;
    Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
}
