//! Which of a model's patterns occur in a graph, and how often.
//!
//! The patterns' DFS codes are merged into a prefix tree, and one backtracking walk over the graph
//! follows all of them at once: a partial embedding of a common prefix is found once.
//!
//! **Invariant.** A branch is left as soon as every pattern below it has been seen as often as any
//! tree asks; so the counts are exact up to that number. An occurrence is a distinct edge set (a
//! vertex, for a pattern of no edges): embeddings are counted and divided by the pattern's
//! automorphisms.
//!
//! **Cost.** Subgraph isomorphism: exponential in the worst case, microseconds on molecules.

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};
use crate::mining::canonical::Canonizer;
use crate::mining::dfs_code::{DfsCode, DfsEdge};

/// Finds a fixed set of patterns in graphs.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    roots: FxHashMap<Label, usize>,
    nodes: Vec<Branch>,
    patterns: usize,
}

#[derive(Clone, Debug)]
struct Branch {
    edge: Option<DfsEdge>,
    parent: usize,
    children: Vec<usize>,
    /// The pattern that ends here.
    pattern: Option<usize>,
    automorphisms: u64,
    /// How many embeddings are enough.
    enough: u64,
    /// Patterns at or below this branch.
    below: u32,
}

/// What a walk over one graph remembers; reusable.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    embeddings: Vec<u64>,
    wanted: Vec<u32>,
    row: Vec<u32>,
}

impl Matcher {
    /// A matcher for `patterns`, each with the highest number of occurrences that matters.
    #[must_use]
    pub fn new<'a>(patterns: impl IntoIterator<Item = (&'a DfsCode, u32)>) -> Self {
        let mut matcher = Matcher::default();
        let mut canonizer = Canonizer::new();
        for (code, most) in patterns {
            let at = matcher.place(code);
            let automorphisms =
                code.to_graph().map_or(1, |g| canonizer.canonical(&g).automorphisms);
            let branch = &mut matcher.nodes[at];
            branch.pattern = Some(matcher.patterns);
            branch.automorphisms = automorphisms;
            branch.enough = automorphisms.saturating_mul(most.max(1).into());
            matcher.patterns += 1;
        }
        for at in (0..matcher.nodes.len()).rev() {
            let children = matcher.nodes[at].children.iter();
            let below: u32 = children.map(|&c| matcher.nodes[c].below).sum();
            matcher.nodes[at].below = below + u32::from(matcher.nodes[at].pattern.is_some());
        }
        matcher
    }

    /// The branch at the end of `code`, made as far as it is new.
    fn place(&mut self, code: &DfsCode) -> usize {
        let nodes = &mut self.nodes;
        let mut at = *self.roots.entry(code.root()).or_insert_with(|| Branch::add(nodes, None, 0));
        for &edge in code.edges() {
            let known = nodes[at].children.iter().copied().find(|&c| nodes[c].edge == Some(edge));
            at = known.unwrap_or_else(|| {
                let new = Branch::add(nodes, Some(edge), at);
                nodes[at].children.push(new);
                new
            });
        }
        at
    }

    /// The number of patterns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.patterns
    }

    /// Whether there is no pattern.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns == 0
    }

    /// How often each pattern occurs in `graph`, up to the number that matters.
    #[must_use]
    pub fn counts(&self, graph: &Graph, scratch: &mut Scratch) -> Vec<u32> {
        scratch.embeddings.clear();
        scratch.embeddings.resize(self.nodes.len(), 0);
        scratch.wanted.clear();
        scratch.wanted.extend(self.nodes.iter().map(|n| n.below));
        for (v, label) in graph.labels().iter().enumerate() {
            let root = if *label == UNSEEN { None } else { self.roots.get(label) };
            if let Some(&root) = root.filter(|&&r| scratch.wanted[r] > 0) {
                scratch.row.clear();
                scratch.row.push(v as u32);
                self.follow(graph, root, scratch);
            }
        }
        let mut counts = vec![0; self.patterns];
        for (branch, &found) in self.nodes.iter().zip(&scratch.embeddings) {
            if let Some(pattern) = branch.pattern {
                let times = found / branch.automorphisms;
                counts[pattern] = u32::try_from(times).unwrap_or(u32::MAX);
            }
        }
        counts
    }

    /// The embedding in `scratch.row` reaches branch `at`: counts it and goes on below.
    fn follow(&self, graph: &Graph, at: usize, scratch: &mut Scratch) {
        let branch = &self.nodes[at];
        if branch.pattern.is_some() && scratch.embeddings[at] < branch.enough {
            scratch.embeddings[at] += 1;
            if scratch.embeddings[at] == branch.enough {
                self.satisfied(at, scratch);
            }
        }
        for &child in &branch.children {
            if scratch.wanted[child] == 0 {
                continue;
            }
            let Some(edge) = self.nodes[child].edge else { continue };
            let here = scratch.row[usize::from(edge.from)];
            if edge.is_forward() {
                for n in graph.neighbors(here) {
                    let fits = n.label == edge.edge_label
                        && graph.label(n.vertex) == edge.to_label
                        && !scratch.row.contains(&n.vertex);
                    if fits {
                        scratch.row.push(n.vertex);
                        self.follow(graph, child, scratch);
                        scratch.row.pop();
                        if scratch.wanted[child] == 0 {
                            break;
                        }
                    }
                }
            } else {
                let back = scratch.row[usize::from(edge.to)];
                if graph.edge_label(here, back) == Some(edge.edge_label) {
                    self.follow(graph, child, scratch);
                }
            }
        }
    }

    /// One pattern less to look for at `at` and above.
    fn satisfied(&self, mut at: usize, scratch: &mut Scratch) {
        loop {
            scratch.wanted[at] -= 1;
            if self.nodes[at].edge.is_none() {
                return;
            }
            at = self.nodes[at].parent;
        }
    }
}

impl Branch {
    fn add(nodes: &mut Vec<Branch>, edge: Option<DfsEdge>, parent: usize) -> usize {
        nodes.push(Branch {
            edge,
            parent,
            children: Vec::new(),
            pattern: None,
            automorphisms: 1,
            enough: 0,
            below: 0,
        });
        nodes.len() - 1
    }
}
