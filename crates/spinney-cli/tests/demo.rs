//! `spinney demo`: the built-in data, the paper's point, the patterns.

mod support;

use support::Place;

/// The number before ` ±` in the row of `model`.
fn accuracy(stdout: &str, model: &str) -> f64 {
    let row = stdout.lines().find(|line| line.starts_with(model)).unwrap();
    let value = row[model.len()..].split(" ±").next().unwrap();
    value.trim().trim_start_matches("(linear)").trim().parse().unwrap()
}

#[test]
fn depth_1_fails_depth_2_succeeds_and_patterns_are_shown() {
    let place = Place::new();
    let stdout = place.ok("demo --json demo.json");
    assert!(stdout.contains("1035 graphs"), "{stdout}");
    assert!(accuracy(&stdout, "depth 1") < 70.0, "{stdout}");
    assert_eq!(accuracy(&stdout, "depth 2"), 100.0, "{stdout}");
    let header = stdout.lines().position(|l| l.starts_with("rank  pattern")).unwrap();
    let patterns: Vec<&str> =
        stdout.lines().skip(header + 1).take_while(|l| !l.is_empty()).collect();
    assert_eq!(patterns.len(), 12, "{stdout}");
    for (i, row) in patterns.iter().enumerate() {
        let fields: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(fields[0], (i + 1).to_string());
        assert!(fields[1].chars().all(|c| "ABCD-()".contains(c)), "{row}");
        assert!(["1", "2"].contains(&fields[2]), "{row}");
    }
    check_json(&place);
}

fn check_json(place: &Place) {
    let json = place.json("demo.json");
    assert_eq!(json["command"], "demo");
    assert_eq!(json["params"]["max_edges"], 2);
    assert_eq!(json["params"]["learning_rate"], 0.7);
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    let settings = json["results"]["settings"].as_array().unwrap();
    let of = |depth: usize, metric: &str| settings[depth - 1][metric].as_f64().unwrap();
    assert_eq!(settings.len(), 3);
    assert!(of(1, "accuracy") < 0.7);
    assert_eq!(of(2, "accuracy"), 1.0);
    assert_eq!(of(2, "auc"), 1.0);
    assert!(json["results"]["patterns"].as_u64().unwrap() >= 12);
}
