//! Data that are legal and hostile: they end within seconds, or within the limits given, with a
//! model that can be read back; or an error says why not.

mod boosted;
mod oracle;

use std::time::{Duration, Instant};

use boosted::boosted_within;
use oracle::random::{dataset, graph};
use spinney::boosting::{BoostedModel, TrainingLimits};
use spinney::graph::Graph;
use spinney::params::{FixedParams, LossKind};
use spinney::{Dataset, Engine, Model, Result};

/// A few rounds with the settings that users get.
fn few() -> FixedParams {
    FixedParams { trees: 5, ..FixedParams::default() }
}

fn within(seconds: u64, megabytes: usize) -> TrainingLimits {
    let until = Some(Instant::now() + Duration::from_secs(seconds));
    TrainingLimits { until, memory: Some(megabytes << 20), ..TrainingLimits::default() }
}

/// Trains within limits, which must be kept, more or less: a round is not broken off in the middle
/// of a histogram.
fn train(data: &Dataset, params: &FixedParams, limits: TrainingLimits) -> Result<BoostedModel> {
    let started = Instant::now();
    let fit = boosted_within(data, params, Engine::Auto, limits);
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
    if let Ok(fit) = &fit {
        assert_eq!(Model::from_json(&fit.model.to_json()).as_ref(), Ok(&fit.model));
        assert!(fit.record.rounds.iter().all(|round| round.train_loss.is_finite()));
    }
    fit
}

/// Two kinds by turns, so that there is something to learn.
fn by_turns(make: impl Fn(u32) -> Graph, count: u32) -> Dataset {
    let graphs: Vec<Graph> = (0..count).map(make).collect();
    let targets: Vec<String> = (0..count).map(|i| (i % 2).to_string()).collect();
    dataset(&graphs, &targets)
}

fn unlabelled(vertices: u32, edges: impl Iterator<Item = (u32, u32)>) -> Graph {
    let edges: Vec<(u32, u32, u32)> = edges.map(|(u, v)| (u, v, 0)).collect();
    graph(&vec![0; vertices as usize], &edges)
}

fn clique(n: u32) -> Graph {
    unlabelled(n, (0..n).flat_map(|u| (0..u).map(move |v| (v, u))))
}

fn grid(side: u32) -> Graph {
    let across = (0..side * side).filter(move |v| v % side + 1 < side).map(|v| (v, v + 1));
    let down = (0..side * (side - 1)).map(move |v| (v, v + side));
    unlabelled(side * side, across.chain(down))
}

fn star(leaves: u32) -> Graph {
    unlabelled(leaves + 1, (1..=leaves).map(|v| (0, v)))
}

fn path(edges: u32) -> Graph {
    unlabelled(edges + 1, (0..edges).map(|v| (v, v + 1)))
}

/// Buckminsterfullerene, a truncated icosahedron: its vertex (i, j) is what is left of corner i of
/// the icosahedron on the edge to j.
fn fullerene() -> Graph {
    let neighbours = icosahedron();
    let mut number = std::collections::BTreeMap::new();
    for (i, around) in neighbours.iter().enumerate() {
        for &j in around {
            let next = number.len() as u32;
            number.insert((i, j), next);
        }
    }
    let mut edges = Vec::new();
    for (i, around) in neighbours.iter().enumerate() {
        for (at, &j) in around.iter().enumerate() {
            let beside = around[(at + 1) % around.len()];
            edges.push((number[&(i, j)], number[&(i, beside)]));
            if i < j {
                edges.push((number[&(i, j)], number[&(j, i)]));
            }
        }
    }
    unlabelled(60, edges.into_iter())
}

/// The neighbours of each vertex of an icosahedron, in order around it.
fn icosahedron() -> Vec<Vec<usize>> {
    let upper = |k: usize| 1 + k % 5;
    let lower = |k: usize| 6 + k % 5;
    let mut all = vec![(0..5).map(upper).collect::<Vec<usize>>()];
    all.extend((0..5).map(|k| vec![0, upper(k + 4), lower(k + 4), lower(k), upper(k + 1)]));
    all.extend((0..5).map(|k| vec![11, lower(k + 1), upper(k + 1), upper(k), lower(k + 4)]));
    all.push((0..5).rev().map(lower).collect());
    all
}

#[test]
fn the_fullerene_is_one() {
    let c60 = fullerene();
    assert_eq!((c60.vertex_count(), c60.edge_count()), (60, 90));
    assert!((0..60).all(|v| c60.neighbors(v).len() == 3));
}

#[test]
fn symmetric_graphs_end_within_their_limits() {
    let kinds: [(&str, &dyn Fn(u32) -> Graph); 5] = [
        ("cliques", &|i| clique(4 + i % 2 * 20)),
        ("grids", &|i| grid(4 + i % 2 * 8)),
        ("fullerenes", &|i| if i % 2 == 0 { fullerene() } else { grid(8) }),
        ("stars", &|i| star(10 + i % 2 * 3000)),
        ("paths", &|i| path(20 + i % 2 * 10_000)),
    ];
    for (name, make) in kinds {
        let data = by_turns(make, 10);
        for params in [few(), FixedParams { trees: 5, max_edges: None, ..FixedParams::paper() }] {
            let fit = train(&data, &params, within(3, 1000));
            assert!(fit.is_ok(), "{name}: {:?}", fit.err());
        }
    }
}

#[test]
fn small_symmetric_graphs_need_no_limits() {
    let kinds: [&dyn Fn(u32) -> Graph; 4] =
        [&|i| clique(3 + i % 2 * 4), &|i| grid(3 + i % 2 * 4), &|i| star(5 + i % 2 * 30), &|i| {
            path(20 + i % 2 * 1000)
        }];
    for make in kinds {
        let fit = train(&by_turns(make, 10), &few(), TrainingLimits::default()).expect("a model");
        assert!(fit.model.provenance().unproven.is_empty());
    }
}

/// A star of a million leaves has 5·10¹¹ paths of two edges.
#[test]
fn a_graph_of_a_million_edges_among_small_ones() {
    let ring = |i: u32| {
        let vertices: Vec<u32> = (0..6).map(|v| (v + i) % 3).collect();
        let edges: Vec<(u32, u32, u32)> = (0..6).map(|v| (v, (v + 1) % 6, v % 2)).collect();
        graph(&vertices, &edges)
    };
    for large in [star(1_000_000), path(1_000_000), grid(708)] {
        let graphs: Vec<Graph> = (0..20).map(ring).chain([large]).collect();
        let targets: Vec<String> = (0..21).map(|i| (i % 2).to_string()).collect();
        let data = dataset(&graphs, &targets);
        let fit = train(&data, &few(), within(5, 2000));
        assert!(fit.is_ok(), "{:?}", fit.err());
    }
}

#[test]
fn patterns_with_too_many_embeddings_are_named_in_the_model() {
    let data = by_turns(|i| star(100 + i % 2 * 100), 10);
    let params = FixedParams { trees: 2, max_edges: Some(3), count_levels: 1, ..few() };
    let limits = TrainingLimits { memory: Some(400_000), ..TrainingLimits::default() };
    let fit = train(&data, &params, limits).expect("a model");
    let unproven = &fit.model.provenance().unproven;
    assert!(!unproven.is_empty());
    assert!(unproven.iter().all(|one| one.bound > one.gain && one.bound.is_finite()));
}

#[test]
fn a_hundred_thousand_classes() {
    // Each graph has a label of its own: 20,000 columns of one graph, and as many by the edge.
    let graphs: Vec<Graph> =
        (0..50_000u32).map(|i| graph(&[i, 50_000 + i], &[(0, 1, 0)])).collect();
    let targets: Vec<String> = (0..50_000).map(|i| (i % 2).to_string()).collect();
    let params = FixedParams { min_samples_leaf: 1, ..few() };
    let fit = train(&dataset(&graphs, &targets), &params, within(30, 2000)).expect("a model");
    assert!(fit.record.patterns >= 100_000, "{}", fit.record.patterns);
}

#[test]
fn a_thousand_target_classes() {
    let graphs: Vec<Graph> = (0..2000u32).map(|i| graph(&[i % 7, i % 5], &[(0, 1, 0)])).collect();
    let targets: Vec<String> = (0..2000).map(|i| format!("c{}", i % 1000)).collect();
    let params = FixedParams { trees: 1, ..few() };
    let fit = train(&dataset(&graphs, &targets), &params, within(20, 2000)).expect("a model");
    assert_eq!(fit.model.task().classes().len(), 1000);
}

/// A class for each graph is likely an identifier by mistake, and its scores would fill any memory.
#[test]
fn a_hundred_thousand_target_classes_are_refused() {
    let graphs: Vec<Graph> = (0..100_000u32).map(|i| graph(&[i % 7], &[])).collect();
    let targets: Vec<String> = (0..100_000).map(|i| format!("c{i}")).collect();
    let error = train(&dataset(&graphs, &targets), &few(), TrainingLimits::default());
    let error = error.expect_err("too much").to_string();
    assert!(error.contains("100000 classes") && error.contains("loss"), "{error}");
}

#[test]
fn graphs_that_are_all_the_same_or_have_nothing_in_common() {
    let same = by_turns(|_| clique(4), 50);
    assert!(
        train(&same, &few(), TrainingLimits::default())
            .expect("a model")
            .model
            .patterns()
            .is_empty()
    );
    let apart = by_turns(|i| graph(&[3 * i, 3 * i + 1, 3 * i + 2], &[(0, 1, i), (1, 2, i)]), 50);
    train(&apart, &few(), TrainingLimits::default()).expect("a model");
}

#[test]
fn targets_and_weights_at_the_ends_of_the_range() {
    let make = |i: u32| graph(&[0, i % 3], &[(0, 1, 0)]);
    let numbers = |of: &dyn Fn(u32) -> String| {
        let graphs: Vec<Graph> = (0..60).map(make).collect();
        dataset(&graphs, &(0..60).map(of).collect::<Vec<String>>())
    };
    let signs = numbers(&|i| format!("{}1e300", if i % 3 == 0 { "-" } else { "" }));
    for params in [few(), FixedParams { trees: 5, ..FixedParams::paper() }] {
        let params = FixedParams { loss: LossKind::Squared, ..params };
        // The squared loss of 1e300 is no number: it must say so.
        if let Err(error) = train(&signs, &params, TrainingLimits::default()) {
            assert!(error.to_string().contains("scale the targets"), "{error}");
        }
        let tiny = numbers(&|i| format!("{}e-300", i % 3));
        train(&tiny, &params, TrainingLimits::default()).expect("a model");
        let mixed = numbers(&|i| ["1e-300", "1", "1e150"][i as usize % 3].to_owned());
        train(&mixed, &params, TrainingLimits::default()).expect("a model");
    }
    let data = numbers(&|i| (i % 2).to_string());
    for zero in 0..3u32 {
        let weights =
            (0..60).map(|i| if i % 3 == zero { 0.0 } else { 1.0 + f64::from(i) }).collect();
        let data = data.clone().with_weights(weights).expect("weights");
        train(&data, &few(), TrainingLimits::default()).expect("a model");
    }
    let error = data.with_weights(vec![0.0; 60]).expect_err("nothing to learn from");
    assert!(error.to_string().contains("weight"), "{error}");
}
