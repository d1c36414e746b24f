//! A model's patterns merged into a prefix tree, laid out for walking.
//!
//! Patterns whose DFS codes start alike share branches. Each label and each pair of labels that an
//! edge leads over has a number ([`Alphabet`]), by which branches and graphs are compared.
//!
//! **Invariant.** A parent's number is less than its children's.
//!
//! **Cost.** One pass over the patterns' edges. Automorphisms are counted only where a pattern must
//! occur more than once.

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, NONE};
use super::ground::Ground;
use crate::mining::canonical::Canonizer;
use crate::mining::dfs_code::{DfsCode, DfsEdge};

/// The prefix tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefixes {
    pub(super) branches: Vec<Branch>,
    /// By branch, how often its pattern must be found.
    pub(super) quotas: Vec<Quota>,
    /// The branch of each vertex label's number, or [`NONE`].
    pub(super) roots: Vec<u32>,
    /// The branch at the end of each pattern.
    pub(super) ends: Vec<u32>,
    /// The number of vertices of the largest pattern.
    pub(super) most_vertices: usize,
}

/// A prefix of some pattern, and the edge that it ends with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// The pattern that ends here, or [`NONE`].
    pub(super) pattern: u32,
    pub(super) parent: u32,
    /// The edge's vertices in the pattern.
    pub(super) from: u16,
    pub(super) to: u16,
    /// The edge's letter; [`NONE`] if no graph has it.
    pub(super) letter: u32,
}

/// How many embeddings of a pattern are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    pub(super) automorphisms: u64,
    /// So many show that the pattern occurs as often as any tree asks for.
    pub(super) enough: u64,
}

impl Branch {
    /// Whether its edge discovers a vertex.
    pub(super) fn is_forward(&self) -> bool {
        self.from < self.to
    }
}

/// A prefix tree being made.
struct Growth<'g> {
    tree: Prefixes,
    alphabet: &'g Alphabet,
    children: FxHashMap<(u32, DfsEdge), u32>,
}

impl Prefixes {
    /// The tree of `patterns`, each with the highest number of occurrences that matters.
    pub(super) fn new(patterns: &[(&DfsCode, u32)], alphabet: &Alphabet) -> Prefixes {
        let roots = vec![NONE; alphabet.vertex_count()];
        let tree = Prefixes { roots, ..Prefixes::default() };
        let mut growth = Growth { tree, alphabet, children: FxHashMap::default() };
        let mut canonizer = Canonizer::new();
        for (number, &(code, most)) in (0..).zip(patterns) {
            let end = growth.place(code);
            let tree = &mut growth.tree;
            tree.branches[end as usize].pattern = number;
            tree.quotas[end as usize] = Quota::of(code, most, &mut canonizer);
            tree.ends.push(end);
            tree.most_vertices = tree.most_vertices.max(code.vertex_count());
        }
        growth.tree
    }

    /// The pattern that ends at a branch and how often it occurs, by its number of embeddings, as
    /// far as any tree asks.
    pub(super) fn found(&self, end: u32, embeddings: u64) -> Option<(u32, u32)> {
        let Branch { pattern, .. } = *self.branches.get(end as usize)?;
        let Quota { automorphisms, enough } = self.quotas[end as usize];
        let embeddings = embeddings.min(enough);
        let times =
            if automorphisms == 1 { embeddings } else { embeddings.div_ceil(automorphisms) };
        (pattern != NONE).then_some((pattern, u32::try_from(times).unwrap_or(u32::MAX)))
    }

    /// Adds the patterns of one vertex that a graph has, with their numbers of occurrences.
    pub(super) fn count_vertices(&self, ground: &Ground, found: &mut Vec<(u32, u32)>) {
        let of_label =
            |(number, count): (u32, u32)| self.found(self.roots[number as usize], u64::from(count));
        found.extend(ground.counts().filter_map(of_label));
    }
}

impl Growth<'_> {
    /// The branch at the end of `code`, made as far as it is new.
    fn place(&mut self, code: &DfsCode) -> u32 {
        let number = self.alphabet.vertex(code.root());
        let known = self.tree.roots.get(number as usize).copied().filter(|&root| root != NONE);
        let mut at = known.unwrap_or_else(|| {
            let root = self.tree.add(NONE, None, NONE);
            if let Some(place) = self.tree.roots.get_mut(number as usize) {
                *place = root;
            }
            root
        });
        for edge in code.edges() {
            let Growth { tree, alphabet, children } = self;
            at = *children.entry((at, *edge)).or_insert_with(|| {
                let letter = alphabet.letter(edge.edge_label, alphabet.vertex(edge.to_label));
                tree.add(at, Some(edge), letter)
            });
        }
        at
    }
}

impl Prefixes {
    fn add(&mut self, parent: u32, edge: Option<&DfsEdge>, letter: u32) -> u32 {
        let [from, to] = edge.map_or([0, 0], |e| [e.from, e.to]);
        self.branches.push(Branch { pattern: NONE, parent, from, to, letter });
        self.quotas.push(Quota { automorphisms: 1, enough: 0 });
        self.branches.len() as u32 - 1
    }
}

impl Quota {
    fn of(code: &DfsCode, most: u32, canonizer: &mut Canonizer) -> Quota {
        if most <= 1 {
            return Quota { automorphisms: 1, enough: 1 };
        }
        let graph = code.to_graph();
        let automorphisms = graph.map_or(1, |g| canonizer.canonical(&g).automorphisms);
        // One embedding of the last occurrence shows it.
        let before = automorphisms.saturating_mul(u64::from(most) - 1);
        Quota { automorphisms, enough: before.saturating_add(1) }
    }
}
