//! Bemis-Murcko scaffolds, for splits that keep relatives together.
//!
//! The scaffold of a molecule is its rings, what links them, and the atoms double-bonded to either
//! (Bemis and Murcko 1996, as RDKit's `MurckoScaffold` carries it out). [`scaffold_key`] is a text
//! that two molecules share if and only if their scaffolds are the same molecule: elements,
//! aromatic atoms, charges, bonds and the hydrogens that aromatic hetero atoms need; no stereo, no
//! isotopes.
//!
//! **Invariant.** A key describes its scaffold wholly, so different scaffolds never share one. The
//! converse rests on the numbering: atoms are ranked by colour refinement, and ties broken at the
//! first atom of the smallest tied rank, which is canonical where tied atoms are exchangeable
//! (so in molecules but for contrived cages).
//!
//! **Deviation.** Not the smallest DFS code: its cost grows with the automorphisms (2^n for n
//! phenyl groups), and a group needs a key of polynomial cost on any input.
//!
//! **Cost.** Refinement O(rounds × bonds × log), once for each tie broken.

use crate::molecule::{Bond, BondKind, Molecule, adjacency};

/// The scaffold's key; empty if the molecule has no ring. Fragments are joined by dots.
#[must_use]
pub fn scaffold_key(molecule: &Molecule) -> String {
    let keep = scaffold_atoms(molecule);
    if keep.is_empty() {
        return String::new();
    }
    let colours: Vec<u64> = colours(molecule, &keep);
    let scaffold = molecule.part(&keep);
    let mut keys: Vec<String> = Vec::new();
    for fragment in scaffold.fragments() {
        let part = scaffold.part(&fragment);
        let colours: Vec<u64> = fragment.iter().map(|&v| colours[v as usize]).collect();
        keys.push(key(&colours, part.bonds()));
    }
    keys.sort_unstable();
    keys.join(".")
}

/// The scaffold's atoms, ascending: what is left when ends that are in no ring are cut off again
/// and again, and the atoms double-bonded to that.
#[must_use]
pub fn scaffold_atoms(molecule: &Molecule) -> Vec<u32> {
    let n = molecule.atoms().len();
    let around = adjacency(n, molecule.bonds());
    let has_ring = fragments_with_rings(molecule);
    let mut degree: Vec<usize> = around.iter().map(Vec::len).collect();
    let mut core = has_ring;
    let is_end = |v: usize, degree: &[usize]| degree[v] <= 1;
    let mut ends: Vec<usize> = (0..n).filter(|&v| core[v] && is_end(v, &degree)).collect();
    while let Some(v) = ends.pop() {
        core[v] = false;
        for &(w, _) in &around[v] {
            let w = w as usize;
            degree[w] -= 1;
            if core[w] && degree[w] == 1 {
                ends.push(w);
            }
        }
    }
    let mut keep = core.clone();
    for bond in molecule.bonds().iter().filter(|b| b.kind == BondKind::Double) {
        let a = bond.a as usize;
        let b = bond.b as usize;
        keep[a] |= core[b];
        keep[b] |= core[a];
    }
    (0..n as u32).filter(|&v| keep[v as usize]).collect()
}

fn fragments_with_rings(molecule: &Molecule) -> Vec<bool> {
    let mut has_ring = vec![false; molecule.atoms().len()];
    for fragment in molecule.fragments() {
        if fragment.iter().any(|&v| molecule.atoms()[v as usize].in_ring) {
            fragment.iter().for_each(|&v| has_ring[v as usize] = true);
        }
    }
    has_ring
}

/// What an atom of the scaffold is, as a number.
fn colours(molecule: &Molecule, keep: &[u32]) -> Vec<u64> {
    let mut kept = vec![false; molecule.atoms().len()];
    keep.iter().for_each(|&v| kept[v as usize] = true);
    let mut lost = vec![false; kept.len()];
    for bond in molecule.bonds() {
        let a = bond.a as usize;
        let b = bond.b as usize;
        lost[a] |= !kept[b];
        lost[b] |= !kept[a];
    }
    let colour = |&v: &u32| {
        let atom = molecule.atoms()[v as usize];
        // A hydrogen takes the place of what an aromatic hetero atom lost; not so, in RDKit, on
        // an aromatic carbanion. Elsewhere hydrogens follow from the rest.
        let is_carbanion = atom.element == 6 && atom.charge < 0;
        let counts = atom.aromatic && (atom.element != 6 || is_carbanion);
        let hydrogen = counts && (atom.hydrogens > 0 || (lost[v as usize] && !is_carbanion));
        u64::from(atom.element) << 16
            | u64::from(atom.charge.cast_unsigned()) << 8
            | u64::from(atom.aromatic) << 1
            | u64::from(hydrogen)
    };
    keep.iter().map(colour).collect()
}

/// Colours by canonical rank, then bonds between ranks in order.
fn key(colours: &[u64], bonds: &[Bond]) -> String {
    let rank = canonical_ranks(colours, bonds);
    let mut by_rank = vec![0; colours.len()];
    for (v, &r) in rank.iter().enumerate() {
        by_rank[r as usize] = colours[v];
    }
    let mut written: Vec<(u32, u32, u8)> = bonds
        .iter()
        .map(|b| (rank[b.a as usize], rank[b.b as usize], b.kind as u8))
        .map(|(a, b, kind)| (a.min(b), a.max(b), kind))
        .collect();
    written.sort_unstable();
    let mut text = String::new();
    for colour in by_rank {
        text += &format!("{colour:x},");
    }
    for (a, b, kind) in written {
        text += &format!(";{a}-{b}-{kind}");
    }
    text
}

/// A rank for each atom, all different; see the module's documentation.
fn canonical_ranks(colours: &[u64], bonds: &[Bond]) -> Vec<u32> {
    let around = adjacency(colours.len(), bonds);
    let mut rank = ranks_of(colours);
    loop {
        rank = refined(rank, &around, bonds);
        let Some(tied) = smallest_tie(&rank) else { return rank };
        // A rank is the number of atoms before it, so above a tie the next rank is free.
        let first = rank.iter().position(|&r| r == tied);
        for (v, r) in rank.iter_mut().enumerate() {
            if *r == tied && Some(v) != first {
                *r += 1;
            }
        }
    }
}

fn smallest_tie(rank: &[u32]) -> Option<u32> {
    let mut sorted = rank.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|w| w[0] == w[1]).map(|w| w[0])
}

/// For each value, how many are smaller.
fn ranks_of<T: Ord>(values: &[T]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].cmp(&values[b]));
    let mut rank = vec![0; values.len()];
    for (i, pair) in order.iter().enumerate() {
        let same = i > 0 && values[order[i - 1]] == values[*pair];
        rank[*pair] = if same { rank[order[i - 1]] } else { i as u32 };
    }
    rank
}

/// Splits ranks by the ranks and bonds around, until nothing changes.
fn refined(mut rank: Vec<u32>, around: &[Vec<(u32, u32)>], bonds: &[Bond]) -> Vec<u32> {
    loop {
        let sight: Vec<(u32, Vec<(u32, u8)>)> = (0..rank.len())
            .map(|v| {
                let see = |&(w, b): &(u32, u32)| (rank[w as usize], bonds[b as usize].kind as u8);
                let mut seen: Vec<(u32, u8)> = around[v].iter().map(see).collect();
                seen.sort_unstable();
                (rank[v], seen)
            })
            .collect();
        let next = ranks_of(&sight);
        if next == rank {
            return rank;
        }
        rank = next;
    }
}

#[cfg(test)]
mod tests {
    use super::{scaffold_atoms, scaffold_key};
    use crate::molecule::{Atom, Bond, Molecule};
    use crate::toolkit::from_smiles;

    fn key(smiles: &str) -> String {
        scaffold_key(&from_smiles(smiles).unwrap())
    }

    #[test]
    fn side_chains_fall_and_double_bonds_stay() {
        assert_eq!(key("CCO"), "");
        assert_eq!(key("Cc1ccccc1"), key("OC(=O)c1ccccc1"));
        assert_ne!(key("C1CCCCC1"), key("O=C1CCCCC1"));
        assert_ne!(key("C1CCCCC1"), key("c1ccccc1"));
        assert_eq!(key("c1ccccc1CC(=O)c1ccncc1"), key("Cc1cnccc1C(=O)Cc1c(CC)cccc1"));
        assert_ne!(key("c1ccccc1CC(=O)c1ccncc1"), key("c1ccccc1CCc1ccncc1"));
        let m = from_smiles("CCc1ccc(C(=O)Nc2ccccc2)cc1").unwrap();
        assert_eq!(scaffold_atoms(&m).len(), 15);
    }

    #[test]
    fn charges_aromatic_hydrogens_and_salts() {
        assert_eq!(key("Cn1cccc1"), key("c1cc[nH]c1"));
        assert_ne!(key("Cn1ccnc1C"), key("c1cnccn1"));
        assert_ne!(key("C[n+]1ccccc1"), key("c1ccncc1"));
        assert_eq!(key("[Cl-].C[n+]1ccccc1"), key("[O-][n+]1ccccc1"));
        assert_eq!(key("c1ccccc1.C1CC1"), key("CC1CC1.Oc1ccccc1"));
        assert_eq!(key("[13CH3]c1cccc[13cH]1"), key("c1ccccc1"));
        assert_ne!(key("C[c-]1cccc1"), key("[cH-]1cccc1"));
    }

    /// Renumbering changes nothing, on symmetric molecules too, and the cost stays small.
    #[test]
    fn keys_do_not_depend_on_the_numbering() {
        let chain = format!("c1ccccc1{}", "C(c1ccccc1)".repeat(60));
        for smiles in ["C12C3C4C1C5C2C3C45", "c1ccc2c(c1)ccc1ccccc12", "C1CC2CCC1CC2", &chain] {
            let m = from_smiles(smiles).unwrap();
            let n = m.atoms().len();
            let expected = scaffold_key(&m);
            for step in [7, 11, 13].into_iter().filter(|s| !n.is_multiple_of(*s)) {
                let new = |v: u32| (v as usize * step + 3) as u32 % n as u32;
                let mut atoms = vec![Atom::default(); n];
                for (v, atom) in m.atoms().iter().enumerate() {
                    let outside = Atom { hydrogens: atom.hydrogens, ..*atom };
                    atoms[new(v as u32) as usize] = outside;
                }
                let bonds = m.bonds().iter().rev();
                let bonds = bonds.map(|b| Bond { a: new(b.b), b: new(b.a), ..*b }).collect();
                assert_eq!(scaffold_key(&Molecule::new(atoms, bonds)), expected, "{smiles}");
            }
        }
    }
}
