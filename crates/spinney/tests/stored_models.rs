//! Model files of every released version, which must load for ever; hostile ones, which must be
//! refused with a reason, in bounded time and memory; and the bytes that training must give on any
//! machine.
//!
//! `SPINNEY_WRITE_SAMPLES=1 cargo test -p spinney --test stored_models` writes the samples of this
//! version to `tests/models`, where none of that name is; they are then kept for ever.

mod boosted;
mod oracle;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use boosted::{everything, explored, request, unchanged, valid};
use oracle::random::{Random, Shape, dataset, random_connected};
use proptest::prelude::{ProptestConfig, prop, prop_assert, proptest};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spinney::demo::graph_xor;
use spinney::params::{FixedParams, LossKind};
use spinney::stacking::multi_task::{TaskModel, stacked};
use spinney::training::Silent;
use spinney::training::out_of_fold::out_of_fold_scores;
use spinney::{Dataset, Model, fit};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// Made-up graphs with made-up targets.
fn synthetic(targets: impl Fn(&mut Random, usize) -> String) -> Dataset {
    let mut random = Random::new(77);
    let shape = Shape { vertices: 7, edges: 9, vertex_labels: 3, edge_labels: 2 };
    let graphs: Vec<_> = (0..60).map(|_| random_connected(&mut random, 7, 2, shape)).collect();
    let targets: Vec<String> = (0..60).map(|i| targets(&mut random, i)).collect();
    dataset(&graphs, &targets)
}

/// Data and parameters of every kind of model.
fn kinds() -> Vec<(&'static str, Dataset, FixedParams)> {
    let paper = FixedParams { max_edges: Some(3), trees: 4, depth: 2, ..FixedParams::paper() };
    // The default preset as it was before ensembles, and before tuning.
    let default = FixedParams {
        max_edges: Some(3),
        trees: 4,
        depth: 8,
        learning_rate: 0.06,
        ensemble: 1,
        min_samples_leaf: 2,
        subsample: 0.7,
        pattern_sample: 0.1,
        ..FixedParams::default()
    };
    let ensemble =
        FixedParams { max_edges: Some(3), trees: 4, learning_rate: 0.06, ..FixedParams::default() };
    let number = |random: &mut Random, _| format!("{:.3}", 4.0 * random.unit() - 2.0);
    let class = |_: &mut Random, i: usize| ["red", "green", "blue"][i % 3].to_owned();
    let count = |random: &mut Random, _| random.below(5).to_string();
    vec![
        ("binary", graph_xor(), FixedParams { max_edges: Some(2), ..paper.clone() }),
        ("counts", synthetic(|random, _| random.below(2).to_string()), default.clone()),
        ("classes", synthetic(class), paper.clone()),
        ("numbers", synthetic(number), FixedParams { loss: LossKind::Squared, ..default.clone() }),
        ("poisson", synthetic(count), FixedParams { loss: LossKind::Poisson, ..default }),
        ("huber", synthetic(number), FixedParams { loss: LossKind::Huber, ..paper }),
        ("ensemble", synthetic(class), ensemble.clone()),
        ("stacked", synthetic(|random, _| random.below(2).to_string()), ensemble),
    ]
}

/// A model; that of the kind `stacked` has one stacked onto it that has seen the answers.
fn trained(kind: &str, data: &Dataset, params: &FixedParams) -> Model {
    let wanted = request(params.clone());
    let model = fit(data, &wanted).expect("a model").model;
    if kind != "stacked" {
        return model;
    }
    let params = valid(params);
    let prepared = unchanged(data);
    let explored = explored(&prepared, &wanted);
    let all = everything(data);
    let unseen = out_of_fold_scores(&explored, &params, &all, &Silent).expect("trainings");
    let other = request(FixedParams { seed: 1, ..(*params).clone() });
    let other = fit(data, &other).expect("a model").model;
    let predicted = other.predict(data);
    let seen = (0..data.len()).map(|i| predicted.scores(i)[0]).collect();
    let tasks = [
        TaskModel { name: "own", model: &model, scores: unseen.expect("scores") },
        TaskModel { name: "other", model: &other, scores: seen },
    ];
    stacked(&tasks, 0, data, &all, &params).expect("no error").expect("a stacked model")
}

/// The scores of all graphs, bit for bit, as a digest.
fn scores(model: &Model, data: &Dataset) -> String {
    let predictions = model.predict(data);
    let mut digest = Sha256::new();
    for i in 0..data.len() {
        predictions.scores(i).iter().for_each(|score| digest.update(score.to_le_bytes()));
    }
    hex(&digest.finalize())
}

#[test]
fn samples_of_every_version_load_and_predict_as_they_did() {
    if std::env::var_os("SPINNEY_WRITE_SAMPLES").is_some() {
        for (name, data, params) in kinds() {
            let path = folder().join(format!("{}-{name}.json", env!("CARGO_PKG_VERSION")));
            let model = trained(name, &data, &params);
            if !path.exists() {
                model.save(&path).expect("a file");
                let path = path.with_extension("scores");
                std::fs::write(path, scores(&model, &data)).expect("a file");
            }
        }
    }
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).expect("the samples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let model = Model::load(&path).unwrap_or_else(|e| panic!("{e}"));
        let name = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        let kind = name.split_once('-').expect("VERSION-KIND").1;
        let kinds = kinds();
        let (_, data, _) = kinds.iter().find(|k| k.0 == kind).expect("a kind");
        let stored = std::fs::read_to_string(path.with_extension("scores")).expect("scores");
        assert_eq!(scores(&model, data), stored.trim(), "{name}");
        seen += 1;
    }
    assert!(seen >= 6, "only {seen} samples");
}

/// Training on fixed data gives these bytes, on any machine, today and tomorrow. If they must
/// change, the change log says so.
#[test]
fn training_gives_the_stored_bytes() {
    let expected = [
        ("binary", "154123cd81adcd8770687de70043f9e188f676102156178e48245248780d9b7b"),
        ("counts", "af27fb89ddc51c113ed4bbb138ac5776db542e4772bf696d1e25625deac02de2"),
        ("classes", "6d0ded72c6f92c51dd904c5105981f9f2fb8ca7b13675c3707cb37b6fcb08282"),
        ("numbers", "67ee21428f37b9f24b463c60eff2bbb7e1fe608275a16caf66247b79ddd5f50c"),
        ("poisson", "7110122d0b06e7e63b69332cddde52134be2a6bd4a74f3272412dd56c22fdc10"),
        ("huber", "f770c5e466214c1fac27465dd497c340503bad038677775fb499a14d80dd0bb7"),
        ("ensemble", "969b19851f48fd0c839c565e081d099fdf2d46d8f6ad5f1ed177c71d6c713053"),
        ("stacked", "7e355bec181b39f414c26248c4628025a2f842dd58878ff6acc39ba59a36c55e"),
    ];
    let mut wrong = Vec::new();
    for ((name, data, params), (other, hash)) in kinds().into_iter().zip(expected) {
        assert_eq!(name, other);
        for threads in [1, 2] {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let text = pool.install(|| trained(name, &data, &params).to_json());
            let found = hex(&Sha256::digest(text.as_bytes()));
            if found != hash {
                wrong.push(format!("{name} {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn sealed(body: &str) -> String {
    let sum = hex(&Sha256::digest(body.as_bytes()));
    format!("{{\"format\":\"spinney-model\",\"version\":2,\"sha256\":\"{sum}\",\"model\":{body}}}")
}

/// The content of an intact model.
fn intact() -> Value {
    let (_, data, params) = kinds().swap_remove(1);
    let text = fit(&data, &request(params)).expect("a model").model.to_json();
    let file: Value = serde_json::from_str(&text).expect("JSON");
    file["model"].clone()
}

/// A pattern of one centre and like legs of two edges, which has factorially many automorphisms.
fn spider(legs: u16) -> Value {
    let mut edges = vec![json!([0, 1, 0, 0, 0]), json!([1, 2, 0, 0, 0])];
    for leg in 1..legs {
        let first = 1 + 2 * leg;
        edges.push(json!([2, first, 0, 0, 0]));
        edges.push(json!([first, first + 1, 0, 0, 0]));
    }
    json!({"text": "spider", "edges": edges, "support": [1, 1]})
}

/// The same pattern again and again: `before`, many times `again`, `after`.
fn repeated(before: &str, again: &str, times: usize, after: &str) -> String {
    format!("{before}{}{after}", again.repeat(times))
}

type Case = (&'static str, String, &'static str);

/// Hostile files: what they are, their text, and a part of the refusal.
fn hostile() -> Vec<Case> {
    let body = intact();
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut body = body.clone();
        edit(&mut body);
        sealed(&body.to_string())
    };
    let text = body.to_string();
    let raw = |from: &str, to: &str| sealed(&text.replacen(from, to, 1));
    let init = format!("\"init\":{}", body["init"]);
    vec![
        ("deep nesting", repeated("", "[", 1 << 20, ""), "not a JSON object"),
        ("deep nesting inside", sealed(&repeated("{\"params\":", "{\"a\":", 1 << 20, "")), "model"),
        (
            "deep nesting that is closed",
            sealed(&format!("{}1{}", "[".repeat(1 << 20), "]".repeat(1 << 20))),
            "model",
        ),
        (
            "deep parameters",
            edited(&|m| {
                let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
                m["params"]["deep"] = json!([deep]);
            })
            .replace("[1]", &format!("{}1{}", "[".repeat(500), "]".repeat(500))),
            "",
        ),
        ("not a number", raw(&init, "\"init\":[NaN]"), "expected"),
        ("an infinite number", raw(&init, "\"init\":[1e999]"), "out of range"),
        ("a negative index", edited(&|m| m["trees"][0]["nodes"][0]["yes"] = json!(-3)), "wrong"),
        (
            "a fraction as an index",
            edited(&|m| m["trees"][0]["nodes"][0]["yes"] = json!(1.5)),
            "wrong",
        ),
        (
            "a huge index",
            edited(&|m| m["trees"][0]["nodes"][0]["no"] = json!(u64::MAX)),
            "not exist",
        ),
        ("a cycle", edited(&|m| m["trees"][0]["nodes"][0]["yes"] = json!(0)), "not a new node"),
        ("a newer version", raw("", "").replacen("\"version\":2", "\"version\":3", 1), "update"),
        (
            "an older version",
            raw("", "").replacen("\"version\":2", "\"version\":0", 1),
            "no longer read",
        ),
        ("a negative version", raw("", "").replacen("\"version\":2", "\"version\":-1", 1), "-1"),
        ("a wrong sum", raw("", "").replacen("\"sha256\":\"", "\"sha256\":\"0", 1), "checksum"),
        (
            "a million empty trees",
            edited(&|m| m["trees"] = json!(vec![json!({"nodes": []}); 1 << 20])),
            "no nodes",
        ),
        (
            "a million outputs",
            edited(&|m| {
                m["task"] = json!({"kind": "multiclass", "classes": vec!["x"; 1 << 20]});
            }),
            "outputs",
        ),
        (
            "a pattern of 3,000 edges",
            edited(&|m| {
                let edges: Vec<Value> = (0..3000).map(|v| json!([v, v + 1, 0, 0, 0])).collect();
                m["patterns"][0] = json!({"text": "", "edges": edges, "support": [1, 1]});
            }),
            "more than 2000 edges",
        ),
        (
            "factorially many automorphisms",
            edited(&|m| m["patterns"][0] = spider(200)),
            "too symmetric",
        ),
        (
            "many such patterns",
            edited(&|m| {
                m["patterns"] = (11..200).map(spider).collect();
            }),
            "too symmetric",
        ),
        (
            "a tree that is too deep",
            edited(&|m| {
                // Each split has a leaf and the next split.
                let split = |i: usize| {
                    json!({"pattern": 0, "at_least": 1, "yes": 2 * i + 1,
                    "no": 2 * i + 2, "gain": 1.0, "cover": 1})
                };
                let leaf = || json!({"value": 0.0, "cover": 1});
                let chain = (0..1000).flat_map(|i| [split(i), leaf()]).chain([leaf()]);
                m["trees"][0]["nodes"] = chain.collect();
            }),
            "deeper than",
        ),
    ]
}

#[test]
fn hostile_files_are_refused_with_a_reason_and_soon() {
    for (what, text, says) in hostile() {
        let started = Instant::now();
        let refused = Model::from_json(&text).err();
        let took = started.elapsed();
        assert!(took < Duration::from_secs(20), "{what}: {took:?}");
        let reason = refused.unwrap_or_else(|| panic!("{what} is accepted"));
        assert!(reason.contains(says), "{what}: {reason}");
        assert!(reason.len() < 1000, "{what}: a reason of {} bytes", reason.len());
    }
}

/// A gigabyte of blanks packs into a megabyte.
#[test]
fn what_unpacks_without_end_is_refused() {
    let folder = std::env::temp_dir().join(format!("spinney-bomb-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("bomb.json.gz");
    let file = std::fs::File::create(&path).expect("a file");
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    (0..1100).for_each(|_| packed.write_all(&blanks).expect("room"));
    packed.finish().expect("room");
    let refused = Model::load(&path).err().map(|e| e.to_string());
    std::fs::remove_dir_all(&folder).expect("an end");
    assert!(
        refused.as_ref().is_some_and(|r| r.contains("bomb.json.gz") && r.contains("GiB")),
        "{refused:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Damage at random: a bit flipped, a part missing, a part repeated, or bytes replaced. It is
    /// noticed, or it made no difference.
    #[test]
    fn damage_is_noticed(
        at in 0.0f64..1.0,
        to in 0.0f64..1.0,
        bit in 0u32..8,
        kind in 0usize..4,
        byte in prop::num::u8::ANY,
    ) {
        static MODEL: std::sync::OnceLock<Model> = std::sync::OnceLock::new();
        let model = MODEL.get_or_init(|| {
            let (_, data, params) = kinds().swap_remove(1);
            fit(&data, &request(params)).expect("a model").model
        });
        let mut bytes = model.to_json().into_bytes();
        let (a, b) = ((at * bytes.len() as f64) as usize, (to * bytes.len() as f64) as usize);
        let (a, b) = (a.min(b), a.max(b));
        match kind {
            0 => bytes[a] ^= 1 << bit,
            1 => drop(bytes.drain(a..b)),
            2 => {
                let part = bytes[a..b].to_vec();
                bytes.splice(b..b, part);
            }
            _ => bytes[a] = byte,
        }
        let text = String::from_utf8(bytes).ok();
        if let Some(read) = text.and_then(|text| Model::from_json(&text).ok()) {
            prop_assert!(read == *model);
        }
    }
}
