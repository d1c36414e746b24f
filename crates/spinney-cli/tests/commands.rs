//! Every subcommand does its job, checked by value on small data whose answers are known by hand;
//! training, cross-validation and mining have files of their own.

mod support;

use std::io::{Read, Write};

use serde_json::{Value, json};
use support::{ONE_TREE, Place, counts, keys, path, rows, trained, two_classes};

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
