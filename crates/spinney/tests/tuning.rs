//! Hold-out tuning finds least gain, rounds and temperature from the training graphs alone, the
//! same with either engine; a temperature divides what the trees say and nothing else.

mod boosted;
mod oracle;
mod stopping;

use boosted::{auto, everything, explored, model, request, tune, unchanged, valid};
use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use spinney::boosting::loss::Loss;
use spinney::boosting::{Booster, Exploration, TrainingLimits};
use spinney::evaluation::{Folds, Split};
use spinney::params::{FixedParams, Setting, ValidParams};
use spinney::training::cross_validation::{FoldWork, cross_validate};
use spinney::tuning::{Plan, automatic, hold_out};
use spinney::{Dataset, Engine, Metric, Params};
use stopping::resumed;

/// Graphs whose target follows from their number of edges in `known` of 100 cases, and else from
/// chance.
fn data(seed: u64, graphs: usize, known: u64) -> Dataset {
    let mut random = Random::new(seed);
    let shape = Shape { vertices: 7, edges: 9, vertex_labels: 3, edge_labels: 2 };
    let graphs: Vec<_> = (0..graphs).map(|_| random_connected(&mut random, 6, 1, shape)).collect();
    let mut of = |edges: usize| {
        let follows = random.below(100) < known as usize;
        if follows { edges % 2 } else { random.below(2) }
    };
    let targets: Vec<String> = graphs.iter().map(|g| of(g.edge_count()).to_string()).collect();
    dataset(&graphs, &targets)
}

fn small() -> FixedParams {
    FixedParams { max_edges: Some(2), trees: 24, pattern_sample: 0.5, ..FixedParams::default() }
}

/// What is to be tuned where tuning starts from the rounds of `params`.
fn plan(params: FixedParams, data: &Dataset) -> Plan {
    let trees = params.trees;
    boosted::plan(&auto(params), trees, data)
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
        let plain = FixedParams { trees: rounds, depth: 4, ensemble, seed, ..small() };
        let warm = FixedParams { temperature, ..plain.clone() };
        let stages = |params| model(&data, params, Engine::Census).staged_predict(&data);
        let at_one = stages(&plain);
        let tempered = stages(&warm);
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
        let cool = FixedParams { trees: 5, depth: 3, ensemble: 1, seed, ..small() };
        let params = FixedParams { temperature: 1.7, ..cool };
        let whole = model(&data, &params, Engine::Census).to_json();
        let params = valid(&params);
        let exploration = Exploration::new(&data, params.max_edges, Engine::Bound);
        let all = everything(&data);
        let start = || Booster::new(&exploration, &params, &all, &[]).expect("a training");
        prop_assert_eq!(resumed(start, stop).to_json(), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn tuning_sees_training_graphs_only_and_no_engine(seed in 0u64..1 << 40, known in 0u64..100) {
        let whole = data(seed, 280, known);
        let train: Vec<u32> = everything(&whole).into_iter().filter(|i| i % 4 != 1).collect();
        let plan = plan(FixedParams { seed, ..small() }, &whole);
        prop_assert!(plan.hold_out.is_some());
        let by_census = tune(&whole, &plan, Engine::Census, &train);
        prop_assert!(by_census.record.is_some());
        prop_assert_eq!(&by_census, &tune(&whole, &plan, Engine::Bound, &train));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        prop_assert_eq!(&by_census, &pool.install(|| tune(&whole, &plan, Engine::Census, &train)));
        // Turning the other graphs' targets round changes nothing.
        let turned = |i: usize, target: &Option<String>| match target.as_deref() {
            Some("0") if i % 4 == 1 => Some("1".to_owned()),
            Some("1") if i % 4 == 1 => Some("0".to_owned()),
            _ => target.clone(),
        };
        let targets = whole.targets().iter().enumerate().map(|(i, t)| turned(i, t)).collect();
        let other = whole.clone().with_targets(targets).expect("as many targets");
        prop_assert_eq!(&by_census, &tune(&other, &plan, Engine::Census, &train));
    }
}

#[test]
fn noise_is_met_with_caution_and_structure_is_not() {
    // The loss on graphs that were not learnt from, of a model and of knowing nothing.
    let losses = |known: u64| {
        let whole = data(5, 700, known);
        let part = |range: std::ops::Range<usize>| whole.subset(&range.collect::<Vec<_>>());
        let (learned, fresh) = (part(0..350), part(350..700));
        let plan = plan(FixedParams { trees: 60, ..small() }, &learned);
        let found = tune(&learned, &plan, Engine::Census, &everything(&learned)).params;
        let model = model(&learned, &found, Engine::Census);
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
fn folds_are_tuned_apart_and_probabilities_are_better_for_it() {
    let data = data(9, 300, 55);
    let fixed = FixedParams { trees: FixedParams::default().trees, ..small() };
    let tuned = request(auto(fixed.clone()));
    let prepared = unchanged(&data);
    let explored = explored(&prepared, &tuned);
    let strata = Loss::new(&fixed, &data).expect("classes").strata();
    let folds = Folds::random(&strata, 3, 0).expect("folds");
    let validate = |request| {
        let work = FoldWork::silent();
        let result = cross_validate(&explored, request, &folds.clone().into(), None, work);
        result.expect("folds").expect("nobody stops it")
    };
    let result = validate(&tuned);
    let last = |result: &spinney::training::cross_validation::SettingResult| {
        result.headline(Metric::LogLoss).expect("a loss").mean
    };
    let with = last(&result);
    let without = last(&validate(&request(fixed.clone())));
    assert!(with < 0.9 * without, "{with} with tuning, {without} without");
    // Each fold is what a training with the parameters found for it gives.
    let split = folds.split(0);
    let plan = plan(fixed, &data);
    let own = tune(&data, &plan, Engine::Census, &split.train);
    let exploration = Exploration::new(&data, own.params.max_edges, Engine::Census);
    let booster = Booster::new(&exploration, &own.params, &split.train, &split.held_out);
    let rounds = booster.expect("a training").run(|_| true).expect("trained").into_record().rounds;
    assert_eq!(rounds.len(), own.params.trees);
    let fold = &result.folds[0];
    assert_eq!(fold.rounds.len(), own.params.trees);
    assert_eq!(fold.params, serde_json::to_value(&own.params).expect("JSON"));
    assert_eq!(fold.tuning, own.record);
    let measured = |rounds: &[spinney::boosting::Round]| {
        rounds.iter().map(|round| round.valid.clone()).collect::<Vec<_>>()
    };
    assert_eq!(measured(&fold.rounds), measured(&rounds));
}

/// The parameters that tuning may change.
fn numbers(params: &ValidParams) -> (f64, usize, f64) {
    (params.min_gain, params.trees, params.temperature)
}

/// Whether tuning leaves the parameters of a plan as they are.
fn stays(plan: &Plan, exploration: &Exploration<'_>, stop: bool) {
    let all = everything(exploration.data());
    let tuned = hold_out::tune(exploration, plan, &all, &|| !stop).expect("as it was");
    assert_eq!(tuned.record, None);
    assert_eq!(numbers(&tuned.params), numbers(&plan.params));
}

#[test]
fn what_was_given_stays_and_so_does_what_cannot_be_tuned() {
    let some = data(3, 220, 80);
    let whole = Split::whole(some.len());
    let exploration = Exploration::new(&some, Some(2), Engine::Census);
    // Given, or found by early stopping.
    let given: Params = small().into();
    let cases = [
        given.clone(),
        Params { min_gain: Setting::Auto, trees: Setting::Auto, ..given.clone() },
        Params { trees: Setting::Auto, temperature: Setting::Auto, ..given },
    ];
    for params in cases {
        let plan = automatic::plan(&params, &some, &whole, None).expect("a plan");
        assert_eq!(plan.hold_out, None);
        stays(&plan, &exploration, false);
    }
    let stopping = auto(FixedParams { early_stopping: Some(3), ..small() });
    let plan_of = |params: &Params| automatic::plan(params, &some, &whole, None).expect("a plan");
    assert_eq!(plan_of(&stopping).hold_out, None);
    // Stopped, limited, too few graphs, numbers.
    stays(&plan(small(), &some), &exploration, true);
    let limits = TrainingLimits { patterns: Some(1_000_000), ..TrainingLimits::default() };
    let limited = Exploration::with_limits(&some, Some(2), Engine::Census, limits);
    stays(&plan(small(), &some), &limited, false);
    let few = data(3, 199, 80);
    stays(&plan(small(), &few), &Exploration::new(&few, Some(2), Engine::Census), false);
    let numbers = (0..some.len()).map(|i| Some(format!("{}.5", i * 7 % 50))).collect();
    let numbers = some.clone().with_targets(numbers).expect("as many targets");
    let exploration = Exploration::new(&numbers, Some(2), Engine::Census);
    stays(&plan(small(), &numbers), &exploration, false);
    for wrong in [0.0, -1.0, f64::NAN, 1e9] {
        let refused =
            FixedParams { temperature: wrong, ..small() }.check().unwrap_err().to_string();
        assert!(refused.contains("temperature"), "{refused}");
    }
}

#[test]
fn several_classes_are_tuned_with_their_least_gain() {
    let two = data(11, 240, 90);
    let of = |(i, target): (usize, &Option<String>)| {
        let class = if i % 3 == 0 { "2" } else { target.as_deref().unwrap_or("0") };
        Some(class.to_owned())
    };
    let targets = two.targets().iter().enumerate().map(of).collect();
    let three = two.clone().with_targets(targets).expect("as many targets");
    let plan = plan(small(), &three);
    let found = tune(&three, &plan, Engine::Census, &everything(&three)).params;
    assert_eq!(found.min_gain, plan.params.min_gain);
    assert!(found.temperature != 1.0 || found.trees < plan.params.trees);
}
