//! The fast_smiles against the toolkit.

use super::FastSmiles;
use crate::molecule::Molecule;
use crate::toolkit::from_smiles;

/// What labels without aromaticity and bond orders look at.
type AtomsAndBonds = (Vec<(u8, u8, u8, i8, u16, bool)>, Vec<(u32, u32, bool)>);

fn atoms_and_bonds(m: &Molecule) -> AtomsAndBonds {
    let atom = |a: &crate::molecule::Atom| {
        (a.element, a.degree, a.hydrogens, a.charge, a.isotope, a.in_ring)
    };
    let atoms = m.atoms().iter().map(atom).collect();
    (atoms, m.bonds().iter().map(|b| (b.a, b.b, b.in_ring)).collect())
}

/// Whether the SMILES was read, after comparing with the toolkit.
fn agrees(fast_smiles: &mut FastSmiles, smiles: &str) -> bool {
    let Some(read) = fast_smiles.read(smiles) else { return false };
    match from_smiles(smiles) {
        Ok(full) => assert_eq!(atoms_and_bonds(&read), atoms_and_bonds(&full), "{smiles}"),
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
    let mut fast_smiles = FastSmiles::default();
    for smiles in ORDINARY {
        assert!(agrees(&mut fast_smiles, smiles), "{smiles} is ordinary");
    }
}

#[test]
fn everything_else_is_left_to_the_toolkit() {
    let mut fast_smiles = FastSmiles::default();
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
        assert!(fast_smiles.read(smiles).is_none(), "{smiles}");
    }
}

/// What is put into ordinary SMILES.
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

/// Changes one or two places of ordinary SMILES at random: whatever is still read must be what
/// the toolkit reads.
#[test]
fn changed_molecules_agree_or_are_left_to_the_toolkit() {
    let mut state = 7u64;
    let mut below = |n| below(&mut state, n);
    let rounds = rounds(40_000);
    let mut fast_smiles = FastSmiles::default();
    let mut read = 0;
    for _ in 0..rounds {
        let mut smiles = ORDINARY[below(ORDINARY.len())].to_owned();
        for _ in 0..=below(2) {
            let start = below(smiles.len() + 1);
            let long = below(3);
            let end = (start + long).min(smiles.len());
            let piece = if below(4) == 0 { "" } else { PIECES[below(PIECES.len())] };
            smiles.replace_range(start..end, piece);
        }
        read += usize::from(agrees(&mut fast_smiles, &smiles));
    }
    assert!(read > rounds / 10, "{read} of {rounds} were read");
}

/// A number below `n` from a linear congruential sequence.
fn below(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % n
}

/// Rings fused edge to edge at random, as neighbours of each atom.
fn fused_rings(state: &mut u64, rings: usize) -> Vec<Vec<usize>> {
    let first = 5 + below(state, 2);
    let mut around: Vec<Vec<usize>> =
        (0..first).map(|v| vec![(v + 1) % first, (v + first - 1) % first]).collect();
    for _ in 1..rings {
        let u = below(state, around.len());
        let v = around[u][below(state, 2)];
        if around[u].len() > 2 || around[v].len() > 2 {
            continue;
        }
        let mut last = u;
        for _ in 0..3 + below(state, 3) {
            around.push(vec![last]);
            let new = around.len() - 1;
            around[last].push(new);
            last = new;
        }
        around[last].push(v);
        around[v].push(last);
    }
    around
}

/// Writes atoms and bonds as SMILES, walking from an atom at random.
struct Writer<'g> {
    around: &'g [Vec<usize>],
    symbols: Vec<&'static str>,
    seen: Vec<bool>,
    /// The ring bonds opened, by their two atoms.
    rings: Vec<(usize, usize)>,
}

impl Writer<'_> {
    /// Finds the bonds that close rings.
    fn walk(&mut self, v: usize, from: usize) {
        self.seen[v] = true;
        for &w in &self.around[v] {
            if !self.seen[w] {
                self.walk(w, v);
            } else if w != from && !self.rings.contains(&(v, w)) && !self.rings.contains(&(w, v)) {
                self.rings.push((v, w));
            }
        }
    }

    fn write(&mut self, v: usize, text: &mut String) {
        self.seen[v] = true;
        text.push_str(self.symbols[v]);
        for (number, ring) in self.rings.iter().enumerate() {
            if ring.0 == v || ring.1 == v {
                text.push_str(&format!("%{}", number + 10));
            }
        }
        for &w in &self.around[v] {
            let closes = self.rings.contains(&(v, w)) || self.rings.contains(&(w, v));
            if !self.seen[w] && !closes {
                text.push('(');
                self.write(w, text);
                text.push(')');
            }
        }
    }
}

fn written(state: &mut u64, around: &[Vec<usize>]) -> String {
    const TWO: [&str; 12] = ["c", "c", "c", "c", "c", "c", "n", "[nH]", "o", "s", "C", "[n+](C)"];
    let symbol = |around: &Vec<usize>, state: &mut u64| match around.len() {
        2 => TWO[below(state, TWO.len())],
        _ => ["c", "c", "c", "c", "c", "c", "n", "[n+]"][below(state, 8)],
    };
    let symbols = around.iter().map(|a| symbol(a, state)).collect();
    let seen = vec![false; around.len()];
    let mut writer = Writer { around, symbols, seen, rings: Vec::new() };
    let start = below(state, around.len());
    writer.walk(start, usize::MAX);
    writer.seen.fill(false);
    let mut text = String::new();
    writer.write(start, &mut text);
    text
}

/// Fused aromatic systems, some with a Kekulé structure and some without: whatever is read must be
/// what the toolkit reads, which searches with a limit of its own.
#[test]
fn fused_systems_agree_or_are_left_to_the_toolkit() {
    let rounds = rounds(6_000);
    let mut state = 11;
    let mut read = 0;
    let mut fast_smiles = FastSmiles::default();
    for _ in 0..rounds {
        let rings = 1 + below(&mut state, 9);
        let around = fused_rings(&mut state, rings);
        let smiles = written(&mut state, &around);
        read += usize::from(agrees(&mut fast_smiles, &smiles));
    }
    assert!(read > rounds / 20, "{read} of {rounds} were read");
}

/// How many random cases to try.
fn rounds(usual: usize) -> usize {
    std::env::var("SPINNEY_SMILES_ROUNDS").map_or(usual, |r| r.parse().unwrap())
}
