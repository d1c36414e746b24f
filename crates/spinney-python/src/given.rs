//! Graphs that a model is asked about, as it was trained to see them.

use std::sync::Arc;

use spinney::Dataset;
use spinney::representation::covariates::Covariates;
use spinney::representation::views::Views;

use crate::predictor::SharedPredictor;

/// Graphs, and how a model sees them.
pub(crate) struct GivenGraphs {
    pub(crate) data: Arc<Dataset>,
    /// How graphs that are no molecules are labelled, unless as they are.
    pub(crate) views: Option<Views>,
    pub(crate) covariates: Covariates,
    pub(crate) values: Vec<Vec<f64>>,
    pub(crate) copies: usize,
}

impl GivenGraphs {
    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    /// As the model was trained on them; to be called on a thread of the work's pool, since those
    /// of a parent do not survive a fork.
    pub(crate) fn seen(self) -> spinney::Result<Arc<Dataset>> {
        let data = self.viewed();
        if self.covariates.is_empty() {
            return Ok(data);
        }
        self.covariates.apply(&data, self.copies, &self.values).map(Arc::new)
    }

    /// The same with labels as the model numbers them, where it has covariates.
    pub(crate) fn seen_by(self, predictor: &SharedPredictor) -> spinney::Result<Arc<Dataset>> {
        let data = self.viewed();
        if self.covariates.is_empty() {
            return Ok(data);
        }
        let numbered = predictor.numbered(&self.covariates);
        numbered.apply(&data, self.copies, &self.values).map(Arc::new)
    }

    fn viewed(&self) -> Arc<Dataset> {
        let viewed = |views: &Views| Arc::new(views.viewed(&self.data));
        self.views.as_ref().map_or_else(|| Arc::clone(&self.data), viewed)
    }
}
