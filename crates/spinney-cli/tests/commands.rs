//! Every subcommand does its job, checked by value on small data whose answers are known by hand,
//! and on the shared data where that is present.

mod support;

use std::io::{Read, Write};

use serde_json::{Value, json};
use support::{Place, counts, path, shared, two_classes};

/// One tree of depth 1 added whole: scores are ±1 on the data of `two_classes`.
const ONE_TREE: &str = "--preset paper --max-edges 1 --depth 1 --learning-rate 1 --trees 1";

fn trained() -> Place {
    let place = Place::with_graphs();
    place.ok(&format!("train good.gsp -o model.json {ONE_TREE}"));
    place
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn rows(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn help_and_version() {
    let place = Place::new();
    let help = place.ok("--help");
    for command in
        ["demo", "inspect", "train", "predict", "evaluate", "cv", "mine", "patterns", "features"]
    {
        assert!(help.contains(command), "{help}");
        assert!(place.ok(&format!("{command} --help")).contains("--json"), "{command}");
    }
    assert!(place.ok("--version").starts_with("spinney "));
    assert_eq!(place.run("").status.code(), Some(2));
}

#[test]
fn defaults_follow_the_data_and_views_go_with_the_model() {
    let place = Place::with_graphs();
    place.ok("train good.gsp -o model.json --trees 5 --json train.json");
    let kept = place.json("model.json")["model"]["representation"].clone();
    assert_eq!(kept["vertices"], json!(["label", "label+degree+ring"]));
    let measures = kept["covariates"].as_array().expect("measures of the whole graph");
    assert!(!measures.is_empty() && measures.iter().all(|m| m["measured"] == true), "{kept}");
    let used = &place.json("train.json")["results"]["params"];
    assert_eq!(used["min_samples_leaf"], 3, "few graphs want larger leaves");
    assert_eq!((&used["depth"], &used["ensemble"]), (&json!(16), &json!(3)));
    assert_eq!(place.json("model.json")["model"]["trees"].as_array().unwrap().len(), 15);
    let whole = place.ok("predict model.json good.gsp");
    assert_eq!(whole.lines().count(), 21);
    let refused = place.run("predict model.json good.gsp --nodes label");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("leave out --nodes"));
    place.ok(
        "train good.gsp -o given.json --trees 5 --nodes label --min-samples-leaf 1 --ensemble 1",
    );
    let given = &place.json("given.json")["model"];
    assert_eq!(
        (given.get("representation"), &given["params"]["min_samples_leaf"]),
        (None, &json!(1))
    );
    assert_eq!(given["trees"].as_array().unwrap().len(), 5);
    place.ok("train good.gsp -o twice.json --trees 2 --nodes label,label+degree+ring,label");
    assert_eq!(place.json("twice.json")["model"]["representation"]["vertices"], kept["vertices"]);
    place.ok("predict twice.json good.gsp");
    place.ok(&format!("train good.gsp -o paper.json {ONE_TREE}"));
    assert_eq!(place.json("paper.json")["model"].get("representation"), None);
}

#[test]
fn a_rare_class_is_shrunk_more() {
    let place = Place::with_graphs();
    let l2 = |flags: &str| {
        place.ok(&format!("train rare.gsp -o model.json --trees 1 --json train.json {flags}"));
        place.json("train.json")["results"]["params"]["l2"].as_f64().unwrap()
    };
    let graphs = |rare: usize, of: usize| -> String {
        let one = |i| if i < rare { path(i, "1", "ABC") } else { path(i, "-1", "ACB") };
        (0..of).map(one).collect()
    };
    place.write("rare.gsp", graphs(4, 20));
    assert_eq!(l2(""), 1.0, "a fifth is not rare");
    place.write("rare.gsp", graphs(4, 21));
    assert_eq!((l2(""), l2("--l2 0.5"), l2("--preset paper")), (3.0, 0.5, 0.0));
    place.write("rare.gsp", graphs(17, 21));
    assert_eq!(l2(""), 3.0, "whichever of the classes it is");
}

#[test]
fn train_says_what_it_did() {
    let place = Place::with_graphs();
    let stdout = place.ok(&format!("train good.gsp -o model.json {ONE_TREE} --json train.json"));
    assert!(stdout.starts_with("trained on 20 graphs: 1 round ("), "{stdout}");
    assert!(stdout.contains("1 pattern in the model"), "{stdout}");
    assert!(stdout.contains("training loss 0.1269\n"), "{stdout}");
    assert!(stdout.ends_with("wrote model.json\n"), "{stdout}");
    let shown = place.json("train.json");
    assert_eq!(shown["params"]["max_edges"], 1);
    assert_eq!(shown["params"]["preset"], "paper");
    assert_eq!(shown["params"]["input"], "good.gsp");
    assert_eq!(shown["results"]["model"], "model.json");
    assert_eq!(shown["results"]["patterns"], 1);
    let rounds = shown["results"]["record"]["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 1);
    assert_eq!(rounds[0]["splits"], 1);
    let loss = rounds[0]["train_loss"].as_f64().unwrap();
    assert!((loss - (-2f64).exp().ln_1p()).abs() < 1e-15, "{loss}");
}

#[test]
fn predict_writes_id_prediction_score_and_probability() {
    let place = trained();
    let csv = place.ok("predict model.json good.gsp");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[0], "id,prediction,score,probability");
    assert_eq!(lines[1], "0,1,1,0.8807970779778823");
    assert_eq!(lines[2], "1,-1,-1,0.11920292202211755");
    place.ok("predict model.json good.gsp -o out.csv");
    assert_eq!(place.text("out.csv"), csv);
}

#[test]
fn a_label_never_seen_matches_nothing() {
    let place = trained();
    let unseen = path(0, "", "Z") + &path(1, "", "AZB") + &path(2, "", "ZAB") + "t # empty\n";
    place.write("new.gsp", unseen);
    let csv = place.ok("predict model.json new.gsp");
    let predictions: Vec<String> = rows(&csv).into_iter().skip(1).map(|r| r[1].clone()).collect();
    assert_eq!(predictions, ["-1", "-1", "1", "-1"]);
}

#[test]
fn evaluate_gives_the_measures_of_classes() {
    let place = trained();
    let stdout = place.ok("evaluate model.json good.gsp --json e.json");
    assert_eq!(stdout, "20 graphs\naccuracy  100.00 %\nauc       1.0000\nlog_loss  0.1269\n");
    let results = &place.json("e.json")["results"];
    assert_eq!(keys(results), ["accuracy", "auc", "log_loss"]);
    assert_eq!(results["accuracy"], 1.0);
    assert_eq!(results["auc"], 1.0);
    // Turned round: every answer is wrong.
    place.write(
        "wrong.gsp",
        two_classes(10).replace(" -1\n", " +\n").replace(" 1\n", " -1\n").replace(" +\n", " 1\n"),
    );
    place.ok("evaluate model.json wrong.gsp --json e.json");
    let results = &place.json("e.json")["results"];
    assert_eq!(results["accuracy"], 0.0);
    assert_eq!(results["auc"], 0.0);
    let loss = results["log_loss"].as_f64().unwrap();
    assert!((loss - 2f64.exp().ln_1p()).abs() < 1e-12, "{loss}");
}

#[test]
fn an_undefined_measure_is_null() {
    let place = trained();
    place.write("one.gsp", path(0, "1", "ABC"));
    let stdout = place.ok("evaluate model.json one.gsp --json e.json");
    assert!(stdout.contains("auc       undefined"), "{stdout}");
    assert_eq!(place.json("e.json")["results"]["auc"], Value::Null);
}

#[test]
fn squared_loss_predicts_numbers() {
    let place = Place::new();
    let text: String = (0..10)
        .map(|i| if i % 2 == 0 { path(i, "2.5", "ABC") } else { path(i, "-0.5", "ACB") })
        .collect();
    place.write("numbers.gsp", text);
    place.ok(&format!("train numbers.gsp -o model.json --loss squared {ONE_TREE}"));
    let csv = place.ok("predict model.json numbers.gsp");
    assert!(csv.starts_with("id,prediction\n0,2.5\n1,-0.5\n"), "{csv}");
    place.ok("evaluate model.json numbers.gsp --json e.json");
    assert_eq!(place.json("e.json")["results"], json!({"rmse": 0.0, "mae": 0.0, "r2": 1.0}));
    assert!(place.ok("inspect model.json").contains("regression"));
}

#[test]
fn huber_and_poisson_learn_counts() {
    let place = Place::new();
    place.write("counts.gsp", counts(80));
    for loss in ["huber", "poisson", "squared"] {
        place.ok(&format!("train counts.gsp -o model.json --loss {loss} --trees 200"));
        place.ok("evaluate model.json counts.gsp --json e.json");
        let results = &place.json("e.json")["results"];
        assert_eq!(keys(results), ["rmse", "mae", "r2"]);
        assert!(results["rmse"].as_f64().unwrap() < 0.25, "{loss}: {results}");
        let csv = place.ok("predict model.json counts.gsp");
        let predictions = rows(&csv).into_iter().skip(1);
        let least = predictions.map(|r| r[1].parse::<f64>().unwrap()).fold(f64::MAX, f64::min);
        assert!(loss != "poisson" || least > 0.0, "{least}");
    }
}

#[test]
fn softmax_has_a_score_and_a_probability_for_each_class() {
    let place = Place::new();
    let text: String = (0..12)
        .map(|i| path(i, ["red", "green", "blue"][i % 3], ["AA", "BB", "CC"][i % 3]))
        .collect();
    place.write("colours.gsp", text);
    place.ok("train colours.gsp -o model.json --preset paper --trees 30");
    let csv = place.ok("predict model.json colours.gsp");
    let rows = rows(&csv);
    let header = "id,prediction,score_blue,score_green,score_red,\
                  probability_blue,probability_green,probability_red";
    assert_eq!(rows[0].join(","), header);
    for (i, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[1], ["red", "green", "blue"][i % 3]);
        let probabilities: Vec<f64> = row[5..].iter().map(|p| p.parse().unwrap()).collect();
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let class = [2, 1, 0][i % 3];
        assert!(probabilities[class] > 0.7, "{row:?}");
    }
    place.ok("evaluate model.json colours.gsp --json e.json");
    assert_eq!(place.json("e.json")["results"]["accuracy"], 1.0);
}

#[test]
fn class_weights_level_the_classes() {
    let place = Place::new();
    let graphs: String = (0..4).map(|i| path(i, if i == 0 { "0" } else { "1" }, "AB")).collect();
    place.write("alike.gsp", graphs);
    for (weight, probability) in [("none", 0.75), ("balanced", 0.5)] {
        let stdout = place.run(&format!(
            "train alike.gsp -o model.json --preset paper --init best --class-weight {weight}"
        ));
        let note = String::from_utf8(stdout.stderr).unwrap();
        assert!(note.contains("no pattern could split"), "{note}");
        let csv = place.ok("predict model.json alike.gsp");
        let shown: f64 = rows(&csv)[1][3].parse().unwrap();
        assert!((shown - probability).abs() < 1e-9, "{weight}: {shown}");
    }
}

#[test]
fn validation_graphs_stop_training_early() {
    let place = Place::new();
    place.write("train.gsp", counts(60));
    // The same graphs with targets that do not follow from them.
    let shifted: String = counts(60)
        .lines()
        .map(|l| {
            if l.starts_with('t') {
                format!("{l}\n").replace(" 0\n", " 3\n")
            } else {
                format!("{l}\n")
            }
        })
        .collect();
    place.write("valid.gsp", shifted);
    place.ok("train train.gsp -o model.json --loss squared --valid valid.gsp --early-stopping 5 \
         --trees 400 --learning-rate 0.3 --json t.json");
    let record = &place.json("t.json")["results"]["record"];
    let (best, rounds) =
        (record["best_round"].as_u64().unwrap(), record["rounds"].as_array().unwrap());
    assert_eq!(rounds.len() as u64, best + 5);
    let rmse = |round: u64| rounds[round as usize - 1]["valid"][0][1].as_f64().unwrap();
    assert_eq!(rounds[0]["valid"][0][0], "rmse");
    assert!((1..=best + 5).all(|round| rmse(round) >= rmse(best)));
    // The model is that of the best round.
    place.ok("evaluate model.json valid.gsp --json e.json");
    let shown = place.json("e.json")["results"]["rmse"].as_f64().unwrap();
    assert!((shown - rmse(best)).abs() < 1e-12, "{shown} {}", rmse(best));
}

#[test]
fn a_share_of_each_class_is_held_out() {
    let place = Place::with_graphs();
    for (share, kept) in [(0.3, 14), (0.5, 10), (0.05, 19), (0.9, 2)] {
        let stdout = place.ok(&format!(
            "train good.gsp -o model.json --valid {share} --trees 2 -q --json t.json"
        ));
        assert!(stdout.starts_with(&format!("trained on {kept} graphs")), "{share}: {stdout}");
        assert_eq!(place.json("t.json")["params"]["valid"], share.to_string());
        assert!(stdout.contains("validation log_loss"), "{stdout}");
    }
}

const FOLDS_ARE_TRAININGS: &str =
    "20 graphs, 5 folds; each fold is a whole training, measured where it ends\n";

/// The keys of a setting of `cv`, whose curves are of these metrics.
fn cv_keys(metrics: &[&'static str]) -> Vec<&'static str> {
    let first = ["params", "headline", "best_round", "optimistic", "seconds", "folds"];
    [&first, metrics].concat()
}

#[test]
fn cv_reports_every_setting_at_every_round() {
    let place = Place::with_graphs();
    let folds: String = (0..20).map(|i| format!("{}\n", i / 2 % 5)).collect();
    place.write("folds", folds);
    let stdout = place
        .ok("cv good.gsp --folds-file folds --preset paper --learning-rate 1 --trees 3 \
         --grid depth=1,2 --grid max-edges=1,none --json cv.json");
    assert!(stdout.starts_with(FOLDS_ARE_TRAININGS), "{stdout}");
    // Four settings, each where its folds end and at the best round.
    assert_eq!(stdout.matches("100.00 ± 0.00 %").count(), 8, "{stdout}");
    assert_eq!(stdout.matches(" best\n").count(), 1, "{stdout}");
    let shown = place.json("cv.json");
    assert_eq!(shown["params"]["grid"], json!({"depth": ["1", "2"], "max_edges": ["1", "none"]}));
    assert_eq!(shown["params"]["folds_file"], "folds");
    let settings = shown["results"].as_array().unwrap();
    let varied: Vec<(&Value, &Value)> =
        settings.iter().map(|s| (&s["params"]["depth"], &s["params"]["max_edges"])).collect();
    let (one, two, none) = (json!(1), json!(2), Value::Null);
    assert_eq!(varied, [(&one, &one), (&one, &none), (&two, &one), (&two, &none)]);
    for setting in settings {
        assert_eq!(keys(setting), cv_keys(&["accuracy", "auc", "log_loss"]));
        let headline = &setting["headline"];
        assert_eq!(keys(headline), ["accuracy", "auc", "log_loss"]);
        assert_eq!(headline["accuracy"], json!({"mean": 1.0, "sd": 0.0}));
        let folds = setting["folds"].as_array().unwrap();
        assert_eq!(folds.len(), 5);
        for (number, fold) in (1..).zip(folds) {
            let shown = [&fold["fold"], &fold["graphs"], &fold["rounds"]];
            assert_eq!(shown, [&json!(number), &json!(4), &json!(3)]);
            assert_eq!(fold["tuning"], Value::Null, "the paper tunes nothing");
            assert_eq!(fold["params"]["depth"], setting["params"]["depth"]);
            assert_eq!(fold["metrics"]["accuracy"], 1.0);
        }
        assert_eq!(setting["best_round"], 1);
        assert_eq!(setting["accuracy"], json!({"mean": [1.0, 1.0, 1.0], "sd": [0.0, 0.0, 0.0]}));
        let first = setting["log_loss"]["mean"][0].as_f64().unwrap();
        assert!((first - (-2f64).exp().ln_1p()).abs() < 1e-12, "{first}");
    }
}

#[test]
fn cv_on_random_folds_depends_on_the_seed_alone() {
    let place = Place::new();
    place.write("counts.gsp", counts(60));
    let run = |flags: &str| {
        place.ok(&format!(
            "cv counts.gsp --folds 4 --loss squared --trees 5 --metric r2 --json cv.json {flags}"
        ));
        let shown = place.json("cv.json");
        assert_eq!(shown["params"]["folds"], 4);
        let setting = &shown["results"][0];
        assert_eq!(keys(setting), cv_keys(&["rmse", "mae", "r2"]));
        setting["rmse"].clone()
    };
    let once = run("--threads 1");
    assert_eq!(once, run("--threads 2 --engine bound"));
    assert_ne!(once, run("--seed 1"));
}

/// The patterns of the paths A-B-C and A-C-B, worked out by hand.
const LINES: [&str; 5] = [
    concat!(
        r#"{"id":0,"pattern":"A-x-B","code":[[0,1,"A","x","B"]],"#,
        r#""edges":1,"support":1,"parent":null,"graphs":["0"]}"#,
    ),
    concat!(
        r#"{"id":1,"pattern":"A-x-B-x-C","code":[[0,1,"A","x","B"],[1,2,"B","x","C"]],"#,
        r#""edges":2,"support":1,"parent":0,"graphs":["0"]}"#,
    ),
    concat!(
        r#"{"id":2,"pattern":"A-x-C","code":[[0,1,"A","x","C"]],"#,
        r#""edges":1,"support":1,"parent":null,"graphs":["1"]}"#,
    ),
    concat!(
        r#"{"id":3,"pattern":"A-x-C-x-B","code":[[0,1,"A","x","C"],[1,2,"C","x","B"]],"#,
        r#""edges":2,"support":1,"parent":2,"graphs":["1"]}"#,
    ),
    concat!(
        r#"{"id":4,"pattern":"B-x-C","code":[[0,1,"B","x","C"]],"#,
        r#""edges":1,"support":2,"parent":null,"graphs":["0","1"]}"#,
    ),
];

#[test]
fn mine_lists_patterns_by_value() {
    let place = Place::new();
    place.write("two.gsp", two_classes(1));
    assert_eq!(place.ok("mine two.gsp"), LINES.map(|line| format!("{line}\n")).concat());
    let stdout = place.ok("mine two.gsp -o p.csv --occurrences");
    let summary =
        "5 patterns in 3 classes (minimum support 1, any size)\n  1 edge: 3\n  2 edges: 2\n";
    assert_eq!(stdout, summary);
    let csv = place.text("p.csv");
    assert!(
        csv.starts_with("id,pattern,edges,support,parent,graphs,occurrences\n0,A-x-B,1,1,,0,1\n")
    );
    assert!(csv.ends_with("4,B-x-C,1,2,,0 1,1 1\n"), "{csv}");
    place.ok("mine two.gsp -o p.gsp --min-support 100%");
    assert_eq!(place.text("p.gsp"), "t # 0 2\nv 0 B\nv 1 C\ne 0 1 x\n");
    let vertex = concat!(
        r#"{"id":0,"pattern":"A","code":[],"edges":0,"#,
        r#""support":2,"parent":null,"graphs":["0","1"]}"#,
    );
    assert!(place.ok("mine two.gsp --vertices").starts_with(vertex));
}

#[test]
fn mine_counts_and_limits() {
    let place = Place::new();
    place.write("two.gsp", two_classes(1));
    let results = |flags: &str| {
        place.ok(&format!("mine two.gsp --count-only --json m.json {flags}"));
        let shown = place.json("m.json");
        assert_eq!(keys(&shown["results"]), ["patterns", "classes", "by_edges"]);
        shown["results"].clone()
    };
    let all = json!({"patterns": 5, "classes": 3, "by_edges": {"0": 0, "1": 3, "2": 2}});
    assert_eq!(results(""), all);
    assert_eq!(results("--engine census"), all);
    assert_eq!(results("--engine bound"), all);
    assert_eq!(results("--vertices")["by_edges"]["0"], 3);
    assert_eq!(results("--max-edges 1")["patterns"], 3);
    assert_eq!(results("--min-support 2")["patterns"], 1);
    assert_eq!(results("--min-support 51%")["patterns"], 1);
    assert_eq!(results("--min-support 50%")["patterns"], 5);
    let closed = results("--closed");
    assert_eq!(closed["patterns"], 3);
    assert_eq!(closed["by_edges"], json!({"0": 0, "1": 1, "2": 2}));
}

#[test]
fn a_percentage_is_not_spoilt_by_rounding() {
    let place = Place::new();
    // 7 of 100 graphs hold A-B: 7 / 100 * 100 is more than 7 in floating point.
    let graphs: String = (0..100).map(|i| path(i, "0", if i < 7 { "AB" } else { "CC" })).collect();
    place.write("hundred.gsp", graphs);
    place.ok("mine hundred.gsp --min-support 7% --count-only --json m.json");
    let shown = place.json("m.json");
    assert_eq!(shown["params"]["min_support"], 7);
    assert_eq!(shown["results"]["patterns"], 2);
}

#[test]
fn both_engines_mine_the_same_files() {
    let place = Place::new();
    place.write("counts.gsp", counts(40));
    for form in ["jsonl", "csv", "gsp", "csv.gz"] {
        for engine in ["census", "bound"] {
            place.ok(&format!(
                "mine counts.gsp --max-edges 5 --min-support 5% --vertices --occurrences \
                 --engine {engine} -o {engine}.{form}"
            ));
        }
        let files = place.files();
        let of = |engine: &str| &files[&place.path(&format!("{engine}.{form}"))];
        assert!(of("census").len() > 500);
        assert!(of("census") == of("bound"), "{form}");
    }
}

#[test]
fn patterns_as_table_csv_and_json() {
    let place = trained();
    let csv = place.ok("patterns model.json --format csv");
    let header = "rank,pattern,edges,gain,splits,cover,support_-1,support_1,effect";
    assert_eq!(csv, format!("{header}\n1,A-x-B,1,20.000,1,20,0,10,+2.0000\n"));
    let table = place.ok("patterns model.json");
    assert_eq!(
        table.split_whitespace().collect::<Vec<_>>().join(","),
        csv.trim().replace('\n', ",")
    );
    let list: Value =
        serde_json::from_str(&place.ok("patterns model.json --format json --json p.json")).unwrap();
    assert_eq!(list[0]["code"], json!([[0, 1, "A", "x", "B"]]));
    assert_eq!(list[0]["support"], json!([0, 10]));
    assert_eq!(place.json("p.json")["results"]["patterns"], list);
    assert_eq!(place.ok("patterns model.json --top 0 --format csv").lines().count(), 1);
}

#[test]
fn features_as_csv_and_npz() {
    let place = trained();
    place.ok("features model.json good.gsp -o f.csv --json f.json");
    assert!(place.text("f.csv").starts_with("id,A-x-B\n0,1\n1,0\n2,1\n"));
    let results = &place.json("f.json")["results"];
    assert_eq!(results["rows"], 20);
    assert_eq!(results["columns"], json!(["A-x-B"]));
    assert_eq!(results["ones"], 10);
    place.ok("features model.json good.gsp -o f.npz");
    let file = std::fs::File::open(place.path("f.npz")).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    let mut array = |name: &str| {
        let mut bytes = Vec::new();
        zip.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
        let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert!(end.is_multiple_of(64) && bytes[end - 1] == b'\n');
        bytes.split_off(end)
    };
    assert_eq!(array("format"), b"csr");
    assert_eq!(array("data"), [1; 10]);
    assert_eq!(array("indices"), [0; 40]);
    assert_eq!(array("shape"), [20u64, 1].map(u64::to_le_bytes).concat());
    let starts: Vec<u8> = (0..=20u64).flat_map(|i| i.div_ceil(2).to_le_bytes()).collect();
    assert_eq!(array("indptr"), starts);
}

#[test]
fn inspect_describes_data_and_models() {
    let place = trained();
    let stdout = place.ok("inspect good.gsp --json i.json");
    assert!(stdout.starts_with("20 graphs\nvertices  3 to 3, mean 3.0; 3 labels\n"), "{stdout}");
    assert!(stdout.contains("targets   -1 (10), 1 (10)\n"), "{stdout}");
    let results = &place.json("i.json")["results"];
    assert_eq!(results["vertex_labels"], json!(["A", "B", "C"]));
    assert_eq!(results["targets"]["counts"], json!({"-1": 10, "1": 10}));
    assert_eq!(results["targets"]["missing"], 0);
    let stdout = place.ok("inspect model.json --json i.json");
    assert!(stdout.contains("classes -1, 1\n"), "{stdout}");
    assert!(stdout.contains("1 trees, 1 splits, 1 patterns of up to 1 edges"), "{stdout}");
    assert_eq!(place.json("i.json")["results"]["params"]["depth"], 1);
    // A model is known by its content too.
    std::fs::copy(place.path("model.json"), place.path("model")).unwrap();
    assert_eq!(place.ok("inspect model"), stdout);
    let many: String = (0..30).map(|i| path(i, &format!("word{i}"), "AB")).collect();
    place.write("words.gsp", many);
    assert!(place.ok("inspect words.gsp").contains("targets   30 different values\n"));
}

#[test]
fn every_json_file_has_the_same_envelope() {
    let place = trained();
    for (command, args) in [
        ("inspect", "good.gsp"),
        ("train", "good.gsp -o other.json --trees 1"),
        ("predict", "model.json good.gsp"),
        ("evaluate", "model.json good.gsp"),
        ("cv", "good.gsp --folds 2 --trees 1"),
        ("mine", "good.gsp --max-edges 1"),
        ("patterns", "model.json"),
        ("features", "model.json good.gsp -o f.csv"),
    ] {
        place.ok(&format!("{command} {args} --json out.json"));
        let shown = place.json("out.json");
        assert_eq!(keys(&shown), ["command", "params", "seconds", "results"], "{command}");
        assert_eq!(shown["command"], command);
        assert!(shown["seconds"].as_f64().unwrap() > 0.0);
        let named = shown["params"]["input"].as_str().or(shown["params"]["model"].as_str());
        assert!(named.is_some(), "{command}: {shown}");
    }
}

#[test]
fn the_model_file_depends_on_neither_threads_nor_engine_nor_memory() {
    let place = Place::new();
    place.write("counts.gsp", counts(60));
    for (i, flags) in
        ["--loss squared", "--preset paper --loss softmax --depth 3"].iter().enumerate()
    {
        let mut models = Vec::new();
        for engine in ["census", "bound"] {
            for threads in [1, 2, 8] {
                let name = format!("{i}-{engine}-{threads}.json");
                place.ok(&format!(
                    "train counts.gsp -o {name} {flags} --max-edges 4 --trees 12 \
                     --engine {engine} --threads {threads} -q"
                ));
                models.push(place.text(&name));
            }
        }
        for engine in ["auto", "bound"] {
            let name = format!("{i}-small-{engine}.json");
            place.ok(&format!(
                "train counts.gsp -o {name} {flags} --max-edges 4 --trees 12 --memory 200MB \
                 --engine {engine} -q"
            ));
            models.push(place.text(&name));
        }
        assert!(models[0].len() > 2000);
        assert!(models.iter().all(|m| *m == models[0]), "{flags}");
    }
}

/// No program runs in a byte; the training ends with a model nevertheless, and says so.
#[test]
fn limits_end_a_training_with_a_model() {
    let place = Place::new();
    place.write("counts.gsp", counts(60));
    for (limit, says) in [
        ("--memory 0.000001MB --engine bound", "the memory limit was reached in round 1"),
        ("--max-patterns 10", "the limit of patterns was reached in round 1"),
        ("--time 1ms --trees 100000", "the time limit was reached in round"),
    ] {
        let shown = place.ok(&format!(
            "train counts.gsp -o m.json --loss squared --max-edges 5 {limit} --json t.json -q"
        ));
        assert!(shown.contains(says) && shown.contains("wrote m.json"), "{limit}: {shown}");
        let model = place.json("m.json");
        let unproven = model["model"]["provenance"]["unproven"].as_array().cloned();
        let listed = place.json("t.json")["results"]["unproven"].as_array().cloned();
        assert_eq!(unproven.unwrap_or_default(), listed.unwrap_or_default(), "{limit}");
        place.ok("predict m.json counts.gsp -o p.csv");
    }
}

#[test]
fn gzip_goes_in_and_out() {
    let place = trained();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(two_classes(10).as_bytes()).unwrap();
    place.write("good.gsp.gz", packed.finish().unwrap());
    place.ok(&format!("train good.gsp.gz -o model2.json.gz {ONE_TREE}"));
    assert!(place.files()[&place.path("model2.json.gz")].starts_with(&[0x1f, 0x8b]));
    assert_eq!(
        place.ok("predict model2.json.gz good.gsp.gz"),
        place.ok("predict model.json good.gsp")
    );
}

#[test]
fn bad_records_are_skipped_on_request_and_listed() {
    let place = Place::new();
    place.write("loop.gsp", two_classes(3) + "t # loop 1\nv 0 A\nv 1 B\ne 0 1 x\ne 1 1 x\n");
    let output = place.run("inspect loop.gsp --on-error skip");
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines[0], "spinney: loop.gsp: skipped 1 bad record, kept 6 graphs");
    assert!(lines[1].starts_with("  loop.gsp:41: graph loop: self-loop at vertex 1"), "{stderr}");
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("6 graphs\n"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let place = Place::new();
    place.write("counts.gsp", counts(200));
    let program = assert_cmd::cargo::cargo_bin!("spinney");
    let mut child = std::process::Command::new(program)
        .args(["mine", "counts.gsp", "--max-edges", "6", "-q"])
        .current_dir(place.path(""))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn counts_of_the_shared_data_are_the_known_ones() {
    let place = Place::new();
    for (name, limits, expected) in [
        ("tu/MUTAG", "--max-edges 4", 491),
        ("tu/MUTAG", "--max-edges 6", 3017),
        ("gspan/chemical_340.gsp", "--min-support 10%", 844),
        ("gspan/chemical_340.gsp", "--min-support 20%", 190),
    ] {
        let Some(data) = shared(name) else { return };
        place.ok(&format!("mine {data} {limits} --count-only --json m.json"));
        assert_eq!(place.json("m.json")["results"]["patterns"], expected, "{name} {limits}");
    }
}

#[test]
fn enzymes_has_six_classes() {
    let Some(data) = shared("tu/ENZYMES") else { return };
    let place = Place::new();
    place.ok(&format!("train {data} -o model.json --max-edges 3 --trees 10"));
    let csv = place.ok(&format!("predict model.json {data}"));
    let rows = rows(&csv);
    assert_eq!((rows.len(), rows[0].len()), (601, 14));
    assert_eq!(rows[0][13], "probability_6");
    place.ok(&format!("evaluate model.json {data} --json e.json"));
    let accuracy = place.json("e.json")["results"]["accuracy"].as_f64().unwrap();
    let labels = std::fs::read_to_string(format!("{data}/ENZYMES_graph_labels.txt")).unwrap();
    let right = labels.lines().zip(&rows[1..]).filter(|(label, row)| label.trim() == row[1]);
    assert_eq!(right.count() as f64 / 600.0, accuracy);
    assert!(accuracy > 0.4, "{accuracy}");
}

#[test]
fn mutag_gives_one_model_whatever_the_engine() {
    let Some(data) = shared("paper/mutag.gsp.gz") else { return };
    let place = Place::new();
    for engine in ["census", "bound"] {
        place.ok(&format!(
            "train {data} -o {engine}.json --max-edges 4 --trees 10 --engine {engine}"
        ));
    }
    assert!(place.text("census.json") == place.text("bound.json"));
}

#[test]
fn gboost_trains_a_linear_model_that_the_other_commands_read() {
    let place = Place::with_graphs();
    let said = place.ok("train good.gsp --method gboost --nu 0.2 -o m.json --json r.json");
    assert!(said.contains("gBoost"), "{said}");
    // One edge separates the classes: the margin is whole.
    let record = place.json("r.json")["results"]["record"].clone();
    assert!((record["objective"].as_f64().unwrap() - 1.0).abs() < 1e-2, "{record}");
    assert!(record["gap"].as_f64().unwrap() <= 5e-3, "{record}");
    place.ok("evaluate m.json good.gsp --json e.json");
    assert_eq!(place.json("e.json")["results"]["accuracy"], 1.0);
    let params = place.json("m.json")["model"]["params"].clone();
    assert_eq!((&params["method"], &params["nu"]), (&"gboost".into(), &0.2.into()));
    // Either edge of A will do.
    let patterns = place.ok("patterns m.json");
    assert!(patterns.lines().nth(1).is_some_and(|line| line.contains('A')), "{patterns}");
}

#[test]
fn learners_refuse_each_others_flags() {
    let place = Place::with_graphs();
    for (flags, named) in [
        ("--method gboost --depth 2", "depth"),
        ("--method gboost --learning-rate 1", "learning_rate"),
        ("--method gboost --nu 1", "nu"),
        ("--nu 0.2", "nu"),
        ("--tolerance 0.1", "tolerance"),
    ] {
        let output = place.run(&format!("train good.gsp {flags} -o m.json"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flags}: {error}");
        assert!(error.contains(named), "{flags}: {error}");
        assert!(!place.path("m.json").exists());
    }
}

#[test]
fn graph_xor_is_reproduced_and_goes_on_where_it_was_stopped() {
    let place = Place::new();
    let said = place.ok("reproduce xor --quick --data nowhere -o out");
    assert!(said.contains("Graph-XOR"), "{said}");
    let accuracy = |row: &str| -> f64 { row.split(',').nth(2).unwrap().parse().unwrap() };
    let table = place.text("out/accuracy.csv");
    let rows: Vec<f64> = table.lines().skip(1).map(accuracy).collect();
    // Trees learn it; stumps, boosted or not, do not.
    assert!(rows[0] > 95.0 && rows[1] < 75.0 && rows[2] < 75.0, "{table}");
    let page = place.text("out/index.html");
    assert!(page.contains("<svg") && page.contains("random folds"));
    // Without its last results, torn in the middle of a line, the rest is done again.
    let cells = place.text("out/cells.jsonl");
    let kept: usize = cells.lines().take(20).map(|line| line.len() + 1).sum();
    place.write("out/cells.jsonl", &cells[..kept + 30]);
    place.ok("reproduce xor --quick --data nowhere -o out");
    assert_eq!(place.text("out/accuracy.csv"), table);
    assert_eq!(place.text("out/cells.jsonl").lines().count(), cells.lines().count());
}
