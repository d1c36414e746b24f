//! Prediction against brute force: which patterns occur how often, and where that leads in trees.
//!
//! The matcher leaves out what it can see from labels and kinds of edges, and stops counting as
//! soon as it may; trees are walked in a layout of their own. Here all of it is compared with the
//! slow oracle of `oracle/pattern.rs`, which shares no code with the library, on random graphs and
//! on symmetric ones, where embeddings are many and occurrences few.

mod boosted;
mod oracle;

use std::collections::HashSet;

use boosted::{boosted, small_problem};
use oracle::pattern::{Mined, Pattern, mine, occurrences, spelled};
use oracle::random::{Random, graph, random_graphs};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spinney::graph::Graph;
use spinney::mining::{Canonizer, DfsCode};
use spinney::model::matcher::{Dictionary, Scratch};
use spinney::model::{Matcher, Model};
use spinney::params::FixedParams;
use spinney::{Dataset, Engine};

/// A graph of `n` alike vertices, and an edge wherever `joined` says so.
fn alike(n: u32, joined: impl Fn(u32, u32) -> bool) -> Graph {
    let pairs = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v)));
    let edges: Vec<(u32, u32, u32)> =
        pairs.filter(|&(u, v)| joined(u, v)).map(|(u, v)| (u, v, 0)).collect();
    graph(&vec![0; n as usize], &edges)
}

/// Graphs with many automorphisms.
fn symmetric() -> Vec<Graph> {
    vec![
        alike(5, |_, _| true),
        alike(7, |u, _| u == 0),
        alike(8, |u, v| v == u + 1 || (u, v) == (0, 7)),
        alike(6, |u, v| u < 3 && v >= 3),
        alike(8, |u, v| (u ^ v).count_ones() == 1),
        alike(6, |u, v| u / 2 == v / 2),
        alike(6, |u, v| {
            v % 3 == (u + 1) % 3 && u / 3 == v / 3 || (u, v) == (0, 2) || (u, v) == (3, 5)
        }),
        alike(1, |_, _| false),
    ]
}

fn patterns(mined: Vec<Mined>) -> Vec<Pattern> {
    mined.into_iter().map(|m| m.pattern).collect()
}

fn codes(patterns: &[Pattern]) -> Vec<DfsCode> {
    let mut canonizer = Canonizer::new();
    patterns.iter().map(|p| canonizer.canonical(&p.to_graph()).code).collect()
}

/// Compares counts up to `most` in every graph, with exclusion and without.
fn check(patterns: &[Pattern], most: &[u32], graphs: &[Graph], scratch: &mut Scratch) {
    let codes = codes(patterns);
    let matcher = Matcher::new(codes.iter().zip(most.iter().copied()));
    let plain = matcher.clone().without_exclusion();
    for graph in graphs {
        let whole = Pattern::of(graph);
        let counts = matcher.counts(graph, scratch);
        for ((pattern, &most), &count) in patterns.iter().zip(most).zip(&counts) {
            let expected = (occurrences(pattern, &whole) as u32).min(most);
            assert_eq!(count, expected, "{pattern:?} in {graph:?}");
        }
        assert_eq!(plain.counts(graph, scratch), counts, "{graph:?}");
        let mut found = matcher.find(graph, Dictionary::Same, scratch).to_vec();
        found.sort_unstable();
        let present = counts.iter().enumerate().filter(|c| *c.1 > 0);
        assert_eq!(found, present.map(|(p, &c)| (p as u32, c)).collect::<Vec<_>>());
    }
}

#[test]
fn symmetric_graphs_are_counted_like_brute_force() {
    let graphs = symmetric();
    let mined = patterns(mine(&graphs[1..], 4));
    let mut scratch = Scratch::default();
    for most in [1, 2, 3, 4, 7, 1_000_000] {
        check(&mined, &vec![most; mined.len()], &graphs, &mut scratch);
    }
}

#[test]
fn random_graphs_are_counted_like_brute_force() {
    let mut scratch = Scratch::default();
    for seed in 0..120 {
        let mut random = Random::new(90_000 + seed);
        let graphs = random_graphs(&mut random, 8, 5);
        let mined = patterns(mine(&graphs[..1], 5));
        let most: Vec<u32> = mined.iter().map(|_| random.pick(&[1, 1, 2, 4, 100])).collect();
        check(&mined, &most, &graphs, &mut scratch);
    }
}

/// Where every vertex has many neighbours there are too many paths to look at, and kinds of edges
/// decide what is looked for.
#[test]
fn dense_graphs_are_counted_like_brute_force() {
    let mut scratch = Scratch::default();
    for seed in 0..6 {
        let mut random = Random::new(93_000 + seed);
        let mut graphs = random_graphs(&mut random, 5, 4);
        let mined = patterns(mine(&graphs, 3));
        let labels: Vec<u32> = (0..14).map(|_| random.pick(&[0, 0, 0, 1])).collect();
        let pairs = (0..14).flat_map(|u| (u + 1..14).map(move |v| (u, v)));
        let edges: Vec<_> = pairs.map(|(u, v)| (u, v, random.pick(&[0, 0, 1]))).collect();
        graphs.push(graph(&labels, &edges));
        let most: Vec<u32> = mined.iter().map(|_| random.pick(&[1, 2, 30])).collect();
        check(&mined, &most, &graphs, &mut scratch);
    }
}

/// Patterns that are longer than the paths that are looked at, in graphs that may have their paths
/// and yet not them: rings, and trees of alike vertices.
#[test]
fn large_patterns_are_counted_like_brute_force() {
    let mut graphs: Vec<Graph> =
        (5..11).map(|n| alike(n, |u, v| v == u + 1 || (u, v) == (0, n - 1))).collect();
    for seed in 0..40 {
        let mut random = Random::new(94_000 + seed);
        let size = random.range(7, 11) as u32;
        let labels: Vec<u32> = (0..size).map(|_| random.pick(&[0, 0, 0, 1])).collect();
        let parent = |v: u32, random: &mut Random| random.below(v as usize) as u32;
        let edges: Vec<_> = (1..size).map(|v| (parent(v, &mut random), v, 0)).collect();
        graphs.push(graph(&labels, &edges));
    }
    let mut scratch = Scratch::default();
    let mut whole: Vec<Pattern> = graphs.iter().map(Pattern::of).collect();
    let mut seen = HashSet::new();
    whole.retain(|pattern| seen.insert(codes(std::slice::from_ref(pattern))));
    for most in [1, 3] {
        check(&whole, &vec![most; whole.len()], &graphs, &mut scratch);
    }
}

/// Looking labels up on the way is the same as relabelling first.
#[test]
fn a_dictionary_is_a_relabelling() {
    let mut scratch = Scratch::default();
    for seed in 0..60 {
        let mut random = Random::new(95_000 + seed);
        let graphs = random_graphs(&mut random, 7, 4);
        let mined = patterns(mine(&graphs, 3));
        let codes = codes(&mined);
        let matcher = Matcher::new(codes.iter().map(|c| (c, 3)));
        let unseen = spinney::labels::UNSEEN;
        let vertex: Vec<u32> = (0..3).map(|_| random.pick(&[0, 1, 2, unseen])).collect();
        let edge: Vec<u32> = (0..2).map(|_| random.pick(&[0, 1, unseen])).collect();
        for graph in &graphs {
            let relabelled = matcher.counts(&graph.relabelled(&vertex, &edge), &mut scratch);
            let tables = Dictionary::Tables { vertex: &vertex, edge: &edge };
            let mut counts = vec![0; codes.len()];
            for &(pattern, times) in matcher.find(graph, tables, &mut scratch) {
                counts[pattern as usize] = times;
            }
            assert_eq!(counts, relabelled, "seed {seed}, {graph:?}");
        }
    }
}

/// Labels are found in tables if they are small numbers, and otherwise elsewhere.
#[test]
fn labels_may_be_large_numbers() {
    let mut scratch = Scratch::default();
    for seed in 0..30 {
        let mut random = Random::new(96_000 + seed);
        let graphs = random_graphs(&mut random, 8, 4);
        let far = |label: u32| label * 1_400_000_000 + 2_000_000;
        let table: Vec<u32> = (0..3).map(far).collect();
        let moved: Vec<Graph> = graphs.iter().map(|g| g.relabelled(&table, &table)).collect();
        let mined = patterns(mine(&moved, 3));
        check(&mined, &vec![4; mined.len()], &moved, &mut scratch);
    }
}

/// A model of many small trees over random graphs.
fn trained(random: &mut Random) -> Option<(Dataset, Model)> {
    let (data, params) = small_problem(random, 12);
    let params = FixedParams { trees: random.range(1, 21), depth: random.range(1, 6), ..params };
    let model = boosted(&data, &params, Engine::Census).ok()?.model;
    Some((data, model))
}

/// The same model, but many leaves add 0 or −0, and the score begins at one of them.
fn with_zeros(model: &Model, random: &mut Random) -> Model {
    let mut file: Value = serde_json::from_str(&model.to_json()).expect("JSON");
    let content = &mut file["model"];
    let start = random.pick(&[0.0, -0.0]);
    content["init"].as_array_mut().expect("numbers").fill(json!(start));
    for tree in content["trees"].as_array_mut().expect("trees") {
        let nodes = tree["nodes"].as_array_mut().expect("nodes");
        // Often a stump that adds nothing for no.
        if random.below(2) == 0 && nodes.len() > 3 {
            nodes.truncate(1);
            nodes[0]["yes"] = json!(1);
            nodes[0]["no"] = json!(2);
            nodes.extend([1.5, 0.0].map(|value| json!({"value": value, "cover": 1})));
        }
        for leaf in nodes.iter_mut().filter(|node| node.get("value").is_some()) {
            let value = leaf["value"].as_f64().expect("a number");
            leaf["value"] = json!(random.pick(&[0.0, -0.0, value, value]));
        }
    }
    let body = content.to_string();
    let sum: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    let head = r#"{"format":"spinney-model","version":2,"sha256":"#;
    Model::from_json(&format!("{head}\"{sum}\",\"model\":{body}}}")).expect("a model")
}

/// Scores are those of walking tree after tree with the oracle's counts, to the last bit.
#[test]
fn scores_are_those_of_a_plain_walk() {
    let mut models = 0;
    for seed in 0..150 {
        let mut random = Random::new(97_000 + seed);
        let Some((data, model)) = trained(&mut random) else { continue };
        let model = if seed % 2 == 0 { model } else { with_zeros(&model, &mut random) };
        models += 1;
        let patterns: Vec<Pattern> = model.patterns().iter().map(|p| spelled(&p.code)).collect();
        let (predictions, staged) = (model.predict(&data), model.staged_predict(&data));
        let outputs = model.init().len();
        for (i, graph) in data.graphs().iter().enumerate() {
            let whole = Pattern::of(graph);
            let counts: Vec<u32> = patterns.iter().map(|p| occurrences(p, &whole) as u32).collect();
            let mut scores = model.init().to_vec();
            assert_eq!(staged[0].scores(i), scores, "seed {seed}");
            for (t, tree) in model.trees().iter().enumerate() {
                scores[t % outputs] += tree.value(tree.leaf(|p| counts[p]));
                let a_round = outputs * model.ensemble();
                if (t + 1) % a_round == 0 {
                    assert_eq!(staged[(t + 1) / a_round].scores(i), scores, "seed {seed}");
                }
            }
            let bits = |scores: &[f64]| scores.iter().map(|s| s.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(predictions.scores(i)), bits(&scores), "seed {seed}, graph {i}");
        }
    }
    assert!(models > 75, "only {models} models");
}
