//! A booster with the linear member that its parameters ask for.
//!
//! **Invariant.** Trees are grown without the linear member. Rounds are measured with it, and the
//! model has both.

use super::linear::{self, LinearMember};
use crate::boosting::booster::{self, Booster, GraphSplit};
use crate::boosting::loss::Loss;
use crate::boosting::trained::{BoostedModel, Trained};
use crate::error::Result;
use crate::mining::exploration::Exploration;
use crate::params::ValidParams;
use crate::search::space::PatternSpace;

/// A booster, and what stands beside its trees.
pub(crate) struct LinearBooster<'a> {
    pub(crate) booster: Booster<'a>,
    pub(crate) linear: Option<LinearMember>,
}

impl<'a> LinearBooster<'a> {
    /// Prepares a training.
    ///
    /// # Errors
    /// As [`Booster::new`], and if there is no linear model of the loss.
    pub(crate) fn new(
        exploration: &'a Exploration<'a>,
        params: &'a ValidParams,
        split: GraphSplit<'_>,
    ) -> Result<Self> {
        let space = booster::space(exploration, params, split.train);
        LinearBooster::in_space(exploration, params, split, space)
    }

    /// The same in a space that was made for the training graphs before.
    pub(crate) fn in_space(
        exploration: &'a Exploration<'a>,
        params: &'a ValidParams,
        split: GraphSplit<'_>,
        space: Box<dyn PatternSpace + 'a>,
    ) -> Result<Self> {
        let data = exploration.data();
        let booster = Booster::in_space(exploration, params, split, space)?;
        let linear = linear::member(data, params, booster.loss(), split)?;
        Ok(match linear {
            None => LinearBooster { booster, linear: None },
            Some(linear) => {
                let start = linear.starting_scores(booster.held_out().init[0]);
                LinearBooster { booster: booster.beside(start), linear: Some(linear) }
            }
        })
    }
}

/// The model of a finished training, with the linear member before its trees.
///
/// # Errors
/// As [`Trained::into_model`].
pub(crate) fn into_model(
    trained: Trained<'_>,
    linear: Option<&LinearMember>,
    loss: &Loss,
    train: &[u32],
) -> Result<BoostedModel> {
    let mut boosted = trained.into_model()?;
    if let Some(linear) = linear {
        linear.add_to(&mut boosted.model, &loss.truth(train));
    }
    Ok(boosted)
}
