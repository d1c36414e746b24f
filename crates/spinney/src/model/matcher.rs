//! Which of a model's patterns occur in a graph, and how often.
//!
//! One backtracking walk over the graph follows the prefix tree of all patterns at once: a partial
//! embedding of a common prefix is found once.
//!
//! **Invariant.** A branch is left as soon as every pattern below it has been seen as often as any
//! tree asks, or needs a kind of edge that the graph lacks; so the counts are exact up to that
//! number. An occurrence is a distinct edge set (a vertex, for a pattern of no edges): embeddings
//! are counted and divided by the pattern's automorphisms. Embeddings come in multiples of those,
//! so the first one beyond *t* − 1 occurrences shows the *t*-th.
//!
//! **Cost.** Subgraph isomorphism: exponential in the worst case, microseconds on molecules. A
//! graph costs what is found in it: nothing is done for each pattern, and nothing is allocated once
//! the scratch has grown.

use super::prefix::{Group, NONE, Needs, Prefixes};
use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};
use crate::mining::dfs_code::DfsCode;

/// Finds a fixed set of patterns in graphs.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    tree: Prefixes,
    patterns: usize,
    without_needs: bool,
}

/// What a walk over one graph needs and remembers; reusable.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    ground: Ground,
    state: State,
    found: Vec<(u32, u32)>,
}

/// A graph in the model's dictionary: what a walk looks at.
#[derive(Clone, Debug, Default)]
struct Ground {
    labels: Vec<Label>,
    /// Where each vertex's ways start in `ways`; one more entry at the end.
    starts: Vec<u32>,
    ways: Vec<Way>,
    has: Needs,
}

/// What a walk changes.
#[derive(Clone, Debug, Default)]
struct State {
    /// For each branch, embeddings so far; all 0 between walks.
    embeddings: Vec<u64>,
    /// For each branch, how many patterns at or below it need no more; all 0 between walks.
    done: Vec<u32>,
    /// The same for what is behind each group; all 0 between walks.
    group_done: Vec<u32>,
    /// Branches with embeddings.
    touched: Vec<u32>,
    /// The embedding: the graph's vertex for each of the pattern's.
    row: Vec<u32>,
    /// For each vertex, whether the embedding uses it.
    used: Vec<bool>,
}

/// From a vertex along an edge that some pattern has.
#[derive(Clone, Copy, Debug)]
struct Way {
    letter: u32,
    vertex: u32,
}

/// From a graph's labels to the model's.
#[derive(Clone, Copy, Debug)]
pub enum Dictionary<'d> {
    /// They are the same.
    Same,
    /// By these tables; what is outside them is unseen.
    Tables {
        /// For vertex labels.
        vertex: &'d [Label],
        /// For edge labels.
        edge: &'d [Label],
    },
}

impl Dictionary<'_> {
    fn vertex(&self, label: Label) -> Label {
        match self {
            Dictionary::Same => label,
            Dictionary::Tables { vertex, .. } => {
                vertex.get(label as usize).copied().unwrap_or(UNSEEN)
            }
        }
    }

    fn edge(&self, label: Label) -> Label {
        match self {
            Dictionary::Same => label,
            Dictionary::Tables { edge, .. } => edge.get(label as usize).copied().unwrap_or(UNSEEN),
        }
    }
}

impl Matcher {
    /// A matcher for `patterns`, each with the highest number of occurrences that matters.
    #[must_use]
    pub fn new<'a>(patterns: impl IntoIterator<Item = (&'a DfsCode, u32)>) -> Self {
        let patterns: Vec<(&DfsCode, u32)> = patterns.into_iter().collect();
        let tree = Prefixes::new(&patterns);
        Matcher { tree, patterns: patterns.len(), without_needs: false }
    }

    /// The same without looking at what a graph lacks before walking: slower, for comparison.
    #[must_use]
    pub fn without_exclusion(mut self) -> Self {
        self.without_needs = true;
        self
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
        let mut counts = vec![0; self.patterns];
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
        let Scratch { ground, state, found } = scratch;
        ground.prepare(&self.tree, graph, dictionary);
        state.prepare(&self.tree, graph);
        if self.without_needs {
            ground.has = Needs::ALL;
        }
        Walk { tree: &self.tree, graph, dictionary, ground, state }.start();
        state.collect(&self.tree, found);
        found
    }
}

impl Ground {
    /// Takes up a graph: its labels in the model's dictionary, and of its edges those that patterns
    /// have.
    fn prepare(&mut self, tree: &Prefixes, graph: &Graph, dictionary: Dictionary<'_>) {
        self.labels.clear();
        self.labels.extend(graph.labels().iter().map(|&l| dictionary.vertex(l)));
        self.has = Needs::default();
        for e in graph.edges() {
            let [u, v] = [e.u, e.v].map(|w| self.labels[w as usize]);
            self.has.count(u, dictionary.edge(e.label), v);
        }
        self.ways.clear();
        self.starts.clear();
        self.starts.push(0);
        for v in 0..graph.vertex_count() as u32 {
            for n in graph.neighbors(v) {
                let label = self.labels[n.vertex as usize];
                if let Some(letter) = tree.alphabet.letter(dictionary.edge(n.label), label) {
                    self.ways.push(Way { letter, vertex: n.vertex });
                }
            }
            self.starts.push(self.ways.len() as u32);
        }
    }

    /// The ways from a vertex.
    fn ways(&self, from: u32) -> &[Way] {
        let start = self.starts[from as usize];
        let end = self.starts[from as usize + 1];
        &self.ways[start as usize..end as usize]
    }
}

impl State {
    fn prepare(&mut self, tree: &Prefixes, graph: &Graph) {
        self.embeddings.resize(tree.branches.len(), 0);
        self.done.resize(tree.branches.len(), 0);
        self.group_done.resize(tree.groups.len(), 0);
        self.row.resize(tree.most_vertices, 0);
        self.used.clear();
        self.used.resize(graph.vertex_count(), false);
    }

    /// Gathers what was found and forgets the walk.
    fn collect(&mut self, tree: &Prefixes, found: &mut Vec<(u32, u32)>) {
        found.clear();
        while let Some(at) = self.touched.pop() {
            let branch = &tree.branches[at as usize];
            let embeddings = std::mem::take(&mut self.embeddings[at as usize]);
            let times = embeddings.div_ceil(branch.automorphisms);
            found.push((branch.pattern, u32::try_from(times).unwrap_or(u32::MAX)));
            let mut up = at;
            while up != NONE && std::mem::take(&mut self.done[up as usize]) > 0 {
                let branch = &tree.branches[up as usize];
                if branch.group != NONE {
                    self.group_done[branch.group as usize] = 0;
                }
                up = branch.parent;
            }
        }
    }

    /// One more embedding of the pattern that ends at `at`.
    fn count(&mut self, at: u32, tree: &Prefixes) {
        let enough = tree.branches[at as usize].enough;
        let embeddings = &mut self.embeddings[at as usize];
        if *embeddings >= enough {
            return;
        }
        if *embeddings == 0 {
            self.touched.push(at);
        }
        *embeddings += 1;
        if *embeddings == enough {
            let mut up = at;
            while up != NONE {
                self.done[up as usize] += 1;
                let branch = &tree.branches[up as usize];
                if branch.group != NONE {
                    self.group_done[branch.group as usize] += 1;
                }
                up = branch.parent;
            }
        }
    }
}

/// One graph being walked.
struct Walk<'w> {
    tree: &'w Prefixes,
    graph: &'w Graph,
    dictionary: Dictionary<'w>,
    ground: &'w Ground,
    state: &'w mut State,
}

impl Walk<'_> {
    fn start(&mut self) {
        let tree = self.tree;
        let ground = self.ground;
        for (v, &label) in (0..).zip(&ground.labels) {
            if let Some(root) = tree.root(label) {
                let below = tree.branches[root as usize].below;
                if self.is_wanted(root, below) {
                    self.enter(root, 0, v);
                }
            }
        }
    }

    /// Whether some of the `below` patterns at or below a branch is still looked for.
    fn is_wanted(&self, at: u32, below: u32) -> bool {
        self.state.done[at as usize] < below
            && self.tree.branches[at as usize].needs.met_by(&self.ground.has)
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
            if self.is_wanted(back.child, tree.branches[back.child as usize].below) {
                let [from, to] = [back.from, back.to].map(|v| self.state.row[v as usize]);
                let label = self.graph.edge_label(from, to).map(|l| self.dictionary.edge(l));
                if label == Some(back.label) {
                    self.follow(back.child);
                }
            }
        }
        let first = branch.groups.0;
        let groups = &tree.groups[first as usize..branch.groups.1 as usize];
        for (number, group) in (first as usize..).zip(groups) {
            if self.state.group_done[number] < group.below {
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
                && self.is_wanted(step.child, step.below)
            {
                self.enter(step.child, group.to, way.vertex);
            }
        }
    }
}
