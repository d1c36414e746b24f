//! What is wanted of a training.

use serde::Serialize;

use crate::boosting::loss::Loss;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::gboost;
use crate::mining::Engine;
use crate::mining::limits::TrainingLimits;
use crate::model::Task;
use crate::params::{LossKind, Params, Preset, Setting};

/// A learner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Gradient-boosted trees.
    #[default]
    Trees,
    /// gBoost: LPBoost over stumps of one pattern, for two classes. Of the parameters it takes
    /// `max_edges`, `min_support` and `positive`.
    Gboost(GboostOptions),
}

/// What gBoost is asked for besides parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GboostOptions {
    /// About the share of training graphs that may lie within the margin; between 0 and 1.
    pub nu: f64,
    /// How far from the best margin over all patterns it may end.
    pub tolerance: f64,
}

impl Default for GboostOptions {
    fn default() -> Self {
        let gboost::Params { nu, tolerance, .. } = gboost::Params::default();
        GboostOptions { nu, tolerance }
    }
}

/// What targets are, where the caller knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetMeaning {
    /// Two values are two classes, a few integers or words are classes, anything else is numbers.
    #[default]
    Guessed,
    /// Classes.
    Classes,
    /// Numbers.
    Numbers,
}

/// What is wanted of a training.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Where defaults come from; also decides how [`fit`](crate::fit) represents graphs.
    pub preset: Preset,
    /// The parameters; some may be left to the data.
    pub params: Params,
    /// What targets are.
    pub meaning: TargetMeaning,
    /// The learner.
    pub method: Method,
    /// How patterns are explored; the model does not depend on it.
    pub engine: Engine,
    /// What the work may take. A training that reaches a limit ends with a valid model, which says
    /// what is not proven.
    pub limits: TrainingLimits,
}

impl From<Preset> for Request {
    fn from(preset: Preset) -> Request {
        Request { preset, params: preset.params(), ..Request::default() }
    }
}

impl Request {
    /// The paper's exact semantics.
    #[must_use]
    pub fn paper() -> Request {
        Preset::Paper.into()
    }

    /// Whether trees may split by measures of the whole graph: by default, as far as single
    /// vertices are patterns.
    #[must_use]
    pub fn measures(&self) -> bool {
        self.preset == Preset::Default && self.params.vertices && self.method == Method::Trees
    }

    /// The same with other parameters.
    #[must_use]
    pub fn with_params(&self, params: Params) -> Request {
        Request { params, ..self.clone() }
    }

    /// The most edges of a pattern, where that is not left to the data. gBoost has no automatic
    /// one.
    pub(super) fn given_max_edges(&self) -> Setting<Option<usize>> {
        match self.method {
            Method::Trees => self.params.max_edges,
            Method::Gboost(_) => self.params.fixed().max_edges.into(),
        }
    }

    /// The parameters with a loss that suits what the targets are known to be.
    ///
    /// # Errors
    /// If the loss that is asked for does not.
    pub(super) fn params_for(&self, data: &Dataset) -> Result<Params> {
        let wants_classes = match self.meaning {
            TargetMeaning::Guessed => return Ok(self.params.clone()),
            TargetMeaning::Classes => true,
            TargetMeaning::Numbers => false,
        };
        let numbers = [LossKind::Squared, LossKind::Huber, LossKind::Poisson];
        if self.params.loss != LossKind::Auto {
            if wants_classes && numbers.contains(&self.params.loss) {
                let reason = "is a loss of numbers, and the targets are classes: use a regressor";
                return Err(Error::parameter("loss", reason));
            }
            return Ok(self.params.clone());
        }
        let guess = Loss::new(&self.params.fixed(), data);
        let guesses_well =
            guess.is_ok_and(|loss| matches!(loss.task(), Task::Regression) != wants_classes);
        let loss = match wants_classes {
            _ if guesses_well => LossKind::Auto,
            true if data.class_names()?.len() == 2 => LossKind::Logistic,
            true => LossKind::Softmax,
            false => LossKind::Squared,
        };
        Ok(Params { loss, ..self.params.clone() })
    }
}
