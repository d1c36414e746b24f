//! A model's patterns merged into a prefix tree, laid out for walking.
//!
//! Patterns whose DFS codes start alike share branches. A branch's forward edges are grouped by the
//! vertex they leave and sorted by what they lead to ([`Alphabet`]), so that a neighbour finds its
//! branch by search instead of every branch looking at every neighbour.
//!
//! **Invariant.** A parent's number is less than its children's. [`Branch::needs`] holds only what
//! *every* pattern at or below the branch needs: a graph that lacks some of it has none of them.

use rustc_hash::FxHashMap;

use crate::labels::{Label, UNSEEN};
use crate::mining::canonical::Canonizer;
use crate::mining::dfs_code::{DfsCode, DfsEdge};

/// No pattern, no branch.
pub(super) const NONE: u32 = u32::MAX;

/// The prefix tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefixes {
    pub(super) branches: Vec<Branch>,
    pub(super) groups: Vec<Group>,
    pub(super) steps: Vec<Step>,
    pub(super) backs: Vec<Back>,
    /// The branch of each root label.
    pub(super) roots: FxHashMap<Label, u32>,
    pub(super) alphabet: Alphabet,
    /// The number of vertices of the largest pattern.
    pub(super) most_vertices: usize,
}

/// A prefix of some pattern.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) needs: Needs,
    /// Patterns at or below this branch.
    pub(super) below: u32,
    /// The pattern that ends here, or [`NONE`].
    pub(super) pattern: u32,
    pub(super) parent: u32,
    /// The group that leads here, or [`NONE`].
    pub(super) group: u32,
    /// Where its groups of forward edges start and end.
    pub(super) groups: (u32, u32),
    /// Where its backward edges start and end.
    pub(super) backs: (u32, u32),
    pub(super) automorphisms: u64,
    /// How many embeddings show that the pattern occurs as often as any tree asks for.
    pub(super) enough: u64,
}

/// Forward edges that leave the same vertex of a prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) from: u32,
    /// The vertex that they discover.
    pub(super) to: u32,
    /// Where its steps start and end.
    pub(super) steps: (u32, u32),
    /// Patterns behind its edges.
    pub(super) below: u32,
}

/// A forward edge: the letter of what it leads to, and its branch. Ascending in a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) letter: u32,
    pub(super) child: u32,
    /// Patterns at or below that branch.
    pub(super) below: u32,
}

/// A backward edge and its branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) label: Label,
    pub(super) child: u32,
}

/// Pairs of an edge label and a vertex label that forward edges lead to, as small numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Alphabet {
    letters: FxHashMap<(Label, Label), u32>,
}

impl Alphabet {
    /// The letter of a pair; none if no pattern has it.
    pub(super) fn letter(&self, edge: Label, vertex: Label) -> Option<u32> {
        self.letters.get(&(edge, vertex)).copied()
    }

    fn intern(&mut self, edge: &DfsEdge) -> u32 {
        let next = self.letters.len() as u32;
        *self.letters.entry((edge.edge_label, edge.to_label)).or_insert(next)
    }
}

/// Kinds of edges (label, edge label, label) that occur at least once and at least twice, each kind
/// hashed to one bit.
///
/// **Invariant.** Kinds that share a bit are counted together: a graph never seems to have less
/// than it has, so what [`Needs::met_by`] excludes cannot occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    once: u128,
    twice: u128,
}

impl Needs {
    /// What everything needs: to be intersected with.
    pub(super) const ALL: Needs = Needs { once: u128::MAX, twice: u128::MAX };

    /// One more edge of a graph.
    pub(super) fn count(&mut self, a: Label, edge: Label, b: Label) {
        let bit = Needs::bit(a, edge, b);
        self.twice |= self.once & bit;
        self.once |= bit;
    }

    /// What a pattern needs.
    fn of(code: &DfsCode) -> Needs {
        let kind = |e: &DfsEdge| {
            (e.from_label.min(e.to_label), e.edge_label, e.from_label.max(e.to_label))
        };
        let mut kinds: Vec<_> = code.edges().iter().map(kind).collect();
        kinds.sort_unstable();
        let mut needs = Needs::default();
        for same in kinds.chunk_by(|a, b| a == b) {
            let (a, edge, b) = same[0];
            let bit = Needs::bit(a, edge, b);
            needs.once |= bit;
            needs.twice |= if same.len() > 1 { bit } else { 0 };
        }
        needs
    }

    fn bit(a: Label, edge: Label, b: Label) -> u128 {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let ends = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        let mixed = (ends.wrapping_mul(ODD).rotate_left(29) ^ u64::from(edge)).wrapping_mul(ODD);
        1 << (mixed >> 57)
    }

    fn and(self, other: Needs) -> Needs {
        Needs { once: self.once & other.once, twice: self.twice & other.twice }
    }

    /// Whether a graph has what is needed, as far as bits show.
    pub(super) fn met_by(&self, graph: &Needs) -> bool {
        (self.once & !graph.once) | (self.twice & !graph.twice) == 0
    }
}

/// A branch while the tree is being made.
struct Sprout {
    edge: Option<DfsEdge>,
    /// Vertices of the prefix.
    vertices: u32,
    parent: u32,
    children: Vec<u32>,
    pattern: u32,
    needs: Needs,
}

impl Prefixes {
    /// The tree of `patterns`, each with the highest number of occurrences that matters.
    pub(super) fn new(patterns: &[(&DfsCode, u32)]) -> Prefixes {
        let mut tree = Prefixes::default();
        let mut sprouts: Vec<Sprout> = Vec::new();
        for (number, (code, _)) in patterns.iter().enumerate() {
            let at = place(code, &mut sprouts, &mut tree.roots);
            sprouts[at].pattern = number as u32;
            sprouts[at].needs = Needs::of(code);
        }
        tree.most_vertices = sprouts.iter().map(|s| s.vertices as usize).max().unwrap_or(0);
        for sprout in &sprouts {
            tree.add(sprout, &sprouts);
        }
        let mut canonizer = Canonizer::new();
        for branch in &mut tree.branches {
            let Some(&(code, most)) = patterns.get(branch.pattern as usize) else { continue };
            let graph = code.to_graph();
            branch.automorphisms = graph.map_or(1, |g| canonizer.canonical(&g).automorphisms);
            // One embedding of the last occurrence shows it.
            let before = branch.automorphisms.saturating_mul(u64::from(most.max(1)) - 1);
            branch.enough = before.saturating_add(1);
        }
        tree.sum_up();
        tree
    }

    /// The branch of a label, if patterns start with it.
    pub(super) fn root(&self, label: Label) -> Option<u32> {
        if label == UNSEEN { None } else { self.roots.get(&label).copied() }
    }

    /// Lays a branch out, after all with smaller numbers.
    fn add(&mut self, sprout: &Sprout, sprouts: &[Sprout]) {
        let groups = self.groups.len() as u32;
        let backs = self.backs.len() as u32;
        let mut forward: Vec<(u32, u32, u32)> = Vec::new();
        for &child in &sprout.children {
            let Some(edge) = &sprouts[child as usize].edge else { continue };
            let (from, to, label) = (edge.from.into(), edge.to.into(), edge.edge_label);
            if edge.is_forward() {
                forward.push((from, self.alphabet.intern(edge), child));
            } else {
                self.backs.push(Back { from, to, label, child });
            }
        }
        forward.sort_unstable();
        for same in forward.chunk_by(|a, b| a.0 == b.0) {
            let start = self.steps.len() as u32;
            let step = |&(_, letter, child)| Step { letter, child, below: 0 };
            self.steps.extend(same.iter().map(step));
            let from = same[0].0;
            let steps = (start, self.steps.len() as u32);
            self.groups.push(Group { from, to: sprout.vertices, steps, below: 0 });
        }
        self.branches.push(Branch {
            needs: sprout.needs,
            below: u32::from(sprout.pattern != NONE),
            pattern: sprout.pattern,
            parent: sprout.parent,
            group: NONE,
            groups: (groups, self.groups.len() as u32),
            backs: (backs, self.backs.len() as u32),
            automorphisms: 1,
            enough: 0,
        });
    }

    /// Adds up what is below each branch, from the leaves to the roots.
    fn sum_up(&mut self) {
        for at in (0..self.branches.len()).rev() {
            let Branch { needs, below, parent, .. } = self.branches[at];
            if let Some(parent) = self.branches.get_mut(parent as usize) {
                parent.below += below;
                parent.needs = parent.needs.and(needs);
            }
        }
        for (number, group) in (0..).zip(&mut self.groups) {
            for step in &mut self.steps[group.steps.0 as usize..group.steps.1 as usize] {
                let child = &mut self.branches[step.child as usize];
                child.group = number;
                step.below = child.below;
                group.below += child.below;
            }
        }
    }
}

/// The branch at the end of `code`, made as far as it is new.
fn place(code: &DfsCode, sprouts: &mut Vec<Sprout>, roots: &mut FxHashMap<Label, u32>) -> usize {
    let mut at = *roots.entry(code.root()).or_insert_with(|| Sprout::add(sprouts, None, NONE));
    for &edge in code.edges() {
        let children = &sprouts[at as usize].children;
        let known = children.iter().copied().find(|&c| sprouts[c as usize].edge == Some(edge));
        at = known.unwrap_or_else(|| {
            let new = Sprout::add(sprouts, Some(edge), at);
            sprouts[at as usize].children.push(new);
            new
        });
    }
    at as usize
}

impl Sprout {
    fn add(sprouts: &mut Vec<Sprout>, edge: Option<DfsEdge>, parent: u32) -> u32 {
        let (children, pattern, needs) = (Vec::new(), NONE, Needs::ALL);
        let before = sprouts.get(parent as usize).map_or(0, |p| p.vertices);
        let vertices = before + u32::from(edge.is_none_or(|e| e.is_forward()));
        sprouts.push(Sprout { edge, vertices, parent, children, pattern, needs });
        sprouts.len() as u32 - 1
    }
}
