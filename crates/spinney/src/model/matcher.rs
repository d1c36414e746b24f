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

pub use super::ground::Dictionary;
use super::ground::Ground;
use super::prefix::{Alphabet, Group, NONE, Prefixes};
use super::screen::{Screen, Sight};
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
    /// For each branch, embeddings so far; all 0 between walks.
    embeddings: Vec<u64>,
    /// For each branch, how many branches right below it are awake, and one for its own pattern if
    /// that is looked for. A branch is awake if this is not 0; none is between walks.
    awake: Vec<u32>,
    /// For each group, how many of its branches are awake.
    awake_in_group: Vec<u32>,
    /// The branches of the patterns that are looked for.
    wanted: Vec<u32>,
    /// The embedding: the graph's vertex for each of the pattern's.
    row: Vec<u32>,
    /// For each vertex, whether the embedding uses it.
    used: Vec<bool>,
}

impl Matcher {
    /// A matcher for `patterns`, each with the highest number of occurrences that matters.
    #[must_use]
    pub fn new<'a>(patterns: impl IntoIterator<Item = (&'a DfsCode, u32)>) -> Self {
        let patterns: Vec<(&DfsCode, u32)> = patterns.into_iter().collect();
        let codes = patterns.iter().map(|p| p.0);
        let alphabet = Alphabet::of(codes.clone());
        let screen = Screen::new(codes, &alphabet);
        let tree = Prefixes::new(&patterns, &alphabet);
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
        let tree = &self.tree;
        let mut wake = |pattern: u32| state.wake(tree.ends[pattern as usize], tree);
        if self.without_screen {
            (0..self.len() as u32).for_each(wake);
        } else {
            let kinds = || ground.kinds(graph, dictionary);
            self.screen.for_each(ground, sight, kinds, &mut wake);
        }
        Walk { tree, ground, state }.start();
        state.collect(tree, found);
        found
    }
}

impl State {
    fn prepare(&mut self, tree: &Prefixes, graph: &Graph) {
        self.embeddings.resize(tree.branches.len(), 0);
        self.awake.resize(tree.branches.len(), 0);
        self.awake_in_group.resize(tree.groups.len(), 0);
        self.row.resize(tree.most_vertices, 0);
        self.used.clear();
        self.used.resize(graph.vertex_count(), false);
    }

    /// The pattern that ends at a branch is looked for.
    fn wake(&mut self, end: u32, tree: &Prefixes) {
        self.wanted.push(end);
        let mut at = end;
        while at != NONE {
            self.awake[at as usize] += 1;
            if self.awake[at as usize] > 1 {
                return;
            }
            let branch = &tree.branches[at as usize];
            if branch.group != NONE {
                self.awake_in_group[branch.group as usize] += 1;
            }
            at = branch.parent;
        }
    }

    /// The pattern that ends at a branch need no longer be looked for.
    fn finish(&mut self, end: u32, tree: &Prefixes) {
        let mut at = end;
        while at != NONE {
            self.awake[at as usize] -= 1;
            if self.awake[at as usize] > 0 {
                return;
            }
            let branch = &tree.branches[at as usize];
            if branch.group != NONE {
                self.awake_in_group[branch.group as usize] -= 1;
            }
            at = branch.parent;
        }
    }

    /// Gathers what was found and forgets the walk.
    fn collect(&mut self, tree: &Prefixes, found: &mut Vec<(u32, u32)>) {
        found.clear();
        while let Some(end) = self.wanted.pop() {
            let embeddings = std::mem::take(&mut self.embeddings[end as usize]);
            if embeddings > 0 {
                let branch = &tree.branches[end as usize];
                let times = embeddings.div_ceil(branch.automorphisms);
                found.push((branch.pattern, u32::try_from(times).unwrap_or(u32::MAX)));
            }
            let mut at = end;
            while at != NONE && std::mem::take(&mut self.awake[at as usize]) > 0 {
                let branch = &tree.branches[at as usize];
                if branch.group != NONE {
                    self.awake_in_group[branch.group as usize] = 0;
                }
                at = branch.parent;
            }
        }
    }

    /// One more embedding of the pattern that ends at `at`.
    fn count(&mut self, at: u32, tree: &Prefixes) {
        let enough = tree.branches[at as usize].enough;
        let embeddings = &mut self.embeddings[at as usize];
        if *embeddings < enough {
            *embeddings += 1;
            if *embeddings == enough {
                self.finish(at, tree);
            }
        }
    }
}

/// One graph being walked.
struct Walk<'w> {
    tree: &'w Prefixes,
    ground: &'w Ground,
    state: &'w mut State,
}

impl Walk<'_> {
    fn start(&mut self) {
        for (v, &label) in (0..).zip(&self.ground.labels) {
            if let Some(root) = self.tree.root(label)
                && self.is_awake(root)
            {
                self.enter(root, 0, v);
            }
        }
    }

    /// Whether some pattern at or below a branch is still looked for.
    fn is_awake(&self, at: u32) -> bool {
        self.state.awake[at as usize] > 0
    }

    /// The embedding reaches branch `at` with one more vertex, the pattern's `place`.
    fn enter(&mut self, at: u32, place: u32, vertex: u32) {
        self.state.row[place as usize] = vertex;
        self.state.used[vertex as usize] = true;
        self.follow(at);
        self.state.used[vertex as usize] = false;
    }

    /// The embedding in the state reaches branch `at`: counts it and goes on below.
    fn follow(&mut self, at: u32) {
        let tree = self.tree;
        let branch = &tree.branches[at as usize];
        if branch.pattern != NONE {
            self.state.count(at, tree);
        }
        for back in &tree.backs[branch.backs.0 as usize..branch.backs.1 as usize] {
            if self.is_awake(back.child) {
                let [from, to] = [back.from, back.to].map(|v| self.state.row[v as usize]);
                let mut ways = self.ground.ways(from).iter();
                if ways.any(|way| way.vertex == to && way.letter == back.letter) {
                    self.follow(back.child);
                }
            }
        }
        let first = branch.groups.0;
        let groups = &tree.groups[first as usize..branch.groups.1 as usize];
        for (number, group) in (first as usize..).zip(groups) {
            if self.state.awake_in_group[number] > 0 {
                self.step(group);
            }
        }
    }

    /// Goes along every edge of a group that the graph has.
    fn step(&mut self, group: &Group) {
        let steps = &self.tree.steps[group.steps.0 as usize..group.steps.1 as usize];
        let ground = self.ground;
        for way in ground.ways(self.state.row[group.from as usize]) {
            if self.state.used[way.vertex as usize] {
                continue;
            }
            let step = steps.iter().find(|s| s.letter >= way.letter);
            if let Some(step) = step.filter(|s| s.letter == way.letter)
                && self.is_awake(step.child)
            {
                self.enter(step.child, group.to, way.vertex);
            }
        }
    }
}
