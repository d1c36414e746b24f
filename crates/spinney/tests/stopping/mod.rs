//! Trainings that are stopped and go on.

#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

use std::sync::atomic::{AtomicUsize, Ordering};

use spinney::boosting::{Booster, Checkpoint, Round, Trained};
use spinney::evaluation::Split;
use spinney::training::{
    CheckpointFile, Explored, Job, Observer, Outcome, Prepared, Request, Silent, train,
};
use spinney::{Dataset, Model};

/// The model of a booster that is stopped after so many rounds and goes on from its checkpoint.
pub fn resumed<'a>(start: impl Fn() -> Booster<'a>, rounds: usize) -> Model {
    let mut written = String::new();
    let stopped = start().run_watched(|booster| {
        written = booster.checkpoint().to_json();
        booster.rounds().len() < rounds
    });
    assert!(stopped.is_ok(), "the first part");
    let checkpoint = Checkpoint::from_json(&written).expect("intact");
    let resumed = start().resume(checkpoint).expect("the same");
    resumed.run(|_| true).and_then(Trained::into_model).expect("a model").model
}

/// Stops a training after so many rounds.
struct StopAfter {
    rounds: usize,
    seen: AtomicUsize,
}

impl Observer for StopAfter {
    fn round(&self, round: &Round) {
        self.seen.store(round.round, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.seen.load(Ordering::Relaxed) >= self.rounds
    }
}

/// The model of a whole training of graphs as they are, that is stopped after so many rounds and
/// goes on from its checkpoint file.
pub fn resumed_training(data: &Dataset, request: &Request, rounds: usize) -> Model {
    let folder = tempfile::tempdir().expect("a folder");
    let file = CheckpointFile { path: folder.path().join("checkpoint.json"), resume: true };
    let prepared = Prepared { data: data.clone(), representation: None };
    let whole = Split::whole(data.len());
    let run = |observer: &dyn Observer| -> Outcome {
        let requests = std::slice::from_ref(request);
        let explored = Explored::new(&prepared, requests, &Silent).expect("an exploration");
        let job = Job { checkpoint: Some(&file), ..Job::new(&whole) };
        train(&explored, request, &job, observer).expect("a training")
    };
    let stopped = run(&StopAfter { rounds, seen: AtomicUsize::new(0) });
    assert!(stopped.record.trees().is_some_and(|record| record.rounds.len() == rounds));
    run(&Silent).model
}
