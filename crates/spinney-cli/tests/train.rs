//! `train`: defaults, losses, held-out graphs, limits and methods, through the program.

mod support;

use serde_json::json;
use support::{ONE_TREE, Place, counts, keys, path, rows, shared};

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
