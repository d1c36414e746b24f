//! The one file that knows the `chematic` crate: texts to molecules, as RDKit reads them.
//!
//! SMILES go through `parse` and then `rdkit_parsed_molecule`, which carries out RDKit's own steps
//! (clean-up, kekulisation, aromaticity, removal of hydrogens). MOL blocks are written to SMILES
//! first and take the same way: read directly, blocks with explicit hydrogens would fail.

use std::borrow::Cow;

use chematic::core::{BondOrder, Element};
use chematic::{mol, smiles};

use crate::molecule::{Atom, Bond, BondKind, Molecule};

/// Longer SMILES are refused unread.
pub const LONGEST_SMILES: usize = 20_000;

/// Reads a SMILES string as RDKit's `MolFromSmiles` would.
///
/// # Errors
/// Says why it is no molecule.
pub fn from_smiles(text: &str) -> Result<Molecule, String> {
    Ok(convert(&parsed(text)?))
}

/// The same as the toolkit's own molecule, for drawing.
pub(crate) fn parsed(text: &str) -> Result<chematic::core::Molecule, String> {
    read(text, smiles::rdkit_parsed_molecule)
}

/// The same with every hydrogen as an atom, as after RDKit's `AddHs`.
///
/// # Errors
/// Says why it is no molecule.
pub fn with_hydrogens(text: &str) -> Result<Molecule, String> {
    Ok(convert(&read(text, smiles::rdkit_added_hs_molecule)?))
}

fn read(
    text: &str,
    as_rdkit: impl FnOnce(&chematic::core::Molecule) -> Option<chematic::core::Molecule>,
) -> Result<chematic::core::Molecule, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("empty SMILES".into());
    }
    if text.len() > LONGEST_SMILES {
        return Err(format!("a SMILES of {} characters (at most {LONGEST_SMILES})", text.len()));
    }
    let parsed = smiles::parse(&unescaped(text))
        .map_err(|e| format!("{e} in SMILES {}", shortened(text)))?;
    as_rdkit(&parsed)
        .ok_or_else(|| format!("impossible valence or aromaticity in SMILES {}", shortened(text)))
}

/// A backslash that was escaped on its way into a table stands twice; RDKit takes it for one.
fn unescaped(text: &str) -> Cow<'_, str> {
    const TWICE: &str = r"\\";
    if text.contains(TWICE) { text.replace(TWICE, r"\").into() } else { text.into() }
}

/// Reads a MOL block (V2000 or V3000) as RDKit's `MolFromMolBlock` would.
///
/// # Errors
/// Says why it is no molecule.
pub fn from_mol_block(text: &str) -> Result<Molecule, String> {
    from_smiles(&smiles_of_mol_block(text)?)
}

/// A MOL block as SMILES.
///
/// # Errors
/// Says why it is no molecule.
pub fn smiles_of_mol_block(text: &str) -> Result<String, String> {
    let is_v3000 = text.lines().nth(3).is_some_and(|counts| counts.contains("V3000"));
    let (molecule, _) = if is_v3000 { mol::parse_mol_v3000(text) } else { mol::parse_mol(text) }
        .map_err(|e| format!("bad MOL block: {e}"))?;
    if molecule.atom_count() == 0 {
        return Err("a MOL block without atoms".into());
    }
    // The writer of SMILES would drop it without a word.
    if let Some((_, bond)) = molecule.bonds().find(|(_, bond)| bond.atom1 == bond.atom2) {
        return Err(format!("bad MOL block: a bond from atom {} to itself", bond.atom1.0 + 1));
    }
    Ok(smiles::write(&molecule))
}

/// Free of the toolkit's types.
pub(crate) fn convert(read: &chematic::core::Molecule) -> Molecule {
    let atoms = read.atoms().map(|(_, a)| Atom {
        element: if a.wildcard { 0 } else { a.element.atomic_number() },
        hydrogens: a.hydrogen_count.unwrap_or(0),
        charge: a.charge,
        isotope: a.isotope.unwrap_or(0),
        aromatic: a.aromatic,
        ..Atom::default()
    });
    let bonds = read.bonds().map(|(_, b)| Bond {
        a: b.atom1.0,
        b: b.atom2.0,
        kind: kind(b.order),
        in_ring: false,
    });
    Molecule::new(atoms.collect(), bonds.collect())
}

fn kind(order: BondOrder) -> BondKind {
    match order {
        BondOrder::Single | BondOrder::Up | BondOrder::Down => BondKind::Single,
        BondOrder::Double => BondKind::Double,
        BondOrder::Triple => BondKind::Triple,
        BondOrder::Aromatic => BondKind::Aromatic,
        BondOrder::Dative => BondKind::Dative,
        _ => BondKind::Other,
    }
}

/// An element's symbol; `*` for a wildcard.
#[must_use]
pub fn symbol(atomic_number: u8) -> &'static str {
    Element::from_atomic_number(atomic_number).map_or("*", Element::symbol)
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start:?}…")
}

#[cfg(test)]
mod tests {
    use super::{from_mol_block, from_smiles, symbol};

    #[test]
    fn benzene_with_a_nitro_group() {
        let m = from_smiles("c1ccccc1[N+](=O)[O-]").unwrap();
        assert_eq!(m.atoms().len(), 9);
        let ipso = m.atoms()[5];
        assert!(ipso.aromatic && ipso.in_ring);
        assert_eq!((ipso.element, ipso.degree, ipso.hydrogens), (6, 3, 0));
        let nitrogen = m.atoms()[6];
        assert_eq!((nitrogen.element, nitrogen.charge, nitrogen.degree), (7, 1, 3));
        // An uncharged nitro group is the same molecule; which oxygen gets the charge is open.
        let uncharged = from_smiles("c1ccccc1N(=O)=O").unwrap();
        let charges = |m: &crate::Molecule| {
            let mut all: Vec<i8> = m.atoms().iter().map(|a| a.charge).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(charges(&uncharged), charges(&m));
    }

    #[test]
    fn mol_blocks_of_both_versions() {
        let v2000 = "\n  spinney\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n\
            \x20   0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n\
            \x20   1.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n\
            \x20   2.0000    0.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n\
            \x20 1  2  1  0\n  2  3  1  0\nM  END\n";
        let v3000 = "\n  spinney\n\n  0  0  0     0  0            999 V3000\n\
            M  V30 BEGIN CTAB\nM  V30 COUNTS 3 2 0 0 0\nM  V30 BEGIN ATOM\n\
            M  V30 1 C 0 0 0 0\nM  V30 2 C 1 0 0 0\nM  V30 3 O 2 0 0 0\nM  V30 END ATOM\n\
            M  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 2 1 2 3\nM  V30 END BOND\n\
            M  V30 END CTAB\nM  END\n";
        let ethanol = from_smiles("CCO").unwrap();
        assert_eq!(from_mol_block(v2000).unwrap(), ethanol);
        assert_eq!(from_mol_block(v3000).unwrap(), ethanol);
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "empty"),
            ("C1CC", "ring"),
            ("C(C)(C)(C)(C)C", "valence"),
            ("CC(", "parenthes"),
            ("c1cccc1", "aromaticity"),
            ("Xx", "SMILES"),
        ] {
            let error = from_smiles(text).unwrap_err();
            assert!(error.to_lowercase().contains(&reason.to_lowercase()), "{text}: {error}");
        }
        assert!(from_smiles(&"C".repeat(30_000)).unwrap_err().contains("30000"));
        assert!(from_mol_block("nothing").is_err());
    }

    #[test]
    fn escaped_backslashes_are_single_ones() {
        let once = from_smiles(r"C/C=C\C").expect("a molecule");
        assert_eq!(from_smiles(r"C/C=C\\C").expect("the same"), once);
        assert!(from_smiles(r"C/C=C\\\C").is_err(), "three are none");
        assert!(from_smiles(r"C/C=C//C").is_err(), "nor are two slashes");
    }

    #[test]
    fn symbols() {
        assert_eq!((symbol(6), symbol(17), symbol(0)), ("C", "Cl", "*"));
    }
}
