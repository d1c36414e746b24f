//! Every split of a tree is the one that the reference search (`oracle/search.rs`: all columns of
//! all patterns, no bound, no classes, no cache) chooses, by either engine, on thousands of random
//! data sets.

mod boosted;
mod oracle;

use boosted::{boosted, one_tree};
use oracle::pattern::{Code, Mined, mine, plain, smallest_code};
use oracle::random::{Random, dataset, graph, random_graphs};
use oracle::search::{Allowed, Numbers, best_split, tss};
use spinney::graph::Graph;
use spinney::model::{Node, Tree};
use spinney::params::{Criterion, FixedParams};
use spinney::{Dataset, Engine, Model};

/// Whole-number targets whose mean is whole, so that residuals and their sums are exact.
fn whole_targets(random: &mut Random, n: usize) -> Vec<f64> {
    let mut targets: Vec<f64> = (0..n).map(|_| random.range(0, 6) as f64 - 3.0).collect();
    let excess = targets.iter().sum::<f64>().rem_euclid(n as f64);
    targets[0] -= excess;
    targets
}

/// A data set with numbers for targets, and all its patterns by brute force.
struct Study {
    data: Dataset,
    mined: Vec<(Code, Mined)>,
    targets: Vec<f64>,
}

impl Study {
    fn new(graphs: &[Graph], targets: Vec<f64>, max_edges: usize) -> Study {
        let written: Vec<String> = targets.iter().map(|t| format!("{t:?}")).collect();
        let mined = mine(graphs, max_edges).into_iter();
        let mined = mined.map(|m| (smallest_code(&m.pattern), m)).collect();
        Study { data: dataset(graphs, &written), mined, targets }
    }

    fn counts(&self, code: &Code) -> &[u32] {
        let found = self.mined.iter().find(|m| m.0 == *code);
        &found.expect("a pattern of the model occurs in its graphs").1.counts
    }

    fn residuals(&self) -> Vec<f64> {
        let mean = self.targets.iter().sum::<f64>() / self.targets.len() as f64;
        self.targets.iter().map(|t| t - mean).collect()
    }
}

fn allowed(params: &FixedParams) -> Allowed {
    Allowed {
        max_edges: params.max_edges.unwrap_or(usize::MAX),
        min_support: params.min_support,
        min_leaf: params.min_samples_leaf,
        count_levels: params.count_levels as u32,
        vertices: params.vertices,
        l2: if params.criterion == Criterion::Newton { params.l2 } else { 0.0 },
    }
}

/// Follows a tree from the root with the oracle's counts; at every node asks the reference search.
struct Inspection<'a> {
    study: &'a Study,
    model: &'a Model,
    tree: &'a Tree,
    mined: Vec<Mined>,
    numbers: Numbers<'a>,
    params: &'a FixedParams,
    what: &'a str,
}

impl Inspection<'_> {
    /// Checks the subtree at `at`, which the graphs `node` reach, and returns its splits.
    fn check(&self, at: usize, node: &[usize], depth: usize) -> usize {
        let expected = (depth < self.params.depth)
            .then(|| best_split(&self.mined, self.numbers, node, &allowed(self.params)))
            .flatten();
        let what = format!("{}, node {at}: {expected:?}", self.what);
        match (&self.tree.nodes()[at], &expected) {
            (Node::Leaf { value, cover }, None) => {
                let mean = node.iter().map(|&i| self.numbers.g[i]).sum::<f64>() / node.len() as f64;
                assert!((value - self.params.learning_rate * mean).abs() < 1e-12, "{what}");
                assert_eq!(*cover as usize, node.len(), "{what}");
                0
            }
            (Node::Split { pattern, at_least, yes, no, gain, cover }, Some(best)) => {
                let code = plain(&self.model.patterns()[*pattern].code);
                assert!((gain - best.gain).abs() <= 1e-9 * best.gain, "{what}: gain {gain}");
                assert_eq!((&code, *at_least), (&best.code, best.at_least), "{what}");
                assert_eq!(*cover as usize, node.len(), "{what}");
                let counts = self.study.counts(&code);
                let (with, without): (Vec<usize>, Vec<usize>) =
                    node.iter().partition(|&&i| counts[i] >= *at_least);
                1 + self.check(*yes, &with, depth + 1) + self.check(*no, &without, depth + 1)
            }
            (found, _) => panic!("{what} but the tree has {found:?}"),
        }
    }
}

/// Checks the first tree of a squared-loss fit by both engines; returns its splits.
fn check_first_tree(study: &Study, params: &FixedParams, what: &str) -> usize {
    let (residuals, ones) = (study.residuals(), vec![1.0; study.targets.len()]);
    let mut splits = 0;
    for engine in [Engine::Census, Engine::Bound] {
        let fit = boosted(&study.data, params, engine).expect("a model");
        let what = format!("{what}, {engine}");
        let inspection = Inspection {
            study,
            model: &fit.model,
            tree: &fit.model.trees()[0],
            mined: study.mined.iter().map(|m| m.1.clone()).collect(),
            numbers: Numbers { g: &residuals, h: &ones },
            params,
            what: &what,
        };
        let all: Vec<usize> = (0..study.targets.len()).collect();
        splits = inspection.check(0, &all, 0);
    }
    splits
}

/// Depth 1, the paper's columns: the first split is the reference's.
#[test]
fn the_first_split_is_the_reference_searchs() {
    for seed in 0..2_500 {
        let mut random = Random::new(100_000 + seed);
        let graphs = random_graphs(&mut random, 9, 14);
        let max_edges = random.range(1, 5);
        let targets = whole_targets(&mut random, graphs.len());
        let study = Study::new(&graphs, targets, max_edges);
        let params =
            FixedParams { max_edges: Some(max_edges), depth: 1, learning_rate: 0.5, ..one_tree() };
        check_first_tree(&study, &params, &format!("seed {seed}"));
    }
}

/// Depth 2 and 3 with every restriction that the reference search knows.
#[test]
fn every_split_of_a_tree_is_the_reference_searchs() {
    let mut splits = 0;
    for seed in 0..2_500 {
        let mut random = Random::new(200_000 + seed);
        let graphs = random_graphs(&mut random, 9, 14);
        let max_edges = random.range(1, 5);
        let targets = whole_targets(&mut random, graphs.len());
        let study = Study::new(&graphs, targets, max_edges);
        let params = FixedParams {
            max_edges: Some(max_edges),
            depth: random.range(2, 3),
            min_support: random.range(1, 3),
            min_samples_leaf: random.range(1, 3),
            count_levels: random.pick(&[1, 2, 3, 20]),
            vertices: random.below(2) == 0,
            ..one_tree()
        };
        splits += check_first_tree(&study, &params, &format!("seed {seed}, {params:?}"));
    }
    assert!(splits > 3_000, "only {splits} splits compared");
}

/// Second-order gains with λ, and targets that are no round numbers.
#[test]
fn regularised_splits_are_the_reference_searchs() {
    for seed in 0..1_000 {
        let mut random = Random::new(300_000 + seed);
        let graphs = random_graphs(&mut random, 8, 14);
        let max_edges = random.range(1, 4);
        let number = |random: &mut Random| (1e6 * (random.unit() - 0.5)).round() / 1e5;
        let targets = graphs.iter().map(|_| number(&mut random)).collect();
        let study = Study::new(&graphs, targets, max_edges);
        let params = FixedParams {
            max_edges: Some(max_edges),
            depth: 2,
            criterion: Criterion::Newton,
            l2: random.pick(&[0.5, 1.0, 3.0]),
            count_levels: random.pick(&[1, 2, 20]),
            ..one_tree()
        };
        // λ also shrinks leaf values; gains are what is compared here.
        check_gains(&study, &params, &format!("seed {seed}"));
    }
}

/// Compares the root split of both engines with the reference.
fn check_gains(study: &Study, params: &FixedParams, what: &str) {
    let (residuals, ones) = (study.residuals(), vec![1.0; study.targets.len()]);
    let mined: Vec<Mined> = study.mined.iter().map(|m| m.1.clone()).collect();
    let all: Vec<usize> = (0..study.targets.len()).collect();
    let numbers = Numbers { g: &residuals, h: &ones };
    let best = best_split(&mined, numbers, &all, &allowed(params));
    for engine in [Engine::Census, Engine::Bound] {
        let fit = boosted(&study.data, params, engine).expect("a model");
        match (&fit.model.trees()[0].nodes()[0], &best) {
            (Node::Leaf { .. }, None) => {}
            (Node::Split { pattern, at_least, gain, .. }, Some(best)) => {
                assert!((gain - best.gain).abs() <= 1e-9 * best.gain, "{what}: {gain}, {best:?}");
                let code = plain(&fit.model.patterns()[*pattern].code);
                assert_eq!((&code, *at_least), (&best.code, best.at_least), "{what}, {engine}");
            }
            (found, _) => panic!("{what}, {engine}: {found:?}, the reference has {best:?}"),
        }
    }
}

/// The reference's gain is the paper's: the drop in the total sum of squares.
#[test]
fn the_reference_minimises_the_total_sum_of_squares() {
    let (a, b) = (graph(&[0, 0], &[(0, 1, 0)]), graph(&[0], &[]));
    let graphs = [a.clone(), b.clone(), a, b.clone(), b];
    let (with, without) = ([3.0, 1.0], [-1.0, -4.0, 1.0]);
    let values = [3.0, -1.0, 1.0, -4.0, 1.0];
    let mined = mine(&graphs, 1);
    let numbers = Numbers { g: &values, h: &[1.0; 5] };
    let limits = allowed(&FixedParams::paper());
    let best = best_split(&mined, numbers, &[0, 1, 2, 3, 4], &limits).expect("a split");
    assert!((best.gain - (tss(&values) - tss(&with) - tss(&without))).abs() < 1e-12);
    assert_eq!(best.code, (0, vec![(0, 1, 0, 0, 0)]));
}

/// The counter-example to the range printed in the paper: with residuals {0,0,0,9} below a pattern
/// and {9,9} outside, the best extension lets a single graph leave, and must be found.
#[test]
fn the_bound_lets_a_single_graph_leave() {
    let short = graph(&[0, 1], &[(0, 1, 0)]);
    let long = graph(&[0, 1, 1], &[(0, 1, 0), (1, 2, 0)]);
    let other = graph(&[2], &[]);
    let graphs = [long.clone(), long.clone(), long, short, other.clone(), other];
    let targets: Vec<String> = [0, 0, 0, 9, 9, 9].map(|t: i32| t.to_string()).to_vec();
    let data = dataset(&graphs, &targets);
    let params = FixedParams { depth: 1, max_edges: None, ..one_tree() };
    for engine in [Engine::Census, Engine::Bound] {
        let fit = boosted(&data, &params, engine).expect("a model");
        let Node::Split { gain, .. } = fit.model.trees()[0].nodes()[0] else {
            panic!("{engine} finds no split");
        };
        assert!((gain - 121.5).abs() < 1e-6, "{engine}: {gain}");
    }
}
