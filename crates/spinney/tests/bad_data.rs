//! Bad input: refused with a reason that names the fault, or handled; never a panic.
//!
//! Targets, weights, folds and parameters that cannot be trained on; model files that are
//! truncated, flipped, foreign, too new, or wrong inside with a right checksum; and data that are
//! merely extreme: no graphs, no edges, one graph, all alike, a hundred thousand vertices, numbers
//! near the ends of their range.

mod boosted;
mod oracle;

use boosted::{boosted, request, valid};
use oracle::random::{Random, Shape, dataset, graph, random_graph, random_graphs};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spinney::boosting::loss::Loss;
use spinney::boosting::{BoostedModel, Booster, Exploration, StopReason};
use spinney::dataset::GraphRecord;
use spinney::evaluation::Folds;
use spinney::evaluation::metrics::Metric;
use spinney::graph::{Graph, GraphBuilder};
use spinney::labels::{Labels, Names};
use spinney::params::{ClassWeight, Criterion, FixedParams, LossKind};
use spinney::{Dataset, Engine, Model, Result, fit};

/// Every second graph is an edge 0-1, the others an edge 0-0.
fn two_kinds(n: usize) -> Vec<Graph> {
    (0..n).map(|i| graph(&[0, (i % 2) as u32], &[(0, 1, 0)])).collect()
}

fn with_targets(targets: &[&str]) -> Dataset {
    let written: Vec<String> = targets.iter().map(|t| (*t).to_owned()).collect();
    dataset(&two_kinds(targets.len()), &written)
}

fn quick() -> FixedParams {
    FixedParams { trees: 5, depth: 2, ..FixedParams::paper() }
}

/// The refusal's text, which must contain all of `parts`.
fn assert_refused<T>(result: Result<T>, parts: &[&str]) {
    let Err(error) = result else { panic!("accepted; expected {parts:?}") };
    let text = error.to_string();
    assert!(parts.iter().all(|part| text.contains(part)), "{text:?} lacks one of {parts:?}");
    assert!(!text.contains('\n'), "more than one line: {text:?}");
    assert!(error.is_bad_input(), "{text:?} blames the machine");
}

#[test]
fn targets_that_cannot_be_learned_are_refused() {
    let with = |loss: LossKind| FixedParams { loss, ..quick() };
    assert_refused(
        fit(&with_targets(&["1", "1", "1", "1"]), &request(quick())),
        &["\"1\"", "one class"],
    );
    let nan = with_targets(&["1", "nan", "0.5", "2.5"]);
    for loss in [LossKind::Auto, LossKind::Squared, LossKind::Softmax, LossKind::Huber] {
        assert_refused(fit(&nan, &request(with(loss))), &["g1", "nan", "finite"]);
    }
    let infinite = with_targets(&["1", "2", "inf", "2.5"]);
    assert_refused(fit(&infinite, &request(with(LossKind::Squared))), &["g2", "finite"]);
    let word = with_targets(&["1", "2", "high", "2.5"]);
    assert_refused(fit(&word, &request(with(LossKind::Squared))), &["g2", "high", "not a number"]);
    let three = with_targets(&["a", "b", "c", "a"]);
    assert_refused(fit(&three, &request(with(LossKind::Logistic))), &["two classes", "softmax"]);
    let negative = with_targets(&["1", "2", "-1", "4"]);
    assert_refused(fit(&negative, &request(with(LossKind::Poisson))), &["g2", "-1", "poisson"]);
}

#[test]
fn a_missing_target_is_named() {
    let labels = Labels {
        vertex: ["0", "1"].map(String::from).into_iter().collect(),
        edge: Names::from_iter(["0".to_owned()]),
    };
    let records = two_kinds(4).into_iter().enumerate().map(|(i, graph)| GraphRecord {
        graph,
        id: format!("mol{i}"),
        target: (i != 2).then(|| (i % 2).to_string()),
    });
    let data = Dataset::new(&labels, records.collect());
    assert!(!data.has_targets());
    assert_refused(fit(&data, &request(quick())), &["mol2", "number 3 of 4", "no target"]);
    let squared = FixedParams { loss: LossKind::Squared, ..quick() };
    assert_refused(fit(&data, &request(squared)), &["mol2", "no target"]);
}

#[test]
fn training_graphs_of_one_class_are_refused() {
    let data = with_targets(&["1", "1", "-1", "-1"]);
    let params = valid(&quick());
    let exploration = Exploration::new(&data, params.max_edges, Engine::Census);
    let booster = |train: &[u32]| Booster::new(&exploration, &params, train, &[]).map(|_| ());
    assert_refused(booster(&[0, 1]), &["one class"]);
    assert_refused(booster(&[]), &["no graphs"]);
    assert!(booster(&[0, 2]).is_ok());
}

#[test]
fn weights_that_are_no_weights_are_refused() {
    let data = with_targets(&["1", "-1", "1", "-1"]);
    let weighted = |weights: &[f64]| data.clone().with_weights(weights.to_vec());
    assert_refused(weighted(&[1.0, 2.0]), &["2 weights for 4 graphs"]);
    assert_refused(weighted(&[1.0, -2.0, 1.0, 1.0]), &["-2", "g1", "negative"]);
    assert_refused(weighted(&[1.0, 1.0, f64::NAN, 1.0]), &["g2", "finite"]);
    assert_refused(weighted(&[1.0, 1.0, f64::INFINITY, 1.0]), &["g2", "finite"]);
    assert_refused(weighted(&[0.0; 4]), &["zero"]);
    assert_refused(weighted(&[f64::MAX / 4.0; 4]), &["scale them down"]);
    assert!(fit(&weighted(&[2.5e299; 4]).expect("large weights"), &request(quick())).is_ok());
    let one_sided = weighted(&[1.0, 0.0, 1.0, 0.0]).expect("weights of some graphs");
    assert_refused(fit(&one_sided, &request(quick())), &["one class"]);
    assert_refused(data.concatenated(&one_sided), &["weights"]);
}

#[test]
fn folds_that_are_no_folds_are_refused() {
    assert_refused(Folds::from_numbers(&[0, 1, 0], 4), &["3 entries for 4 graphs"]);
    assert_refused(Folds::from_numbers(&[0, 0, 0, 0], 4), &["two folds"]);
    assert_refused(Folds::from_numbers(&[], 0), &["two folds"]);
    assert_refused(Folds::random(&[0, 1, 0, 1], 1, 0), &["folds"]);
    assert_refused(Folds::random(&[0, 1, 0, 1], 5, 0), &["folds"]);
    let params = valid(&quick());
    assert_refused(Loss::new(&params, &with_targets(&["1", "1"])), &["one class"]);
}

#[test]
fn parameters_that_do_not_fit_the_data_are_refused() {
    let classes = with_targets(&["1", "-1", "1", "-1"]);
    let numbers = with_targets(&["1.5", "-1", "2.5", "-1.25"]);
    let stopping = FixedParams { early_stopping: Some(3), ..quick() };
    let unwatched = boosted(&classes, &stopping, Engine::Census);
    assert_refused(unwatched, &["early_stopping", "validation"]);
    assert_refused(fit(&classes, &request(stopping)), &["early_stopping", "too few graphs"]);
    let rmse = FixedParams { metric: Some(Metric::Rmse), ..quick() };
    assert_refused(fit(&classes, &request(rmse)), &["metric", "rmse"]);
    let auc = FixedParams { metric: Some(Metric::Auc), loss: LossKind::Squared, ..quick() };
    assert_refused(fit(&numbers, &request(auc)), &["metric", "auc"]);
    let balanced = FixedParams { class_weight: ClassWeight::Balanced, ..quick() };
    let balanced = FixedParams { loss: LossKind::Squared, ..balanced };
    assert_refused(fit(&numbers, &request(balanced)), &["class_weight"]);
    let params = valid(&FixedParams { max_edges: Some(3), ..quick() });
    let smaller = Exploration::new(&classes, Some(2), Engine::Census);
    assert_refused(Booster::new(&smaller, &params, &[0, 1], &[]).map(|_| ()), &["max_edges"]);
}

/// A small model to damage: two classes, patterns of one and of two edges.
fn intact() -> Model {
    let mut random = Random::new(5);
    let shape = Shape { vertices: 7, edges: 9, vertex_labels: 3, edge_labels: 2 };
    let graphs: Vec<Graph> = (0..40).map(|_| random_graph(&mut random, shape)).collect();
    let targets: Vec<String> =
        graphs.iter().map(|g| i32::from(g.edge_count() % 2 == 0).to_string()).collect();
    let params =
        FixedParams { trees: 8, depth: 5, vertices: true, count_levels: 2, ..FixedParams::paper() };
    let model = fit(&dataset(&graphs, &targets), &request(params)).expect("a model").model;
    assert!(model.patterns().iter().any(|p| p.code.edge_count() == 0));
    assert!(model.patterns().iter().any(|p| p.code.edge_count() > 1));
    model
}

fn assert_damaged(text: &str, parts: &[&str]) {
    let Err(reason) = Model::from_json(text) else { panic!("accepted; expected {parts:?}") };
    assert!(parts.iter().all(|part| reason.contains(part)), "{reason:?} lacks one of {parts:?}");
}

#[test]
fn truncated_models_are_refused() {
    let text = intact().to_json();
    let cuts = (0..text.len() - 2).step_by(97).chain(text.len() - 40..text.len() - 2);
    for cut in cuts {
        // In the middle of a number the text is wrong before it is too short.
        assert_damaged(&text[..cut], &["Spinney model"]);
    }
    assert_damaged(text.trim_end().trim_end_matches('}'), &["ends too early"]);
}

#[test]
fn flipped_bytes_are_noticed() {
    let model = intact();
    let text = model.to_json();
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(flipped) = String::from_utf8(bytes) else { continue };
        // White space between the parts of the envelope may change; nothing else.
        if let Ok(read) = Model::from_json(&flipped) {
            assert!(text.as_bytes()[at].is_ascii_whitespace(), "byte {at} does not matter");
            assert_eq!(read, model);
        }
    }
}

#[test]
fn foreign_files_are_refused() {
    for foreign in ["", "hello", "[1, 2]", "{}", "null", "{\"format\": 7}", "\u{1F333}"] {
        assert!(Model::from_json(foreign).is_err(), "{foreign:?}");
    }
    let text = intact().to_json();
    assert_damaged(&text.replacen("spinney-model", "sklearn-model", 1), &["sklearn-model"]);
    let newer = text.replacen("\"version\": 2", "\"version\": 99", 1);
    assert_damaged(&newer, &["99", "update"]);
    assert_damaged(&format!("{text}{text}"), &["not a Spinney model"]);
}

/// A model file whose inside was changed by `edit` and whose checksum is right.
fn edited(edit: impl FnOnce(&mut Value)) -> String {
    let text = intact().to_json();
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    edit(&mut file["model"]);
    sealed(&file["model"].to_string())
}

fn sealed(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "{{\"format\": \"spinney-model\", \"version\": 2, \"sha256\": \"{sum}\", \
         \"model\": {body}}}"
    )
}

/// The first node of the first tree: a split.
fn root(model: &mut Value) -> &mut Value {
    &mut model["trees"][0]["nodes"][0]
}

/// The number of the first pattern with at least two edges.
fn large_pattern(model: &Value) -> usize {
    let patterns = model["patterns"].as_array().expect("patterns");
    let edges = |p: &Value| p["edges"].as_array().map_or(0, Vec::len);
    patterns.iter().position(|p| edges(p) > 1).expect("a pattern of two edges")
}

#[test]
fn an_edit_that_changes_nothing_is_accepted() {
    assert_eq!(Model::from_json(&edited(|_| ())), Ok(intact()));
}

#[test]
fn trees_that_are_no_trees_are_refused() {
    assert_damaged(&edited(|m| root(m)["yes"] = json!(0)), &["tree 0", "node 0", "child 0"]);
    assert_damaged(&edited(|m| root(m)["no"] = root(m)["yes"].clone()), &["tree 0", "child"]);
    assert_damaged(&edited(|m| root(m)["no"] = json!(9_999)), &["9999", "does not exist"]);
    assert_damaged(&edited(|m| root(m)["yes"] = json!(-1)), &["damaged or wrong"]);
    assert_damaged(&edited(|m| m["trees"][0]["nodes"] = json!([])), &["tree 0", "no nodes"]);
    assert_damaged(&edited(|m| root(m)["pattern"] = json!(9_999)), &["node 0", "9999"]);
    assert_damaged(&edited(|m| root(m)["at_least"] = json!(0)), &["node 0", "question"]);
    assert_damaged(&edited(|m| root(m)["gain"] = Value::Null), &["damaged or wrong"]);
    let leaf = json!({"value": 0.5, "cover": 1});
    assert_damaged(
        &edited(|m| m["trees"][0]["nodes"].as_array_mut().expect("nodes").push(leaf)),
        &["tree 0", "not reached"],
    );
    // A cycle below the root: some later split points back to itself.
    let cycle = edited(|m| {
        let nodes = m["trees"][0]["nodes"].as_array_mut().expect("nodes");
        let at = nodes.iter().rposition(|n| n.get("yes").is_some()).expect("a split");
        nodes[at]["no"] = json!(at);
    });
    assert_damaged(&cycle, &["tree 0", "not a new node"]);
}

#[test]
fn patterns_that_are_no_patterns_are_refused() {
    let edge = |change: fn(&mut Value)| {
        edited(|m| {
            let at = large_pattern(m);
            change(&mut m["patterns"][at]["edges"]);
        })
    };
    assert_damaged(&edge(|e| e[0][3] = json!(77)), &["pattern", "dictionary"]);
    assert_damaged(&edge(|e| e[0][2] = json!(u32::MAX)), &["pattern", "dictionary"]);
    assert_damaged(&edge(|e| e[1][4] = json!(-1)), &["damaged or wrong"]);
    assert_damaged(&edge(|e| e[0][1] = json!(65_536)), &["damaged or wrong"]);
    assert_damaged(&edge(|e| e[0][1] = json!(5)), &["pattern", "next vertex"]);
    assert_damaged(&edge(|e| e[1] = e[0].clone()), &["pattern"]);
    assert_damaged(&edge(|e| *e = json!([])), &["pattern", "either edges or one vertex"]);
    // A path 0-0-1 must start at its smaller end.
    let turned = edge(|e| *e = json!([[0, 1, 1, 0, 0], [1, 2, 0, 0, 0]]));
    assert_damaged(&turned, &["pattern", "smallest"]);
    let both = edited(|m| {
        let at = large_pattern(m);
        m["patterns"][at]["vertex"] = json!(0);
    });
    assert_damaged(&both, &["pattern", "either edges or one vertex"]);
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    assert_damaged(&edited(|m| m["init"] = json!([])), &["outputs"]);
    assert_damaged(&edited(|m| m["init"] = json!([Value::Null])), &["damaged or wrong"]);
    assert_damaged(&edited(|m| m["link"] = json!("softmax")), &["link"]);
    assert_damaged(&edited(|m| m["link"] = json!("probit")), &["damaged or wrong"]);
    assert_damaged(&edited(|m| m["labels"]["vertex"][0] = json!("1")), &["repeats"]);
    assert_damaged(&edited(|m| m["extra"] = json!(1)), &["extra"]);
    let lacking = edited(|m| drop(m.as_object_mut().expect("an object").remove("trees")));
    assert_damaged(&lacking, &["trees"]);
    let classes = json!({"kind": "multiclass", "classes": []});
    assert_damaged(&edited(|m| m["task"] = classes), &["outputs"]);
}

#[test]
fn a_missing_model_file_names_its_path() {
    let path = std::env::temp_dir().join("spinney-no-such-model.json");
    assert_refused(Model::load(&path), &["spinney-no-such-model.json"]);
}

fn by_both_engines(data: &Dataset, params: &FixedParams) -> Result<BoostedModel> {
    let [census, bound] =
        [Engine::Census, Engine::Bound].map(|engine| boosted(data, params, engine));
    let (census, bound) = (census?, bound?);
    assert_eq!(census.model.to_json(), bound.model.to_json());
    Ok(census)
}

fn splits(fit: &BoostedModel) -> usize {
    fit.record.rounds.iter().map(|r| r.splits).sum()
}

#[test]
fn no_graphs_are_refused() {
    let empty = Dataset::default();
    for params in [quick(), FixedParams { loss: LossKind::Squared, ..quick() }] {
        let Err(error) = fit(&empty, &request(params)) else { panic!("a model of nothing") };
        assert!(error.is_bad_input(), "{error}");
    }
    assert_refused(
        fit(&empty, &request(FixedParams { loss: LossKind::Squared, ..quick() })),
        &["no graphs"],
    );
}

/// Graphs in which there is nothing to find give a model without splits that predicts the mean.
#[test]
fn nothing_to_split_gives_a_model_without_splits() {
    let alike = graph(&[0, 1, 0], &[(0, 1, 0), (1, 2, 0)]);
    let sets = [vec![alike; 6], vec![graph(&[], &[]); 6], vec![graph(&[0, 0], &[]); 6]];
    let targets = ["1", "0", "1", "1", "0", "1"].map(String::from);
    for graphs in sets {
        let data = dataset(&graphs, &targets);
        for params in [quick(), FixedParams { trees: 5, ..FixedParams::default() }] {
            for loss in [LossKind::Logistic, LossKind::Squared, LossKind::Softmax] {
                let fit = by_both_engines(&data, &FixedParams { loss, ..params.clone() })
                    .expect("a model");
                assert_eq!(splits(&fit), 0);
                assert!(fit.model.patterns().is_empty());
                let scores = fit.model.predict(&data);
                assert!((1..6).all(|i| scores.scores(i) == scores.scores(0)));
            }
            let squared = FixedParams { loss: LossKind::Squared, ..quick() };
            let fit = by_both_engines(&data, &squared).expect("a model");
            assert_eq!(fit.record.stopped, StopReason::NothingToSplit);
            assert!((fit.model.predict(&data).value(0) - 4.0 / 6.0).abs() < 1e-12);
        }
    }
}

/// Without edges there are still vertices to ask for.
#[test]
fn graphs_without_edges_split_by_vertices() {
    let graphs: Vec<Graph> = (0..6).map(|i| graph(&[i % 2], &[])).collect();
    let targets: Vec<String> = (0..6).map(|i| (i % 2).to_string()).collect();
    let data = dataset(&graphs, &targets);
    let without = by_both_engines(&data, &quick()).expect("a model");
    assert_eq!(splits(&without), 0);
    let with = by_both_engines(&data, &FixedParams { vertices: true, ..quick() }).expect("a model");
    let metrics = with.model.evaluate(&data).expect("targets");
    assert_eq!(metrics[0], (Metric::Accuracy, 1.0));
}

#[test]
fn a_single_graph_is_learned_by_heart() {
    let data = dataset(&[graph(&[0, 1], &[(0, 1, 0)])], &["2.5".to_owned()]);
    let squared = FixedParams { loss: LossKind::Squared, ..quick() };
    let fit = by_both_engines(&data, &squared).expect("a model");
    assert_eq!(fit.model.predict(&data).value(0), 2.5);
    assert!(fit.model.patterns().is_empty());
}

/// A path of `n` vertices with every `period`-th vertex labelled 1.
fn long_path(n: u32, period: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    for v in 0..n {
        builder.add_vertex(u32::from(v % period == 0));
        if v > 0 {
            builder.add_edge(v - 1, v, 0).expect("a path");
        }
    }
    builder.build()
}

#[test]
fn a_hundred_thousand_vertices_are_no_trouble() {
    let graphs = [long_path(100_000, 3), long_path(100_000, 4), long_path(10, 3), long_path(10, 4)];
    let data = dataset(&graphs, &["1", "0", "1", "0"].map(String::from));
    let base = FixedParams { max_edges: Some(3), trees: 3, ..FixedParams::paper() };
    for params in [base.clone(), FixedParams { count_levels: 4, vertices: true, ..base }] {
        let fit = by_both_engines(&data, &params).expect("a model");
        let metrics = fit.model.evaluate(&data).expect("targets");
        assert_eq!(metrics[0], (Metric::Accuracy, 1.0));
    }
}

/// A star, whose edge sets are many but whose patterns are few.
#[test]
fn a_vertex_of_high_degree_is_no_trouble() {
    let star = |leaves: u32| {
        let edges: Vec<_> = (1..=leaves).map(|v| (0, v, 0)).collect();
        graph(&vec![0; leaves as usize + 1], &edges)
    };
    let graphs: Vec<Graph> = [3, 4, 10, 12].map(star).into();
    let data = dataset(&graphs, &["0", "0", "1", "1"].map(String::from));
    let params = FixedParams { max_edges: Some(5), trees: 3, ..FixedParams::paper() };
    let fit = by_both_engines(&data, &params).expect("a model");
    assert_eq!(fit.model.evaluate(&data).expect("targets")[0], (Metric::Accuracy, 1.0));
}

fn renamed(graphs: &[Graph], vertex: &[&str], edge: &[&str]) -> Dataset {
    let names = |names: &[&str]| -> Names { names.iter().map(|n| (*n).to_owned()).collect() };
    let labels = Labels { vertex: names(vertex), edge: names(edge) };
    let records = graphs.iter().map(|g| GraphRecord { graph: g.clone(), ..GraphRecord::default() });
    Dataset::new(&labels, records.collect())
}

/// Labels go by name: unknown ones match nothing, known ones match whatever their number.
#[test]
fn unseen_labels_match_nothing_and_known_ones_go_by_name() {
    let model = intact();
    let mut random = Random::new(6);
    let graphs = random_graphs(&mut random, 9, 14);
    let known = renamed(&graphs, &["0", "1", "2"], &["0", "1"]);
    // The same names in another dictionary, with others before and between them.
    let shifted: Vec<Graph> = graphs.iter().map(|g| g.relabelled(&[1, 2, 4], &[1, 2])).collect();
    let shifted = renamed(&shifted, &["-9", "0", "1", "1x", "2"], &["-1", "0", "1"]);
    assert_eq!(model.predict(&known), model.predict(&shifted));
    let nothing = model.predict(&renamed(&[graph(&[], &[])], &[], &[]));
    let strangers = model.predict(&renamed(&graphs, &["C", "N", "O"], &["single", "double"]));
    for i in 0..graphs.len() {
        assert_eq!(strangers.scores(i), nothing.scores(0));
    }
    let counts = model.pattern_counts(&renamed(&graphs, &["0", "1", "2"], &["x", "y"]));
    for (pattern, count) in counts.iter().flat_map(|row| model.patterns().iter().zip(row)) {
        assert!(pattern.code.edge_count() == 0 || *count == 0, "{pattern:?}");
    }
}

/// Targets far from 1: the model is finite, or training says that it diverged.
#[test]
fn extreme_numbers_give_a_model_that_can_be_read_back() {
    for scale in ["1e-300", "1e-200", "1e-30", "1e30", "1e100"] {
        let targets: Vec<String> =
            (0..6).map(|i| format!("{}{}", if i % 2 == 0 { "" } else { "-" }, scale)).collect();
        let written: Vec<&str> = targets.iter().map(String::as_str).collect();
        let data = with_targets(&written);
        for criterion in [Criterion::Residual, Criterion::Newton] {
            let base = FixedParams { loss: LossKind::Squared, criterion, ..quick() };
            let fit = by_both_engines(&data, &base).expect("a model");
            let again = Model::from_json(&fit.model.to_json()).expect("a readable model");
            assert_eq!(again, fit.model, "{scale}");
            assert!((0..6).all(|i| again.predict(&data).value(i).is_finite()), "{scale}");
        }
    }
}

/// Steps ten times too long: the scores leave the range of numbers, and training says so.
#[test]
fn divergence_is_reported() {
    let data = with_targets(&["1.5", "-1.25", "2.5", "-0.5", "0.75", "1"]);
    let base = FixedParams { loss: LossKind::Squared, learning_rate: 10.0, ..quick() };
    let params = FixedParams { trees: 1_000, ..base };
    let Err(error) = fit(&data, &request(params)) else { panic!("a model beyond all numbers") };
    assert!(error.to_string().contains("diverged"), "{error}");
}
