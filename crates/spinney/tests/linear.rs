//! A linear model beside the trees: they do not see it, its scores are what the model gives, it has
//! the weight that was asked for, and tuning finds one where there is something to add up.

mod boosted;
mod oracle;
mod stopping;

use boosted::{auto, everything, explored, plan, request, split_by, trained_on, tune, unchanged};
use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spinney::params::{FixedParams, LossKind, Setting, ValidParams};
use spinney::training::Request;
use spinney::training::cross_validation::{FoldWork, train_fold};
use spinney::{Dataset, Engine, Model, Params, fit};
use stopping::resumed_training;

/// Graphs with a target: the number of vertices labelled 1, less those labelled 2; or whether that
/// is positive.
fn data(seed: u64, count: usize, classes: bool) -> Dataset {
    let mut random = Random::new(seed);
    let shape = Shape { vertices: 12, edges: 14, vertex_labels: 4, edge_labels: 2 };
    let one = |random: &mut Random| {
        let (n, extra) = (random.range(4, 12), random.below(2));
        random_connected(random, n, extra, shape)
    };
    let graphs: Vec<_> = (0..count).map(|_| one(&mut random)).collect();
    let has = |g: &spinney::graph::Graph, label: u32| {
        g.labels().iter().filter(|&&l| l == label).count() as f64
    };
    let targets = graphs.iter().map(|g| {
        let sum = has(g, 1) - has(g, 2) + 0.01 * has(g, 3);
        if classes { u8::from(sum > 0.0).to_string() } else { format!("{sum:.2}") }
    });
    dataset(&graphs, &targets.collect::<Vec<_>>())
}

fn small(seed: u64, classes: bool) -> FixedParams {
    let loss = if classes { LossKind::Logistic } else { LossKind::Squared };
    let sampling =
        FixedParams { subsample: 0.8, pattern_sample: 0.5, seed, ..FixedParams::default() };
    FixedParams { max_edges: Some(2), depth: 3, trees: 6, ensemble: 1, loss, ..sampling }
}

/// A request of whichever engine.
fn by(engine: Engine, params: &FixedParams) -> Request {
    Request { engine, ..request(params.clone()) }
}

fn trained(data: &Dataset, params: &FixedParams, engine: Engine) -> Model {
    fit(data, &by(engine, params)).expect("a model").model
}

fn scores(model: &Model, data: &Dataset) -> Vec<f64> {
    let predictions = model.predict(data);
    (0..data.len()).map(|i| predictions.scores(i)[0]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]

    #[test]
    fn trees_are_those_without_it_and_its_part_has_the_weight(
        seed in 0u64..1 << 40,
        weight in 0.05f64..3.0,
        ensemble in 1usize..3,
        classes in proptest::bool::ANY,
    ) {
        let (data, fresh) = (data(seed, 60, classes), data(seed + 1, 30, classes));
        let plain = FixedParams { ensemble, ..small(seed, classes) };
        let beside = |linear: f64| {
            trained(&data, &FixedParams { linear, ..plain.clone() }, Engine::Census)
        };
        let (none, one, more) = (beside(0.0), beside(weight), beside(2.0 * weight));
        prop_assert_eq!(none.trees_beside(), 0);
        let stumps = one.trees_beside();
        prop_assert!(stumps > 0 && one.trees().len() == stumps + none.trees().len());
        prop_assert_eq!(one.rounds(), none.rounds());
        // The trees of rounds ask for the same patterns and say the same.
        for (a, b) in none.trees().iter().zip(&one.trees()[stumps..]) {
            prop_assert_eq!(format!("{:?}", a.nodes()), format!("{:?}", b.nodes()));
        }
        for part in [&data, &fresh] {
            let [none, one, more] = [&none, &one, &more].map(|model| scores(model, part));
            for i in 0..part.len() {
                let (added, twice) = (one[i] - none[i], more[i] - none[i]);
                let off = (twice - 2.0 * added).abs();
                prop_assert!(off < 1e-9 * (1.0 + twice.abs()), "{twice} and {added}");
            }
        }
        let (none, one) = (scores(&none, &data), scores(&one, &data));
        let mean = one.iter().zip(&none).map(|(a, b)| a - b).sum::<f64>() / data.len() as f64;
        prop_assert!(mean.abs() < 1e-9, "mean {mean}");
    }

    #[test]
    fn training_knows_what_the_model_will_say(
        seed in 0u64..1 << 40,
        classes in proptest::bool::ANY,
    ) {
        let whole = data(seed, 70, classes);
        let members = FixedParams { ensemble: 2, ..small(seed, classes) };
        let params = FixedParams { linear: 0.7, temperature: 1.3, ..members };
        let wanted = by(Engine::Census, &params);
        let split = split_by(&whole, |i| i % 3 != 0);
        let prepared = unchanged(&whole);
        let fold = train_fold(&explored(&prepared, &wanted), &wanted, &split, FoldWork::silent());
        let known = fold.expect("trained").expect("nobody stops it").scores;
        let model = trained_on(&whole, &wanted, &split).expect("a model").model;
        let part = |graphs: &[u32]| {
            whole.subset(&graphs.iter().map(|&g| g as usize).collect::<Vec<_>>())
        };
        let held = part(&split.held_out);
        prop_assert_eq!(known.len(), held.len());
        for (i, score) in scores(&model, &held).into_iter().enumerate() {
            prop_assert_eq!(score.to_bits(), known[i].to_bits(), "graph {}", i);
        }
        let last = model.staged_predict(&held).pop().expect("stages");
        prop_assert_eq!(last.scores(0)[0].to_bits(), known[0].to_bits());
        // Graphs that are held out leave no trace in the linear model.
        let alone = part(&split.train);
        let other = trained(&alone, &params, Engine::Census);
        prop_assert_eq!(scores(&other, &held), scores(&model, &held));
    }

    #[test]
    fn engines_threads_and_checkpoints_do_not_matter(
        seed in 0u64..1 << 40,
        stop in 1usize..6,
        classes in proptest::bool::ANY,
    ) {
        let data = data(seed, 50, classes);
        let params = FixedParams { linear: 0.4, ..small(seed, classes) };
        let whole = trained(&data, &params, Engine::Census).to_json();
        prop_assert_eq!(&trained(&data, &params, Engine::Bound).to_json(), &whole);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let alone = pool.install(|| trained(&data, &params, Engine::Census).to_json());
        prop_assert_eq!(&alone, &whole);
        let resumed = resumed_training(&data, &by(Engine::Census, &params), stop);
        prop_assert_eq!(&resumed.to_json(), &whole);
        let read = Model::from_json(&whole).expect("intact");
        prop_assert_eq!(&read.to_json(), &whole);
    }
}

/// The parameters that tuning finds, the linear weight among them.
fn tuned(params: FixedParams, data: &Dataset) -> ValidParams {
    let trees = params.trees;
    let auto = Params { linear: Setting::Auto, ..auto(params) };
    tune(data, &plan(&auto, trees, data), Engine::Census, &everything(data)).params
}

#[test]
fn what_adds_up_is_left_to_the_linear_model() {
    let (data, fresh) = (data(3, 400, false), data(4, 200, false));
    let plain = FixedParams { trees: 30, depth: 2, ..small(0, false) };
    let tuned = tuned(plain.clone(), &data);
    assert!(tuned.linear > 0.3, "{}", tuned.linear);
    let wrong = |model: &Model| {
        let predictions = model.predict(&fresh);
        let away = |i: usize| {
            let target: f64 =
                fresh.targets()[i].as_deref().and_then(|t| t.parse().ok()).expect("a number");
            (predictions.value(i) - target).powi(2)
        };
        (0..fresh.len()).map(away).sum::<f64>()
    };
    let with = wrong(&trained(&data, &tuned, Engine::Census));
    let without = wrong(&trained(&data, &plain, Engine::Census));
    assert!(with < 0.3 * without, "{with} instead of {without}");
}

#[test]
fn a_weight_that_is_given_stays_and_chance_has_none() {
    let data = data(5, 300, true);
    let given = auto(FixedParams { linear: 0.25, ..small(1, true) });
    let kept = fit(&data, &request(given)).expect("a model");
    assert!(kept.tuning.is_some(), "the rest is tuned");
    assert_eq!(kept.params.linear, 0.25);
    let mut random = Random::new(9);
    let chance = data.targets().iter().map(|_| Some(random.below(2).to_string())).collect();
    let chance = data.clone().with_targets(chance).expect("as many targets");
    assert_eq!(tuned(small(1, true), &chance).linear, 0.0);
}

#[test]
fn there_is_none_of_several_classes_and_none_below_zero() {
    let data = data(6, 60, false);
    let three = data.targets().iter().enumerate().map(|(i, _)| Some((i % 3).to_string())).collect();
    let three = data.clone().with_targets(three).expect("as many targets");
    let params = FixedParams { linear: 0.5, loss: LossKind::Softmax, ..small(0, true) };
    let refused = fit(&three, &by(Engine::Census, &params)).expect_err("refused");
    assert!(refused.to_string().contains("linear"), "{refused}");
    assert!(FixedParams { linear: -0.1, ..FixedParams::default() }.check().is_err());
    assert!(FixedParams { linear: f64::NAN, ..FixedParams::default() }.check().is_err());
}

#[test]
fn a_file_with_more_stumps_than_trees_is_refused() {
    let data = data(7, 40, false);
    let model = trained(&data, &FixedParams { linear: 0.5, ..small(0, false) }, Engine::Census);
    let mut file: Value = serde_json::from_str(&model.to_json()).expect("JSON");
    let noted = file["model"]["provenance"]["stumps"].as_u64();
    assert_eq!(noted, Some(model.trees_beside() as u64));
    file["model"]["provenance"]["stumps"] = json!(model.trees().len() + 1);
    let body = file["model"].to_string();
    let digest = Sha256::digest(body.as_bytes());
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let edited = format!(
        "{{\"format\": \"spinney-model\", \"version\": 2, \"sha256\": \"{sum}\", \
         \"model\": {body}}}"
    );
    let refused = Model::from_json(&edited).expect_err("too many stumps");
    assert!(refused.to_string().contains("stumps"), "{refused}");
}
