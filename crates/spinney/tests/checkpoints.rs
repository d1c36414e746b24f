//! A training that goes on from a checkpoint gives the model of one without a break, byte for byte;
//! a checkpoint of something else, or a damaged one, is refused.

mod boosted;
mod oracle;

use boosted::{split_by, valid};
use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};
use spinney::boosting::{Booster, Checkpoint, Exploration, StopReason};
use spinney::evaluation::Split;
use spinney::params::{Criterion, FixedParams, Leaf, LossKind};
use spinney::{Dataset, Engine};

fn data(seed: u64, count: usize, targets: &[&str]) -> Dataset {
    let mut random = Random::new(seed);
    let shape = Shape { vertices: 6, edges: 7, vertex_labels: 3, edge_labels: 2 };
    let mut one = || random_connected(&mut random, 6, 1, shape);
    let graphs: Vec<_> = (0..count).map(|_| one()).collect();
    let of = |i: usize| targets[(i * 7 + graphs[i].edge_count()) % targets.len()].to_owned();
    let targets: Vec<String> = (0..graphs.len()).map(of).collect();
    dataset(&graphs, &targets)
}

/// The graphs to train on and those to validate on.
fn split(data: &Dataset) -> Split {
    split_by(data, |i| i % 4 != 1)
}

/// Trains with an engine, from a checkpoint if one is given; gives the model, and the checkpoint
/// after `stop` rounds, where it stops.
fn train(
    data: &Dataset,
    params: &FixedParams,
    engine: Engine,
    from: Option<&str>,
    stop: usize,
) -> (String, Option<String>, StopReason) {
    let params = valid(params);
    let exploration = Exploration::new(data, params.max_edges, engine);
    let split = split(data);
    let mut booster =
        Booster::new(&exploration, &params, &split.train, &split.held_out).expect("a training");
    if let Some(text) = from {
        let checkpoint = Checkpoint::from_json(text).expect("a checkpoint");
        booster = booster.resume(checkpoint).expect("the same training");
    }
    let mut written = None;
    let trained = booster.run_watched(|booster| {
        if booster.rounds().len() == stop {
            written = Some(booster.checkpoint().to_json());
        }
        booster.rounds().len() != stop
    });
    let fit = trained.and_then(spinney::boosting::Trained::into_model).expect("a model");
    (fit.model.to_json(), written, fit.record.stopped)
}

/// All kinds of training, by number.
fn params(kind: usize) -> FixedParams {
    let small = FixedParams { max_edges: Some(3), trees: 7, depth: 3, ..FixedParams::paper() };
    match kind {
        0 => small,
        1 => FixedParams { max_edges: Some(3), trees: 7, ..FixedParams::default() },
        2 => FixedParams { subsample: 0.5, pattern_sample: 0.5, seed: 9, ..small },
        3 => FixedParams { early_stopping: Some(2), trees: 30, learning_rate: 1.0, ..small },
        4 => FixedParams { loss: LossKind::Squared, count_levels: 3, ..small },
        _ => FixedParams { leaf: Leaf::Newton, criterion: Criterion::Newton, l2: 0.5, ..small },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_training_goes_on_as_if_nothing_had_happened(
        seed in 0u64..1 << 40,
        kind in 0usize..6,
        stop in 1usize..7,
        engines in prop::sample::select(vec![
            (Engine::Census, Engine::Census),
            (Engine::Bound, Engine::Bound),
            (Engine::Census, Engine::Bound),
            (Engine::Bound, Engine::Census),
        ]),
        targets in prop::sample::select(vec![&["0", "1"][..], &["0", "1", "2"], &["-3", "1e-9"]]),
    ) {
        let (data, params) = (data(seed, 24, targets), params(kind));
        let (whole, ..) = train(&data, &params, engines.0, None, usize::MAX);
        let (part, written, why) = train(&data, &params, engines.0, None, stop);
        let Some(written) = written else { return Ok(()) };
        let (resumed, _, _) = train(&data, &params, engines.1, Some(&written), usize::MAX);
        prop_assert_eq!(&resumed, &whole);
        prop_assert!(why != StopReason::Interrupted || part != whole);
    }
}

#[test]
fn more_trees_may_be_asked_for() {
    let data = data(3, 24, &["0", "1"]);
    let few = FixedParams { trees: 3, ..params(2) };
    let (_, written, _) = train(&data, &few, Engine::Census, None, 3);
    let (resumed, ..) = train(&data, &params(2), Engine::Census, written.as_deref(), usize::MAX);
    assert_eq!(resumed, train(&data, &params(2), Engine::Census, None, usize::MAX).0);
}

#[test]
fn other_data_or_parameters_are_refused_with_a_reason() {
    let set = data(3, 24, &["0", "1"]);
    let (_, written, _) = train(&set, &params(0), Engine::Census, None, 3);
    let written = written.expect("a checkpoint");
    let refused = |set: &Dataset, params: FixedParams, split: &Split| {
        let params = valid(&params);
        let exploration = Exploration::new(set, params.max_edges, Engine::Census);
        let booster = Booster::new(&exploration, &params, &split.train, &split.held_out);
        let checkpoint = Checkpoint::from_json(&written).expect("a checkpoint");
        booster.expect("a training").resume(checkpoint).err().expect("a refusal").to_string()
    };
    let other = refused(&set, FixedParams { seed: 1, ..params(0) }, &split(&set));
    assert!(other.contains("seed 0, now seed is 1"), "{other}");
    let other = refused(&set, FixedParams { trees: 2, ..params(0) }, &split(&set));
    assert!(other.contains("has 3 rounds already"), "{other}");
    let another = data(4, 24, &["0", "1"]);
    let other = refused(&another, params(0), &split(&another));
    assert!(other.contains("other training graphs"), "{other}");
    let mut shorter = split(&set);
    shorter.held_out.remove(0);
    let other = refused(&set, params(0), &shorter);
    assert!(other.contains("validation graphs") || other.contains("scores"), "{other}");
}

#[test]
fn damage_is_noticed() {
    let set = data(3, 24, &["0", "1"]);
    let (_, written, _) = train(&set, &params(0), Engine::Census, None, 3);
    let written = written.expect("a checkpoint");
    assert!(Checkpoint::from_json(&written).is_ok());
    for end in 0..written.trim_end().len() {
        assert!(Checkpoint::from_json(&written[..end]).is_err(), "the first {end} bytes");
    }
    let body = written.find("\"checkpoint\": ").expect("the content") + 14;
    for at in (body..written.trim_end().len() - 1).step_by(3) {
        let mut bytes = written.clone().into_bytes();
        bytes[at] ^= 1 << (at % 7);
        let Ok(text) = String::from_utf8(bytes) else { continue };
        assert!(Checkpoint::from_json(&text).is_err(), "byte {at}");
    }
}
