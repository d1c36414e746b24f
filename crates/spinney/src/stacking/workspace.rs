//! What tuning and training on the same graphs share: the pattern space and the fragments.
//!
//! **Invariant.** A function of the graphs, their order, and parameters that tuning leaves alone;
//! no targets are used.
//!
//! **Cost.** A class table, and, where a linear model is asked for, one index of fragments.

use std::sync::OnceLock;

use super::linear::FragmentIndex;
use crate::boosting::pattern_space;
use crate::dataset::Dataset;
use crate::mining::exploration::Exploration;
use crate::params::FixedParams;
use crate::search::space::PatternSpace;

/// The space of some training graphs, and their fragments.
pub(crate) struct Workspace<'a> {
    pub(crate) exploration: &'a Exploration<'a>,
    pub(crate) space: Box<dyn PatternSpace + 'a>,
    pub(crate) fragments: LazyFragments<'a>,
}

/// The fragments of some training graphs, found when they are first asked for.
pub(crate) struct LazyFragments<'a> {
    data: &'a Dataset,
    train: Vec<u32>,
    index: OnceLock<FragmentIndex<'a>>,
}

impl<'a> Workspace<'a> {
    /// For trainings on the graphs `train`, or on parts of them.
    #[must_use]
    pub(crate) fn new(
        exploration: &'a Exploration<'a>,
        params: &FixedParams,
        train: &[u32],
    ) -> Workspace<'a> {
        let space = pattern_space::space(exploration, params, train);
        let data = exploration.data();
        let fragments = LazyFragments { data, train: train.to_vec(), index: OnceLock::new() };
        Workspace { exploration, space, fragments }
    }
}

impl<'a> LazyFragments<'a> {
    /// The fragments.
    pub(crate) fn get(&self) -> &FragmentIndex<'a> {
        self.index.get_or_init(|| FragmentIndex::of(self.data, &self.train))
    }

    /// The training graphs.
    pub(crate) fn train(&self) -> &[u32] {
        &self.train
    }

    /// The graphs that these and all others belong to.
    pub(crate) fn data(&self) -> &'a Dataset {
        self.data
    }
}
