//! What RDKit refuses although its meaning is known: nitrogens of valence four and oxygens of
//! valence three without their charge (CPDB has 81 and one).
//!
//! - With a hydroxyl group and a double bond it is a nitro group, or another N-oxide, with a
//!   hydrogen too many: `N(=O)O` becomes `[N+](=O)[O-]`.
//! - Otherwise it is a cation: `CN(C)(C)C` becomes `C[N+](C)(C)C`, `C=N=[N-]` `C=[N+]=[N-]`; unless
//!   an oxygen is doubly bound to it, which leaves it open what was meant.
//! - The oxygen is a cation, too, as in pyrylium dyes: `C1=CC=CO=C1` becomes `C1=CC=C[O+]=C1`.
//!
//! (`N(=O)=O` needs no help: RDKit, and so the toolkit, puts it right by itself.)
//!
//! **Invariant.** Only the text of such atoms and hydroxyl groups changes; a SMILES that holds
//! none, or is not understood, is left alone. The result still has to pass the toolkit.
//!
//! **Cost.** Linear in the SMILES.

use crate::toolkit::LONGEST_SMILES;

/// The SMILES with its nitrogens of valence four and oxygens of valence three charged, if it has
/// any.
pub(super) fn corrected(smiles: &str) -> Option<String> {
    if smiles.len() > LONGEST_SMILES || !smiles.is_ascii() {
        return None;
    }
    let mut sketch = Sketch { text: smiles.as_bytes(), ..Sketch::default() };
    sketch.read()?;
    let mut edits: Vec<Edit> = Vec::new();
    for atom in &sketch.atoms {
        edits.extend(sketch.charges(atom));
    }
    edits.sort_unstable_by_key(|e| (e.start, e.end));
    let mut result = String::new();
    let mut at = 0;
    for edit in &edits {
        result += smiles.get(at..edit.start)?;
        result += edit.new;
        at = edit.end;
    }
    result += smiles.get(at..)?;
    (!edits.is_empty()).then_some(result)
}

/// Bytes to be replaced.
struct Edit {
    start: usize,
    end: usize,
    new: &'static str,
}

/// As much of a SMILES as is needed: where its atoms stand, and their bonds.
#[derive(Default)]
struct Sketch<'t> {
    text: &'t [u8],
    atoms: Vec<Atom>,
    last: Option<usize>,
    order: Option<u8>,
    /// The atoms to go back to at the ends of open branches.
    branches: Vec<Option<usize>>,
    /// Open ring bonds: number, atom, order.
    rings: Vec<(u32, usize, Option<u8>)>,
}

struct Atom {
    start: usize,
    end: usize,
    /// Neighbours and bond orders.
    bonds: Vec<(usize, u8)>,
}

impl<'t> Sketch<'t> {
    fn read(&mut self) -> Option<()> {
        let text = self.text;
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let mut end = at + 1;
            match byte {
                b'(' => self.branches.push(self.last),
                b')' => self.last = self.branches.pop()?,
                b'.' => (self.last, self.order) = (None, None),
                b'-' | b'/' | b'\\' | b':' | b'~' => self.order = Some(1),
                b'=' => self.order = Some(2),
                b'#' => self.order = Some(3),
                b'$' => self.order = Some(4),
                b'0'..=b'9' => self.ring(u32::from(byte - b'0'))?,
                b'%' => {
                    let digits = text.get(at + 1..at + 3)?;
                    self.ring(std::str::from_utf8(digits).ok()?.parse().ok()?)?;
                    end = at + 3;
                }
                b'[' => {
                    end = at + 1 + text[at..].iter().position(|&b| b == b']')?;
                    self.atom(at, end);
                }
                _ => {
                    let two = matches!(&text[at..], [b'C', b'l', ..] | [b'B', b'r', ..]);
                    end = at + 1 + usize::from(two);
                    self.atom(at, end);
                }
            }
            at = end;
        }
        self.rings.is_empty().then_some(())
    }

    fn atom(&mut self, start: usize, end: usize) {
        let new = self.atoms.len();
        self.atoms.push(Atom { start, end, bonds: Vec::new() });
        let order = self.order.take();
        if let Some(last) = self.last.replace(new) {
            self.bond(last, new, order);
        }
    }

    fn ring(&mut self, number: u32) -> Option<()> {
        let here = self.last?;
        let order = self.order.take();
        match self.rings.iter().position(|r| r.0 == number) {
            Some(open) => {
                let (_, there, before) = self.rings.swap_remove(open);
                self.bond(there, here, order.or(before));
            }
            None => self.rings.push((number, here, order)),
        }
        Some(())
    }

    fn bond(&mut self, a: usize, b: usize, order: Option<u8>) {
        let order = order.unwrap_or(1);
        self.atoms[a].bonds.push((b, order));
        self.atoms[b].bonds.push((a, order));
    }

    fn symbol(&self, atom: &Atom) -> &'t [u8] {
        let text = &self.text[atom.start..atom.end];
        text.strip_prefix(b"[").and_then(|t| t.strip_suffix(b"]")).unwrap_or(text)
    }

    /// The edits that charge an atom, if it is one without a charge that it must have.
    fn charges(&self, atom: &Atom) -> Vec<Edit> {
        let valence: u8 = atom.bonds.iter().fold(0, |sum, b| sum.saturating_add(b.1));
        match (self.symbol(atom), valence) {
            (b"N", 4) => self.nitrogen(atom),
            (b"O", 3) if atom.bonds.len() > 1 => {
                vec![Edit { start: atom.start, end: atom.end, new: "[O+]" }]
            }
            _ => Vec::new(),
        }
    }

    /// The edits that charge a nitrogen of valence four, if it is clear what was meant.
    fn nitrogen(&self, nitrogen: &Atom) -> Vec<Edit> {
        let bound = |order| {
            let bonds = nitrogen.bonds.iter().filter(move |b| b.1 == order);
            bonds.map(|&(v, _)| &self.atoms[v])
        };
        let edit = |atom: &Atom, new| Edit { start: atom.start, end: atom.end, new };
        let hydroxyl = bound(1).find_map(|o| Some((o, self.hydrogen(o)?)));
        match hydroxyl {
            Some((oxygen, hydrogen)) if bound(2).count() == 1 => {
                vec![edit(nitrogen, "[N+]"), edit(oxygen, "[O-]"), hydrogen]
            }
            _ if bound(2).any(|o| self.symbol(o) == b"O") => Vec::new(),
            _ => vec![edit(nitrogen, "[N+]")],
        }
    }

    /// How to take away the hydrogen of a hydroxyl group's oxygen, if it is one.
    fn hydrogen(&self, oxygen: &Atom) -> Option<Edit> {
        match (self.symbol(oxygen), &oxygen.bonds[..]) {
            (b"OH", [_]) => Some(Edit { start: oxygen.end, end: oxygen.end, new: "" }),
            (b"O", [_]) if self.text[oxygen.start] == b'O' => {
                Some(Edit { start: oxygen.end, end: oxygen.end, new: "" })
            }
            (b"O", bonds @ [_, _]) => {
                let bound = bonds.iter().map(|&(v, _)| &self.atoms[v]);
                let hydrogen = bound.into_iter().find(|a| self.symbol(a) == b"H")?;
                (hydrogen.bonds.len() == 1).then(|| self.without(hydrogen))
            }
            _ => None,
        }
    }

    /// Takes away an atom with one bond, the bond's sign and the brackets of a branch.
    fn without(&self, atom: &Atom) -> Edit {
        let mut start = atom.start;
        let mut end = atom.end;
        if start > 0 && self.text[start - 1] == b'-' {
            start -= 1;
        }
        let in_branch = start > 0 && self.text[start - 1] == b'(';
        if in_branch && self.text.get(end) == Some(&b')') {
            (start, end) = (start - 1, end + 1);
        }
        Edit { start, end, new: "" }
    }
}

#[cfg(test)]
mod tests {
    use super::corrected;
    use crate::toolkit::from_smiles;

    #[test]
    fn nitrogens_of_valence_four_and_oxygens_of_three_are_charged() {
        for (written, meant) in [
            ("O=N(O)c1ccccc1", "O=[N+]([O-])c1ccccc1"),
            ("[H]ON(=O)C", "[O-][N+](=O)C"),
            ("O([H])N(=O)C", "[O-][N+](=O)C"),
            ("CN(O[H])=O", "C[N+]([O-])=O"),
            ("CN(=O)-O-[H]", "C[N+](=O)-[O-]"),
            ("CN(=O)[OH]", "C[N+](=O)[O-]"),
            ("N(C)(=O)O.Cl", "[N+](C)(=O)[O-].Cl"),
            ("ON(=O)c1cc(N(O)=O)ccc1Cl", "[O-][N+](=O)c1cc([N+]([O-])=O)ccc1Cl"),
            ("CN=N(O[H])C", "CN=[N+]([O-])C"),
            ("CN(C)(C)C", "C[N+](C)(C)C"),
            ("C=N=[N-]", "C=[N+]=[N-]"),
            ("O%11.N%11(=O)C", "[O-]%11.[N+]%11(=O)C"),
            ("C1=CC=CO=C1", "C1=CC=C[O+]=C1"),
            ("CO(C)C", "C[O+](C)C"),
        ] {
            assert_eq!(corrected(written).as_deref(), Some(meant), "{written}");
            assert!(from_smiles(written).is_err(), "{written}");
            assert!(from_smiles(meant).is_ok(), "{meant}");
        }
    }

    #[test]
    fn everything_else_is_left_alone() {
        for text in [
            "CN(=O)=O",
            "C[N+](=O)[O-]",
            "CN(C)O",
            "CC(=O)O",
            "CN(=O)OC",
            "CN(=O)[O]",
            "C1=CC=C[O+]=C1",
            "C#O",
            "CO(=C)C",
            "",
            "C1CC",
            ")C(",
            "C[N",
            "C%1",
            "1C",
            "Cé",
            "C(C)(C)(C)(C)C",
        ] {
            assert_eq!(corrected(text), None, "{text}");
        }
    }
}
