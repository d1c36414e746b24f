//! A model's patterns as a 0/1 matrix over graphs, for other learners.
//!
//! Columns are the questions that trees ask: a pattern with a threshold.

use super::{Model, Node, Tree};
use crate::dataset::Dataset;

/// A 0/1 matrix in compressed rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Each column's pattern and threshold.
    pub columns: Vec<(usize, u32)>,
    /// The columns that are 1, row by row, ascending in each.
    pub indices: Vec<u32>,
    /// Where each row starts in `indices`; one more entry at the end.
    pub starts: Vec<u64>,
}

impl Features {
    /// The columns that are 1 in row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[u32] {
        &self.indices[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

impl Model {
    /// The 0/1 matrix of all questions that the trees ask, over `data`.
    #[must_use]
    pub fn features(&self, data: &Dataset) -> Features {
        let mut asked = std::collections::BTreeSet::new();
        for node in self.trees.iter().flat_map(Tree::nodes) {
            if let Node::Split { pattern, at_least, .. } = *node {
                asked.insert((pattern, at_least));
            }
        }
        let columns: Vec<(usize, u32)> = asked.into_iter().collect();
        let mut features = Features { columns, indices: Vec::new(), starts: vec![0] };
        for counts in self.pattern_counts(data) {
            for (i, &(pattern, at_least)) in features.columns.iter().enumerate() {
                if counts[pattern] >= at_least {
                    features.indices.push(i as u32);
                }
            }
            features.starts.push(features.indices.len() as u64);
        }
        features
    }
}
