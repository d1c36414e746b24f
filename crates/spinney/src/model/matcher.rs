//! Which of a model's patterns occur in a graph, and how often.
//!
//! A graph's paths say which patterns it can have at all (`screen.rs`). One backtracking walk over
//! the graph then follows the prefix tree of these at once: a partial embedding of a common prefix
//! is found once.
//!
//! **Invariant.** A branch is left as soon as every pattern below it has been seen as often as any
//! tree asks, or cannot be there; so the counts are exact up to that number. An occurrence is a
//! distinct edge set (a vertex, for a pattern of no edges): embeddings are counted and divided by
//! the pattern's automorphisms. Embeddings come in multiples of those, so the first one beyond
//! *t* − 1 occurrences shows the *t*-th.
//!
//! **Cost.** Subgraph isomorphism: exponential in the worst case, microseconds on molecules. A
//! graph costs what is found in it: nothing is done for each pattern, and nothing is allocated once
//! the scratch has grown.

use super::alphabet::{Alphabet, NONE};
pub use super::ground::Dictionary;
use super::ground::{Ground, Spot, Way, bit, kinds};
use super::prefix::{Branch, Prefixes};
use super::screen::{Screen, Seen, Sight};
use crate::graph::Graph;
use crate::mining::dfs_code::DfsCode;

/// Finds a fixed set of patterns in graphs.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    alphabet: Alphabet,
    screen: Screen,
    tree: Prefixes,
    without_screen: bool,
}

/// What a walk over one graph needs and remembers; reusable.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    ground: Ground,
    sight: Sight,
    state: State,
    found: Vec<(u32, u32)>,
}

/// What a walk changes.
#[derive(Clone, Debug, Default)]
struct State {
    /// The branches that lead to patterns that are looked for: no more than these are walked.
    buds: Vec<Bud>,
    /// The branch of each bud.
    woken: Vec<u32>,
    /// The bud of each branch, or [`NONE`], as for all between walks.
    bud_of: Vec<u32>,
    /// The embedding: the graph's vertex for each of the pattern's.
    row: Vec<u32>,
    /// For each vertex, whether the embedding uses it.
    used: Vec<bool>,
}

/// A branch in a graph.
#[derive(Clone, Copy, Debug)]
struct Bud {
    branch: Branch,
    parent: u32,
    /// Its first child and its next sibling among the buds, or [`NONE`].
    first: u32,
    next: u32,
    /// How many of its children are awake, and one for its own pattern if that is still looked for:
    /// the bud is awake if this is not 0.
    awake: u32,
    /// Embeddings of its pattern so far, and how many are enough.
    embeddings: u64,
    enough: u64,
}

impl Matcher {
    /// A matcher for `patterns`, each with the highest number of occurrences that matters.
    #[must_use]
    pub fn new<'a>(patterns: impl IntoIterator<Item = (&'a DfsCode, u32)>) -> Self {
        let patterns: Vec<(&DfsCode, u32)> = patterns.into_iter().collect();
        let codes = patterns.iter().map(|p| p.0);
        let alphabet = Alphabet::of(codes.clone());
        let screen = || Screen::new(codes, &alphabet);
        let (screen, tree) = rayon::join(screen, || Prefixes::new(&patterns, &alphabet));
        Matcher { alphabet, screen, tree, without_screen: false }
    }

    /// The same without looking at what a graph lacks before walking: slower, for comparison.
    #[must_use]
    pub fn without_exclusion(mut self) -> Self {
        self.without_screen = true;
        self
    }

    /// The number of patterns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.ends.len()
    }

    /// Whether there is no pattern.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.ends.is_empty()
    }

    /// How often each pattern occurs in `graph`, up to the number that matters.
    #[must_use]
    pub fn counts(&self, graph: &Graph, scratch: &mut Scratch) -> Vec<u32> {
        let mut counts = vec![0; self.len()];
        for &(pattern, times) in self.find(graph, Dictionary::Same, scratch) {
            counts[pattern as usize] = times;
        }
        counts
    }

    /// The patterns that occur in `graph`, in no particular order, each with how often it does, up
    /// to the number that matters.
    pub fn find<'s>(
        &self,
        graph: &Graph,
        dictionary: Dictionary<'_>,
        scratch: &'s mut Scratch,
    ) -> &'s [(u32, u32)] {
        let Scratch { ground, sight, state, found } = scratch;
        ground.prepare(&self.alphabet, graph, dictionary);
        state.prepare(&self.tree, graph);
        found.clear();
        let tree = &self.tree;
        if self.without_screen {
            (0..self.len() as u32).for_each(|pattern| state.wake(pattern, tree));
        } else {
            let seen = |seen| match seen {
                Seen::Perhaps(pattern) => state.wake(pattern, tree),
                Seen::Surely(pattern, embeddings) => {
                    found.extend(tree.found(tree.ends[pattern as usize], embeddings));
                }
            };
            self.screen.for_each(ground, sight, || kinds(graph, dictionary), seen);
        }
        Walk::over(tree, ground, state).start();
        tree.count_vertices(ground, found);
        state.collect(tree, found);
        found
    }
}

impl State {
    fn prepare(&mut self, tree: &Prefixes, graph: &Graph) {
        self.bud_of.resize(tree.branches.len(), NONE);
        self.row.resize(tree.most_vertices, 0);
        self.used.clear();
        self.used.resize(graph.vertex_count(), false);
    }

    /// A pattern is looked for; one of a single vertex is counted without a walk.
    fn wake(&mut self, pattern: u32, tree: &Prefixes) {
        let end = tree.ends[pattern as usize];
        let mut at = end;
        if tree.branches[at as usize].parent == NONE {
            return;
        }
        let mut child = NONE;
        while at != NONE {
            let known = self.bud_of[at as usize];
            let here = if known == NONE { self.add(at, tree) } else { known };
            let bud = &mut self.buds[here as usize];
            bud.awake += 1;
            let next = bud.first;
            if child != NONE {
                bud.first = child;
                let child = &mut self.buds[child as usize];
                child.next = next;
                child.parent = here;
            }
            if known != NONE {
                break;
            }
            child = here;
            at = tree.branches[at as usize].parent;
        }
        let bud = self.bud_of[end as usize];
        self.buds[bud as usize].enough = tree.quotas[end as usize].enough;
    }

    fn add(&mut self, at: u32, tree: &Prefixes) -> u32 {
        let new = self.buds.len() as u32;
        let branch = tree.branches[at as usize];
        self.buds.push(Bud {
            branch,
            parent: NONE,
            first: NONE,
            next: NONE,
            awake: 0,
            embeddings: 0,
            enough: 0,
        });
        self.woken.push(at);
        self.bud_of[at as usize] = new;
        new
    }

    /// Gathers what was found and forgets the walk.
    fn collect(&mut self, tree: &Prefixes, found: &mut Vec<(u32, u32)>) {
        for (bud, at) in self.buds.drain(..).zip(self.woken.drain(..)) {
            self.bud_of[at as usize] = NONE;
            if bud.embeddings > 0 {
                found.extend(tree.found(at, bud.embeddings));
            }
        }
    }
}

/// One graph being walked.
struct Walk<'w> {
    roots: &'w [u32],
    ground: &'w Ground,
    spots: &'w [Spot],
    ways: &'w [Way],
    bud_of: &'w [u32],
    buds: &'w mut [Bud],
    row: &'w mut [u32],
    used: &'w mut [bool],
}

impl<'w> Walk<'w> {
    fn over(tree: &'w Prefixes, ground: &'w Ground, state: &'w mut State) -> Walk<'w> {
        Walk {
            roots: &tree.roots,
            ground,
            spots: &ground.spots,
            ways: &ground.ways,
            bud_of: &state.bud_of,
            buds: &mut state.buds,
            row: &mut state.row,
            used: &mut state.used,
        }
    }

    fn start(&mut self) {
        let ground = self.ground;
        for &v in &ground.inner {
            let number = ground.vertices[v as usize];
            let root = self.roots.get(number as usize).copied().unwrap_or(NONE);
            let bud = self.bud_of.get(root as usize).copied().unwrap_or(NONE);
            if bud != NONE && self.buds[bud as usize].awake > 0 {
                self.enter(bud, 0, v);
            }
        }
    }

    /// The embedding reaches a bud with one more vertex, the pattern's `place`.
    fn enter(&mut self, bud: u32, place: u16, vertex: u32) {
        self.row[usize::from(place)] = vertex;
        self.used[vertex as usize] = true;
        self.follow(bud);
        self.used[vertex as usize] = false;
    }

    /// The embedding in the state reaches a bud: counts it and goes on above.
    fn follow(&mut self, at: u32) {
        let bud = &mut self.buds[at as usize];
        let mut child = bud.first;
        if bud.embeddings < bud.enough {
            bud.embeddings += 1;
            if bud.embeddings == bud.enough {
                self.finish(at);
            }
        }
        let mut before = NONE;
        while child != NONE {
            let Bud { branch, next, awake, .. } = self.buds[child as usize];
            if awake > 0 {
                let spot = self.spots[self.row[usize::from(branch.from)] as usize];
                if spot.bits & bit(branch.letter) != 0 {
                    self.step(child, branch, spot);
                }
                before = child;
            } else if before == NONE {
                self.buds[at as usize].first = next;
            } else {
                self.buds[before as usize].next = next;
            }
            child = next;
        }
    }

    /// The pattern of a bud need no longer be looked for.
    fn finish(&mut self, bud: u32) {
        let mut at = bud;
        while let Some(bud) = self.buds.get_mut(at as usize) {
            bud.awake -= 1;
            if bud.awake > 0 {
                return;
            }
            at = bud.parent;
        }
    }

    /// Goes along every edge from a vertex that leads to a bud.
    fn step(&mut self, bud: u32, branch: Branch, spot: Spot) {
        let ways = spot.of(self.ways);
        if branch.is_forward() {
            for way in ways {
                if way.letter == branch.letter && !self.used[way.vertex as usize] {
                    self.enter(bud, branch.to, way.vertex);
                    if self.buds[bud as usize].awake == 0 {
                        return;
                    }
                }
            }
        } else {
            let to = self.row[usize::from(branch.to)];
            if ways.iter().any(|way| way.vertex == to && way.letter == branch.letter) {
                self.follow(bud);
            }
        }
    }
}
