//! The tuning before a training, through the program.

mod support;

use support::{Place, Random, path};

/// Paths of three letters of which those with an `a` are active, but for every fifth, which is
/// turned round.
fn noisy() -> String {
    let mut text = String::new();
    for id in 0..320 {
        let letter = |place: usize| ["a", "b", "c"][(id / 3usize.pow(place as u32)) % 3];
        let labels = [letter(0), letter(1), letter(2)].concat();
        let active = labels.contains('a') != (id % 5 == 3);
        text += &path(id, if active { "1" } else { "0" }, &labels);
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("g.gsp", noisy());
    place
}

#[test]
fn defaults_tune_first_and_say_what_they_found() {
    let place = place();
    let output = place.run("train g.gsp -o m.json --json train.json");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("tuned on held-out part"), "{said}");
    assert!(said.contains("; training on all graphs"), "{said}");
    let used = place.json("train.json")["results"]["params"].clone();
    let temperature = used["temperature"].as_f64().unwrap_or(1.0);
    let rounds = used["trees"].as_u64().expect("rounds");
    let gain = used["min_gain"].as_f64().expect("a gain");
    assert!(rounds < 150 || temperature > 1.0 || gain > 1.0, "a fifth is noise: {used}");
    assert!(said.contains(&format!("temperature {temperature}")), "{said}");
    assert!(said.contains(&format!(" {rounds} rounds, least gain {gain}, ")), "{said}");
    // What was found, when given, needs no tuning and gives the same model.
    let linear = used["linear"].as_f64().unwrap_or(0.0);
    let given =
        format!("--min-gain {gain} --trees {rounds} --temperature {temperature} --linear {linear}");
    let output = place.run(&format!("train g.gsp -o same.json {given}"));
    assert!(!String::from_utf8(output.stderr).expect("text").contains("held-out"));
    assert!(place.text("same.json") == place.text("m.json"));
    for flags in ["--engine bound", "--threads 1", "--checkpoint c.json"] {
        place.ok(&format!("train g.gsp -o other.json {flags}"));
        assert!(place.text("other.json") == place.text("m.json"), "{flags} changes the model");
    }
    place.ok("train g.gsp -o other.json --checkpoint c.json --resume");
    assert!(place.text("other.json") == place.text("m.json"), "going on changes the model");
}

#[test]
fn giving_a_part_of_it_leaves_tuning_out() {
    let place = place();
    for flags in [
        "--min-gain 1",
        "--trees 9",
        "--temperature 1",
        "--early-stopping 3",
        "--preset paper --trees 9",
    ] {
        let output = place.run(&format!("train g.gsp -o m.json --json train.json {flags}"));
        assert!(output.status.success(), "{flags}");
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(!said.contains("tuned on"), "{flags}: {said}");
        let used = place.json("train.json")["results"]["params"].clone();
        assert_eq!(used.get("temperature"), None, "{flags}: {used}");
        assert_eq!(used.get("linear"), None, "{flags}: {used}");
    }
    let refused = place.run("train g.gsp -o m.json --temperature 0");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).expect("text").contains("temperature"));
}

#[test]
fn cross_validation_tunes_in_each_fold() {
    let place = place();
    let last = |flags: &str| {
        place.ok(&format!("cv g.gsp --folds 3 --json cv.json {flags}"));
        let curve = place.json("cv.json")["results"][0]["log_loss"]["mean"].clone();
        let curve = curve.as_array().expect("a curve").clone();
        curve.last().and_then(serde_json::Value::as_f64).expect("a loss")
    };
    let tuned = last("");
    for fold in place.json("cv.json")["results"][0]["folds"].as_array().expect("folds") {
        assert_eq!(fold["tuning"]["trees"], fold["rounds"]);
    }
    let untuned = last("--temperature 1");
    assert!(tuned < untuned, "{tuned} with tuning, {untuned} without");
    place.ok("cv g.gsp --folds 3 --grid depth=2,6 --trees 5 --json cv.json");
    assert_eq!(place.json("cv.json")["results"].as_array().map(Vec::len), Some(2));
}

/// Paths of one to twenty letters; the target is how many `a` there are, less half of the `b`.
fn additive() -> String {
    let mut text = String::new();
    let mut random = Random(1);
    for id in 0..300usize {
        let labels: String =
            (0..=random.below(20)).map(|_| ["a", "b", "c"][random.below(3)]).collect();
        let count = |wanted: char| labels.chars().filter(|&letter| letter == wanted).count() as f64;
        text += &path(id, &format!("{:.1}", count('a') - 0.5 * count('b') + 0.1), &labels);
    }
    text
}

#[test]
fn a_linear_model_of_numbers_is_found_kept_printed_and_left_out() {
    let place = Place::new();
    place.write("g.gsp", additive());
    let output = place.run("train g.gsp -o m.json --json train.json");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).expect("text");
    let used = place.json("train.json")["results"]["params"].clone();
    let linear = used["linear"].as_f64().expect("a weight");
    assert!(linear > 0.0 && said.contains(&format!("linear model of weight {linear}")), "{said}");
    assert!(place.ok("inspect m.json").contains("linear    model: "));
    place.ok("train g.gsp -o none.json --linear 0");
    assert!(!place.ok("inspect none.json").contains("linear    model: "));
    for flags in ["--engine bound", "--threads 1"] {
        place.ok(&format!("train g.gsp -o other.json {flags}"));
        assert!(place.text("other.json") == place.text("m.json"), "{flags} changes the model");
    }
    // Contributions add up to the score with it, too.
    place.ok("predict m.json g.gsp --contrib -o contrib.csv");
    let text = place.text("contrib.csv");
    let mut lines = text.lines();
    assert!(lines.next().is_some_and(|head| head.starts_with("id,prediction,start,")));
    for line in lines {
        let row: Vec<f64> = line.split(',').map(|value| value.parse().expect("a number")).collect();
        let sum: f64 = row[2..].iter().sum();
        assert!((sum - row[1]).abs() < 1e-4, "{sum} instead of {}", row[1]);
    }
    for (flags, code) in [("--linear -1", 2), ("--linear x", 2), ("--linear 0.5 --loss poisson", 2)]
    {
        assert_eq!(
            place.run(&format!("train g.gsp -o other.json {flags}")).status.code(),
            Some(code),
            "{flags}"
        );
    }
    place.ok("cv g.gsp --folds 3 --grid linear=0,0.5 --trees 5 --json cv.json");
    assert_eq!(place.json("cv.json")["results"].as_array().map(Vec::len), Some(2));
}
