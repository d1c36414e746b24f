//! Graphs with their running scores: those trained on, and those validated on.

use rayon::prelude::{
    IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator, ParallelSlice,
};

use crate::boosting::loss::Loss;
use crate::evaluation::predictions::Truth;
use crate::math::sum;
use crate::model::Predictions;

/// Graphs that one thread works on at a time.
pub(crate) const GRAPHS_PER_TASK: usize = 4096;

/// Graphs with their running scores.
pub(crate) struct ScoredSet {
    pub(crate) graphs: Vec<u32>,
    pub(crate) scores: Vec<f64>,
    pub(crate) truth: Truth,
}

impl ScoredSet {
    pub(crate) fn new(graphs: &[u32], loss: &Loss, init: &[f64]) -> ScoredSet {
        let scores = graphs.iter().flat_map(|_| init.iter().copied()).collect();
        ScoredSet { graphs: graphs.to_vec(), scores, truth: loss.truth(graphs) }
    }

    pub(crate) fn loss(&self, loss: &Loss) -> f64 {
        let values = self.map(&self.scores, loss.outputs(), |g, s| loss.value(g, s));
        sum(values.into_iter()) / self.graphs.len() as f64
    }

    /// Something for each graph, from its scores; in parallel if there are many graphs.
    pub(crate) fn map<T: Send>(
        &self,
        scores: &[f64],
        outputs: usize,
        f: impl Fn(usize, &[f64]) -> T + Sync,
    ) -> Vec<T> {
        if self.graphs.len() < 2 * GRAPHS_PER_TASK || rayon::current_num_threads() == 1 {
            let each = self.graphs.iter().zip(scores.chunks_exact(outputs));
            return each.map(|(&g, s)| f(g as usize, s)).collect();
        }
        let each = self.graphs.par_iter().zip(scores.par_chunks_exact(outputs));
        each.with_min_len(GRAPHS_PER_TASK).map(|(&g, s)| f(g as usize, s)).collect()
    }

    pub(crate) fn predictions(&self, loss: &Loss) -> Predictions {
        Predictions::new(loss.link(), loss.outputs(), self.scores.clone())
    }
}
