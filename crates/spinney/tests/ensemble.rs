//! An ensemble is the mean of its trainings, whichever engine, and goes on from a checkpoint.

mod boosted;
mod oracle;
mod stopping;

use boosted::{boosted_on, split_by, valid};
use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use spinney::boosting::{BoostedModel, Booster, Exploration};
use spinney::evaluation::Split;
use spinney::model::Predictions;
use spinney::params::FixedParams;
use spinney::{Dataset, Engine};
use stopping::resumed;

fn data(seed: u64, targets: &[&str]) -> Dataset {
    let mut random = Random::new(seed);
    let shape = Shape { vertices: 7, edges: 8, vertex_labels: 3, edge_labels: 2 };
    let graphs: Vec<_> = (0..30).map(|_| random_connected(&mut random, 6, 1, shape)).collect();
    let of = |i: usize| targets[(i * 5 + graphs[i].edge_count()) % targets.len()].to_owned();
    let targets: Vec<String> = (0..graphs.len()).map(of).collect();
    dataset(&graphs, &targets)
}

fn split(data: &Dataset) -> Split {
    split_by(data, |i| i % 4 != 1)
}

fn train(data: &Dataset, params: &FixedParams, engine: Engine) -> BoostedModel {
    boosted_on(data, params, engine, &split(data)).expect("a model")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn an_ensemble_is_the_mean_of_its_trainings(
        seed in 0u64..1 << 40,
        members in 2usize..5,
        classes in 2usize..4,
        subsample in 0.4f64..0.9,
    ) {
        let data = data(seed, &["0", "1", "2"][..classes]);
        let params = FixedParams {
            max_edges: Some(3), trees: 5, depth: 4, subsample, pattern_sample: 0.3, seed,
            ensemble: members, ..FixedParams::default()
        };
        let whole = train(&data, &params, Engine::Census).model;
        prop_assert_eq!(&whole, &train(&data, &params, Engine::Bound).model);
        prop_assert_eq!((whole.rounds(), whole.ensemble()), (5, members));
        let alone: Vec<_> = (0..members)
            .map(|i| {
                let params = FixedParams { ensemble: 1, seed: params.seed_of(i), ..params.clone() };
                train(&data, &params, Engine::Census).model.staged_predict(&data)
            })
            .collect();
        let staged = whole.staged_predict(&data);
        prop_assert_eq!(staged.len(), 6);
        for (round, predictions) in staged.iter().enumerate() {
            for graph in 0..data.len() {
                for (output, &score) in predictions.scores(graph).iter().enumerate() {
                    let of = |stages: &Vec<Predictions>| stages[round].scores(graph)[output];
                    let mean = alone.iter().map(of).sum::<f64>() / members as f64;
                    prop_assert!((score - mean).abs() < 1e-12, "{score} instead of {mean}");
                }
            }
        }
        let last = staged.last().expect("a stage");
        let predicted = whole.predict(&data);
        prop_assert!((0..data.len()).all(|g| predicted.scores(g) == last.scores(g)));
    }

    #[test]
    fn an_ensemble_goes_on_from_a_checkpoint(seed in 0u64..1 << 40, stop in 1usize..6) {
        let data = data(seed, &["0", "1"]);
        let params = FixedParams {
            max_edges: Some(3), trees: 6, depth: 4, pattern_sample: 0.3, seed, ensemble: 3,
            ..FixedParams::default()
        };
        let whole = train(&data, &params, Engine::Census).model.to_json();
        let params = valid(&params);
        let exploration = Exploration::new(&data, params.max_edges, Engine::Bound);
        let Split { train, held_out } = split(&data);
        let start = || {
            Booster::new(&exploration, &params, &train, &held_out).expect("a training")
        };
        prop_assert_eq!(resumed(start, stop).to_json(), whole);
    }
}

#[test]
fn without_sampling_one_training_is_all() {
    let data = data(3, &["0", "1"]);
    let one = FixedParams { max_edges: Some(3), trees: 4, ..FixedParams::paper() };
    let many = FixedParams { ensemble: 9, ..one.clone() };
    let (one, many) = (train(&data, &one, Engine::Census), train(&data, &many, Engine::Census));
    assert_eq!(one.model.to_json(), many.model.to_json());
}
