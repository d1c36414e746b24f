//! What two patterns add to a graph's score together, beyond what each adds: exactly.
//!
//! The Shapley interaction index of a pair (Grabisch and Roubens 1999) over the game of
//! [`contributions`](super::contributions). A model of stumps has none: interactions are what trees
//! can say and linear models cannot, the paper's point. Lundberg's SHAP library shows half of this
//! number in each of the pair's two cells.
//!
//! **How.** With `o`, `z` as in `game.rs`, a leaf gives the pair i, j
//! `value · (o_i − z_i) · (o_j − z_j) · ∫ ∏_{k≠i,j} (t·o_k + (1 − t)·z_k) dt`.
//!
//! **Cost.** For a graph and a tree: leaves × depth³ / 4; a table of the tree's patterns by its
//! patterns.

use rustc_hash::FxHashMap;

use super::game::{Player, Rule, for_each_leaf};
use super::{Model, Node, Tree};
use crate::dataset::Dataset;

/// Two patterns and what they add together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interaction {
    /// The pattern with the lower number.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// What they add together, beyond what each adds.
    pub value: f64,
}

impl Model {
    /// The interactions of patterns in output `output` of each graph of `data`, by the patterns'
    /// numbers. Pairs that share no path of any tree have none.
    #[must_use]
    pub fn interactions(&self, data: &Dataset, output: usize) -> Vec<Vec<Interaction>> {
        let rule = Rule::of(self);
        let outputs = self.task.outputs();
        let trees: Vec<Table<'_>> =
            self.trees.iter().skip(output).step_by(outputs).map(Table::new).collect();
        self.predictor().for_each_graph(data, |found, _| {
            let mut counts = vec![0; self.patterns.len()];
            found.iter().for_each(|&(pattern, times)| counts[pattern as usize] = times);
            let mut sums: FxHashMap<(usize, usize), f64> = FxHashMap::default();
            for tree in &trees {
                tree.add_to(&mut sums, &counts, &rule);
            }
            let mut all: Vec<Interaction> = sums
                .into_iter()
                .map(|((first, second), value)| Interaction { first, second, value })
                .collect();
            all.sort_unstable_by_key(|pair| (pair.first, pair.second));
            all
        })
    }

    /// The mean size of each interaction over the graphs of `data`, the strongest first.
    #[must_use]
    pub fn mean_interactions(&self, data: &Dataset, output: usize) -> Vec<Interaction> {
        let mut sums: FxHashMap<(usize, usize), f64> = FxHashMap::default();
        for pair in self.interactions(data, output).into_iter().flatten() {
            *sums.entry((pair.first, pair.second)).or_default() += pair.value.abs();
        }
        let mean = |sum: f64| sum / data.len() as f64;
        let mut all: Vec<Interaction> = sums
            .into_iter()
            .map(|((first, second), sum)| Interaction { first, second, value: mean(sum) })
            .collect();
        all.sort_unstable_by(|a, b| {
            b.value.total_cmp(&a.value).then((a.first, a.second).cmp(&(b.first, b.second)))
        });
        all
    }
}

/// A tree with the patterns that it asks for.
struct Table<'t> {
    tree: &'t Tree,
    patterns: Vec<usize>,
}

impl<'t> Table<'t> {
    fn new(tree: &'t Tree) -> Self {
        let asked = tree.nodes().iter().filter_map(|node| match node {
            Node::Split { pattern, .. } => Some(*pattern),
            Node::Leaf { .. } => None,
        });
        let mut patterns: Vec<usize> = asked.collect();
        patterns.sort_unstable();
        patterns.dedup();
        Table { tree, patterns }
    }

    /// Adds the tree's interactions to `sums`. Which pair comes first does not matter: each is
    /// added to once a tree.
    fn add_to(&self, sums: &mut FxHashMap<(usize, usize), f64>, counts: &[u32], rule: &Rule) {
        let width = self.patterns.len();
        let mut table = vec![0.0; width * width];
        let mut places: Vec<usize> = Vec::new();
        for_each_leaf(self.tree, counts, |value, path| {
            places.clear();
            let place = |p: &Player| self.patterns.partition_point(|&known| known < p.pattern);
            places.extend(path.iter().map(place));
            for a in 0..path.len() {
                for b in 0..a {
                    let low = places[a].min(places[b]);
                    let high = places[a].max(places[b]);
                    table[low * width + high] += value * pair(path, [a, b], rule);
                }
            }
        });
        for (low, row) in table.chunks_exact(width.max(1)).enumerate() {
            for (high, &value) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                *sums.entry((self.patterns[low], self.patterns[high])).or_default() += value;
            }
        }
    }
}

/// What a leaf of value 1 gives to two of the patterns on its path.
fn pair(path: &[Player], [a, b]: [usize; 2], rule: &Rule) -> f64 {
    let slopes = path[a].slope() * path[b].slope();
    if slopes == 0.0 {
        return 0.0;
    }
    let others = |t: f64| -> f64 {
        let others = path.iter().enumerate().filter(|(i, _)| *i != a && *i != b);
        others.map(|(_, p)| p.factor(t)).product()
    };
    slopes * rule.points.iter().map(|&(t, weight)| weight * others(t)).sum::<f64>()
}
