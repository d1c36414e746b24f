//! Numbers beside patterns: the program on tables whose answer depends on a number alone.

mod support;

use support::Place;

/// Alkanes of which those given more than 30 are active, whatever their length; every ninth dose is
/// missing.
fn table() -> String {
    let mut text = String::from("smiles,id,dose,active\n");
    for i in 0..90 {
        let dose = i * 37 % 90;
        let chain = "C".repeat(3 + i % 7);
        let written = if i % 9 == 8 { String::new() } else { format!("{dose}.5") };
        text += &format!("{chain},m{i},{written},{}\n", i32::from(dose >= 30));
    }
    text
}

const TRAIN: &str = "train t.csv --target active --id id -o m.json --trees 60";

/// What the program says on standard error where it must fail.
fn complaint(place: &Place, args: &str) -> String {
    let output = place.run(args);
    assert!(!output.status.success(), "{args} succeeds");
    String::from_utf8(output.stderr).expect("text")
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table());
    place
}

#[test]
fn a_column_decides_and_prediction_needs_it() {
    let place = place();
    place.ok(&format!("{TRAIN} --covariates dose --measures false"));
    let model = place.json("m.json");
    let kept = &model["model"]["representation"]["covariates"];
    assert_eq!(kept[0]["name"], "dose");
    assert_eq!(kept.as_array().map(Vec::len), Some(1), "no measures: {kept}");
    place.write("new.csv", "smiles,DOSE\nCCCC,29\nCCCC,33\nCCCC,1e9\nCCCC,-1e9\nCCCC,NA\n");
    let out = place.ok("predict m.json new.csv");
    let predicted: Vec<&str> = out.lines().skip(1).map(|l| l.split(',').nth(1).unwrap()).collect();
    assert_eq!(predicted[..4], ["0", "1", "1", "0"], "{out}");
    place.write("less.csv", "smiles\nCCCC\n");
    let said = complaint(&place, "predict m.json less.csv");
    assert!(said.contains("no column is called \"dose\""), "{said}");
    place.write("bad.csv", "smiles,dose\nCCCC,1\nCCCC,much\n");
    let said = complaint(&place, "predict m.json bad.csv");
    assert!(said.contains("bad.csv:3: covariate \"much\" in column \"dose\""), "{said}");
    // Both engines, and either thread count, see the same.
    let first = place.text("m.json");
    for flags in ["--engine bound", "--threads 1"] {
        place.ok(&format!("{TRAIN} --covariates dose --measures false {flags}"));
        assert!(place.text("m.json") == first, "{flags} changes the model");
    }
}

#[test]
fn a_target_is_no_covariate() {
    let place = place();
    for named in ["active", "dose,Active"] {
        let said = complaint(&place, &format!("{TRAIN} --covariates {named}"));
        assert!(
            said.contains("t.csv: column \"active\" is a target and cannot be a covariate"),
            "{said}"
        );
    }
    // Of all columns of numbers, those that are covariates are no targets.
    place.ok("train t.csv --target all --covariates active --id id -o all.json --trees 2");
    assert!(place.path("all.json").exists());
}

#[test]
fn explanations_add_up_and_atoms_are_those_of_the_molecule() {
    let place = place();
    place.ok(&format!("{TRAIN} --covariates dose --report page.html"));
    assert!(place.text("page.html").contains("dose &gt;= "));
    place.ok("explain m.json t.csv --row 4 -o why.json");
    let why = place.json("why.json");
    let parts = why["patterns"].as_array().expect("patterns");
    let sum: f64 = parts.iter().map(|p| p["contribution"].as_f64().expect("a number")).sum();
    let (start, score) = (why["start"].as_f64().unwrap(), why["score"].as_f64().unwrap());
    assert!((start + sum - score).abs() < 1e-9, "{start} + {sum} is not {score}");
    let chain = why["structure"].as_str().expect("a SMILES").len();
    assert_eq!(why["atoms"].as_array().map(Vec::len), Some(chain));
    let doses =
        parts.iter().filter(|p| p["pattern"].as_str().is_some_and(|t| t.starts_with("dose ")));
    assert!(doses.count() > 0);
    place.ok("explain m.json t.csv --row 4 -o why.svg");
    let smarts = place.ok("patterns m.json --format smarts");
    assert!(smarts.lines().all(|line| line.starts_with('[')), "{smarts}");
}

#[test]
fn measures_find_what_no_pattern_can_and_may_be_left_out() {
    // As many N as C are active; patterns only count, up to a number.
    let place = Place::new();
    let mut text = String::new();
    let mut number = 0;
    for n in 1..=10 {
        for c in 1..=10 {
            let labels: Vec<&str> = [vec!["N"; n], vec!["C"; c]].concat();
            text += &format!("t # {number} {}\n", i32::from(n >= c));
            let line = |(i, label): (usize, &&str)| format!("v {i} {label}\n");
            text.extend(labels.iter().enumerate().map(line));
            text.extend((1..labels.len()).map(|i| format!("e {} {i}\n", i - 1)));
            number += 1;
        }
    }
    place.write("g.gsp", text);
    let flags = "--depth 1 --trees 1 --max-edges 1 --ensemble 1 --subsample 1 --pattern-sample 1";
    let split = |more: &str| {
        place.ok(&format!("train g.gsp -o m.json {flags} {more}"));
        let said = place.ok("evaluate m.json g.gsp");
        (place.ok("patterns m.json --format csv --top 1"), said)
    };
    let (with, said) = split("");
    assert!(with.contains("share of vertices "), "{with}");
    assert!(said.contains("1.0000") || said.contains("100"), "{said}");
    let (without, _) = split("--measures false");
    assert!(!without.contains("share of"), "{without}");
    for (refused, word) in [
        ("train g.gsp -o m.json --covariates x", "these are graphs"),
        ("train g.gsp -o m.json --vertices false --measures true", "--vertices true"),
        ("train g.gsp -o m.json --method gboost --measures true", "not for --method gboost"),
    ] {
        let said = complaint(&place, refused);
        assert!(said.contains(word), "{refused}: {said}");
    }
    place.ok("train g.gsp -o paper.json --preset paper --trees 2");
    assert_eq!(place.json("paper.json")["model"]["representation"], serde_json::Value::Null);
}
