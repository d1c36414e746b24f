//! A model's patterns merged into a prefix tree, laid out for walking.
//!
//! Patterns whose DFS codes start alike share branches. A branch's forward edges are grouped by the
//! vertex they leave and sorted by what they lead to ([`Alphabet`]), so that a neighbour finds its
//! branch by search instead of every branch looking at every neighbour.
//!
//! **Invariant.** A parent's number is less than its children's.
//!
//! **Cost.** One pass over the patterns' edges. Automorphisms are counted only of patterns that must
//! occur more than once.

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
    /// The branch at the end of each pattern.
    pub(super) ends: Vec<u32>,
    /// The number of vertices of the largest pattern.
    pub(super) most_vertices: usize,
}

/// A prefix of some pattern.
#[derive(Clone, Debug)]
pub(super) struct Branch {
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
}

/// A forward edge: the letter of what it leads to, and its branch. Ascending in a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) letter: u32,
    pub(super) child: u32,
}

/// A backward edge and its branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) letter: u32,
    pub(super) child: u32,
}

/// Pairs of an edge label and the label of the vertex that it leads to, in patterns, as small
/// numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Alphabet {
    letters: FxHashMap<(Label, Label), u32>,
}

impl Alphabet {
    /// The pairs in some patterns, every edge read both ways; none with an unseen label.
    pub(super) fn of<'a>(patterns: impl Iterator<Item = &'a DfsCode>) -> Alphabet {
        let mut letters = FxHashMap::default();
        for edge in patterns.flat_map(DfsCode::edges) {
            for vertex in [edge.to_label, edge.from_label] {
                if vertex == UNSEEN || edge.edge_label == UNSEEN {
                    continue;
                }
                let next = letters.len() as u32;
                letters.entry((edge.edge_label, vertex)).or_insert(next);
            }
        }
        Alphabet { letters }
    }

    /// The letter of a pair; none if no pattern has it.
    pub(super) fn letter(&self, edge: Label, vertex: Label) -> Option<u32> {
        self.letters.get(&(edge, vertex)).copied()
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
}

impl Prefixes {
    /// The tree of `patterns`, each with the highest number of occurrences that matters.
    pub(super) fn new(patterns: &[(&DfsCode, u32)], alphabet: &Alphabet) -> Prefixes {
        let mut tree = Prefixes::default();
        let mut sprouts: Vec<Sprout> = Vec::new();
        for (number, (code, _)) in patterns.iter().enumerate() {
            let at = place(code, &mut sprouts, &mut tree.roots);
            sprouts[at].pattern = number as u32;
            tree.ends.push(at as u32);
        }
        tree.most_vertices = sprouts.iter().map(|s| s.vertices as usize).max().unwrap_or(0);
        for sprout in &sprouts {
            tree.add(sprout, &sprouts, alphabet);
        }
        let mut canonizer = Canonizer::new();
        for branch in &mut tree.branches {
            let Some(&(code, most)) = patterns.get(branch.pattern as usize) else { continue };
            // One embedding of the last occurrence shows it.
            branch.enough = 1;
            if most > 1 {
                let graph = code.to_graph();
                branch.automorphisms = graph.map_or(1, |g| canonizer.canonical(&g).automorphisms);
                let before = branch.automorphisms.saturating_mul(u64::from(most) - 1);
                branch.enough = before.saturating_add(1);
            }
        }
        for (number, group) in (0..).zip(&tree.groups) {
            for step in &tree.steps[group.steps.0 as usize..group.steps.1 as usize] {
                tree.branches[step.child as usize].group = number;
            }
        }
        tree
    }

    /// The branch of a label, if patterns start with it.
    pub(super) fn root(&self, label: Label) -> Option<u32> {
        if label == UNSEEN { None } else { self.roots.get(&label).copied() }
    }

    /// Lays a branch out, after all with smaller numbers.
    fn add(&mut self, sprout: &Sprout, sprouts: &[Sprout], alphabet: &Alphabet) {
        let groups = self.groups.len() as u32;
        let backs = self.backs.len() as u32;
        let mut forward: Vec<(u32, u32, u32)> = Vec::new();
        for &child in &sprout.children {
            let Some(edge) = &sprouts[child as usize].edge else { continue };
            let from = edge.from.into();
            let to = edge.to.into();
            let letter = alphabet.letter(edge.edge_label, edge.to_label);
            if edge.is_forward() {
                forward.extend(letter.map(|letter| (from, letter, child)));
            } else {
                self.backs.extend(letter.map(|letter| Back { from, to, letter, child }));
            }
        }
        forward.sort_unstable();
        for same in forward.chunk_by(|a, b| a.0 == b.0) {
            let start = self.steps.len() as u32;
            let step = |&(_, letter, child)| Step { letter, child };
            self.steps.extend(same.iter().map(step));
            let from = same[0].0;
            let steps = (start, self.steps.len() as u32);
            self.groups.push(Group { from, to: sprout.vertices, steps });
        }
        self.branches.push(Branch {
            pattern: sprout.pattern,
            parent: sprout.parent,
            group: NONE,
            groups: (groups, self.groups.len() as u32),
            backs: (backs, self.backs.len() as u32),
            automorphisms: 1,
            enough: 0,
        });
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
        let before = sprouts.get(parent as usize).map_or(0, |p| p.vertices);
        let vertices = before + u32::from(edge.is_none_or(|e| e.is_forward()));
        sprouts.push(Sprout { edge, vertices, parent, children: Vec::new(), pattern: NONE });
        sprouts.len() as u32 - 1
    }
}
