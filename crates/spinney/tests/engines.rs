//! Engines, threads and files change nothing: the model is the exact one.
//!
//! Two guarantees on thousands of random data sets. *Deterministic*: census and bound, 1, 2 and 8
//! threads give the same bytes. *Consistent*: prediction puts a training graph where training put
//! it, a loaded model predicts what the saved one did, and the metrics reported on the way are
//! those of the model. That the splits are the best ones is tested in `exact_splits.rs`.

mod boosted;
mod oracle;

use boosted::{boosted, boosted_in, boosted_on, everything, one_tree, split_by};
use oracle::random::{Random, dataset, graph, random_graphs};
use spinney::boosting::{BoostedModel, Booster, Exploration};
use spinney::evaluation::Split;
use spinney::evaluation::predictions::{Truth, measure};
use spinney::graph::Graph;
use spinney::params::{ClassWeight, Criterion, FixedParams, Init, Leaf, LossKind};
use spinney::{Dataset, Engine, Model, Result};

/// Molecule-like graphs in which every node is searched alone, at once or after little work.
#[test]
fn a_node_searched_alone_gives_the_same_bytes() {
    let mut compared = 0;
    for seed in 0..3_000 {
        let (data, params) = random_case(400_000 + seed);
        let mut random = Random::new(450_000 + seed);
        let params = FixedParams {
            // Most cases must be of the kind that allows it.
            criterion: Criterion::Residual,
            pattern_sample: 1.0,
            count_levels: 1,
            min_support: 1,
            class_weight: ClassWeight::None,
            min_samples_leaf: random.range(1, 4),
            max_edges: random.pick(&[Some(3), Some(6), None, None]),
            ..params
        };
        let census = boosted(&data, &params, Engine::Census).map(|f| f.model.to_json());
        for patience in [0, random.range(1, 20_000)] {
            let alone = boosted_alone(&data, &params, patience).map(|f| f.model.to_json());
            assert_eq!(census.as_ref().ok(), alone.as_ref().ok(), "seed {seed}, {params:?}");
        }
        compared += usize::from(census.is_ok());
    }
    assert!(compared > 2_000, "only {compared} models compared");
}

/// Nodes with few graphs on one side of the mean, which are searched by that side alone: graphs
/// that share a core of fused rings, a star or a path, with few targets unlike the others, and many
/// ties.
#[test]
fn a_few_graphs_searched_alone_give_the_same_bytes() {
    let mut compared = 0;
    for seed in 0..1_500 {
        let mut random = Random::new(500_000 + seed);
        let n = random.range(15, 40);
        let core = random.pick(&[&RINGS[..], &STAR[..], &PATH[..]]);
        let graphs: Vec<Graph> = (0..n).map(|_| around(&mut random, core)).collect();
        let few = random.range(1, n / 5);
        let value = |random: &mut Random, i: usize| match (i < few, seed % 3) {
            (true, 0) => 9 - random.below(2) as i64,
            (false, 0) => random.below(2) as i64,
            (is_few, 1) => i64::from(is_few),
            (is_few, _) => -10 * i64::from(is_few) - random.below(4) as i64,
        };
        let targets: Vec<String> = (0..n).map(|i| value(&mut random, i).to_string()).collect();
        let data = dataset(&graphs, &targets);
        let params = FixedParams {
            max_edges: random.pick(&[None, None, Some(4)]),
            depth: random.range(1, 3),
            trees: random.range(1, 4),
            learning_rate: 0.5,
            min_samples_leaf: random.range(1, 5),
            min_gain: random.pick(&[0.0, 0.0, 2.0]),
            vertices: random.below(2) == 0,
            ..one_tree()
        };
        let census = boosted(&data, &params, Engine::Census).expect("a model");
        compared += census.model.trees().iter().map(|t| t.nodes().len() / 2).sum::<usize>();
        for patience in [0, random.range(1, 50_000)] {
            let alone = boosted_alone(&data, &params, patience).expect("a model");
            let what = format!("seed {seed}, {params:?}");
            assert_eq!(census.model.to_json(), alone.model.to_json(), "{what}");
        }
    }
    assert!(compared > 2_000, "only {compared} splits compared");
}

const RINGS: [(u32, u32); 8] = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5), (5, 3), (5, 6)];

const STAR: [(u32, u32); 5] = [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)];

const PATH: [(u32, u32); 5] = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)];

/// A core, seldom with an edge less, with up to three vertices and an edge more.
fn around(random: &mut Random, core: &[(u32, u32)]) -> Graph {
    let size = core.iter().map(|e| e.0.max(e.1) + 1).max().unwrap_or(1);
    let left_out = if random.below(4) == 0 { random.below(core.len()) } else { core.len() };
    let kept = core.iter().enumerate().filter(|(i, _)| *i != left_out);
    let mut edges: Vec<(u32, u32, u32)> = kept.map(|(_, e)| (e.0, e.1, 0)).collect();
    let more = random.below(4) as u32;
    for v in size..size + more {
        edges.push((random.below(v as usize) as u32, v, random.below(2) as u32));
    }
    let (u, v) = (random.below(size as usize) as u32, random.below(size as usize) as u32);
    let known = edges.iter().any(|e| (e.0.min(e.1), e.0.max(e.1)) == (u.min(v), u.max(v)));
    if u != v && !known && random.below(2) == 0 {
        edges.push((u, v, 0));
    }
    let labels: Vec<u32> =
        (0..size + more).map(|v| u32::from(v >= size && random.below(2) == 0)).collect();
    graph(&labels, &edges)
}

fn boosted_alone(data: &Dataset, params: &FixedParams, patience: usize) -> Result<BoostedModel> {
    let params = params.clone().check()?;
    let exploration = Exploration::new(data, params.max_edges, Engine::Bound);
    boosted_in(&exploration.with_patience(patience), &params, &Split::whole(data.len()))
}

/// Random targets that suit a loss.
fn targets(random: &mut Random, n: usize, loss: LossKind) -> Vec<String> {
    let one = |random: &mut Random| match loss {
        LossKind::Logistic => random.pick(&["-1", "1"]).to_owned(),
        LossKind::Softmax => random.pick(&["a", "b", "c"]).to_owned(),
        LossKind::Poisson => random.below(6).to_string(),
        // Half of the data sets have whole numbers: many ties.
        _ if n.is_multiple_of(2) => (random.range(0, 8) as i64 - 4).to_string(),
        _ => format!("{:.6}", 10.0 * random.unit() - 5.0),
    };
    (0..n).map(|_| one(random)).collect()
}

fn random_params(random: &mut Random) -> FixedParams {
    use LossKind::{Huber, Logistic, Poisson, Softmax, Squared};
    let base = if random.below(3) == 0 { FixedParams::paper() } else { FixedParams::default() };
    let loss = random.pick(&[Logistic, Logistic, Softmax, Squared, Squared, Huber, Poisson]);
    let classes = matches!(loss, Logistic | Softmax);
    let balanced = classes && random.below(4) == 0;
    FixedParams {
        max_edges: random.pick(&[Some(1), Some(2), Some(3), Some(4), Some(5), None]),
        depth: random.range(1, 3),
        trees: random.pick(&[1, 2, 3, 4, 15]),
        // 8 is absurd, and drives second derivatives to zero.
        learning_rate: random.pick(&[0.1, 0.5, 0.7, 1.0, 8.0]),
        min_support: random.range(1, 3),
        min_samples_leaf: random.range(1, 3),
        min_gain: random.pick(&[0.0, 0.0, 0.3]),
        subsample: random.pick(&[1.0, 1.0, 0.7, 0.4]),
        pattern_sample: random.pick(&[1.0, 1.0, 0.5, 0.2]),
        l2: random.pick(&[0.0, 0.3, 1.0]),
        leaf: random.pick(&[Leaf::Mean, Leaf::Newton]),
        criterion: random.pick(&[Criterion::Residual, Criterion::Newton]),
        count_levels: random.pick(&[1, 2, 3, 20]),
        vertices: random.below(2) == 0,
        init: random.pick(&[Init::Mean, Init::Best]),
        class_weight: if balanced { ClassWeight::Balanced } else { ClassWeight::None },
        loss,
        seed: random.bits(),
        ..base
    }
}

/// A random data set, perhaps weighted, and random parameters.
fn random_case(seed: u64) -> (Dataset, FixedParams) {
    let mut random = Random::new(seed);
    let graphs = random_graphs(&mut random, 9, 14);
    let params = random_params(&mut random);
    let data = dataset(&graphs, &targets(&mut random, graphs.len(), params.loss));
    if random.below(4) != 0 {
        return (data, params);
    }
    let mut weights: Vec<f64> =
        graphs.iter().map(|_| random.pick(&[1.0, 2.0, 0.5, 3.7, 0.0])).collect();
    weights[0] = 1.0;
    (data.with_weights(weights).expect("weights that are fine"), params)
}

/// Both give the same: the same bytes, or the same refusal.
fn assert_same(one: Result<BoostedModel>, two: Result<BoostedModel>, what: &str) {
    match (one, two) {
        (Ok(one), Ok(two)) => assert_eq!(one.model.to_json(), two.model.to_json(), "{what}"),
        (Err(one), Err(two)) => assert_eq!(one.to_string(), two.to_string(), "{what}"),
        (one, two) => panic!("{what}: {:?} against {:?}", one.err(), two.err()),
    }
}

#[test]
fn census_and_bound_give_the_same_bytes() {
    let mut splits = 0;
    for seed in 0..20_000 {
        let (data, params) = random_case(seed);
        let census = boosted(&data, &params, Engine::Census);
        if let Ok(fit) = &census {
            splits += fit.model.trees().iter().map(|t| t.nodes().len() / 2).sum::<usize>();
        }
        let what = format!("seed {seed}, {params:?}");
        assert_same(census, boosted(&data, &params, Engine::Bound), &what);
    }
    assert!(splits > 30_000, "only {splits} splits compared");
}

/// The paper's preset, deeper and longer, where the bound engine's tree is remembered across trees.
#[test]
fn census_and_bound_agree_over_many_trees() {
    for seed in 0..150 {
        let mut random = Random::new(50_000 + seed);
        let graphs: Vec<Graph> = (0..4).flat_map(|_| random_graphs(&mut random, 9, 12)).collect();
        let loss = random.pick(&[LossKind::Logistic, LossKind::Softmax, LossKind::Squared]);
        let data = dataset(&graphs, &targets(&mut random, graphs.len(), loss));
        let base = if seed % 2 == 0 { FixedParams::paper() } else { FixedParams::default() };
        let max_edges = random.pick(&[Some(3), Some(5), None]);
        let params =
            FixedParams { loss, max_edges, trees: 25, depth: 4, learning_rate: 0.4, ..base };
        let (census, bound) =
            (boosted(&data, &params, Engine::Census), boosted(&data, &params, Engine::Bound));
        assert_same(census, bound, &format!("seed {seed}, {params:?}"));
    }
}

/// Hundreds of graphs and few classes a tree: nodes get rows of their own, again and again, where
/// the bound engine always reads those of all classes.
#[test]
fn large_nodes_give_the_same_bytes() {
    let mut splits = 0;
    for seed in 0..60 {
        let mut random = Random::new(600_000 + seed);
        let graphs: Vec<Graph> = (0..70).flat_map(|_| random_graphs(&mut random, 9, 14)).collect();
        let loss = random.pick(&[LossKind::Logistic, LossKind::Softmax, LossKind::Squared]);
        let data = dataset(&graphs, &targets(&mut random, graphs.len(), loss));
        let params = FixedParams {
            loss,
            max_edges: random.pick(&[Some(2), Some(4)]),
            trees: 3,
            depth: 12,
            pattern_sample: random.pick(&[0.1, 0.3, 0.7]),
            subsample: random.pick(&[1.0, 0.6]),
            min_samples_leaf: random.pick(&[1, 2, 9]),
            criterion: random.pick(&[Criterion::Residual, Criterion::Newton]),
            seed,
            ..FixedParams::default()
        };
        let census = boosted(&data, &params, Engine::Census);
        if let Ok(fit) = &census {
            splits += fit.model.trees().iter().map(|t| t.nodes().len() / 2).sum::<usize>();
        }
        let what = format!("seed {seed}, {params:?}");
        assert_same(census, boosted(&data, &params, Engine::Bound), &what);
    }
    assert!(splits > 3_000, "only {splits} splits compared");
}

/// Training on some graphs of an exploration is training on those graphs alone.
#[test]
fn folds_see_nothing_of_each_other() {
    for seed in 0..400 {
        let (data, params) = random_case(20_000 + seed);
        let split = split_by(&data, |i| i % 3 != 0 || i == 0);
        let kept: Vec<usize> = split.train.iter().map(|&i| i as usize).collect();
        let alone = data.subset(&kept);
        // Classes are those of all the data, so the subset must have them all.
        if data.class_names().expect("targets") != alone.class_names().expect("targets") {
            continue;
        }
        for engine in [Engine::Census, Engine::Bound] {
            let part = boosted_on(&data, &params, engine, &split);
            let what = format!("seed {seed}, {engine}, {params:?}");
            assert_same(part, boosted(&alone, &params, engine), &what);
        }
    }
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(work)
}

#[test]
fn threads_give_the_same_bytes() {
    for seed in 0..150 {
        let (data, params) = random_case(30_000 + seed);
        for engine in [Engine::Census, Engine::Bound, Engine::Auto] {
            let json = |threads: usize| {
                with_threads(threads, || {
                    boosted(&data, &params, engine).map(|f| f.model.to_json()).ok()
                })
            };
            let one = json(1);
            assert_eq!(one, json(2), "seed {seed}, {engine}");
            assert_eq!(one, json(8), "seed {seed}, {engine}");
        }
    }
}

/// More graphs than one batch of the census, so that threads really interleave.
#[test]
fn threads_give_the_same_bytes_on_a_larger_set() {
    let data = spinney::demo::graph_xor();
    for preset in [FixedParams::default(), FixedParams::paper()] {
        let base = FixedParams { trees: 12, depth: 3, ..preset };
        let params = FixedParams { max_edges: Some(4), learning_rate: 0.5, ..base };
        let json = |threads: usize, engine: Engine| {
            with_threads(threads, || {
                boosted(&data, &params, engine).expect("a model").model.to_json()
            })
        };
        let one = json(1, Engine::Census);
        for (threads, engine) in
            [(2, Engine::Census), (8, Engine::Census), (1, Engine::Bound), (8, Engine::Bound)]
        {
            assert_eq!(one, json(threads, engine), "{threads} threads, {engine}");
        }
    }
}

#[test]
fn prediction_leads_training_graphs_to_their_training_leaves() {
    for seed in 0..600 {
        let (data, params) = random_case(40_000 + seed);
        let Ok(valid) = params.clone().check() else { continue };
        for engine in [Engine::Census, Engine::Bound] {
            let exploration = Exploration::new(&data, params.max_edges, engine);
            let all = everything(&data);
            let Ok(booster) = Booster::new(&exploration, &valid, &all, &[]) else { continue };
            // Poisson scores at absurd learning rates leave the range of numbers.
            let Ok(trained) = booster.keeping_leaves().run(|_| true) else { continue };
            let training = trained.leaves();
            let model = trained.into_model().expect("a certified model").model;
            for (graph, predicted) in model.leaves(&data).into_iter().enumerate() {
                let led: Vec<usize> = training.iter().map(|tree| tree[graph] as usize).collect();
                assert_eq!(predicted, led, "seed {seed}, {engine}, graph {graph}");
            }
        }
    }
}

#[test]
fn a_saved_model_comes_back_the_same() {
    for seed in 0..300 {
        let (data, params) = random_case(60_000 + seed);
        let Ok(fit) = boosted(&data, &params, Engine::Auto) else { continue };
        let text = fit.model.to_json();
        let again = Model::from_json(&text).expect("an intact model");
        assert_eq!(again, fit.model, "seed {seed}");
        assert_eq!(again.to_json(), text, "seed {seed}");
        let (new, _) = random_case(70_000 + seed);
        for data in [&data, &new] {
            assert_eq!(again.predict(data), fit.model.predict(data), "seed {seed}");
            assert_eq!(again.leaves(data), fit.model.leaves(data), "seed {seed}");
        }
    }
}

/// What training reports of the validation graphs is what the model does with them.
#[test]
fn reported_metrics_are_those_of_the_model() {
    for seed in 0..500 {
        let (data, params) = random_case(80_000 + seed);
        let split = split_by(&data, |i| i % 3 != 1);
        for engine in [Engine::Census, Engine::Bound] {
            let Ok(fit) = boosted_on(&data, &params, engine, &split) else { continue };
            let picked: Vec<usize> = split.held_out.iter().map(|&i| i as usize).collect();
            let held = data.subset(&picked);
            let truth = Truth::of(&held, fit.model.task()).expect("known targets");
            let stages = fit.model.staged_predict(&held);
            assert_eq!(stages.len(), fit.record.rounds.len() + 1);
            assert_eq!(stages.last(), Some(&fit.model.predict(&held)));
            for (round, stage) in fit.record.rounds.iter().zip(&stages[1..]) {
                for &(metric, value) in &round.valid {
                    let of_model = measure(metric, stage, &truth);
                    assert_eq!(value.to_bits(), of_model.to_bits(), "seed {seed}, {metric}");
                }
            }
        }
    }
}

/// Early stopping keeps the model of the best round.
#[test]
fn early_stopping_keeps_the_best_round() {
    let mut stopped = 0;
    for seed in 0..200 {
        let (data, params) = random_case(90_000 + seed);
        let params = FixedParams { trees: 12, early_stopping: Some(2), ..params };
        let split = split_by(&data, |i| i % 2 == 0);
        let Ok(fit) = boosted_on(&data, &params, Engine::Auto, &split) else { continue };
        let record = &fit.record;
        let watched: Vec<f64> = record
            .rounds
            .iter()
            .filter_map(|r| r.valid.iter().find(|v| v.0 == record.metric).map(|v| v.1))
            .collect();
        assert_eq!(fit.model.rounds(), record.best_round, "seed {seed}");
        let best = watched[record.best_round - 1];
        assert!(watched.iter().all(|&w| !record.metric.is_better(w, best)), "seed {seed}");
        assert!(record.rounds.len() - record.best_round <= 2, "seed {seed}");
        stopped += usize::from(record.rounds.len() < 12);
    }
    assert!(stopped > 20, "early stopping hardly ever happened: {stopped}");
}
