//! `mine`: patterns and their numbers, checked by value on small data, and against the known
//! numbers of the shared data where that is present.

mod support;

use serde_json::json;
use support::{Place, counts, keys, path, shared, two_classes};

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

/// Stars and a clique of like vertices, whose patterns cannot all be listed.
fn dense() -> String {
    let clique = |id: usize, n: usize| {
        let mut text = format!("t # {id}\n");
        (0..n).for_each(|v| text += &format!("v {v} A\n"));
        (0..n).for_each(|v| (0..v).for_each(|u| text += &format!("e {u} {v} x\n")));
        text
    };
    (0..4).map(|id| clique(id, 40)).collect()
}

#[test]
fn limits_end_cleanly_and_say_what_is_missing() {
    let place = Place::new();
    place.write("dense.gsp", dense());
    for flag in ["--memory 100MB", "--time 300ms"] {
        let reason = if flag.contains("memory") { "memory limit" } else { "time limit" };
        let output = place.run(&format!("mine dense.gsp -o p.jsonl --json r.json {flag}"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("incomplete") && said.contains(reason), "{said}");
        let result = &place.json("r.json")["results"];
        assert!(result["incomplete"]["reason"].as_str().unwrap().contains(reason));
        let text = place.text("p.jsonl");
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(last["incomplete"], result["incomplete"]);
        assert_eq!(json!(text.lines().count() - 1), result["patterns"]);
    }
    let output = place.run("mine dense.gsp --count-only --memory 100MB");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("incomplete"));
    // What is whole says nothing.
    place.ok("mine dense.gsp --max-edges 2 --json r.json --memory 100MB");
    assert_eq!(place.json("r.json")["results"]["incomplete"], json!(null));
}

#[test]
fn the_best_patterns_come_first() {
    let place = Place::new();
    place.write("two.gsp", two_classes(1));
    place.write("dense.gsp", dense());
    let patterns = |flags: &str| -> Vec<String> {
        let text = place.ok(&format!("mine {flags}"));
        let line = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        text.lines().map(|l| line(l)["pattern"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(patterns("two.gsp --top 2"), ["B-x-C", "A-x-B"]);
    assert_eq!(patterns("two.gsp --top 2 --by edges"), ["A-x-B-x-C", "A-x-C-x-B"]);
    let all = patterns("two.gsp --top 9 --max-edges 2");
    assert_eq!(all, patterns("two.gsp --top 9 --max-edges 2 --engine census"));
    assert_eq!(patterns("dense.gsp --top 2"), ["A-x-A", "A-x-A-x-A"]);
    let refused = place.run("mine two.gsp --by edges");
    assert_eq!(refused.status.code(), Some(2));
}
