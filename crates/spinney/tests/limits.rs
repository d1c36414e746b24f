//! Limits of time, memory and patterns: a training that reaches one ends with a valid model; what
//! it calls proven is what a training without limits finds, and what it calls unproven is within
//! its bound.

mod boosted;
mod oracle;

use std::time::{Duration, Instant};

use boosted::{boosted_within, everything, valid};
use oracle::random::{Random, Shape, dataset, graph, random_connected};
use proptest::prelude::{ProptestConfig, prop, prop_assert, proptest};
use spinney::boosting::{
    BoostedModel, Booster, Checkpoint, Exploration, StopReason, Trained, TrainingLimits,
};
use spinney::model::{Model, Node};
use spinney::params::{Criterion, FixedParams, Leaf};
use spinney::{Dataset, Engine};

fn data(seed: u64, count: usize) -> Dataset {
    let mut random = Random::new(seed);
    let shape = Shape { vertices: 7, edges: 8, vertex_labels: 2, edge_labels: 2 };
    let graphs: Vec<_> = (0..count).map(|_| random_connected(&mut random, 7, 1, shape)).collect();
    let targets: Vec<String> = (0..count).map(|_| random.below(2).to_string()).collect();
    dataset(&graphs, &targets)
}

fn train(
    data: &Dataset,
    params: &FixedParams,
    engine: Engine,
    limits: TrainingLimits,
) -> BoostedModel {
    boosted_within(data, params, engine, limits).expect("a model")
}

/// Compares a model with one that was trained without limits. Trees are the same up to nodes that
/// are unproven, and these are honest: the true optimum lies between gain and bound.
fn check(limited: &Model, free: &Model) -> Result<(), String> {
    assert_eq!(Model::from_json(&limited.to_json()).as_ref(), Ok(limited));
    for tree in 0..limited.trees().len() {
        let mut same = true;
        let mut waiting = vec![(0, 0)];
        while let Some((a, b)) = waiting.pop() {
            let (ours, theirs) =
                (&limited.trees()[tree].nodes()[a], &free.trees()[tree].nodes()[b]);
            let question = |model: &Model, node: &Node| match *node {
                Node::Split { pattern, at_least, gain, yes, no, .. } => {
                    (Some((model.patterns()[pattern].code.clone(), at_least)), gain, yes, no)
                }
                Node::Leaf { .. } => (None, 0.0, 0, 0),
            };
            let (ours, theirs) = (question(limited, ours), question(free, theirs));
            let open = limited.provenance().unproven.iter().find(|u| (u.tree, u.node) == (tree, a));
            match open {
                // A pattern that was not looked at may gain as much and be simpler.
                None if (ours.1 - theirs.1).abs() > 1e-9 * theirs.1 => {
                    return Err(format!("tree {tree} node {a}: {ours:?} is not {theirs:?}"));
                }
                Some(u)
                    if theirs.1 > u.bound * (1.0 + 1e-9) || u.gain > theirs.1 * (1.0 + 1e-9) =>
                {
                    return Err(format!("{u:?}, but the optimum is {}", theirs.1));
                }
                _ => {}
            }
            if ours.0 == theirs.0 && ours.0.is_some() {
                waiting.extend([(ours.2, theirs.2), (ours.3, theirs.3)]);
            } else {
                same &= ours.0 == theirs.0;
            }
        }
        if !same {
            break; // From here on the residuals differ.
        }
    }
    Ok(())
}

fn params(kind: usize) -> FixedParams {
    let small = FixedParams { max_edges: Some(5), trees: 5, depth: 3, ..FixedParams::paper() };
    match kind {
        0 => small,
        1 => FixedParams { count_levels: 3, vertices: true, ..small },
        2 => FixedParams { criterion: Criterion::Newton, leaf: Leaf::Newton, l2: 1.0, ..small },
        _ => FixedParams { subsample: 0.7, pattern_sample: 0.5, ..small },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_limit_of_patterns_is_honest(
        seed in 0u64..1 << 40,
        kind in 0usize..4,
        most in prop::sample::select(vec![1, 3, 10, 30, 100, 300, 1000]),
        engine in prop::sample::select(vec![Engine::Bound, Engine::Auto]),
    ) {
        let (data, params) = (data(seed, 30), params(kind));
        let limits = TrainingLimits { patterns: Some(most), ..TrainingLimits::default() };
        let limited = train(&data, &params, engine, limits);
        let free = train(&data, &params, engine, TrainingLimits::default());
        let said = check(&limited.model, &free.model);
        prop_assert!(said.is_ok(), "{said:?}");
        if limited.record.stopped != StopReason::PatternLimit {
            prop_assert!(limited.model.to_json() == free.model.to_json());
        }
    }

    /// Where nothing is kept, nodes are searched alone, or the training ends.
    #[test]
    fn the_limit_of_memory_is_honest(seed in 0u64..1 << 40, kind in 0usize..4) {
        let (data, params) = (data(seed, 30), params(kind));
        let limits = TrainingLimits { memory: Some(1000), ..TrainingLimits::default() };
        let limited = train(&data, &params, Engine::Bound, limits);
        let free = train(&data, &params, Engine::Bound, TrainingLimits::default());
        let said = check(&limited.model, &free.model);
        prop_assert!(said.is_ok(), "{said:?}");
        match kind {
            0 => prop_assert!(limited.model.to_json() == free.model.to_json()),
            _ => prop_assert!(limited.record.stopped == StopReason::MemoryLimit),
        }
    }

    /// Patterns with more embeddings than the budget stay unextended, and the model says so.
    #[test]
    fn what_is_stuck_is_said(seed in 0u64..1 << 40, kind in 0usize..4, leaves in 60u32..160) {
        let star = |n: u32, labels: u32, shift: u32| {
            let label = |v: u32| if v == 0 { 0 } else { 1 + (v * 7 + shift) % labels };
            let labels: Vec<u32> = (0..=n).map(label).collect();
            let edges: Vec<(u32, u32, u32)> = (1..=n).map(|v| (0, v, 0)).collect();
            graph(&labels, &edges)
        };
        let mut random = Random::new(seed);
        let graphs: Vec<_> = (0..12)
            .map(|_| star(leaves - random.below(50) as u32, 2, random.below(2) as u32))
            .collect();
        let targets: Vec<String> = (0..12).map(|_| random.below(2).to_string()).collect();
        let both = targets.contains(&"0".into()) && targets.contains(&"1".into());
        if !both {
            return Ok(());
        }
        let data = dataset(&graphs, &targets);
        let params = FixedParams { max_edges: Some(2), trees: 3, ..params(kind) };
        // A growth may have 4,096 embeddings; the space counts as full only far beyond.
        let limits = TrainingLimits { memory: Some(400_000), ..TrainingLimits::default() };
        let limited = train(&data, &params, Engine::Bound, limits);
        let free = train(&data, &params, Engine::Bound, TrainingLimits::default());
        let said = check(&limited.model, &free.model);
        prop_assert!(said.is_ok(), "{said:?}");
    }
}

#[test]
fn no_time_at_all_gives_a_model() {
    let data = data(5, 40);
    for engine in [Engine::Bound, Engine::Census, Engine::Auto] {
        for kind in 0..4 {
            let limits =
                TrainingLimits { until: Some(Instant::now()), ..TrainingLimits::default() };
            let fit = train(&data, &params(kind), engine, limits);
            assert_eq!(fit.record.stopped, StopReason::TimeLimit);
            assert_eq!(fit.record.rounds.len(), 1);
            let unproven = &fit.model.provenance().unproven;
            assert_eq!(unproven.len(), 1, "the root");
            let free = train(&data, &params(kind), Engine::Census, TrainingLimits::default());
            check(&fit.model, &free.model).expect("an honest bound");
        }
    }
}

#[test]
fn any_time_gives_a_model_that_is_a_beginning() {
    let data = data(6, 200);
    let params = FixedParams { max_edges: Some(8), trees: 40, ..params(2) };
    let free = train(&data, &params, Engine::Census, TrainingLimits::default());
    for millis in [1, 5, 20, 50] {
        let until = Some(Instant::now() + Duration::from_millis(millis));
        let fit = train(
            &data,
            &params,
            Engine::Bound,
            TrainingLimits { until, ..TrainingLimits::default() },
        );
        check(&fit.model, &free.model).expect("an honest beginning");
    }
}

/// A checkpoint that is shown after a limit holds whole rounds only, and the training can go on.
#[test]
fn a_training_goes_on_after_a_limit() {
    let data = data(7, 60);
    let all = everything(&data);
    let params = params(1);
    let free = train(&data, &params, Engine::Bound, TrainingLimits::default());
    let valid = valid(&params);
    for most in [20, 60, 120, 200] {
        let limits = TrainingLimits { patterns: Some(most), ..TrainingLimits::default() };
        let exploration = Exploration::with_limits(&data, params.max_edges, Engine::Bound, limits);
        let booster = Booster::new(&exploration, &valid, &all, &[]).expect("a training");
        let mut written: Option<Checkpoint> = None;
        let trained = booster.run_watched(|booster| {
            written = Some(booster.checkpoint());
            true
        });
        let trained = trained.expect("a training");
        let Some(checkpoint) = written else { continue };
        assert!(checkpoint.rounds() >= trained.record().rounds.len() - 1);
        let exploration = Exploration::new(&data, params.max_edges, Engine::Bound);
        let booster = Booster::new(&exploration, &valid, &all, &[]).expect("a training");
        let resumed = booster.resume(checkpoint).and_then(|b| b.run(|_| true));
        let resumed = resumed.and_then(Trained::into_model).expect("a model");
        assert_eq!(resumed.model.to_json(), free.model.to_json());
    }
}
