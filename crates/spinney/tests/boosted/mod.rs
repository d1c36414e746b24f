//! Trainings of graphs as they are: no views, no measures, nothing left to the data.
//!
//! [`boosted`] and its like call the booster, for tests of engines, splits and rounds. [`request`]
//! is for tests of whole trainings (`spinney::fit`, `training::train`).

#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

use crate::oracle::random::{Random, dataset, random_graphs};
use spinney::boosting::{BoostedModel, Booster, Exploration, Trained, TrainingLimits};
use spinney::evaluation::Split;
use spinney::params::{FixedParams, LossKind, Setting, ValidParams};
use spinney::training::{Explored, Request};
use spinney::training::{Job, Outcome, Prepared, Silent, train};
use spinney::tuning::{Plan, Tuned, automatic, hold_out};
use spinney::{Dataset, Engine, Model, Params, Result};

/// The numbers of all graphs.
pub fn everything(data: &Dataset) -> Vec<u32> {
    (0..data.len() as u32).collect()
}

/// Parameters that must be valid.
pub fn valid(params: &FixedParams) -> ValidParams {
    params.clone().check().expect("valid parameters")
}

/// Graphs to train on and to validate on, by number.
pub fn split_by(data: &Dataset, is_trained_on: impl Fn(u32) -> bool) -> Split {
    let (train, held_out) = everything(data).into_iter().partition(|&graph| is_trained_on(graph));
    Split { train, held_out }
}

/// Boosts on a split of explored graphs.
pub fn boosted_in(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    split: &Split,
) -> Result<BoostedModel> {
    let booster = Booster::new(exploration, params, &split.train, &split.held_out)?;
    booster.run(|_| true).and_then(Trained::into_model)
}

/// Boosts on a split of `data`.
pub fn boosted_on(
    data: &Dataset,
    params: &FixedParams,
    engine: Engine,
    split: &Split,
) -> Result<BoostedModel> {
    let params = params.clone().check()?;
    boosted_in(&Exploration::new(data, params.max_edges, engine), &params, split)
}

/// Boosts on all graphs.
pub fn boosted(data: &Dataset, params: &FixedParams, engine: Engine) -> Result<BoostedModel> {
    boosted_on(data, params, engine, &Split::whole(data.len()))
}

/// Boosts on all graphs within limits.
pub fn boosted_within(
    data: &Dataset,
    params: &FixedParams,
    engine: Engine,
    limits: TrainingLimits,
) -> Result<BoostedModel> {
    let params = params.clone().check()?;
    let exploration = Exploration::with_limits(data, params.max_edges, engine, limits);
    boosted_in(&exploration, &params, &Split::whole(data.len()))
}

/// The model that a booster with valid parameters makes of all graphs.
pub fn model(data: &Dataset, params: &FixedParams, engine: Engine) -> Model {
    boosted(data, params, engine).expect("a model").model
}

/// One tree of the paper's kind on the squared loss.
pub fn one_tree() -> FixedParams {
    FixedParams { loss: LossKind::Squared, trees: 1, ..FixedParams::paper() }
}

/// Random graphs with targets of any kind, and parameters for small trees over them.
pub fn small_problem(random: &mut Random, max_graphs: usize) -> (Dataset, FixedParams) {
    let graphs = random_graphs(random, 7, max_graphs);
    let classes = random.pick(&[["a", "b", "a"], ["a", "b", "c"], ["0", "1.5", "4"]]);
    let targets: Vec<String> = graphs.iter().map(|_| random.pick(&classes).to_owned()).collect();
    let params = FixedParams {
        max_edges: Some(3),
        count_levels: random.pick(&[1, 2, 4, 20]),
        min_samples_leaf: 1,
        learning_rate: 0.5,
        ..FixedParams::default()
    };
    (dataset(&graphs, &targets), params)
}

/// A request for a whole training of graphs as they are.
pub fn request(params: impl Into<Params>) -> Request {
    Request::paper().with_params(params.into())
}

/// Graphs as they are, as a training takes them.
pub fn unchanged(data: &Dataset) -> Prepared {
    Prepared { data: data.clone(), representation: None }
}

/// Explores for one request.
pub fn explored<'d>(prepared: &'d Prepared, request: &Request) -> Explored<'d> {
    Explored::new(prepared, std::slice::from_ref(request), &Silent).expect("an exploration")
}

/// A whole training on a split of `data`, whose held-out graphs decide nothing.
pub fn trained_on(data: &Dataset, request: &Request, split: &Split) -> Result<Outcome> {
    let prepared = unchanged(data);
    train(&explored(&prepared, request), request, &Job::new(split), &Silent)
}

/// The same with least gain, rounds and temperature left to the data.
pub fn auto(params: FixedParams) -> Params {
    Params {
        min_gain: Setting::Auto,
        trees: Setting::Auto,
        temperature: Setting::Auto,
        ..params.into()
    }
}

/// The plan of a training on all of `data`, where tuning starts from `trees` rounds instead of the
/// automatic ones: small trainings are tuned like others.
pub fn plan(params: &Params, trees: usize, data: &Dataset) -> Plan {
    let plan = automatic::plan(params, data, &Split::whole(data.len()), None).expect("a plan");
    Plan { params: valid(&FixedParams { trees, ..(*plan.params).clone() }), ..plan }
}

/// Tunes on the graphs `train`.
pub fn tune(data: &Dataset, plan: &Plan, engine: Engine, train: &[u32]) -> Tuned {
    let exploration = Exploration::new(data, plan.params.max_edges, engine);
    hold_out::tune(&exploration, plan, train, &|| true).expect("tuned")
}
