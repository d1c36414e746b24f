//! `cv`: settings and folds, checked by value.

mod support;

use serde_json::{Value, json};
use support::{Place, counts, keys};

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
