//! Molecules in, SMARTS out: the program on tables of SMILES.
//!
//! The tables are small and their answer is known: alcohols are active, alkanes and ethers are not.

mod support;

use support::Place;

/// Chains of carbon, some with a hydroxyl group.
fn table() -> String {
    let mut text = String::from("name,structure,activity,logs,part\n");
    for n in 1..=12 {
        let chain = "C".repeat(n);
        let part = if n % 3 == 0 { "test" } else { "train" };
        text += &format!("alcohol{n},{chain}O,active,-{n}.5,{part}\n");
        text += &format!("alkane{n},{chain}C,inactive,{n}.25,{part}\n");
        text += &format!("\"ether, {n}\",C{chain}OC,inactive,,{part}\n");
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("table.csv", table());
    place
}

const TRAIN: &str = "train table.csv --smiles structure --id name --preset paper --trees 20";

#[test]
fn a_table_becomes_a_model_whose_patterns_are_smarts() {
    let place = place();
    let said = place.ok(&format!("{TRAIN} --target activity -o model.json"));
    assert!(said.contains("positive class active (against inactive)"), "{said}");
    let smarts = place.ok("patterns model.json --format smarts --top 1 --svg drawn");
    assert!(smarts.starts_with("[#6&X4&H2&+0&0*&!R]~[#8&X2&H1&+0&0*&!R]"), "{smarts}");
    assert!(place.text("drawn/1.svg").starts_with("<svg"));
    place.ok("predict model.json table.csv --smiles structure --id name -o out.csv");
    let out = place.text("out.csv");
    let rows: Vec<&str> = out.lines().collect();
    assert_eq!(rows.len(), 37);
    assert!(rows[1].starts_with("alcohol1,active,"), "{}", rows[1]);
    assert!(rows[3].starts_with("\"ether, 1\",inactive,"), "{}", rows[3]);
    place.ok("evaluate model.json table.csv --smiles structure --target activity --json said.json");
    assert_eq!(place.json("said.json")["results"]["accuracy"], 1.0);
}

#[test]
fn the_chemistry_of_training_is_that_of_prediction() {
    let place = place();
    place.ok(&format!(
        "{TRAIN} --target activity --atoms element,element+aromatic --bonds order+ring -o m.json"
    ));
    let model = place.json("m.json");
    let chemistry = &model["model"]["representation"];
    assert_eq!(chemistry["atoms"], serde_json::json!(["element", "element+aromatic"]));
    assert_eq!(chemistry["bonds"], "order+ring");
    let predicted = place.ok("predict m.json table.csv --smiles structure --id name");
    assert_eq!(predicted.lines().count(), 37);
    let refused = place.run("predict m.json table.csv --smiles structure --atoms rdkit");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn several_targets_train_a_model_each_and_missing_ones_are_counted() {
    let place = place();
    let output = place.run(&format!("{TRAIN} --target activity,logs -o m.json --json said.json"));
    assert!(output.status.success());
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("logs: skipped 12 records without target"), "{notes}");
    let said = place.json("said.json");
    assert_eq!(said["results"][0]["model"], "m.activity.json");
    assert_eq!(said["results"][1]["target"], "logs");
    assert_eq!(place.json("m.logs.json")["model"]["task"]["kind"], "regression");
}

#[test]
fn splits_are_random_by_scaffold_or_by_column() {
    let place = place();
    let cv = "cv table.csv --smiles structure --preset paper --trees 5 --json said.json";
    place.ok(&format!("{cv} --target activity --folds 3"));
    place.ok(&format!("{cv} --target activity --split part"));
    assert_eq!(place.json("said.json")["params"]["folds"], 2);
    // Chains have no rings: one scaffold, which cannot be split.
    let scaffold = place.run(&format!("{cv} --target activity --split scaffold --folds 2"));
    assert_eq!(scaffold.status.code(), Some(2));
    let said = place.ok(&format!("{TRAIN} --target activity --split part --valid test -o m.json"));
    assert!(said.contains("trained on 24 graphs") && said.contains("validation"), "{said}");
}

#[test]
fn bad_rows_are_named_or_skipped() {
    let place = place();
    place.write("bad.csv", "smiles,y\nCC,0\nC1CC,1\nCCO,1\nCCC,0\nCCCO,1\n");
    let output = place.run("train bad.csv --target y -o m.json --preset paper");
    assert_eq!(output.status.code(), Some(2));
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("spinney: bad.csv:3: "), "{line}");
    assert!(!place.path("m.json").exists());
    let said = place.ok("train bad.csv --target y -o m.json --preset paper --on-error skip");
    assert!(said.contains("trained on 4 graphs"), "{said}");
    for args in ["predict m.json bad.csv -o out.csv", "predict m.json bad.csv"] {
        let output = place.run(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
    }
    assert!(!place.path("out.csv").exists());
}

#[test]
fn graphs_and_molecules_are_not_mixed_up() {
    let place = Place::with_graphs();
    place.write("table.csv", table());
    place.ok("train good.gsp -o graphs.json --preset paper --trees 2");
    place.ok(&format!("{TRAIN} --target activity -o molecules.json"));
    for (args, says) in [
        ("predict graphs.json table.csv --smiles structure", "trained on graphs"),
        ("predict molecules.json good.gsp", "trained on molecules"),
        ("predict molecules.json -", "--format"),
        ("train table.csv --smiles structure -o m.json", "--target"),
        ("train table.csv --smiles structure --target activty -o m.json", "did you mean"),
        ("cv good.gsp --split scaffold", "scaffolds are of molecules"),
        (
            "train table.csv --smiles structure --target activity --positive maybe -o m.json",
            "maybe",
        ),
    ] {
        let output = place.run(args);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {line}");
        assert!(line.contains(says), "{args}: {line}");
    }
}

#[test]
fn a_folds_file_may_count_records_that_are_skipped() {
    let place = place();
    let mut lines: Vec<String> = table().lines().map(str::to_owned).collect();
    lines.insert(3, "bad,C1CC,active,1,train".into());
    lines.insert(9, "none,CCO,,1,train".into());
    place.write("some.csv", lines.join("\n"));
    let fold = |i: usize| (i * 7 % 3).to_string();
    let every: Vec<String> = (0..lines.len() - 1).map(fold).collect();
    let kept: Vec<String> = (0..every.len()).filter(|i| ![2, 8].contains(i)).map(fold).collect();
    place.write("every", every.join("\n"));
    place.write("kept", kept.join("\n"));
    place.write("fewer", kept[1..].join("\n"));
    let cv =
        "cv some.csv --smiles structure --target activity --on-error skip --preset paper --trees 5";
    let results = |folds: &str| {
        place.ok(&format!("{cv} --folds-file {folds} --json said.json"));
        place.json("said.json")["results"][0]["log_loss"].clone()
    };
    assert_eq!(results("every"), results("kept"));
    let refused = place.run(&format!("{cv} --folds-file fewer"));
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("35 entries for 36 graphs"), "{said}");
}
