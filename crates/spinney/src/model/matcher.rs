//! Which of a model's patterns occur in a graph, and how often.
//!
//! One backtracking walk over the graph follows the prefix tree of all patterns at once: a partial
//! embedding of a common prefix is found once.
//!
//! **Invariant.** A branch is left as soon as every pattern below it has been seen as often as any
//! tree asks, or needs a kind of edge that the graph lacks; so the counts are exact up to that
//! number. An occurrence is a distinct edge set (a vertex, for a pattern of no edges): embeddings
//! are counted and divided by the pattern's automorphisms. Embeddings come in multiples of those,
//! so the first one beyond *t* − 1 occurrences tells of the *t*-th.
//!
//! **Cost.** Subgraph isomorphism: exponential in the worst case, microseconds on molecules. A
//! graph costs what is found in it: nothing is done for each pattern, and nothing is allocated once
//! the scratch has grown.

use super::prefix::{Branch, Group, NONE, Needs, Prefixes};
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

/// What a walk over one graph remembers; reusable.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// For each branch, embeddings so far; all 0 between walks.
    embeddings: Vec<u64>,
    /// For each branch, how many patterns at or below it need no more; all 0 between walks.
    done: Vec<u32>,
    /// Branches with embeddings.
    touched: Vec<u32>,
    /// The embedding: the graph's vertex for each of the pattern's.
    row: Vec<u32>,
    /// For each vertex, whether the embedding uses it.
    used: Vec<bool>,
    labels: Vec<Label>,
    /// Where each vertex's ways start in `ways`; one more entry at the end.
    starts: Vec<u32>,
    ways: Vec<Way>,
    has: Needs,
    found: Vec<(u32, u32)>,
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
        scratch.prepare(&self.tree, graph, dictionary);
        if self.without_needs {
            scratch.has = Needs::ALL;
        }
        let mut walk = Walk { tree: &self.tree, graph, dictionary, scratch };
        walk.start();
        scratch.collect(&self.tree);
        &scratch.found
    }
}

impl Scratch {
    /// Takes up a graph: its labels in the model's dictionary, and of its edges those that patterns
    /// have.
    fn prepare(&mut self, tree: &Prefixes, graph: &Graph, dictionary: Dictionary<'_>) {
        self.embeddings.resize(tree.branches.len(), 0);
        self.done.resize(tree.branches.len(), 0);
        self.used.clear();
        self.used.resize(graph.vertex_count(), false);
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

    /// Gathers what was found and forgets the walk.
    fn collect(&mut self, tree: &Prefixes) {
        self.found.clear();
        while let Some(at) = self.touched.pop() {
            let branch = &tree.branches[at as usize];
            let embeddings = std::mem::take(&mut self.embeddings[at as usize]);
            let times = embeddings.div_ceil(branch.automorphisms);
            self.found.push((branch.pattern, u32::try_from(times).unwrap_or(u32::MAX)));
            let mut up = at;
            while up != NONE && std::mem::take(&mut self.done[up as usize]) > 0 {
                up = tree.branches[up as usize].parent;
            }
        }
    }
}

/// One graph being walked.
struct Walk<'w> {
    tree: &'w Prefixes,
    graph: &'w Graph,
    dictionary: Dictionary<'w>,
    scratch: &'w mut Scratch,
}

impl Walk<'_> {
    fn start(&mut self) {
        for v in 0..self.scratch.labels.len() {
            let root = self.tree.root(self.scratch.labels[v]);
            if let Some(root) = root.filter(|&r| self.is_wanted(r)) {
                self.enter(root, v as u32);
            }
        }
    }

    /// Whether some pattern at or below a branch is still looked for.
    fn is_wanted(&self, at: u32) -> bool {
        let branch = &self.tree.branches[at as usize];
        self.scratch.done[at as usize] < branch.below && branch.needs.met_by(&self.scratch.has)
    }

    /// The embedding reaches branch `at` with one more vertex.
    fn enter(&mut self, at: u32, vertex: u32) {
        self.scratch.row.push(vertex);
        self.scratch.used[vertex as usize] = true;
        self.follow(at);
        self.scratch.used[vertex as usize] = false;
        self.scratch.row.pop();
    }

    /// The embedding in the scratch reaches branch `at`: counts it and goes on below.
    fn follow(&mut self, at: u32) {
        let tree = self.tree;
        let branch = &tree.branches[at as usize];
        if branch.pattern != NONE {
            self.count(at, branch);
        }
        for back in &tree.backs[branch.backs.0 as usize..branch.backs.1 as usize] {
            if self.is_wanted(back.child) {
                let [from, to] = [back.from, back.to].map(|v| self.scratch.row[v as usize]);
                let label = self.graph.edge_label(from, to).map(|l| self.dictionary.edge(l));
                if label == Some(back.label) {
                    self.follow(back.child);
                }
            }
        }
        for &group in &tree.groups[branch.groups.0 as usize..branch.groups.1 as usize] {
            if self.scratch.done[at as usize] == branch.below {
                return;
            }
            self.step(group);
        }
    }

    /// Goes along every edge of a group that the graph has.
    fn step(&mut self, group: Group) {
        let tree = self.tree;
        let from = self.scratch.row[group.from as usize] as usize;
        let (start, end) = (self.scratch.starts[from], self.scratch.starts[from + 1]);
        let steps = &tree.steps[group.steps.0 as usize..group.steps.1 as usize];
        for way in start as usize..end as usize {
            let Way { letter, vertex } = self.scratch.ways[way];
            if self.scratch.used[vertex as usize] {
                continue;
            }
            let first = steps.partition_point(|s| s.letter < letter);
            match steps.get(first) {
                Some(step) if step.letter == letter && self.is_wanted(step.child) => {
                    self.enter(step.child, vertex);
                }
                _ => {}
            }
        }
    }

    /// One more embedding of the pattern that ends at `at`.
    fn count(&mut self, at: u32, branch: &Branch) {
        let embeddings = &mut self.scratch.embeddings[at as usize];
        if *embeddings >= branch.enough {
            return;
        }
        if *embeddings == 0 {
            self.scratch.touched.push(at);
        }
        *embeddings += 1;
        if *embeddings == branch.enough {
            let mut up = at;
            while up != NONE {
                self.scratch.done[up as usize] += 1;
                up = self.tree.branches[up as usize].parent;
            }
        }
    }
}
