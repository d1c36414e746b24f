//! Numbers beside graphs, against thresholds tried one by one on the numbers themselves.

mod boosted;
mod oracle;

use boosted::request;
use oracle::random::Random;
use spinney::dataset::GraphRecord;
use spinney::graph::Graph;
use spinney::labels::Labels;
use spinney::model::Node;
use spinney::params::{FixedParams, LossKind};
use spinney::representation::covariates::Covariates;
use spinney::{Dataset, fit};

/// Graphs of one vertex, all alike, with targets.
fn plain(targets: &[f64]) -> Dataset {
    let mut labels = Labels::default();
    let label = labels.vertex.intern("a");
    let record = |(i, target): (usize, &f64)| GraphRecord {
        graph: Graph::new(vec![label], Vec::new()),
        id: i.to_string(),
        target: Some(target.to_string()),
    };
    Dataset::new(&labels, targets.iter().enumerate().map(record).collect())
}

/// The drop of squared error by dividing targets in two.
fn drop_of(targets: &[f64], above: impl Fn(usize) -> bool) -> f64 {
    let error = |of: Vec<f64>| {
        let mean = of.iter().sum::<f64>() / of.len().max(1) as f64;
        of.iter().map(|t| (t - mean).powi(2)).sum::<f64>()
    };
    let side = |wanted: bool| {
        let chosen = targets.iter().enumerate().filter(|(i, _)| above(*i) == wanted);
        chosen.map(|(_, t)| *t).collect::<Vec<f64>>()
    };
    error(targets.to_vec()) - error(side(true)) - error(side(false))
}

fn stump() -> FixedParams {
    FixedParams {
        trees: 1,
        depth: 1,
        max_edges: Some(1),
        loss: LossKind::Squared,
        ..FixedParams::paper()
    }
}

#[test]
fn the_first_split_is_the_best_of_all_cuts_and_unseen_values_follow_it() {
    let mut random = Random::new(7);
    let names = ["x".to_owned(), "y".to_owned()];
    let copies = 1;
    for round in 0..200 {
        let n = 6 + round % 60;
        let mut number = |steps: u64| (random.bits() % steps) as f64 / 4.0 - 3.0;
        let mut values = vec![Vec::new(), Vec::new()];
        let mut targets = Vec::new();
        for _ in 0..n {
            let (x, y) = (number(30), number(1000));
            values[0].push(if x > 2.0 { f64::NAN } else { x });
            values[1].push(y);
            targets.push(if y > 20.0 { 4.0 } else { 0.0 } + number(20));
        }
        let covariates = Covariates::learn(&names, &values);
        let data = plain(&targets);
        let joined = covariates.apply(&data, copies, &values).expect("complete values");
        let params = FixedParams { vertices: true, ..stump() };
        let model = fit(&joined, &request(params)).expect("a model").model;
        // Every cut, both ways round where values are unknown, and being unknown.
        let mut best = 0.0f64;
        for (column, values) in covariates.columns().iter().zip(&values) {
            for &cut in &column.cuts {
                best = best.max(drop_of(&targets, |i| values[i] >= cut));
                best = best.max(drop_of(&targets, |i| values[i] < cut));
            }
            best = best.max(drop_of(&targets, |i| values[i].is_nan()));
        }
        let Node::Split { pattern, gain, .. } = model.trees()[0].nodes()[0] else {
            assert!(best < 1e-9, "no split, but {best} could be gained");
            continue;
        };
        assert!((gain - best).abs() <= 1e-9 * best.max(1.0), "gained {gain} of {best}");
        // The rule as written decides for values that were not seen.
        let code = &model.patterns()[pattern].code;
        let rule = model.labels().vertex.name(code.root()).to_owned();
        let asked: Vec<Vec<f64>> =
            vec![vec![-5.0, 0.1, f64::NAN, 9.0], vec![-5.0, 0.1, 57.3, 900.0]];
        let unseen = covariates.apply(&plain(&[0.0; 4]), copies, &asked).expect("complete values");
        let predicted = model.predict(&unseen);
        let holds = |i: usize| {
            let words: Vec<&str> = rule.split(' ').collect();
            let value = asked[usize::from(words[0] == "y")][i];
            match words[1..] {
                ["unknown"] => value.is_nan(),
                ["<", cut] => value < cut.parse().expect("a number"),
                [">=", cut] => value >= cut.parse().expect("a number"),
                _ => panic!("{rule:?} is no rule"),
            }
        };
        let (yes, no): (Vec<usize>, Vec<usize>) = (0..4).partition(|&i| holds(i));
        for side in [yes, no] {
            assert!(side.windows(2).all(|w| predicted.value(w[0]) == predicted.value(w[1])));
        }
    }
}

#[test]
fn all_graphs_get_as_many_vertices_after_their_own() {
    let data = spinney::demo::graph_xor();
    let covariates = Covariates::default().with_measures(&data, 1);
    assert!(covariates.measures() && covariates.given().is_empty() && covariates.are_sound());
    let joined = covariates.apply(&data, 1, &[]).expect("nothing given is needed");
    for (given, joined_graph) in data.graphs().iter().zip(joined.graphs()) {
        let n = given.vertex_count();
        assert_eq!(joined_graph.vertex_count(), n + covariates.vertices());
        assert_eq!(joined_graph.edge_count(), given.edge_count());
        let names = |data: &Dataset, graph: &Graph| -> Vec<String> {
            let name = |v: u32| data.labels().vertex.name(graph.label(v)).to_owned();
            (0..n as u32).map(name).collect()
        };
        assert_eq!(names(&joined, joined_graph), names(&data, given));
    }
    let read: Covariates =
        serde_json::from_value(serde_json::json!(covariates)).expect("what was written");
    assert_eq!(read, covariates);
}

#[test]
fn missing_columns_and_names_taken_are_refused() {
    let data = plain(&[1.0, 2.0]);
    let covariates = Covariates::learn(&["x".into()], &[vec![1.0, 2.0]]);
    let few = covariates.apply(&data, 1, &[vec![1.0]]).expect_err("one value of two");
    assert!(few.to_string().contains("1 covariates of 2 graphs"), "{few}");
    assert!(covariates.apply(&data, 1, &[]).is_err());
    let mut labels = Labels::default();
    let label = labels.vertex.intern("x >= 2");
    let graph = Graph::new(vec![label], Vec::new());
    let record = GraphRecord { graph, id: "a".into(), target: None };
    let clash = Dataset::new(&labels, vec![record]);
    let taken = covariates.apply(&clash, 1, &[vec![1.0]]).expect_err("a name taken");
    assert!(taken.to_string().contains("\"x >= 2\" is a label of graphs"), "{taken}");
}
