//! Scores, probabilities, classes and values for graphs.
//!
//! **Invariant.** A graph's score is `init + Σ leaf values`, added tree after tree in one order, so
//! it is the same number as during training, on any number of threads.

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};

use super::matcher::{Matcher, Scratch};
use super::{Link, Model, Node, Tree};
use crate::dataset::Dataset;
use crate::graph::Graph;

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
            Link::Logistic => {
                let p = logistic(scores[0]);
                vec![1.0 - p, p]
            }
            Link::Softmax => softmax(scores),
            Link::Identity | Link::Exp => Vec::new(),
        }
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
        if self.link == Link::Exp { score.exp() } else { score }
    }
}

/// 1/(1 + exp(−2 score)).
#[must_use]
pub fn logistic(score: f64) -> f64 {
    1.0 / (1.0 + (-2.0 * score).exp())
}

/// exp(score), scaled to sum to 1.
#[must_use]
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
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
        let scores = self.for_each_graph(data, |counts| self.scores(&counts));
        Predictions::new(self.link, self.task.outputs(), scores.concat())
    }

    /// The predictions after every round, the first element being the one before any tree.
    #[must_use]
    pub fn staged_predict(&self, data: &Dataset) -> Vec<Predictions> {
        let outputs = self.task.outputs();
        let staged = self.for_each_graph(data, |counts| {
            let mut scores = self.init.clone();
            let mut stages = vec![scores.clone()];
            for round in self.trees.chunks_exact(outputs) {
                for (score, tree) in scores.iter_mut().zip(round) {
                    *score += tree.value(tree.leaf(|p| counts[p]));
                }
                stages.push(scores.clone());
            }
            stages
        });
        let stage = |r: usize| staged.iter().flat_map(|s| s[r].iter().copied()).collect();
        (0..=self.rounds()).map(|r| Predictions::new(self.link, outputs, stage(r))).collect()
    }

    /// The leaf of every tree that each graph reaches.
    #[must_use]
    pub fn leaves(&self, data: &Dataset) -> Vec<Vec<usize>> {
        self.for_each_graph(data, |counts| {
            self.trees.iter().map(|tree| tree.leaf(|p| counts[p])).collect()
        })
    }

    /// For each graph, how often each pattern occurs, up to the number that some tree asks for.
    #[must_use]
    pub fn pattern_counts(&self, data: &Dataset) -> Vec<Vec<u32>> {
        self.for_each_graph(data, |counts| counts)
    }

    fn scores(&self, counts: &[u32]) -> Vec<f64> {
        let mut scores = self.init.clone();
        let outputs = scores.len();
        for (i, tree) in self.trees.iter().enumerate() {
            scores[i % outputs] += tree.value(tree.leaf(|p| counts[p]));
        }
        scores
    }

    fn for_each_graph<T: Send>(
        &self,
        data: &Dataset,
        f: impl Fn(Vec<u32>) -> T + Sync + Send,
    ) -> Vec<T> {
        let matcher = self.matcher();
        let vertex = data.labels().vertex.translation(&self.labels.vertex);
        let edge = data.labels().edge.translation(&self.labels.edge);
        let same = *data.labels() == self.labels;
        let one = |scratch: &mut Scratch, graph: &Graph| {
            let counts = if same {
                matcher.counts(graph, scratch)
            } else {
                matcher.counts(&graph.relabelled(&vertex, &edge), scratch)
            };
            f(counts)
        };
        data.graphs().par_iter().map_init(Scratch::default, one).collect()
    }
}
