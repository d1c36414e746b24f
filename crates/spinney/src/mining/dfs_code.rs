//! DFS codes: a connected pattern written as the edges of a depth-first walk.
//!
//! gSpan (Yan and Han 2002; the paper's section 2.2) names a connected graph by the *smallest* of
//! all its DFS codes. Vertices are numbered in the order of discovery; an edge `(from, to)` is
//! *forward* if it discovers `to` (`from < to`), else *backward*.
//!
//! **Invariant.** Every prefix of a smallest code is itself smallest. So "drop the last edge" is a
//! parent function on patterns, and the codes form a tree: the enumeration tree.
//!
//! **Order.** Two codes are compared at their first difference, where both continue the same
//! prefix: backward before forward; backward edges by target; forward edges from the deeper vertex
//! first; then labels. A prefix comes before its continuations, so sorting by code gives the
//! pre-order of the enumeration tree.
//!
//! **Deviation from gSpan.** A code also has a root label, so that a single vertex is a pattern
//! (of no edges) and the parent of the one-edge patterns that start at its label.

use std::cmp::Ordering;

use crate::graph::{Graph, GraphBuilder};
use crate::labels::{Label, Labels};

/// No pattern has more edges than this, even where no limit is asked for: positions in a code are
/// 16-bit, and matching recurses once an edge.
pub const MAX_PATTERN_EDGES: usize = 2_000;

/// One edge of a DFS code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DfsEdge {
    /// Where the walk stands.
    pub from: u16,
    /// The vertex discovered (`to > from`) or returned to (`to < from`).
    pub to: u16,
    /// Label of `from`.
    pub from_label: Label,
    /// Label of the edge.
    pub edge_label: Label,
    /// Label of `to`.
    pub to_label: Label,
}

impl DfsEdge {
    /// Whether the edge discovers a new vertex.
    #[must_use]
    pub fn is_forward(&self) -> bool {
        self.from < self.to
    }

    fn key(&self) -> (bool, u16, Label, Label, Label) {
        let place = if self.is_forward() { u16::MAX - self.from } else { self.to };
        (self.is_forward(), place, self.from_label, self.edge_label, self.to_label)
    }
}

impl PartialOrd for DfsEdge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of two continuations of the same prefix.
impl Ord for DfsEdge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// A connected pattern as a DFS code; see the module's documentation for the order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DfsCode {
    root: Label,
    edges: Vec<DfsEdge>,
}

impl DfsCode {
    /// The pattern of one vertex.
    #[must_use]
    pub fn vertex(label: Label) -> Self {
        DfsCode { root: label, edges: Vec::new() }
    }

    /// A code from its edges, at least one. The caller vouches that they are a DFS code; see
    /// [`DfsCode::check`].
    ///
    /// # Panics
    /// If `edges` is empty.
    #[must_use]
    pub fn from_edges(edges: Vec<DfsEdge>) -> Self {
        DfsCode { root: edges[0].from_label, edges }
    }

    /// The label of the first vertex.
    #[must_use]
    pub fn root(&self) -> Label {
        self.root
    }

    /// The edges, in the order of the walk.
    #[must_use]
    pub fn edges(&self) -> &[DfsEdge] {
        &self.edges
    }

    /// The number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        1 + self.edges.iter().filter(|e| e.is_forward()).count()
    }

    /// The code without its last edge; `None` for a single vertex.
    #[must_use]
    pub fn parent(&self) -> Option<DfsCode> {
        let (_, rest) = self.edges.split_last()?;
        Some(DfsCode { root: self.root, edges: rest.to_vec() })
    }

    pub(crate) fn push(&mut self, edge: DfsEdge) {
        self.edges.push(edge);
    }

    pub(crate) fn pop(&mut self) {
        self.edges.pop();
    }

    /// The vertices' labels, in the order of discovery.
    #[must_use]
    pub fn vertex_labels(&self) -> Vec<Label> {
        let found = self.edges.iter().filter(|e| e.is_forward()).map(|e| e.to_label);
        std::iter::once(self.root).chain(found).collect()
    }

    /// The rightmost path: the positions from the vertex found last back to the root.
    #[must_use]
    pub fn rightmost_path(&self) -> Vec<u16> {
        let mut path = Vec::new();
        let mut at = self.vertex_count() as u16 - 1;
        path.push(at);
        for e in self.edges.iter().rev().filter(|e| e.is_forward()) {
            if e.to == at {
                at = e.from;
                path.push(at);
            }
        }
        path
    }

    /// The pattern as a graph; vertex `i` is the one found `i`-th.
    ///
    /// # Errors
    /// Says what is wrong if the edges are no DFS code of a simple graph.
    pub fn to_graph(&self) -> Result<Graph, String> {
        self.check()?;
        let mut builder = GraphBuilder::new();
        for label in self.vertex_labels() {
            builder.add_vertex(label);
        }
        for e in &self.edges {
            builder
                .add_edge(e.from.into(), e.to.into(), e.edge_label)
                .map_err(|e| e.to_string())?;
        }
        Ok(builder.build())
    }

    /// Checks that the edges walk depth-first over a simple graph with consistent labels. (Not
    /// that the code is the smallest.)
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let mut labels = vec![self.root];
        let mut seen = rustc_hash::FxHashSet::default();
        for (i, e) in self.edges.iter().enumerate() {
            let place = || format!("edge {i} of the code ({}, {})", e.from, e.to);
            let label_of = |v: u16| labels.get(usize::from(v)).copied();
            if label_of(e.from) != Some(e.from_label) {
                return Err(format!(
                    "{}: its first vertex is unknown or labelled otherwise",
                    place()
                ));
            }
            let known = label_of(e.to);
            if e.is_forward() {
                if known.is_some() || usize::from(e.to) != labels.len() {
                    return Err(format!("{}: does not discover the next vertex", place()));
                }
                labels.push(e.to_label);
            } else if known != Some(e.to_label) || e.from == e.to {
                return Err(format!(
                    "{}: returns to a vertex unknown or labelled otherwise",
                    place()
                ));
            }
            if !seen.insert((e.from.min(e.to), e.from.max(e.to))) {
                return Err(format!("{}: repeats an edge", place()));
            }
        }
        Ok(())
    }

    /// A readable line such as `C-N(=O)-O`: labels by name, branches in parentheses, ring
    /// closures as `@` and the position (from 0) of the vertex closed to. Edge labels stand
    /// between vertices as `-label-`; a label named `0` (the unlabelled edge) as `-`.
    #[must_use]
    pub fn describe(&self, labels: &Labels) -> String {
        let bond = |label: Label| match labels.edge.name(label) {
            "0" => "-".to_owned(),
            name => format!("-{name}-"),
        };
        let mut children = vec![Vec::new(); self.vertex_count()];
        let mut closures = vec![String::new(); self.vertex_count()];
        for e in &self.edges {
            if e.is_forward() {
                children[usize::from(e.from)].push((e.to, e.edge_label));
            } else {
                closures[usize::from(e.from)] += &format!("{}@{}", bond(e.edge_label), e.to);
            }
        }
        let names = self.vertex_labels();
        let mut text = String::new();
        // An explicit stack, so that a path of any length can be described.
        let mut stack = vec![TextPart::Vertex(0, String::new())];
        while let Some(part) = stack.pop() {
            match part {
                TextPart::Text(t) => text += t,
                TextPart::Vertex(v, before) => {
                    let v = usize::from(v);
                    text += &before;
                    text += labels.vertex.name(names[v]);
                    if !closures[v].is_empty() {
                        text += &format!("({})", closures[v]);
                    }
                    let last = children[v].len().saturating_sub(1);
                    for (i, &(child, label)) in children[v].iter().enumerate().rev() {
                        if i < last {
                            stack.push(TextPart::Text(")"));
                        }
                        let open = if i < last { "(" } else { "" };
                        stack.push(TextPart::Vertex(child, format!("{open}{}", bond(label))));
                    }
                }
            }
        }
        text
    }
}

/// What is still to be written: a vertex with what is below it, after some text; or text.
enum TextPart {
    Vertex(u16, String),
    Text(&'static str),
}

#[cfg(test)]
mod tests {
    use super::{DfsCode, DfsEdge};
    use crate::labels::Labels;

    pub(crate) fn edge(from: u16, to: u16, l: (u32, u32, u32)) -> DfsEdge {
        DfsEdge { from, to, from_label: l.0, edge_label: l.1, to_label: l.2 }
    }

    fn names() -> Labels {
        Labels {
            vertex: ["C", "N", "O"].map(String::from).into_iter().collect(),
            edge: ["0", "2"].map(String::from).into_iter().collect(),
        }
    }

    #[test]
    fn order_is_gspans() {
        let ring = edge(2, 0, (0, 0, 0));
        let deep = edge(2, 3, (0, 0, 0));
        let shallow = edge(1, 3, (0, 0, 0));
        assert!(ring < deep && deep < shallow);
        assert!(edge(2, 3, (0, 0, 1)) < edge(2, 3, (0, 1, 0)));
        let short = DfsCode::from_edges(vec![edge(0, 1, (0, 0, 0))]);
        let long = DfsCode::from_edges(vec![edge(0, 1, (0, 0, 0)), edge(1, 2, (0, 0, 0))]);
        assert!(DfsCode::vertex(0) < short && short < long && long < DfsCode::vertex(1));
        assert_eq!(long.parent(), Some(short));
        assert_eq!(long.rightmost_path(), [2, 1, 0]);
    }

    #[test]
    fn description_reads_like_a_formula() {
        let code = DfsCode::from_edges(vec![
            edge(0, 1, (0, 0, 1)),
            edge(1, 2, (1, 1, 2)),
            edge(1, 3, (1, 0, 0)),
            edge(3, 0, (0, 0, 0)),
        ]);
        assert_eq!(code.describe(&names()), "C-N(-2-O)-C(-@0)");
        assert_eq!(DfsCode::vertex(2).describe(&names()), "O");
        assert_eq!(code.to_graph().unwrap().edge_count(), 4);
    }

    #[test]
    fn nonsense_is_no_code() {
        let bad = |edges: Vec<DfsEdge>| DfsCode::from_edges(edges).check().unwrap_err();
        assert!(bad(vec![edge(0, 2, (0, 0, 0))]).contains("discover"));
        assert!(bad(vec![edge(0, 1, (0, 0, 0)), edge(1, 0, (0, 0, 0))]).contains("repeats"));
        assert!(bad(vec![edge(0, 1, (0, 0, 0)), edge(1, 2, (1, 0, 0))]).contains("labelled"));
        assert!(bad(vec![edge(0, 0, (0, 0, 0))]).contains("returns"));
        assert!(bad(vec![edge(5, 1, (0, 0, 0))]).contains("unknown"));
    }
}
