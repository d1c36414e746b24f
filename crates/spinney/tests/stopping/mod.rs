//! Trainings that are stopped and go on.

use spinney::Model;
use spinney::boosting::{Booster, Checkpoint, Trained};

/// The model of a training that is stopped after so many rounds and goes on from its checkpoint.
pub(crate) fn resumed<'a>(start: impl Fn() -> Booster<'a>, rounds: usize) -> Model {
    let mut written = String::new();
    let stopped = start().run_watched(|booster| {
        written = booster.checkpoint().to_json();
        booster.rounds().len() < rounds
    });
    assert!(stopped.is_ok(), "the first part");
    let checkpoint = Checkpoint::from_json(&written).expect("intact");
    let resumed = start().resume(checkpoint).expect("the same");
    resumed.run(|_| true).and_then(Trained::into_fit).expect("a model").model
}
