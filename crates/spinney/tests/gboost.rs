//! gBoost against an independent solver of the whole program, all patterns written out.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use proptest::prelude::{ProptestConfig, any, prop};
use proptest::{prop_assert, proptest};
use spinney::boosting::Exploration;
use spinney::gboost::{Machine, Params};
use spinney::graph::{Graph, GraphBuilder};
use spinney::mining::{Next, PatternLimits, visit};
use spinney::{Dataset, Engine, demo};

/// Small random graphs over two vertex labels, made of numbers.
fn graphs(seeds: &[u32]) -> Vec<Graph> {
    let graph = |&seed: &u32| {
        let mut b = GraphBuilder::new();
        let vertices = 3 + seed % 4;
        (0..vertices).for_each(|v| {
            b.add_vertex(seed >> (3 + v) & 1);
        });
        (1..vertices).for_each(|v| {
            let to = (seed >> (2 * v + 8)) % v;
            b.add_edge(to, v, 0).expect("a new edge");
        });
        if vertices > 3 && seed & 1 << 30 != 0 {
            let _ = b.add_edge(0, vertices - 1, 0);
        }
        b.build()
    };
    seeds.iter().map(graph).collect()
}

fn dataset(graphs: &[Graph], targets: &[f64]) -> Dataset {
    let records =
        graphs.iter().zip(targets).enumerate().map(|(i, (g, y))| spinney::dataset::GraphRecord {
            graph: g.clone(),
            id: i.to_string(),
            target: Some(y.to_string()),
        });
    let mut labels = spinney::labels::Labels::default();
    for name in ["a", "b"] {
        labels.vertex.intern(name);
    }
    labels.edge.intern("-");
    Dataset::new(&labels, records.collect())
}

/// The optimum of the primal over every pattern of up to `max_edges` edges, both signs, by simplex.
fn optimum(graphs: &[Graph], targets: &[f64], max_edges: usize, nu: f64) -> f64 {
    let mut columns: Vec<Vec<bool>> = Vec::new();
    visit(graphs, PatternLimits { min_support: 1, max_edges: Some(max_edges) }, |found| {
        if found.code.edge_count() > 0 {
            let mut with = vec![false; graphs.len()];
            found.embeddings.graphs().iter().for_each(|&g| with[g as usize] = true);
            if !columns.contains(&with) {
                columns.push(with);
            }
        }
        Next::Descend
    });
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let n = graphs.len() as f64;
    let rho = problem.add_var(1.0, (-1.0, 1.0));
    let mut weigh = |sign: f64| -> Vec<(f64, Variable)> {
        columns.iter().map(|_| (sign, problem.add_var(0.0, (0.0, 1.0)))).collect()
    };
    let stumps: Vec<(f64, Variable)> = [weigh(1.0), weigh(-1.0)].concat();
    for (i, y) in targets.iter().enumerate() {
        let slack = problem.add_var(-1.0 / (nu * n), (0.0, f64::INFINITY));
        let mut row = vec![(slack, 1.0), (rho, -1.0)];
        for (&(sign, alpha), with) in stumps.iter().zip(columns.iter().cycle()) {
            row.push((alpha, y * sign * if with[i] { 1.0 } else { -1.0 }));
        }
        problem.add_constraint(row.as_slice(), ComparisonOp::Ge, 0.0);
    }
    let ones: Vec<(Variable, f64)> = stumps.iter().map(|&(_, alpha)| (alpha, 1.0)).collect();
    problem.add_constraint(ones.as_slice(), ComparisonOp::Eq, 1.0);
    problem.solve().expect("bounded and feasible").into_solution().expect("no limit").objective()
}

fn learn(data: &Dataset, targets: &[f64], params: &Params, engine: Engine) -> (f64, f64, Vec<f64>) {
    let exploration = Exploration::new(data, params.max_edges, engine);
    let train: Vec<u32> = (0..data.len() as u32).collect();
    let mut machine = Machine::new(&exploration, params, &train, targets.to_vec());
    let learned = machine.solve(params).expect("patterns to learn from");
    let sum: f64 = learned.stumps.iter().map(|s| s.alpha).sum();
    assert!((sum - 1.0).abs() < 1e-9 && learned.stumps.iter().all(|s| s.alpha > 0.0));
    let scores = machine.scores(&learned, &train);
    (learned.objective, learned.gap, scores)
}

/// ρ − Σ ξ / (νN) of scores, by trying every margin as ρ.
fn objective(scores: &[f64], targets: &[f64], nu: f64) -> f64 {
    let margins: Vec<f64> = scores.iter().zip(targets).map(|(f, y)| f * y).collect();
    let value = |rho: f64| {
        let slack: f64 = margins.iter().map(|m| (rho - m).max(0.0)).sum();
        rho - slack / (nu * margins.len() as f64)
    };
    margins.iter().map(|&rho| value(rho)).fold(f64::MIN, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_optimum_is_that_of_all_patterns(
        seeds in prop::collection::vec(any::<u32>(), 4..24),
        classes in any::<u32>(),
        nu in 1u32..9,
        max_edges in 1usize..5,
    ) {
        let graphs = graphs(&seeds);
        let targets: Vec<f64> =
            (0..graphs.len()).map(|i| if classes >> i & 1 == 1 { 1.0 } else { -1.0 }).collect();
        let data = dataset(&graphs, &targets);
        let nu = f64::from(nu) / 10.0;
        let tight = Params { tolerance: 1e-8, ..Params::default() };
        let params = Params { nu, max_edges: Some(max_edges), ..tight };
        let best = optimum(&graphs, &targets, max_edges, nu);
        for engine in [Engine::Census, Engine::Bound] {
            let (found, gap, scores) = learn(&data, &targets, &params, engine);
            prop_assert!((found - best).abs() < 1e-6, "{found} instead of {best} ({engine:?})");
            prop_assert!(gap < 1e-6, "gap {gap}");
            prop_assert!((objective(&scores, &targets, nu) - found).abs() < 1e-9);
        }
    }
}

#[test]
fn graph_xor_is_beyond_stumps() {
    let data = demo::graph_xor();
    let targets: Vec<f64> = data.numbers().expect("±1");
    let params = Params { nu: 0.3, max_edges: Some(2), ..Params::default() };
    let (_, gap, scores) = learn(&data, &targets, &params, Engine::Census);
    assert!(gap <= params.tolerance);
    let right = scores.iter().zip(&targets).filter(|(f, y)| **f * **y > 0.0).count();
    assert!(right < data.len() * 3 / 4, "{right} of {} right", data.len());
}
