//! A pattern as SMARTS, for use in any other toolkit.
//!
//! Vertex labels are SMARTS atoms and edge labels SMARTS bonds already (see [`crate::chemistry`]);
//! what is left is to write the walk: branches in parentheses, the last child without, a ring
//! closure as a number at both ends and its bond at the second.
//!
//! **Invariant.** The atoms stand in the order of the pattern's vertices, so the `i`-th atom of a
//! match is the pattern's vertex `i`. Numbers of ring closures are used again once closed, the
//! smallest free one first: the text depends on the code and the names alone.
//!
//! **Cost.** Linear in the pattern (times the logarithm of the closures open at once).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use spinney::labels::Labels;
use spinney::mining::DfsCode;

use crate::role;

/// A pattern in one line: as SMARTS if it is of molecules, else in words.
#[must_use]
pub fn pattern_text(code: &DfsCode, labels: &Labels) -> String {
    smarts(code, labels).unwrap_or_else(|| code.describe(labels))
}

/// The SMARTS of a pattern; `None` if some label is no atom or bond in SMARTS (the graphs are no
/// molecules) or the edges are no DFS code.
#[must_use]
pub fn smarts(code: &DfsCode, labels: &Labels) -> Option<String> {
    code.check().ok()?;
    let vertices: Vec<&str> =
        code.vertex_labels().into_iter().map(|label| labels.vertex.name(label)).collect();
    let bonds: Vec<&str> = code.edges().iter().map(|e| labels.edge.name(e.edge_label)).collect();
    if !vertices.iter().all(|v| is_atom(v)) || !bonds.iter().all(|b| is_bond(b)) {
        return None;
    }
    Some(Walk::new(code, vertices, &bonds).write())
}

/// Whether `name` is a SMARTS atom as [`crate::chemistry::atom_label`] writes them.
#[must_use]
pub fn is_atom(name: &str) -> bool {
    if role::of_label(name).is_some() || role::charge_of_label(name).is_some() {
        return true;
    }
    let Some(inner) = name.strip_prefix("[#").and_then(|n| n.strip_suffix(']')) else {
        return false;
    };
    let mut parts = inner.split('&');
    parts.next().is_some_and(is_number) && parts.all(is_property)
}

fn is_property(part: &str) -> bool {
    matches!(part, "a" | "A" | "R" | "!R")
        || part.strip_suffix('*').is_some_and(is_number)
        || part.strip_prefix(['d', 'D', 'X', 'H', '+', '-']).is_some_and(is_number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether `name` is a SMARTS bond as [`crate::chemistry::bond_label`] writes them.
#[must_use]
pub fn is_bond(name: &str) -> bool {
    let order = name.strip_suffix("&!@").or_else(|| name.strip_suffix("&@")).unwrap_or(name);
    matches!(order, "~" | "-" | "=" | "#" | ":" | "!-&!=&!#&!:")
}

/// One end of a ring closure: which closure, and its bond if this is the second end.
struct End<'a> {
    closure: usize,
    bond: Option<&'a str>,
}

struct Walk<'a> {
    vertices: Vec<&'a str>,
    /// The vertices found from each, with their bonds.
    children: Vec<Vec<(usize, &'a str)>>,
    ends: Vec<Vec<End<'a>>>,
    /// The number of each closure while it is open.
    numbers: Vec<usize>,
    free: BinaryHeap<Reverse<usize>>,
    most: usize,
}

enum Step<'a> {
    Vertex(usize, &'a str),
    Text(char),
}

impl<'a> Walk<'a> {
    fn new(code: &DfsCode, vertices: Vec<&'a str>, bonds: &[&'a str]) -> Self {
        let n = vertices.len();
        let mut children: Vec<Vec<(usize, &str)>> = vec![Vec::new(); n];
        for (e, &bond) in code.edges().iter().zip(bonds).filter(|(e, _)| e.is_forward()) {
            children[usize::from(e.from)].push((usize::from(e.to), bond));
        }
        let place = places(&children);
        let mut ends: Vec<Vec<End<'_>>> = (0..n).map(|_| Vec::new()).collect();
        let mut closures = 0;
        for (e, &bond) in code.edges().iter().zip(bonds).filter(|(e, _)| !e.is_forward()) {
            let mut first = usize::from(e.to);
            let mut second = usize::from(e.from);
            if place[first] > place[second] {
                std::mem::swap(&mut first, &mut second);
            }
            ends[first].push(End { closure: closures, bond: None });
            ends[second].push(End { closure: closures, bond: Some(bond) });
            closures += 1;
        }
        let numbers = vec![0; closures];
        Walk { vertices, children, ends, numbers, free: BinaryHeap::new(), most: 0 }
    }

    fn write(mut self) -> String {
        let mut text = String::new();
        // An explicit stack, so that a path of any length can be written.
        let mut stack = vec![Step::Vertex(0, "")];
        while let Some(step) = stack.pop() {
            let (v, bond) = match step {
                Step::Text(t) => {
                    text.push(t);
                    continue;
                }
                Step::Vertex(v, bond) => (v, bond),
            };
            text += bond;
            text += self.vertices[v];
            self.write_closures(v, &mut text);
            let last = self.children[v].len().saturating_sub(1);
            for (i, &(child, bond)) in self.children[v].iter().enumerate().rev() {
                if i == last {
                    stack.push(Step::Vertex(child, bond));
                } else {
                    stack.push(Step::Text(')'));
                    stack.push(Step::Vertex(child, bond));
                    stack.push(Step::Text('('));
                }
            }
        }
        text
    }

    /// Closes what ends at `v`, then opens what starts there. A number is free again only after
    /// this atom: closed and opened at one atom it would confuse readers, if not parsers.
    fn write_closures(&mut self, v: usize, text: &mut String) {
        let mut closed = Vec::new();
        let ends = std::mem::take(&mut self.ends[v]);
        for end in &ends {
            if let Some(bond) = end.bond {
                *text += bond;
                *text += &number(self.numbers[end.closure]);
                closed.push(self.numbers[end.closure]);
            }
        }
        for end in ends.iter().filter(|end| end.bond.is_none()) {
            let new = self.free.pop().map_or_else(
                || {
                    self.most += 1;
                    self.most
                },
                |Reverse(n)| n,
            );
            self.numbers[end.closure] = new;
            *text += &number(new);
        }
        self.free.extend(closed.into_iter().map(Reverse));
    }
}

/// For each vertex, when the walk writes it.
fn places(children: &[Vec<(usize, &str)>]) -> Vec<usize> {
    let mut place = vec![0; children.len()];
    let mut stack = vec![0];
    let mut clock = 0;
    while let Some(v) = stack.pop() {
        place[v] = clock;
        clock += 1;
        stack.extend(children[v].iter().rev().map(|&(child, _)| child));
    }
    place
}

fn number(n: usize) -> String {
    match n {
        0..10 => n.to_string(),
        10..100 => format!("%{n}"),
        _ => format!("%({n})"),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_atom, is_bond, number, smarts};
    use spinney::labels::Labels;
    use spinney::mining::{DfsCode, DfsEdge};

    fn labels() -> Labels {
        Labels {
            vertex: ["[#6]", "[#7]", "[#8]"].map(String::from).into_iter().collect(),
            edge: ["-", "=", "-&@"].map(String::from).into_iter().collect(),
        }
    }

    fn code(edges: &[(u16, u16, (u32, u32, u32))]) -> DfsCode {
        let edge = |&(from, to, l): &(u16, u16, (u32, u32, u32))| DfsEdge {
            from,
            to,
            from_label: l.0,
            edge_label: l.1,
            to_label: l.2,
        };
        DfsCode::from_edges(edges.iter().map(edge).collect())
    }

    #[test]
    fn branches_and_rings() {
        let pattern = code(&[
            (0, 1, (0, 2, 0)),
            (1, 2, (0, 2, 0)),
            (2, 0, (0, 2, 0)),
            (2, 3, (0, 1, 2)),
            (1, 4, (0, 0, 1)),
        ]);
        let written = smarts(&pattern, &labels()).unwrap();
        assert_eq!(written, "[#6]1-&@[#6](-&@[#6]-&@1=[#8])-[#7]");
        assert_eq!(smarts(&DfsCode::vertex(2), &labels()).unwrap(), "[#8]");
    }

    #[test]
    fn numbers_of_closures_are_used_again() {
        // Two triangles joined by a bond.
        let pattern = code(&[
            (0, 1, (0, 0, 0)),
            (1, 2, (0, 0, 0)),
            (2, 0, (0, 0, 0)),
            (2, 3, (0, 0, 0)),
            (3, 4, (0, 0, 0)),
            (4, 5, (0, 0, 0)),
            (5, 3, (0, 0, 0)),
        ]);
        let written = smarts(&pattern, &labels()).unwrap().replace("[#6]", "C");
        assert_eq!(written, "C1-C-C-1-C1-C-C-1");
        assert_eq!(
            (number(9), number(10), number(100)),
            ("9".into(), "%10".into(), "%(100)".into())
        );
    }

    #[test]
    fn graphs_that_are_no_molecules_have_no_smarts() {
        let names = Labels {
            vertex: ["[#6]", "A"].map(String::from).into_iter().collect(),
            edge: ["-", "0"].map(String::from).into_iter().collect(),
        };
        assert_eq!(smarts(&DfsCode::vertex(1), &names), None);
        assert_eq!(smarts(&code(&[(0, 1, (0, 1, 0))]), &names), None);
        assert!(smarts(&code(&[(0, 1, (0, 0, 0))]), &names).is_some());
        assert_eq!(smarts(&code(&[(0, 2, (0, 0, 0))]), &names), None);
        assert_eq!(smarts(&DfsCode::vertex(9), &names), None);
    }

    #[test]
    fn only_our_own_atoms_and_bonds_pass() {
        for atom in [
            "[+1]",
            "[#6&X4&+0]",
            "[#7,#8,#16;H0;+0;R]",
            "[#6]",
            "[#6&A]",
            "[#7&X4&H0&+1&0*&!R]",
            "[#1&d0&H1&-2&13*&R]",
        ] {
            assert!(is_atom(atom), "{atom}");
        }
        for other in [
            "[+]",
            "[#9,#17]",
            "C",
            "[C]",
            "[#]",
            "[#6",
            "[#6&]",
            "[#6&$(C)]",
            "[#6]C[#6]",
            "",
            "?",
        ] {
            assert!(!is_atom(other), "{other}");
        }
        assert!(is_bond("~") && is_bond("!-&!=&!#&!:&!@") && is_bond(":&@"));
        assert!(!is_bond("") && !is_bond("&@") && !is_bond("0") && !is_bond("--"));
    }
}
