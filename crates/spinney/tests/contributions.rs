//! Contributions against brute force: Shapley values by their definition, over all sets of
//! patterns.
//!
//! Nothing of the library's way is used here: a set of known patterns is a bit mask, a tree that
//! does not know a pattern goes both ways by cover, and a value is the weighted mean over all sets.

mod boosted;
mod oracle;

use boosted::{boosted, small_problem};
use oracle::pattern::{Pattern, embeddings, occurrences, spelled};
use oracle::random::Random;
use spinney::graph::{Copies, Edge};
use spinney::model::{Interaction, Model, Node, Tree, occurrences::covered};
use spinney::params::FixedParams;
use spinney::{Dataset, Engine};

/// A model of some small trees over random graphs, with at most `patterns` patterns.
fn trained(random: &mut Random, patterns: usize) -> Option<(Dataset, Model)> {
    let (data, params) = small_problem(random, 14);
    let params = FixedParams { trees: random.range(1, 4), depth: random.range(1, 5), ..params };
    let sample = random.pick(&[1.0, 0.3]);
    let params = FixedParams { pattern_sample: sample, ..params };
    let model = boosted(&data, &params, Engine::Census).ok()?.model;
    (model.patterns().len() <= patterns).then_some((data, model))
}

/// What a tree says if it knows the patterns of `known` only.
fn value_knowing(tree: &Tree, at: usize, known: u32, counts: &[u32]) -> f64 {
    match tree.nodes()[at] {
        Node::Leaf { value, .. } => value,
        Node::Split { pattern, at_least, yes, no, .. } if known >> pattern & 1 == 1 => {
            let next = if counts[pattern] >= at_least { yes } else { no };
            value_knowing(tree, next, known, counts)
        }
        Node::Split { yes, no, .. } => {
            let [y, n] = [yes, no].map(|child| f64::from(tree.nodes()[child].cover()));
            (y * value_knowing(tree, yes, known, counts)
                + n * value_knowing(tree, no, known, counts))
                / (y + n)
        }
    }
}

fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}

#[test]
fn contributions_are_shapley_values() {
    let mut models = 0;
    for seed in 0..200 {
        let mut random = Random::new(31_000 + seed);
        let Some((data, model)) = trained(&mut random, 9) else { continue };
        models += 1;
        let patterns: Vec<Pattern> = model.patterns().iter().map(|p| spelled(&p.code)).collect();
        let (players, outputs) = (patterns.len() as u32, model.init().len());
        let found = model.contributions(&data);
        for (i, graph) in data.graphs().iter().enumerate() {
            let whole = Pattern::of(graph);
            let counts: Vec<u32> = patterns.iter().map(|p| occurrences(p, &whole) as u32).collect();
            for output in 0..outputs {
                let trees: Vec<&Tree> =
                    model.trees().iter().skip(output).step_by(outputs).collect();
                let game: Vec<f64> = (0..1 << players)
                    .map(|known| trees.iter().map(|t| value_knowing(t, 0, known, &counts)).sum())
                    .collect();
                for j in 0..players {
                    let mut expected = 0.0;
                    for set in (0..1_u32 << players).filter(|set| set >> j & 1 == 0) {
                        let size = set.count_ones();
                        let weight = factorial(size) * factorial(players - size - 1);
                        let gain = game[(set | 1 << j) as usize] - game[set as usize];
                        expected += weight / factorial(players) * gain;
                    }
                    let value = found.of(i, output)[j as usize];
                    assert!((value - expected).abs() < 1e-9, "seed {seed}: {value} {expected}");
                }
                let bias = found.bias[output];
                assert!((bias - model.init()[output] - game[0]).abs() < 1e-9, "seed {seed}");
            }
        }
    }
    assert!(models > 50, "only {models} models");
}

#[test]
fn contributions_and_bias_sum_to_the_score() {
    let mut models = 0;
    for seed in 0..100 {
        let mut random = Random::new(32_000 + seed);
        let Some((data, model)) = trained(&mut random, usize::MAX) else { continue };
        models += 1;
        let (found, scores) = (model.contributions(&data), model.predict(&data));
        for i in 0..data.len() {
            for (output, &score) in scores.scores(i).iter().enumerate() {
                let sum = found.bias[output] + found.of(i, output).iter().sum::<f64>();
                assert!((sum - score).abs() < 1e-9, "seed {seed}, graph {i}: {sum} {score}");
            }
        }
    }
    assert!(models > 50, "only {models} models");
}

#[test]
fn covered_parts_are_those_of_all_embeddings() {
    for seed in 0..100 {
        let mut random = Random::new(33_000 + seed);
        let Some((data, model)) = trained(&mut random, usize::MAX) else { continue };
        for pattern in model.patterns() {
            for graph in data.graphs() {
                let mut expected = vec![false; graph.vertex_count()];
                let mut edges = vec![false; graph.edge_count()];
                let all = embeddings(&spelled(&pattern.code), &Pattern::of(graph));
                for row in all {
                    row.iter().for_each(|&v| expected[v] = true);
                    for edge in pattern.code.edges() {
                        let ends = [edge.from, edge.to].map(|v| row[usize::from(v)] as u32);
                        let is = |e: &Edge| ends == [e.u, e.v] || ends == [e.v, e.u];
                        edges[graph.edges().iter().position(is).unwrap()] = true;
                    }
                }
                let found = covered(&pattern.code, graph);
                assert_eq!((found.vertices, found.edges), (expected, edges), "seed {seed}");
            }
        }
    }
}

/// The vertices' shares are the patterns' that occur, those of edges likewise but for single
/// vertices.
#[test]
fn shares_sum_to_what_the_found_patterns_add() {
    for seed in 0..60 {
        let mut random = Random::new(34_000 + seed);
        let Some((data, model)) = trained(&mut random, usize::MAX) else { continue };
        let found = model.contributions(&data);
        for i in 0..data.len() {
            let whole = Pattern::of(&data.graphs()[i]);
            let occurs = |p: &spinney::model::Pattern| occurrences(&spelled(&p.code), &whole) > 0;
            for (output, shares) in
                model.attribution(&data, &found, i, Copies::default()).iter().enumerate()
            {
                let (mut vertices, mut edges) = (0.0, 0.0);
                for (pattern, value) in model.patterns().iter().zip(found.of(i, output)) {
                    let present = f64::from(u8::from(occurs(pattern)));
                    vertices += present * value;
                    edges += present * value * f64::from(u8::from(pattern.code.edge_count() > 0));
                }
                assert!((shares.vertices.iter().sum::<f64>() - vertices).abs() < 1e-9);
                assert!((shares.edges.iter().sum::<f64>() - edges).abs() < 1e-9);
            }
        }
    }
}

/// The interaction index by its definition: the mean over all sets of the others, by size, of what
/// two patterns change together beyond what each changes.
#[test]
fn interactions_are_shapley_interactions() {
    let mut pairs = 0;
    for seed in 0..200 {
        let mut random = Random::new(35_000 + seed);
        let Some((data, model)) = trained(&mut random, 8) else { continue };
        let patterns: Vec<Pattern> = model.patterns().iter().map(|p| spelled(&p.code)).collect();
        let (players, outputs) = (patterns.len() as u32, model.init().len());
        for output in 0..outputs {
            let found = model.interactions(&data, output);
            let trees: Vec<&Tree> = model.trees().iter().skip(output).step_by(outputs).collect();
            for (graph, found) in data.graphs().iter().zip(&found) {
                let whole = Pattern::of(graph);
                let counts: Vec<u32> =
                    patterns.iter().map(|p| occurrences(p, &whole) as u32).collect();
                let worth =
                    |known| trees.iter().map(|t| value_knowing(t, 0, known, &counts)).sum::<f64>();
                let game: Vec<f64> = (0..1 << players).map(worth).collect();
                for (i, j) in (0..players).flat_map(|i| (i + 1..players).map(move |j| (i, j))) {
                    let mut expected = 0.0;
                    let both = 1 << i | 1 << j;
                    for set in (0..1_u32 << players).filter(|set| set & both == 0) {
                        let size = set.count_ones();
                        let weight = factorial(size) * factorial(players - size - 2);
                        let at = |more: u32| game[(set | more) as usize];
                        let change = at(both) - at(1 << i) - at(1 << j) + at(0);
                        expected += weight / factorial(players - 1) * change;
                    }
                    let is = |p: &&Interaction| (p.first, p.second) == (i as usize, j as usize);
                    let value = found.iter().find(is).map_or(0.0, |p| p.value);
                    assert!((value - expected).abs() < 1e-9, "seed {seed}: {value} {expected}");
                    pairs += usize::from(expected.abs() > 1e-9);
                }
            }
        }
    }
    assert!(pairs > 500, "only {pairs} pairs");
}
