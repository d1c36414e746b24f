//! `train --target all`: models of several targets of one table are stacked.

mod support;

use std::fmt::Write;

use support::{Place, Random};

/// Chains of atoms. What matters is which atoms are neighbours, each pair a little. `tox` asks
/// whether that is much, and so does `harm`, of which few have an answer; `size` is the number.
/// Every eighth answer is wrong, in each column another one.
fn table() -> String {
    let mut text = String::from("smiles,id,harm,tox,size\n");
    let mut random = Random(12_345);
    let mut below = |n| random.below(n);
    for i in 0..400 {
        let length = 5 + below(5);
        let chain: Vec<usize> = (0..length).map(|_| below(4)).collect();
        let matters = [[0, 3, -2, 1], [3, -1, 4, -3], [-2, 4, -3, 2], [1, -3, 2, 0]];
        let sum: i32 = chain.windows(2).map(|pair| matters[pair[0]][pair[1]]).sum();
        let mut noisy = || u8::from((sum > 2) != (below(8) == 0)).to_string();
        let (harm, tox) = (noisy(), noisy());
        let harm = if i % 4 == 0 { harm } else { String::new() };
        let tox = if i % 11 == 5 { String::new() } else { tox };
        let size = f64::from(sum) + below(300) as f64 / 100.0;
        let atoms: String = chain.iter().map(|&atom| ["C", "N", "O", "S"][atom]).collect();
        writeln!(text, "C{atoms}C,m{i},{harm},{tox},{size}").unwrap();
    }
    text
}

const TARGETS: [&str; 3] = ["harm", "tox", "size"];
const TRAIN: &str = "train t.csv --target all --id id -o m.json --trees 12 --max-edges 3";

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table());
    place
}

/// The scores that a model file gives the molecules of a file.
fn scores(place: &Place, model: &str, data: &str) -> Vec<f64> {
    let out = place.ok(&format!("predict {model} {data}"));
    let mut lines = out.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = ["score", "prediction"].iter().find_map(|n| head.iter().position(|h| h == n)).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn models_are_stacked_and_say_from_what() {
    let place = place();
    let said = place.ok(&format!("{TRAIN} --json train.json"));
    assert!(said.contains("harm: score = ") && said.contains(" x its own "), "{said}");
    let results = place.json("train.json");
    assert_eq!(results["params"]["stack"], true);
    for (i, target) in TARGETS.iter().enumerate() {
        let (file, result) = (place.json(&format!("m.{target}.json")), &results["results"][i]);
        assert_eq!(result["target"], *target);
        assert_eq!(result["stacked_from"], file["model"]["provenance"]["stacked_from"]);
        let patterns = file["model"]["patterns"].as_array().map(Vec::len);
        assert_eq!(result["patterns"].as_u64().map(|n| n as usize), patterns);
    }
    let from = results["results"][0]["stacked_from"].clone();
    assert!(from["models"].as_array().is_some_and(|h| !h.is_empty()), "few have answers: {from}");
    // The score of a new molecule is the sum of what the models alone say.
    place.ok(&TRAIN.replace("m.json", "alone.json --stack false"));
    place.write("new.csv", "smiles\nCCNOCC\nCCCCC\nCONCN\nCOCCNC\nCOOC\nCNNNOC\nc1ccccc1\n");
    let alone = |target: &str| scores(&place, &format!("alone.{target}.json"), "new.csv");
    let mut expected: Vec<f64> =
        alone("harm").iter().map(|s| from["own"].as_f64().unwrap() * s).collect();
    for helper in from["models"].as_array().unwrap() {
        let weight = helper["weight"].as_f64().unwrap();
        let theirs = alone(helper["target"].as_str().unwrap());
        expected.iter_mut().zip(theirs).for_each(|(sum, s)| *sum += weight * s);
    }
    let got = scores(&place, "m.harm.json", "new.csv");
    let shift = got[0] - expected[0];
    for (got, expected) in got.iter().zip(&expected) {
        assert!((got - expected - shift).abs() < 1e-5, "{got} instead of {}", expected + shift);
    }
    assert!((got[0] - got[1]).abs() > 0.1, "not all the same: {got:?}");
}

#[test]
fn a_stacked_model_serves_as_any_other() {
    let place = place();
    place.ok(TRAIN);
    let said = place.ok("inspect m.harm.json --json i.json");
    let line = said.lines().find(|l| l.starts_with("stacked ")).expect("a line");
    assert!(line.contains("score = ") && line.contains(" x its own "), "{line}");
    let inspected = place.json("i.json")["results"].clone();
    assert_eq!((&inspected["rounds"], inspected["trees"].as_u64() > Some(24)), (&12.into(), true));
    let helpers = &inspected["provenance"]["stacked_from"]["models"];
    assert!(helpers[0]["trees"].as_u64() >= Some(12), "{helpers}");
    place.ok("explain m.harm.json t.csv --row 4 -o why.json");
    let why = place.json("why.json");
    let parts = why["patterns"].as_array().expect("patterns");
    let sum: f64 = parts.iter().map(|p| p["contribution"].as_f64().expect("a number")).sum();
    let (start, score) = (why["start"].as_f64().unwrap(), why["score"].as_f64().unwrap());
    assert!((start + sum - score).abs() < 1e-9, "{start} + {sum} is not {score}");
    assert!(place.ok("patterns m.harm.json --format csv").lines().count() > 2);
    place.ok("evaluate m.harm.json t.csv --target harm");
    place.ok("report m.harm.json --data t.csv --target harm -o page.html");
    let page = place.text("page.html");
    assert!(
        page.contains("Stacked from other targets")
            && page.contains("are those of models of other targets")
    );
}

#[test]
fn without_stacking_each_target_is_trained_by_itself() {
    let place = place();
    place.ok(&format!("{TRAIN} --stack false --json train.json"));
    assert_eq!(place.json("train.json")["results"][0].get("stacked_from"), None);
    for target in TARGETS {
        let one = TRAIN.replace("all", target).replace("m.json", "one.json");
        let said = place.ok(&one);
        assert!(!said.contains("its own"), "{said}");
        let alone = place.text("one.json");
        assert!(alone == place.text(&format!("m.{target}.json")), "{target}");
        assert!(!alone.contains("stacked_from"));
    }
    let said = place.ok("inspect one.json");
    assert!(!said.contains("stacked"), "{said}");
}

#[test]
fn threads_and_engines_give_the_same_bytes() {
    let place = place();
    let models = |flags: &str| {
        place.ok(&format!("{TRAIN} {flags}"));
        TARGETS.map(|target| place.text(&format!("m.{target}.json")))
    };
    let first = models("--threads 1");
    assert!(first.iter().any(|model| model.contains("stacked_from")));
    for flags in ["--threads 2", "--engine bound"] {
        assert!(models(flags) == first, "{flags} changes a model");
    }
}

#[test]
fn what_cannot_be_stacked_is_said() {
    let place = place();
    place.write("v.csv", table());
    for (args, reason) in [
        ("train t.csv --target tox -o x.json --stack true", "several targets"),
        (&format!("{TRAIN} --stack true --valid 0.2")[..], "with --valid"),
        (&format!("{TRAIN} --stack true --valid v.csv"), "with --valid"),
        (&format!("{TRAIN} --stack true --early-stopping 3"), "with --early-stopping"),
        (&format!("{TRAIN} --stack true --checkpoint c.json"), "with --checkpoint"),
        (&format!("{TRAIN} --stack true --report page.html"), "with --report"),
        (&format!("{TRAIN} --stack true --time 1h"), "with --time"),
        (&format!("{TRAIN} --stack true --max-patterns 100000"), "with --max-patterns"),
        (
            "train t.csv --target harm,tox -o x.json --method gboost --stack true",
            "with --method gboost",
        ),
    ] {
        let output = place.run(args);
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{args}: {said}");
        assert!(said.contains("stack") && said.contains(reason), "{args}: {said}");
    }
    assert!(!place.path("x.json").exists() && !place.path("m.tox.json").exists());
    // Where it was not asked for, it is left out, and that is said, too.
    let output = place.run(&format!("{TRAIN} --valid 0.2"));
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("models are not stacked, because of --valid"), "{said}");
    assert!(!place.text("m.harm.json").contains("stacked_from"));
    // As the paper did, each is alone unless it is asked for.
    place.ok(&format!("{TRAIN} --preset paper --json train.json"));
    assert_eq!(place.json("train.json")["params"]["stack"], false);
    assert!(!place.text("m.harm.json").contains("stacked_from"));
}

#[test]
fn too_few_answers_and_three_classes_are_left_alone() {
    let place = Place::new();
    let mut text = String::from("smiles,few,three,many\n");
    for (i, line) in table().lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let few = match i {
            0..5 => "1",
            5..30 => "0",
            _ => "",
        };
        writeln!(text, "{},{few},{},{}", fields[0], ["a", "b", "c"][i % 3], fields[3]).unwrap();
    }
    place.write("t.csv", text);
    place.ok(
        "train t.csv --target few,three,many -o m.json --trees 5 --max-edges 2 --json train.json",
    );
    let results = place.json("train.json")["results"].clone();
    assert_eq!([0, 1].map(|i: usize| results[i].get("stacked_from")), [None, None]);
    assert_eq!(results[2].get("stacked_from"), Some(&serde_json::Value::Null));
    for target in ["few", "three", "many"] {
        assert!(!place.text(&format!("m.{target}.json")).contains("stacked_from"), "{target}");
    }
}
