//! A trial finds least gain, rounds and temperature from the training graphs alone, the same with either engine; a
//! temperature divides what the trees say and nothing else.

mod oracle;
mod stopping;

use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use spinney::boosting::loss::Loss;
use spinney::boosting::{Booster, Exploration, Limits, Trained, ValidParams};
use spinney::evaluation::Folds;
use spinney::training::cross_validation::cross_validate;
use spinney::tuning::automatic::{Open, advised};
use spinney::tuning::hold_out::settled;
use spinney::{Dataset, Engine, Metric, Model, Params};
use stopping::resumed;

/// Graphs whose target follows from their number of edges in `told` of 100 cases, and else from chance.
fn data(seed: u64, graphs: usize, told: u64) -> Dataset {
    let mut random = Random::new(seed);
    let shape = Shape { vertices: 7, edges: 9, vertex_labels: 3, edge_labels: 2 };
    let graphs: Vec<_> = (0..graphs).map(|_| random_connected(&mut random, 6, 1, shape)).collect();
    let mut of = |edges: usize| {
        let known = random.below(100) < told as usize;
        if known { edges % 2 } else { random.below(2) }
    };
    let targets: Vec<String> = graphs.iter().map(|g| of(g.edge_count()).to_string()).collect();
    dataset(&graphs, &targets)
}

fn small() -> Params {
    Params { max_edges: Some(2), trees: 24, pattern_sample: 0.5, ..Params::default() }
}

/// What is left to a trial.
fn open(params: Params, data: &Dataset) -> ValidParams {
    let open = [Open::MinGain, Open::Trees, Open::Temperature];
    advised(&params.check().expect("valid parameters"), &open, data).expect("advice")
}

fn all(data: &Dataset) -> Vec<u32> {
    (0..data.len() as u32).collect()
}

fn found(data: &Dataset, params: &ValidParams, engine: Engine, train: &[u32]) -> ValidParams {
    let exploration = Exploration::new(data, params.max_edges, engine);
    settled(&exploration, params, train, &|| true).expect("a trial")
}

fn trained(data: &Dataset, params: &Params, engine: Engine) -> Model {
    let params = params.clone().check().expect("valid parameters");
    let exploration = Exploration::new(data, params.max_edges, engine);
    let booster = Booster::new(&exploration, &params, &all(data), &[]).expect("a training");
    booster.run(|_| true).and_then(Trained::into_fit).expect("a model").model
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_temperature_divides_what_trees_say(
        seed in 0u64..1 << 40,
        temperature in 0.3f64..6.0,
        ensemble in 1usize..4,
        rounds in 1usize..6,
    ) {
        let data = data(seed, 30, 80);
        let plain = Params { trees: rounds, depth: 4, ensemble, seed, ..small() };
        let warm = Params { temperature, ..plain.clone() };
        let (plain, warm) = (trained(&data, &plain, Engine::Census), trained(&data, &warm, Engine::Census));
        let (at_one, tempered) = (plain.staged_predict(&data), warm.staged_predict(&data));
        for (before, after) in at_one.iter().zip(&tempered) {
            for graph in 0..data.len() {
                let start = at_one[0].scores(graph)[0];
                let expected = start + (before.scores(graph)[0] - start) / temperature;
                let got = after.scores(graph)[0];
                prop_assert!((got - expected).abs() < 1e-12, "{got} instead of {expected}");
            }
        }
    }

    #[test]
    fn a_tempered_training_goes_on_from_a_checkpoint(seed in 0u64..1 << 40, stop in 1usize..5) {
        let data = data(seed, 30, 80);
        let params = Params { trees: 5, depth: 3, ensemble: 1, temperature: 1.7, seed, ..small() };
        let whole = trained(&data, &params, Engine::Census).to_json();
        let params = params.check().expect("valid parameters");
        let exploration = Exploration::new(&data, params.max_edges, Engine::Bound);
        let start = || Booster::new(&exploration, &params, &all(&data), &[]).expect("a training");
        prop_assert_eq!(resumed(start, stop).to_json(), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_trial_sees_training_graphs_only_and_no_engine(seed in 0u64..1 << 40, told in 0u64..100) {
        let whole = data(seed, 280, told);
        let train: Vec<u32> = all(&whole).into_iter().filter(|i| i % 4 != 1).collect();
        let params = open(Params { seed, ..small() }, &whole);
        prop_assert!(params.is_open());
        let by_census = found(&whole, &params, Engine::Census, &train);
        prop_assert!(!by_census.is_open());
        prop_assert_eq!(&by_census, &found(&whole, &params, Engine::Bound, &train));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        prop_assert_eq!(&by_census, &pool.install(|| found(&whole, &params, Engine::Census, &train)));
        // Turning the other graphs' targets round changes nothing.
        let turned = |i: usize, target: &Option<String>| match target.as_deref() {
            Some("0") if i % 4 == 1 => Some("1".to_owned()),
            Some("1") if i % 4 == 1 => Some("0".to_owned()),
            _ => target.clone(),
        };
        let targets = whole.targets().iter().enumerate().map(|(i, t)| turned(i, t)).collect();
        let other = whole.clone().with_targets(targets).expect("as many targets");
        prop_assert_eq!(&by_census, &found(&other, &params, Engine::Census, &train));
    }
}

#[test]
fn noise_is_met_with_caution_and_structure_is_not() {
    // The loss on graphs that were not learnt from, of a model and of knowing nothing.
    let losses = |told: u64| {
        let whole = data(5, 700, told);
        let part = |range: std::ops::Range<usize>| whole.subset(&range.collect::<Vec<_>>());
        let (learned, fresh) = (part(0..350), part(350..700));
        let params = open(Params { trees: 60, ..small() }, &learned);
        let found = found(&learned, &params, Engine::Census, &all(&learned));
        let model = trained(&learned, &found, Engine::Census);
        let predictions = model.predict(&fresh);
        let loss = |g: usize| {
            let margin = predictions.scores(g)[0];
            let right = if fresh.targets()[g].as_deref() == Some("1") { margin } else { -margin };
            (-2.0 * right).exp().ln_1p()
        };
        let of_model = (0..fresh.len()).map(loss).sum::<f64>() / fresh.len() as f64;
        of_model / std::f64::consts::LN_2
    };
    let (of_noise, of_structure) = (losses(0), losses(100));
    assert!(
        of_noise < 1.04 && of_structure < 0.9,
        "{of_noise} of noise, {of_structure} of structure"
    );
}

#[test]
fn folds_are_tried_apart_and_probabilities_are_better_for_it() {
    let data = data(9, 300, 55);
    let written = Params { trees: 60, ..small() }.check().expect("valid parameters");
    let params = open((*written).clone(), &data);
    let exploration = Exploration::new(&data, params.max_edges, Engine::Census);
    let folds =
        Folds::random(&Loss::new(&params, &data).expect("classes").strata(), 3, 0).expect("folds");
    let last = |params: &ValidParams| {
        let setting = cross_validate(&exploration, &folds, params, None, || ()).expect("folds");
        setting.at(Metric::LogLoss, usize::MAX).expect("a loss").0
    };
    let (tried, untried) = (last(&params), last(&written));
    assert!(tried < 0.9 * untried, "{tried} with a trial, {untried} without");
    // Each fold is what a training with the parameters found for it gives.
    let (train, test) = folds.split(0);
    let own = settled(&exploration, &params, &train, &|| true).expect("a trial");
    let booster = Booster::new(&exploration, &own, &train, &test).expect("a training");
    let rounds = booster.run(|_| true).expect("trained").into_record().rounds;
    assert_eq!(rounds.len(), own.trees);
}

#[test]
fn what_was_given_stays_and_so_does_what_cannot_be_tried() {
    let some = data(3, 220, 80);
    let valid = |params: Params| params.check().expect("valid parameters");
    let stays =
        |params: &ValidParams, data: &Dataset, exploration: &Exploration<'_>, stop: bool| {
            let found = settled(exploration, params, &all(data), &|| !stop).expect("as it was");
            assert!(!found.is_open());
            let numbers = |p: &ValidParams| (p.min_gain, p.trees, p.temperature);
            assert_eq!(numbers(&found), numbers(params));
        };
    let exploration = Exploration::new(&some, Some(2), Engine::Census);
    // Given, or found by early stopping.
    let written = valid(small());
    for open in [vec![], vec![Open::MinGain, Open::Trees], vec![Open::Trees, Open::Temperature]] {
        let params = advised(&written, &open, &some).expect("advice");
        assert!(!params.is_open());
        stays(&params, &some, &exploration, false);
    }
    let stopping = valid(Params { early_stopping: Some(3), ..small() });
    assert!(!advised(&stopping, &Open::ALL, &some).expect("advice").is_open());
    // Stopped, limited, too few graphs, numbers.
    stays(&open(small(), &some), &some, &exploration, true);
    let limits = Limits { patterns: Some(1_000_000), ..Limits::default() };
    let limited = Exploration::limited(&some, Some(2), Engine::Census, limits);
    stays(&open(small(), &some), &some, &limited, false);
    let few = data(3, 199, 80);
    stays(&open(small(), &few), &few, &Exploration::new(&few, Some(2), Engine::Census), false);
    let numbers = (0..some.len()).map(|i| Some(format!("{}.5", i * 7 % 50))).collect();
    let numbers = some.clone().with_targets(numbers).expect("as many targets");
    let exploration = Exploration::new(&numbers, Some(2), Engine::Census);
    stays(&open(small(), &numbers), &numbers, &exploration, false);
    for wrong in [0.0, -1.0, f64::NAN, 1e9] {
        let refused = Params { temperature: wrong, ..small() }.check().unwrap_err().to_string();
        assert!(refused.contains("temperature"), "{refused}");
    }
}

#[test]
fn several_classes_are_tried_with_their_least_gain() {
    let two = data(11, 240, 90);
    let of = |(i, target): (usize, &Option<String>)| {
        let class = if i % 3 == 0 { "2" } else { target.as_deref().unwrap_or("0") };
        Some(class.to_owned())
    };
    let targets = two.targets().iter().enumerate().map(of).collect();
    let three = two.clone().with_targets(targets).expect("as many targets");
    let params = open(small(), &three);
    let found = found(&three, &params, Engine::Census, &all(&three));
    assert_eq!(found.min_gain, params.min_gain);
    assert!(found.temperature != 1.0 || found.trees < params.trees);
}
