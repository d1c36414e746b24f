//! A booster's state after whole rounds: taken out for a checkpoint, and put back.
//!
//! **Invariant.** A checkpoint holds whole rounds. Where a limit cuts a round short, the state
//! before that round is shown; the model keeps the trees of the cut round. A round that is
//! interrupted is given up, and the model has the rounds before it.

use crate::boosting::booster::Booster;
use crate::boosting::checkpoint::{Checkpoint, Identity, SavedScores};
use crate::error::{Error, Result};
use crate::evaluation::Split;

impl<'a> Booster<'a> {
    /// Goes on where a checkpoint of the same training was written.
    ///
    /// # Errors
    /// If it is of other data or parameters, or of more rounds than are asked for.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Result<Self> {
        let asked = self.params.trees;
        let done = checkpoint.rounds();
        if done > asked {
            let reason = format!("the checkpoint has {done} rounds already, more than {asked}");
            return Err(Error::parameter("trees", reason));
        }
        let identity = self.identity().clone();
        let own = self.scores();
        let state = checkpoint.into_state(&identity, &mut *self.space, &own)?;
        self.set_scores(state.scores);
        self.seconds_before = state.rounds.last().map_or(0.0, |round| round.seconds);
        self.trees = state.trees;
        self.rounds = state.rounds;
        self.ended = state.ended;
        Ok(self)
    }

    /// The training after the rounds so far.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint::of(self)
    }

    /// What the training is a function of.
    pub(super) fn identity(&self) -> &Identity {
        let data = self.exploration.data();
        let split =
            || Split { train: self.train.graphs.clone(), held_out: self.valid.graphs.clone() };
        self.identity.get_or_init(|| Identity::of(data, self.params, &split()))
    }

    /// All scores that the next round depends on.
    pub(super) fn scores(&self) -> SavedScores {
        let mut train = self.train.scores.clone();
        self.ensemble.scores().iter().for_each(|scores| train.extend(scores));
        SavedScores { train, valid: self.valid.scores.clone() }
    }

    /// Puts back what [`scores`](Self::scores) gave.
    fn set_scores(&mut self, mut saved: SavedScores) {
        let members = saved.train.split_off(self.train.scores.len());
        self.ensemble.set_scores(&members);
        self.train.scores = saved.train;
        self.valid.scores = saved.valid;
    }

    /// Takes back the trees of a round that was interrupted.
    pub(super) fn give_up_round(&mut self, before: SavedScores) {
        self.trees.truncate(self.rounds.len() * self.trees_per_round());
        self.set_scores(before);
    }

    /// Shows the training without its last round, which a limit cut short.
    pub(super) fn show_whole_rounds(
        &mut self,
        before: SavedScores,
        show: &mut impl FnMut(&Booster<'a>) -> bool,
    ) {
        let cut_scores = self.scores();
        let cut_round = self.rounds.pop();
        let cut_end = self.ended.take();
        let cut_trees = self.trees.split_off(self.rounds.len() * self.trees_per_round());
        self.set_scores(before);
        if !self.rounds.is_empty() {
            show(self);
        }
        self.trees.extend(cut_trees);
        self.rounds.extend(cut_round);
        self.ended = cut_end;
        self.set_scores(cut_scores);
    }
}
