//! A booster with the linear member that its parameters ask for.
//!
//! **Invariant.** Trees are grown without the linear member. Rounds are measured with it, and the
//! model has both.

use super::linear::{self, LinearMember};
use super::workspace::{LazyFragments, Workspace};
use crate::boosting::booster::{Booster, GraphSplit, SpaceOf};
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

/// What is trained on, of the graphs of a workspace.
#[derive(Clone, Copy)]
pub(crate) struct Part<'p, 'd> {
    pub(crate) split: GraphSplit<'p>,
    /// All graphs of the workspace.
    pub(crate) of: &'p [u32],
    pub(crate) fragments: &'p LazyFragments<'d>,
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
        let workspace = Workspace::new(exploration, params, split.train);
        LinearBooster::in_workspace(workspace, params, split.valid)
    }

    /// The same on the graphs of a workspace.
    pub(crate) fn in_workspace(
        workspace: Workspace<'a>,
        params: &'a ValidParams,
        valid: &[u32],
    ) -> Result<Self> {
        let Workspace { exploration, space, fragments } = workspace;
        let train = fragments.train();
        let part = Part { split: GraphSplit { train, valid }, of: train, fragments: &fragments };
        LinearBooster::on_part(exploration, params, part, space)
    }

    /// The same on a part of the graphs of a workspace, in its space.
    pub(crate) fn on_part(
        exploration: &'a Exploration<'a>,
        params: &'a ValidParams,
        part: Part<'_, '_>,
        space: Box<dyn PatternSpace + 'a>,
    ) -> Result<Self> {
        let Part { split, of: graphs, fragments } = part;
        let booster = Booster::on_part(exploration, params, split, SpaceOf { space, graphs })?;
        let linear = linear::member(fragments, params, booster.loss(), split)?;
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
