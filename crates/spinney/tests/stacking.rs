//! Models of several targets of the same graphs are stacked: a sum of models, score for score, and
//! a model like any other.

mod boosted;
mod oracle;

use boosted::{everything, explored, request, unchanged, valid};
use oracle::pattern::{self, occurrences, spelled};
use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spinney::evaluation::Split;
use spinney::model::{Predictions, StackedFrom, StackedModel};
use spinney::params::{ClassWeight, FixedParams, LossKind, ValidParams};
use spinney::stacking::multi_task::{TaskModel, stacked};
use spinney::training::out_of_fold::out_of_fold_scores;
use spinney::training::targets::{TrainedTarget, stack_targets};
use spinney::training::{Job, Observer, Silent, train};
use spinney::{Dataset, Model};

fn graphs(random: &mut Random, count: usize) -> Dataset {
    let shape = Shape { vertices: 7, edges: 9, vertex_labels: 3, edge_labels: 2 };
    let graphs: Vec<_> = (0..count).map(|_| random_connected(random, 6, 2, shape)).collect();
    dataset(&graphs, &vec!["0".to_owned(); count])
}

/// What the targets are about: edges between vertices 0 and 1, fewer or more than are usual.
fn truth(data: &Dataset, graph: usize) -> f64 {
    let graph = &data.graphs()[graph];
    let label = |v: u32| graph.labels()[v as usize];
    let between = graph.edges().iter().filter(|e| label(e.u) + label(e.v) == 1).count();
    between as f64 - 1.4
}

fn params() -> FixedParams {
    FixedParams { max_edges: Some(2), trees: 8, depth: 3, ensemble: 2, ..FixedParams::default() }
}

/// A target, trained without the others.
struct Task {
    model: Model,
    /// All graphs, with this target where they have it.
    data: Dataset,
    /// The graphs that have the target.
    train: Vec<u32>,
    params: ValidParams,
    /// The scores of all graphs, by trainings that did not see their answers.
    scores: Vec<f64>,
}

impl Task {
    fn new(all: &Dataset, answers: &[Option<String>], params: &FixedParams) -> Task {
        let target = trained_target("", all, answers, params);
        let TrainedTarget { train, prepared, outcome, .. } = target;
        let mut scores = scores(&outcome.model, all);
        let unseen = outcome.out_of_fold.expect("out-of-fold scores");
        train.iter().zip(unseen).for_each(|(&i, score)| scores[i as usize] = score);
        Task { model: outcome.model, data: prepared.data, train, params: outcome.params, scores }
    }

    /// The graphs that have the target, alone.
    fn own_graphs(&self) -> Dataset {
        self.data.subset(&self.train.iter().map(|&graph| graph as usize).collect::<Vec<_>>())
    }
}

/// A training on the graphs that have an answer.
fn trained_target(
    name: &str,
    all: &Dataset,
    answers: &[Option<String>],
    params: &FixedParams,
) -> TrainedTarget {
    let prepared = unchanged(&all.clone().with_targets(answers.to_vec()).expect("targets"));
    let own: Vec<u32> = (0..all.len() as u32).filter(|&i| answers[i as usize].is_some()).collect();
    let split = Split { train: own, held_out: Vec::new() };
    let wanted = request(params.clone());
    let job = Job { out_of_fold: true, ..Job::new(&split) };
    let outcome = train(&explored(&prepared, &wanted), &wanted, &job, &Silent).expect("a model");
    TrainedTarget { name: name.to_owned(), prepared, train: split.train, outcome }
}

fn scores(model: &Model, data: &Dataset) -> Vec<f64> {
    let predictions = model.predict(data);
    (0..data.len()).map(|i| predictions.scores(i)[0]).collect()
}

const NAMES: [&str; 3] = ["first", "second", "third"];

fn task_models(tasks: &[Task]) -> Vec<TaskModel<'_>> {
    let one = |(&name, task): (&&'static str, &'_ Task)| (name, task.scores.clone());
    let named: Vec<_> = NAMES.iter().zip(tasks).map(one).collect();
    let all = tasks.iter().zip(named);
    all.map(|(task, (name, scores))| TaskModel { name, model: &task.model, scores }).collect()
}

/// The model of one task with others stacked onto it, if they add enough.
fn stacked_model(tasks: &[Task], own: usize) -> Option<Model> {
    let Task { data, train, params, .. } = &tasks[own];
    stacked(&task_models(tasks), own, data, train, params).expect("no error")
}

fn stacked_from(model: &Model) -> &StackedFrom {
    model.provenance().stacked_from.as_ref().expect("a stacked model")
}

/// Answers to the same question with noise of their own, missing where `has` says no.
fn answers(
    all: &Dataset,
    random: &mut Random,
    kind: LossKind,
    has: impl Fn(usize) -> bool,
) -> Vec<Option<String>> {
    let mut one = |i: usize| {
        let noisy = truth(all, i) + 2.0 * random.unit() - 1.0;
        match kind {
            LossKind::Squared => format!("{noisy:.4}"),
            LossKind::Poisson => (noisy + 2.5).max(0.0).floor().to_string(),
            _ => u8::from(noisy > 0.0).to_string(),
        }
    };
    (0..all.len()).map(|i| Some(one(i)).filter(|_| has(i))).collect()
}

/// Three targets of the same graphs: the first of a kind, with a third of the answers, the second
/// with classes, the third with numbers.
fn three(all: &Dataset, random: &mut Random, kind: LossKind) -> Vec<Task> {
    let kinds = [kind, LossKind::Logistic, LossKind::Squared];
    let one = |(i, kind): (usize, LossKind)| {
        let answers = answers(all, random, kind, |g| i > 0 || g % 3 == 0);
        Task::new(all, &answers, &FixedParams { loss: kind, ..params() })
    };
    kinds.into_iter().enumerate().map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_stacked_model_is_the_sum(seed in 0u64..1 << 40, kind in 0usize..3) {
        let kind = [LossKind::Logistic, LossKind::Squared, LossKind::Poisson][kind];
        let mut random = Random::new(seed);
        let (all, fresh) = (graphs(&mut random, 300), graphs(&mut random, 100));
        let tasks = three(&all, &mut random, kind);
        for own in 0..3 {
            let Some(model) = stacked_model(&tasks, own) else { continue };
            let by = stacked_from(&model);
            let part = |name: &str| match name {
                "first" => &tasks[0].model,
                "second" => &tasks[1].model,
                _ => &tasks[2].model,
            };
            let own_model = &raw const tasks[own].model;
            prop_assert!(by.models.iter().all(|h| !std::ptr::eq(part(&h.target), own_model)));
            for data in [&all, &fresh] {
                let mut expected: Vec<f64> =
                    scores(&tasks[own].model, data).iter().map(|s| by.own * s).collect();
                for helper in &by.models {
                    prop_assert_eq!(helper.trees, part(&helper.target).trees().len());
                    let theirs = scores(part(&helper.target), data);
                    expected.iter_mut().zip(theirs).for_each(|(e, s)| *e += helper.weight * s);
                }
                let got = scores(&model, data);
                let shift = scores(&model, &all)[0] - {
                    let theirs = |h: &StackedModel| h.weight * scores(part(&h.target), &all)[0];
                    let others = by.models.iter().map(theirs).sum::<f64>();
                    by.own * scores(&tasks[own].model, &all)[0] + others
                };
                for (got, expected) in got.iter().zip(expected) {
                    let expected = expected + shift;
                    prop_assert!((got - expected).abs() < 1e-9, "{got} instead of {expected}");
                }
            }
            // It is a model like any other.
            let text = model.to_json();
            let again = Model::from_json(&text).expect("a sound file");
            prop_assert_eq!(&again, &model);
            prop_assert_eq!(again.to_json(), text);
            let before = &tasks[own].model;
            prop_assert_eq!(model.rounds(), before.rounds());
            prop_assert_eq!(model.ensemble(), before.ensemble());
            prop_assert_eq!(model.stacked_trees() + before.trees().len(), model.trees().len());
            let stages = model.staged_predict(&fresh);
            prop_assert_eq!(stages.len(), before.rounds() + 1);
            let last = stages.last().expect("a stage");
            let predicted = model.predict(&fresh);
            prop_assert!((0..fresh.len()).all(|g| predicted.scores(g) == last.scores(g)));
            // A stage is one of its own model, but for what the others add.
            let own_stages = before.staged_predict(&fresh);
            for round in 1..stages.len() {
                for g in 0..fresh.len() {
                    let grown = |s: &[Predictions]| s[round].scores(g)[0] - s[0].scores(g)[0];
                    let own = by.own * grown(&own_stages);
                    let both = grown(&stages);
                    prop_assert!((both - own).abs() < 1e-9, "{both} instead of {own}");
                }
            }
        }
    }
}

/// By a matcher that is not ours.
#[test]
fn supports_count_the_training_graphs_of_the_target() {
    let mut random = Random::new(21);
    let all = graphs(&mut random, 300);
    for kind in [LossKind::Logistic, LossKind::Squared] {
        let tasks = three(&all, &mut random, kind);
        let model = stacked_model(&tasks, 0).expect("the others know more");
        let data = &tasks[0].own_graphs();
        assert!(model.patterns().len() > tasks[0].model.patterns().len());
        for pattern in model.patterns() {
            let sought = spelled(&pattern.code);
            let holds =
                |g: &usize| occurrences(&sought, &pattern::Pattern::of(&data.graphs()[*g])) > 0;
            let holding: Vec<usize> = (0..data.len()).filter(holds).collect();
            let of_class = |class: &str| {
                holding.iter().filter(|&&g| data.targets()[g].as_deref() == Some(class)).count()
                    as u32
            };
            let expected = match kind {
                LossKind::Logistic => vec![of_class("0"), of_class("1")],
                _ => vec![holding.len() as u32],
            };
            assert_eq!(pattern.support, expected);
        }
        assert_eq!(model.provenance().graphs, data.len());
        assert_eq!(model.provenance().data_sha256, tasks[0].model.provenance().data_sha256);
    }
}

#[test]
fn few_answers_gain_from_many() {
    let mut gained = Vec::new();
    for seed in 0..15 {
        let mut random = Random::new(seed);
        let (all, fresh) = (graphs(&mut random, 500), graphs(&mut random, 400));
        // The same question with the same answers, of which the first has a sixth.
        let many = answers(&all, &mut random, LossKind::Logistic, |_| true);
        let few: Vec<_> = (0..all.len()).map(|i| many[i].clone().filter(|_| i % 6 == 0)).collect();
        let tasks = [Task::new(&all, &few, &params()), Task::new(&all, &many, &params())];
        let Some(model) = stacked_model(&tasks, 0) else { continue };
        let wrong = |model: &Model| {
            let scores = scores(model, &fresh);
            let loss = |g: usize| {
                let sign = if truth(&fresh, g) > 0.0 { -2.0 } else { 2.0 };
                (sign * scores[g]).exp().ln_1p()
            };
            (0..fresh.len()).map(loss).sum::<f64>() / fresh.len() as f64
        };
        gained.push((wrong(&tasks[0].model), wrong(&model)));
    }
    assert!(gained.len() >= 12, "stacked in {} of 15 cases", gained.len());
    assert!(gained.iter().all(|(own, both)| both < &(0.9 * own)), "{gained:?}");
}

#[test]
fn chance_is_not_stacked() {
    let mut count = 0;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let all = graphs(&mut random, 90);
        let mut coin = || (0..90).map(|_| Some(random.below(2).to_string())).collect::<Vec<_>>();
        let tasks =
            [coin(), coin()].map(|a| Task::new(&all, &a, &FixedParams { trees: 3, ..params() }));
        count += usize::from(stacked_model(&tasks, 0).is_some());
        count += usize::from(stacked_model(&tasks, 1).is_some());
    }
    assert!(count <= 3, "{count} of 40 were stacked");
}

#[test]
fn threads_change_nothing() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut random = Random::new(4);
            let all = graphs(&mut random, 240);
            let tasks = three(&all, &mut random, LossKind::Logistic);
            let models: Vec<_> = (0..3).map(|own| stacked_model(&tasks, own)).collect();
            assert!(models.iter().any(Option::is_some));
            models.iter().flatten().map(Model::to_json).collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(5));
}

/// The out-of-fold scores of all graphs, if there are any.
fn unseen_scores(
    data: &Dataset,
    params: &FixedParams,
    observer: &dyn Observer,
) -> Option<Vec<f64>> {
    let prepared = unchanged(data);
    let explored = explored(&prepared, &request(params.clone()));
    let all = everything(data);
    out_of_fold_scores(&explored, &valid(params), &all, observer).expect("no error")
}

/// Unseen means unseen: an answer that is turned round does not change its own graph's score.
#[test]
fn out_of_fold_scores_do_not_see() {
    let mut random = Random::new(9);
    let all = graphs(&mut random, 60);
    let numbers = answers(&all, &mut random, LossKind::Squared, |_| true);
    let params = FixedParams { loss: LossKind::Squared, ..params() };
    let of = |answers: &[Option<String>]| {
        let data = all.clone().with_targets(answers.to_vec()).expect("targets");
        unseen_scores(&data, &params, &Silent).expect("scores")
    };
    let before = of(&numbers);
    for changed in 0..10 {
        let mut other = numbers.clone();
        other[changed] = Some("40".to_owned());
        let after = of(&other);
        assert_eq!(after[changed].to_bits(), before[changed].to_bits());
        // Two thirds of the graphs are of parts whose trainings saw it.
        let moved = (0..all.len()).filter(|&g| after[g].to_bits() != before[g].to_bits()).count();
        assert_eq!(moved, 40);
    }
}

/// Stops at once.
struct Stop;

impl Observer for Stop {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn what_is_too_little_or_stopped_or_has_three_classes_is_not_stacked() {
    let mut random = Random::new(2);
    let all = graphs(&mut random, 60);
    let of = |targets: Vec<String>, weights: Vec<f64>, observer: &dyn Observer| {
        let targets = targets.into_iter().map(Some).collect();
        let data = all.clone().with_targets(targets).expect("targets");
        let data = data.with_weights(weights).expect("weights");
        unseen_scores(&data, &params(), observer).is_some()
    };
    let first = |n: usize| (0..60).map(|i| usize::from(i < n).to_string()).collect::<Vec<_>>();
    assert!(of(first(6), vec![1.0; 60], &Silent));
    assert!(!of(first(5), vec![1.0; 60], &Silent));
    assert!(!of(first(30), vec![1.0; 60], &Stop));
    assert!(!of((0..60).map(|i| (i % 3).to_string()).collect(), vec![1.0; 60], &Silent));
    // Graphs without weight are none; those of weight are in every part.
    let weighted = |n: usize| (0..60).map(|i| f64::from(u8::from(i >= 24 - n))).collect::<Vec<_>>();
    assert!(of(first(24), weighted(6), &Silent));
    assert!(!of(first(24), weighted(5), &Silent));
}

#[test]
fn class_weights_are_those_of_training() {
    let mut random = Random::new(31);
    let all = graphs(&mut random, 300);
    let rare = |i: usize| Some(u8::from(truth(&all, i) > 1.0).to_string());
    let answers: Vec<Vec<_>> = (0..2)
        .map(|k| (0..300).map(|i| rare(i).filter(|_| k == 1 || i % 4 == 0)).collect())
        .collect();
    let balanced = FixedParams { class_weight: ClassWeight::Balanced, ..params() };
    let tasks: Vec<_> = answers.iter().map(|a| Task::new(&all, a, &balanced)).collect();
    let Task { data, train, params: by_class, .. } = &tasks[0];
    let own = tasks[0].own_graphs();
    let size = |class: &Option<String>| own.targets().iter().filter(|t| *t == class).count();
    let each = |class: &Option<String>| match class {
        Some(_) => own.len() as f64 / (2.0 * size(class) as f64),
        None => 1.0,
    };
    let weights: Vec<f64> = data.targets().iter().map(each).collect();
    assert!(weights.iter().any(|&w| w > 1.5), "classes of different sizes");
    let weighted = data.clone().with_weights(weights).expect("weights");
    let plain = valid(&params());
    let models = task_models(&tasks);
    let stack = |data: &Dataset, params: &ValidParams| {
        stacked(&models, 0, data, train, params).expect("no error")
    };
    let by_class = stack(data, by_class).expect("a stacked model");
    let by_graph = stack(&weighted, &plain).expect("a stacked model");
    let without = stack(data, &plain);
    assert!(without.is_none_or(|model| stacked_from(&model) != stacked_from(&by_class)));
    let (a, b) = (stacked_from(&by_class), stacked_from(&by_graph));
    assert_eq!(a.models.len(), b.models.len());
    assert!((a.own - b.own).abs() < 1e-9 && (a.models[0].weight - b.models[0].weight).abs() < 1e-9);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut random = Random::new(4);
    let all = graphs(&mut random, 120);
    let answers = answers(&all, &mut random, LossKind::Logistic, |_| true);
    let tasks = [Task::new(&all, &answers, &params()), Task::new(&all, &answers, &params())];
    let Task { data, train, params, .. } = &tasks[0];
    let refused = |models: &[TaskModel<'_>], own: usize, data: &Dataset, train: &[u32]| {
        let reason = stacked(models, own, data, train, params).expect_err("refused").to_string();
        assert!(reason.contains("do not fit each other"), "{reason}");
    };
    refused(&task_models(&tasks), 2, data, train);
    let fewer = data.subset(&(1..data.len()).collect::<Vec<_>>());
    refused(&task_models(&tasks), 0, &fewer, &train[1..]);
    refused(&task_models(&tasks), 0, data, &[120; 120]);
    let mut short = task_models(&tasks);
    short[1].scores.pop();
    refused(&short, 0, data, train);
}

/// What a training of several targets stacks is what the models and their scores give.
#[test]
fn targets_are_stacked_by_the_scores_of_their_trainings() {
    let mut random = Random::new(21);
    let all = graphs(&mut random, 300);
    let kinds = [LossKind::Logistic, LossKind::Logistic, LossKind::Squared];
    let mut one = |i: usize| answers(&all, &mut random, kinds[i], |g| i > 0 || g % 3 == 0);
    let answers: Vec<_> = (0..3).map(&mut one).collect();
    let params = |i: usize| FixedParams { loss: kinds[i], ..params() };
    let tasks: Vec<Task> = (0..3).map(|i| Task::new(&all, &answers[i], &params(i))).collect();
    let target = |i: usize| trained_target(NAMES[i], &all, &answers[i], &params(i));
    let targets: Vec<TrainedTarget> = (0..3).map(target).collect();
    let mut seen = Vec::new();
    stack_targets(&targets, |stacked| {
        let expected = stacked_model(&tasks, stacked.number);
        assert_eq!(stacked.model.map(|m| m.to_json()), expected.map(|m| m.to_json()));
        assert_eq!(stacked.target.name, NAMES[stacked.number]);
        seen.push(stacked.number);
        Ok(true)
    })
    .expect("no error");
    assert_eq!(seen, [0, 1, 2]);
}

/// A stacked model file whose inside was changed and whose checksum is right.
fn edited(edit: impl FnOnce(&mut Value)) -> Result<Model, String> {
    let mut random = Random::new(21);
    let all = graphs(&mut random, 300);
    let model =
        stacked_model(&three(&all, &mut random, LossKind::Logistic), 0).expect("a stacked model");
    let mut file: Value = serde_json::from_str(&model.to_json()).expect("JSON");
    edit(&mut file["model"]);
    let body = file["model"].to_string();
    let digest = Sha256::digest(body.as_bytes());
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Model::from_json(&format!(
        "{{\"format\": \"spinney-model\", \"version\": 2, \"sha256\": \"{sum}\", \
         \"model\": {body}}}"
    ))
}

#[test]
fn damaged_notes_are_refused() {
    let sound = edited(|_| ()).expect("a sound file");
    assert!(sound.stacked_trees() > 0);
    let trees = sound.trees().len();
    type Edit<'a> = &'a dyn Fn(&mut Value);
    let cases: [(Edit<'_>, &str); 9] = [
        (&|t| t["models"][0]["trees"] = json!(trees + 1), "more trees than it has"),
        (&|t| t["models"][0]["trees"] = json!(u64::MAX), "more trees than it has"),
        (&|t| t["models"][0]["trees"] = json!(-1), "damaged or wrong"),
        (&|t| t["models"][0]["weight"] = Value::Null, "damaged or wrong"),
        (&|t| t["own"] = json!("1"), "damaged or wrong"),
        (&|t| drop(t.as_object_mut().map(|o| o.remove("own"))), "own"),
        (&|t| drop(t["models"][0].as_object_mut().map(|o| o.remove("weight"))), "weight"),
        (&|t| drop(t["models"][0].as_object_mut().map(|o| o.remove("target"))), "target"),
        (&|t| t["more"] = json!(1), "more"),
    ];
    for (edit, part) in cases {
        let reason = edited(|m| edit(&mut m["provenance"]["stacked_from"])).expect_err("refused");
        assert!(reason.contains(part), "{reason:?} lacks {part:?}");
    }
    let classes = edited(|m| {
        m["task"] = json!({"kind": "multiclass", "classes": ["0", "1"]});
        m["link"] = json!("softmax");
        m["init"] = json!([0.0, 0.0]);
    });
    let reason = classes.expect_err("refused");
    assert!(reason.contains("does not fit its outputs"), "{reason}");
}

/// With this seed, six graphs of a class that count would all be in one part if they were dealt
/// with those that do not, and the training without them had one class.
#[test]
fn graphs_without_weight_are_dealt_apart() {
    let mut random = Random::new(2);
    let all = graphs(&mut random, 60);
    let targets = (0..60).map(|i| Some(usize::from(i < 24).to_string())).collect();
    let weights = (0..60).map(|i| f64::from(u8::from(i >= 18))).collect();
    let data = all.with_targets(targets).expect("targets").with_weights(weights).expect("weights");
    let params = FixedParams { seed: 873, trees: 1, ensemble: 1, ..params() };
    assert!(unseen_scores(&data, &params, &Silent).is_some());
}
