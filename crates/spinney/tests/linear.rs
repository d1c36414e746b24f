//! A linear model beside the trees: they do not see it, its scores are what the model gives, it has the weight that
//! was asked for, and a trial finds one where there is something to add up.

mod oracle;
mod stopping;

use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spinney::boosting::{Booster, Exploration, Trained, ValidParams};
use spinney::params::LossKind;
use spinney::tuning::automatic::{Open, advised};
use spinney::tuning::hold_out::settled;
use spinney::{Dataset, Engine, Model, Params};
use stopping::resumed;

/// Graphs with a target: the number of vertices labelled 1, less those labelled 2; or whether that is positive.
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

fn small(seed: u64, classes: bool) -> Params {
    let loss = if classes { LossKind::Logistic } else { LossKind::Squared };
    let sampling = Params { subsample: 0.8, pattern_sample: 0.5, seed, ..Params::default() };
    Params { max_edges: Some(2), depth: 3, trees: 6, ensemble: 1, loss, ..sampling }
}

fn all(data: &Dataset) -> Vec<u32> {
    (0..data.len() as u32).collect()
}

fn trained(data: &Dataset, params: &Params, engine: Engine) -> Model {
    let params = params.clone().check().expect("valid parameters");
    let exploration = Exploration::new(data, params.max_edges, engine);
    let booster = Booster::new(&exploration, &params, &all(data), &[]).expect("a training");
    booster.run(|_| true).and_then(Trained::into_fit).expect("a model").model
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
        let plain = Params { ensemble, ..small(seed, classes) };
        let beside = |linear: f64| trained(&data, &Params { linear, ..plain.clone() }, Engine::Census);
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
                prop_assert!((twice - 2.0 * added).abs() < 1e-9 * (1.0 + twice.abs()), "{twice} and {added}");
            }
        }
        let (none, one) = (scores(&none, &data), scores(&one, &data));
        let mean = one.iter().zip(&none).map(|(a, b)| a - b).sum::<f64>() / data.len() as f64;
        prop_assert!(mean.abs() < 1e-9, "mean {mean}");
    }

    #[test]
    fn training_knows_what_the_model_will_say(seed in 0u64..1 << 40, classes in proptest::bool::ANY) {
        let whole = data(seed, 70, classes);
        let params = Params { linear: 0.7, temperature: 1.3, ensemble: 2, ..small(seed, classes) };
        let params = params.check().expect("valid parameters");
        let (train, valid): (Vec<u32>, Vec<u32>) = all(&whole).into_iter().partition(|i| i % 3 != 0);
        let exploration = Exploration::new(&whole, params.max_edges, Engine::Census);
        let booster = Booster::new(&exploration, &params, &train, &valid).expect("a training");
        let trained = booster.run(|_| true).expect("trained");
        let told = trained.valid_predictions();
        let model = trained.into_fit().expect("a model").model;
        let part = |graphs: &[u32]| whole.subset(&graphs.iter().map(|&g| g as usize).collect::<Vec<_>>());
        let held = part(&valid);
        for (i, score) in scores(&model, &held).into_iter().enumerate() {
            prop_assert_eq!(score.to_bits(), told.scores(i)[0].to_bits(), "graph {}", i);
        }
        let last = model.staged_predict(&held).pop().expect("stages");
        prop_assert_eq!(last.scores(0)[0].to_bits(), told.scores(0)[0].to_bits());
        // Graphs that are held out leave no trace in the linear model.
        let alone = part(&train);
        let other = trained_within(&alone, &params);
        prop_assert_eq!(scores(&other, &held), scores(&model, &held));
    }

    #[test]
    fn engines_threads_and_checkpoints_do_not_matter(seed in 0u64..1 << 40, stop in 1usize..6, classes in proptest::bool::ANY) {
        let data = data(seed, 50, classes);
        let params = Params { linear: 0.4, ..small(seed, classes) };
        let whole = trained(&data, &params, Engine::Census).to_json();
        prop_assert_eq!(&trained(&data, &params, Engine::Bound).to_json(), &whole);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        prop_assert_eq!(&pool.install(|| trained(&data, &params, Engine::Census).to_json()), &whole);
        let params = params.check().expect("valid parameters");
        let exploration = Exploration::new(&data, params.max_edges, Engine::Census);
        let start = || Booster::new(&exploration, &params, &all(&data), &[]).expect("a training");
        prop_assert_eq!(&resumed(start, stop).to_json(), &whole);
        let read = Model::from_json(&whole).expect("intact");
        prop_assert_eq!(&read.to_json(), &whole);
    }
}

fn trained_within(data: &Dataset, params: &ValidParams) -> Model {
    let exploration = Exploration::new(data, params.max_edges, Engine::Census);
    let booster = Booster::new(&exploration, params, &all(data), &[]).expect("a training");
    booster.run(|_| true).and_then(Trained::into_fit).expect("a model").model
}

/// The parameters that a trial finds.
fn found(params: Params, data: &Dataset) -> ValidParams {
    let open = [Open::MinGain, Open::Trees, Open::Temperature, Open::Linear];
    let params = advised(&params.check().expect("valid parameters"), &open, data).expect("advice");
    let exploration = Exploration::new(data, params.max_edges, Engine::Census);
    settled(&exploration, &params, &all(data), &|| true).expect("a trial")
}

#[test]
fn what_adds_up_is_left_to_the_linear_model() {
    let (data, fresh) = (data(3, 400, false), data(4, 200, false));
    let plain = Params { trees: 30, depth: 2, ..small(0, false) };
    let found = found(plain.clone(), &data);
    assert!(found.linear > 0.3, "{}", found.linear);
    let wrong = |model: &Model| {
        let predictions = model.predict(&fresh);
        let away = |i: usize| {
            let target: f64 =
                fresh.targets()[i].as_deref().and_then(|t| t.parse().ok()).expect("a number");
            (predictions.value(i) - target).powi(2)
        };
        (0..fresh.len()).map(away).sum::<f64>()
    };
    let (with, without) =
        (wrong(&trained_within(&data, &found)), wrong(&trained(&data, &plain, Engine::Census)));
    assert!(with < 0.3 * without, "{with} instead of {without}");
}

#[test]
fn a_weight_that_is_given_stays_and_chance_has_none() {
    let data = data(5, 300, true);
    let params = Params { linear: 0.25, ..small(1, true) }.check().expect("valid parameters");
    let open = [Open::MinGain, Open::Trees, Open::Temperature];
    let params = advised(&params, &open, &data).expect("advice");
    let exploration = Exploration::new(&data, params.max_edges, Engine::Census);
    let kept = settled(&exploration, &params, &all(&data), &|| true).expect("a trial");
    assert_eq!(kept.linear, 0.25);
    let mut random = Random::new(9);
    let chance = data.targets().iter().map(|_| Some(random.below(2).to_string())).collect();
    let chance = data.clone().with_targets(chance).expect("as many targets");
    assert_eq!(found(small(1, true), &chance).linear, 0.0);
}

#[test]
fn there_is_none_of_several_classes_and_none_below_zero() {
    let data = data(6, 60, false);
    let three = data.targets().iter().enumerate().map(|(i, _)| Some((i % 3).to_string())).collect();
    let three = data.clone().with_targets(three).expect("as many targets");
    let params = Params { linear: 0.5, loss: LossKind::Softmax, ..small(0, true) };
    let params = params.check().expect("valid parameters");
    let exploration = Exploration::new(&three, params.max_edges, Engine::Census);
    let refused = Booster::new(&exploration, &params, &all(&three), &[]).err().expect("refused");
    assert!(refused.to_string().contains("linear"), "{refused}");
    assert!(Params { linear: -0.1, ..Params::default() }.check().is_err());
    assert!(Params { linear: f64::NAN, ..Params::default() }.check().is_err());
}

#[test]
fn a_file_with_more_stumps_than_trees_is_refused() {
    let data = data(7, 40, false);
    let model = trained(&data, &Params { linear: 0.5, ..small(0, false) }, Engine::Census);
    let mut file: Value = serde_json::from_str(&model.to_json()).expect("JSON");
    let noted = file["model"]["provenance"]["stumps"].as_u64();
    assert_eq!(noted, Some(model.trees_beside() as u64));
    file["model"]["provenance"]["stumps"] = json!(model.trees().len() + 1);
    let body = file["model"].to_string();
    let digest = Sha256::digest(body.as_bytes());
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let edited = format!(
        "{{\"format\": \"spinney-model\", \"version\": 1, \"sha256\": \"{sum}\", \"model\": {body}}}"
    );
    let refused = Model::from_json(&edited).expect_err("too many stumps");
    assert!(refused.to_string().contains("stumps"), "{refused}");
}
