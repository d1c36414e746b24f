//! Scores, probabilities, classes and values for graphs.
//!
//! **Invariant.** A graph's score is `init + Σ leaf values`, added tree after tree in one order, so
//! it is the same number as during training, on any number of threads.

use rayon::prelude::{
    IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator, ParallelSliceMut,
};

use super::forest::{Answers, Forest};
use super::matcher::{Dictionary, Matcher, Scratch};
use super::{Link, Model, Node, Tree};
use crate::dataset::Dataset;
use crate::graph::Graph;
use crate::labels::{Label, Labels};
use crate::math::exp;

/// Scores of some graphs and what they mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    link: Link,
    outputs: usize,
    scores: Vec<f64>,
}

impl Predictions {
    /// Wraps scores, `outputs` for each graph, in order.
    #[must_use]
    pub fn new(link: Link, outputs: usize, scores: Vec<f64>) -> Self {
        Predictions { link, outputs, scores }
    }

    /// What scores mean.
    #[must_use]
    pub fn link(&self) -> Link {
        self.link
    }

    /// The scores of a graph.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The scores of all graphs, one after the other.
    #[must_use]
    pub fn into_scores(self) -> Vec<f64> {
        self.scores
    }

    /// The number of graphs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scores.len() / self.outputs
    }

    /// Whether there is no graph.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The number of classes; 0 for regression.
    #[must_use]
    pub fn class_count(&self) -> usize {
        match self.link {
            Link::Logistic => 2,
            Link::Softmax => self.outputs,
            Link::Identity | Link::Exp => 0,
        }
    }

    /// The scores of graph `i`, one an output.
    #[must_use]
    pub fn scores(&self, i: usize) -> &[f64] {
        &self.scores[i * self.outputs..(i + 1) * self.outputs]
    }

    /// The probability of each class for graph `i`; empty for regression.
    #[must_use]
    pub fn probabilities(&self, i: usize) -> Vec<f64> {
        let scores = self.scores(i);
        match self.link {
            Link::Logistic => of_both(scores[0]).to_vec(),
            Link::Softmax => softmax(scores),
            Link::Identity | Link::Exp => Vec::new(),
        }
    }

    /// The probabilities of all graphs, one after another.
    pub(crate) fn all_probabilities(&self) -> Vec<f64> {
        if self.link == Link::Logistic {
            return self.scores.iter().flat_map(|&s| of_both(s)).collect();
        }
        (0..self.len()).flat_map(|i| self.probabilities(i)).collect()
    }

    /// The likeliest class of graph `i`, as an index; `None` for regression. A score of exactly 0
    /// is the positive class; among equal scores the first class wins.
    #[must_use]
    pub fn class(&self, i: usize) -> Option<usize> {
        let scores = self.scores(i);
        match self.link {
            Link::Logistic => Some(usize::from(scores[0] >= 0.0)),
            Link::Softmax => {
                let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                scores.iter().position(|&s| s == most)
            }
            Link::Identity | Link::Exp => None,
        }
    }

    /// The predicted number of graph `i`, for regression.
    #[must_use]
    pub fn value(&self, i: usize) -> f64 {
        let score = self.scores(i)[0];
        if self.link == Link::Exp { exp(score) } else { score }
    }
}

/// 1/(1 + exp(−2 score)).
#[must_use]
pub fn logistic(score: f64) -> f64 {
    1.0 / (1.0 + exp(-2.0 * score))
}

/// The probabilities of the negative and the positive class.
fn of_both(score: f64) -> [f64; 2] {
    let p = logistic(score);
    [1.0 - p, p]
}

/// exp(score), scaled to sum to 1.
#[must_use]
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<f64> = scores.iter().map(|s| exp(s - most)).collect();
    let sum: f64 = exps.iter().sum();
    exps.into_iter().map(|e| e / sum).collect()
}

impl Model {
    /// A matcher for this model's patterns.
    #[must_use]
    pub fn matcher(&self) -> Matcher {
        let mut most = vec![1; self.patterns.len()];
        for node in self.trees.iter().flat_map(Tree::nodes) {
            if let Node::Split { pattern, at_least, .. } = *node {
                most[pattern] = most[pattern].max(at_least);
            }
        }
        Matcher::new(self.patterns.iter().map(|p| &p.code).zip(most))
    }

    /// The predictions for `data`, whose labels may be numbered in any way: they are matched to
    /// the model's by name, and a label that training never saw matches nothing.
    #[must_use]
    pub fn predict(&self, data: &Dataset) -> Predictions {
        self.predictor().predict(data)
    }

    /// What predicts for many data sets in turn: matcher and trees are laid out once.
    #[must_use]
    pub fn predictor(&self) -> Predictor<'_> {
        let forest = || Forest::new(&self.trees, self.patterns.len());
        let (matcher, forest) = rayon::join(|| self.matcher(), forest);
        Predictor { model: self, matcher, forest }
    }

    /// The predictions after every round, the first element being the one before any tree of a
    /// round.
    #[must_use]
    pub fn staged_predict(&self, data: &Dataset) -> Vec<Predictions> {
        let outputs = self.task.outputs();
        let leaves = self.leaves(data);
        let mut scores = self.init.repeat(leaves.len());
        let (helpers, own) = self.trees.split_at(self.trees_beside());
        for (score, leaves) in scores.iter_mut().zip(&leaves).filter(|_| !helpers.is_empty()) {
            helpers.iter().zip(leaves).for_each(|(tree, &leaf)| *score += tree.value(leaf));
        }
        let mut stages = vec![Predictions::new(self.link, outputs, scores.clone())];
        let each = self.trees_a_round();
        for (round, trees) in own.chunks(each).enumerate() {
            let first = helpers.len() + round * each;
            for (graph, leaves) in scores.chunks_exact_mut(outputs).zip(&leaves) {
                for (i, (tree, &leaf)) in trees.iter().zip(&leaves[first..]).enumerate() {
                    graph[i % outputs] += tree.value(leaf);
                }
            }
            stages.push(Predictions::new(self.link, outputs, scores.clone()));
        }
        stages
    }

    /// The leaf of every tree that each graph reaches.
    #[must_use]
    pub fn leaves(&self, data: &Dataset) -> Vec<Vec<usize>> {
        let predictor = self.predictor();
        let leaves =
            |found: &[(u32, u32)], answers: &mut Answers| predictor.forest.leaves(found, answers);
        predictor.for_each_graph(data, leaves)
    }

    /// For each graph, the patterns that occur in it, ascending, and how often, up to the number
    /// that some tree asks for.
    #[must_use]
    pub fn found_patterns(&self, data: &Dataset) -> Vec<Vec<(u32, u32)>> {
        self.predictor().for_each_graph(data, |found, _| {
            let mut found = found.to_vec();
            found.sort_unstable();
            found
        })
    }

    /// For each graph, how often each pattern occurs, up to the number that some tree asks for.
    #[must_use]
    pub fn pattern_counts(&self, data: &Dataset) -> Vec<Vec<u32>> {
        self.predictor().for_each_graph(data, |found, _| {
            let mut counts = vec![0; self.patterns.len()];
            found.iter().for_each(|&(pattern, times)| counts[pattern as usize] = times);
            counts
        })
    }
}

/// A model ready to predict.
#[derive(Clone, Debug)]
pub struct Predictor<'m> {
    model: &'m Model,
    matcher: Matcher,
    forest: Forest,
}

impl Predictor<'_> {
    /// As [`Model::predict`].
    #[must_use]
    pub fn predict(&self, data: &Dataset) -> Predictions {
        let outputs = self.model.task.outputs();
        let mut scores = self.model.init.repeat(data.len());
        let translation = Translation::new(data, &self.model.labels);
        let rows = scores.par_chunks_exact_mut(outputs).zip(data.graphs());
        rows.for_each_init(Default::default, |(scratch, answers), (scores, graph)| {
            let found = self.matcher.find(graph, translation.dictionary(), scratch);
            self.forest.add_to(scores, found, answers);
        });
        Predictions::new(self.model.link, outputs, scores)
    }

    /// What `f` makes of the patterns found in each graph.
    pub(super) fn for_each_graph<T: Send>(
        &self,
        data: &Dataset,
        f: impl Fn(&[(u32, u32)], &mut Answers) -> T + Sync + Send,
    ) -> Vec<T> {
        let translation = Translation::new(data, &self.model.labels);
        let one = |(scratch, answers): &mut (Scratch, Answers), graph: &Graph| {
            f(self.matcher.find(graph, translation.dictionary(), scratch), answers)
        };
        data.graphs().par_iter().map_init(Default::default, one).collect()
    }
}

/// From the labels of some data to a model's.
struct Translation {
    is_same: bool,
    vertex: Vec<Label>,
    edge: Vec<Label>,
}

impl Translation {
    fn new(data: &Dataset, to: &Labels) -> Translation {
        let from = data.labels();
        Translation {
            is_same: from == to,
            vertex: from.vertex.translation(&to.vertex),
            edge: from.edge.translation(&to.edge),
        }
    }

    fn dictionary(&self) -> Dictionary<'_> {
        match self {
            Translation { is_same: true, .. } => Dictionary::Same,
            Translation { vertex, edge, .. } => Dictionary::Tables { vertex, edge },
        }
    }
}
