//! A training that is interrupted gives up the round under way and gives the model of the rounds
//! before it; with none, it gives nothing. A checkpoint stays whole.

mod boosted;
mod oracle;

use std::sync::atomic::{AtomicUsize, Ordering};

use boosted::everything;
use oracle::random::{Random, Shape, dataset, random_connected};
use spinney::boosting::{Round, StopReason, TrainingLimits};
use spinney::evaluation::Folds;
use spinney::evaluation::Split;
use spinney::evaluation::folds::GraphFolds;
use spinney::mining::InterruptFlag;
use spinney::training::cross_validation::{FoldWork, cross_validate};
use spinney::training::{
    CheckpointFile, Explored, Job, Observer, Outcome, Phase, Prepared, Request, train,
};
use spinney::{Dataset, Engine, Params, Result};

fn data() -> Dataset {
    let mut random = Random::new(5);
    let shape = Shape { vertices: 8, edges: 9, vertex_labels: 2, edge_labels: 2 };
    let graphs: Vec<_> = (0..40).map(|_| random_connected(&mut random, 8, 2, shape)).collect();
    let targets: Vec<String> = (0..40).map(|i| (i * i % 7).to_string()).collect();
    dataset(&graphs, &targets)
}

fn request(flag: Option<&'static InterruptFlag>, engine: Engine) -> Request {
    let params = Params { trees: 8.into(), max_edges: Some(4).into(), ..Params::paper() };
    let limits = TrainingLimits { interrupt: flag, ..TrainingLimits::default() };
    Request { params, engine, limits, ..Request::default() }
}

/// When the flag is set, and how.
struct Interrupting {
    flag: &'static InterruptFlag,
    /// After so many rounds.
    rounds: usize,
    /// Nobody wants what there is when patterns are certified.
    abandons: bool,
    seen: AtomicUsize,
}

impl Interrupting {
    fn after(rounds: usize, flag: &'static InterruptFlag) -> Interrupting {
        Interrupting { flag, rounds, abandons: false, seen: AtomicUsize::new(0) }
    }
}

impl Observer for Interrupting {
    fn phase(&self, phase: Phase) {
        if phase == Phase::Certifying && self.abandons {
            self.flag.abandon();
        }
    }

    fn round(&self, round: &Round) {
        self.seen.store(round.round, Ordering::Relaxed);
        if round.round >= self.rounds {
            self.flag.stop();
        }
    }
}

fn training(
    request: &Request,
    checkpoint: Option<&CheckpointFile>,
    seen: &dyn Observer,
) -> Result<Outcome> {
    let prepared = Prepared { data: data(), representation: None };
    let whole = Split::whole(prepared.data.len());
    let explored = Explored::new(&prepared, std::slice::from_ref(request), seen)?;
    train(&explored, request, &Job { checkpoint, ..Job::new(&whole) }, seen)
}

/// A flag of its own for each test: tests run side by side.
fn flag() -> &'static InterruptFlag {
    Box::leak(Box::default())
}

#[test]
fn an_interrupted_training_has_its_whole_rounds() {
    for engine in [Engine::Census, Engine::Bound] {
        let whole = training(&request(None, engine), None, &spinney::training::Silent).unwrap();
        for rounds in 1..8 {
            let flag = flag();
            let seen = Interrupting::after(rounds, flag);
            let outcome = training(&request(Some(flag), engine), None, &seen).unwrap();
            let record = outcome.record.trees().unwrap();
            assert_eq!(record.stopped, StopReason::Interrupted);
            assert_eq!(record.rounds.len(), rounds);
            assert!(outcome.model.provenance().unproven.is_empty());
            let trees = outcome.model.trees();
            assert_eq!(trees.len(), rounds * whole.model.trees().len() / 8);
            assert_eq!(
                outcome.model.staged_predict(&data()),
                whole.model.staged_predict(&data())[..=rounds]
            );
        }
    }
}

#[test]
fn a_checkpoint_of_an_interrupted_training_goes_on() {
    let whole = training(&request(None, Engine::Bound), None, &spinney::training::Silent).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile { path: folder.path().join("kept.json"), resume: true };
    let first = flag();
    training(&request(Some(first), Engine::Bound), Some(&file), &Interrupting::after(3, first))
        .unwrap();
    // Interrupted again before its first round: the model of what was kept, and that stays.
    let set = flag();
    let seen = Interrupting { rounds: 0, ..Interrupting::after(0, set) };
    struct AtBoosting<'i>(&'i Interrupting);
    impl Observer for AtBoosting<'_> {
        fn phase(&self, phase: Phase) {
            if let Phase::Boosting { done, .. } = phase {
                assert_eq!(done, 3);
                self.0.flag.stop();
            }
        }
    }
    let again =
        training(&request(Some(set), Engine::Bound), Some(&file), &AtBoosting(&seen)).unwrap();
    assert_eq!(again.record.trees().map(|record| record.rounds.len()), Some(3));
    let request = request(None, Engine::Bound);
    let resumed = training(&request, Some(&file), &spinney::training::Silent).unwrap();
    assert_eq!(resumed.model.to_json(), whole.model.to_json());
}

#[test]
fn without_a_round_there_is_no_model() {
    let refused = |seen: &Interrupting, engine: Engine| {
        let error = training(&request(Some(seen.flag), engine), None, seen).unwrap_err();
        assert!(error.is_interrupted() && !error.is_bad_input(), "{error}");
        error.to_string()
    };
    for engine in [Engine::Census, Engine::Bound, Engine::Auto] {
        let seen = Interrupting::after(usize::MAX, flag());
        seen.flag.stop();
        assert!(refused(&seen, engine).contains("explored"));
    }
    let seen = Interrupting { abandons: true, ..Interrupting::after(2, flag()) };
    assert!(refused(&seen, Engine::Census).contains("certified"));
}

#[test]
fn folds_that_are_interrupted_are_none() {
    let prepared = Prepared { data: data(), representation: None };
    let flag = flag();
    let request = request(Some(flag), Engine::Census);
    let work = FoldWork::silent();
    let explored = Explored::new(&prepared, std::slice::from_ref(&request), work.observer).unwrap();
    flag.stop();
    let graphs = everything(&prepared.data);
    let folds = GraphFolds::new(Folds::random(&[0; 40], 4, 0).unwrap(), graphs).unwrap();
    for keep_models in [false, true] {
        let work = FoldWork { keep_models, ..work };
        assert!(cross_validate(&explored, &request, &folds, None, work).unwrap().is_none());
    }
}
