//! Bad input: each case gives exactly one line on standard error that names the place and the
//! reason, exits with 2 (bad input or usage) or 1 (could not be carried out), and leaves the folder
//! as it was: no partial file and no temporary one.

mod support;

use std::sync::OnceLock;

use support::{Place, path, two_classes};

/// A model of the good graphs.
fn model() -> &'static str {
    static MODEL: OnceLock<String> = OnceLock::new();
    MODEL.get_or_init(|| {
        let place = Place::with_graphs();
        place.ok("train good.gsp -o model.json --preset paper --max-edges 1 --trees 2");
        place.text("model.json")
    })
}

/// A folder with good graphs, a model of them, and folds for them.
fn place() -> Place {
    let place = Place::with_graphs();
    place.write("model.json", model());
    place.write("folds", (0..20).map(|i| format!("{}\n", i / 2 % 5)).collect::<String>());
    place
}

/// One bad input.
struct Case {
    args: String,
    files: Vec<(&'static str, Vec<u8>)>,
    code: i32,
    says: &'static [&'static str],
}

fn case(args: &str, code: i32, says: &'static [&'static str]) -> Case {
    Case { args: args.to_owned(), files: Vec::new(), code, says }
}

impl Case {
    fn with(mut self, name: &'static str, content: impl AsRef<[u8]>) -> Case {
        self.files.push((name, content.as_ref().to_vec()));
        self
    }

    fn check(&self) {
        let place = place();
        for (name, content) in &self.files {
            place.write(name, content);
        }
        let before = place.files();
        let output = place.run(&self.args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        let what = format!("spinney {}: {stderr}", self.args);
        assert_eq!(output.status.code(), Some(self.code), "{what}");
        assert_eq!(stderr.lines().count(), 1, "{what}");
        assert!(stderr.starts_with("spinney: "), "{what}");
        for text in self.says {
            assert!(stderr.contains(text), "{what} should say {text:?}");
        }
        assert!(place.files() == before, "{what} changed files");
    }
}

fn check(cases: impl IntoIterator<Item = Case>) {
    let checked = cases.into_iter().map(|case| case.check()).count();
    println!("{checked} cases checked");
}

/// Training on these graphs.
fn graphs(text: impl AsRef<[u8]>, says: &'static [&'static str]) -> Case {
    case("train bad.gsp -o out.json --json shown.json", 2, says).with("bad.gsp", text)
}

#[test]
fn wrong_lines_are_named() {
    let good = two_classes(1);
    let after = |line: &str| format!("{good}t # 2 1\nv 0 A\nv 1 B\n{line}\n");
    check([
        graphs(after("e 0 0 x"), &["bad.gsp:16: ", "self-loop", "remove it or skip the graph"]),
        graphs(after("e 0 7 x"), &["bad.gsp:16: ", "vertex 7"]),
        graphs(after("e 0 1 x\ne 1 0 y"), &["bad.gsp:17: ", "different labels"]),
        graphs(after("e 0"), &["bad.gsp:16: ", "`e u v [label]`"]),
        graphs(after("e zero 1 x"), &["bad.gsp:16: ", "\"zero\"", "not a whole number"]),
        graphs(after("v 3 C"), &["bad.gsp:16: ", "vertex 3 where vertex 2 should follow"]),
        graphs(after("v"), &["bad.gsp:16: ", "`v number label`"]),
        graphs(after("x 1 2"), &["bad.gsp:16: ", "unknown line \"x\""]),
        graphs("v 0 A\n", &["bad.gsp:1: ", "`t # id`"]),
        graphs("t 0\n", &["bad.gsp:1: ", "`t # id [target [name]]`"]),
        graphs(b"t # 0 1\nv 0 \xff\n", &["bad.gsp:2: ", "UTF-8"]),
        graphs("smiles,label\nCCO,1\n", &["bad.gsp:1: "]),
        graphs("", &["bad.gsp: ", "no graphs"]),
        graphs("t # -1\n", &["bad.gsp: ", "no graphs"]),
    ]);
}

/// What fuzzing found: the crate that reads parquet panics on the first, and would be busy with the
/// others for hours.
#[test]
fn damaged_parquet_is_an_error_of_one_line() {
    let found = |content: &[u8], says| {
        case("train bad.parquet -o out.json --target y", 2, says).with("bad.parquet", content)
    };
    check([
        found(
            include_bytes!("../../../fuzz/seeds/parquet/dictionary_too_short"),
            &["bad.parquet: ", "not an intact parquet file: Parquet error: damaged content"],
        ),
        found(
            include_bytes!("../../../fuzz/seeds/parquet/list_without_end"),
            &["bad.parquet: ", "not an intact parquet file", "a page header with"],
        ),
        found(
            include_bytes!("../../../fuzz/seeds/parquet/page_of_other_kinds"),
            &["bad.parquet: ", "not an intact parquet file", "a page header with"],
        ),
    ]);
}

#[test]
fn targets_that_cannot_be_learnt_are_named() {
    let good = two_classes(2);
    let and = |target: &str| good.clone() + &path(9, target, "AB");
    let loss = |loss: &str, text: String, says| {
        case(&format!("train bad.gsp -o out.json --loss {loss}"), 2, says).with("bad.gsp", text)
    };
    let one_class: String = (0..4).map(|i| path(i, "1", "ABC")).collect();
    check([
        graphs(one_class, &["bad.gsp: ", "one class"]),
        graphs(and(""), &["bad.gsp: ", "graph 9 (number 5 of 5) has no target"]),
        graphs(and("nan"), &["bad.gsp: ", "graph 9 has target \"nan\"", "finite"]),
        loss("squared", and("nan"), &["bad.gsp: ", "graph 9 has target \"nan\"", "finite"]),
        loss("squared", and("inf"), &["bad.gsp: ", "\"inf\"", "finite"]),
        loss("squared", and("high"), &["bad.gsp: ", "\"high\"", "not a number"]),
        loss("poisson", good.clone(), &["bad.gsp: ", "graph 1 has target -1", "at least 0"]),
        loss("logistic", and("7"), &["bad.gsp: ", "two classes", "use softmax"]),
        case("train good.gsp -o out.json --valid v.gsp", 2, &["v.gsp: ", "\"7\"", "-1, 1"])
            .with("v.gsp", path(0, "7", "AB")),
        case("train good.gsp -o out.json --valid v.gsp", 2, &["v.gsp: ", "no target"])
            .with("v.gsp", path(0, "", "AB")),
        case("evaluate model.json v.gsp --json shown.json", 2, &["v.gsp: ", "\"7\"", "-1, 1"])
            .with("v.gsp", path(0, "7", "AB")),
        case("evaluate model.json v.gsp", 2, &["v.gsp: ", "no target"])
            .with("v.gsp", path(0, "", "AB")),
        case("cv bad.gsp", 2, &["bad.gsp: ", "no target"]).with("bad.gsp", and("")),
    ]);
}

#[test]
fn inputs_that_are_something_else_are_named() {
    check([
        case("train none.gsp -o out.json", 2, &["none.gsp: ", "No such file"]),
        case("train good.gsp -o out.json --valid none.gsp", 2, &["none.gsp: ", "No such file"]),
        case("train table.xyz -o out.json", 2, &["table.xyz: ", "--format", "gspan", "csv"])
            .with("table.xyz", "a,b\n"),
        case("train table.csv -o out.json", 2, &["table.csv: ", "--smiles", "\"a\""])
            .with("table.csv", "a,b\n"),
        case("train model.json -o out.json", 2, &["model.json: ", "graphs are needed"]),
        case("predict model.json model.json", 2, &["model.json: ", "graphs are needed"]),
        case("predict good.gsp model.json", 2, &["good.gsp: ", "model first, then the graphs"]),
        case("evaluate good.gsp good.gsp", 2, &["good.gsp: ", "no model file"]),
        case("features good.gsp good.gsp -o f.csv", 2, &["good.gsp: ", "no model file"]),
        case("patterns good.gsp", 2, &["good.gsp: ", "no model file"]),
        case("inspect none", 2, &["none: ", "No such file"]),
        case("inspect empty.gsp.gz", 2, &["empty.gsp.gz: ", "empty, not gzip"])
            .with("empty.gsp.gz", ""),
        case("inspect cut.gsp.gz", 2, &["cut.gsp.gz: ", "truncated"])
            .with("cut.gsp.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x2b]),
        case("mine bad.gsp --on-error fail", 2, &["bad.gsp:4: ", "self-loop"])
            .with("bad.gsp", "t # 0\nv 0 A\nv 1 A\ne 1 1 x\n"),
    ]);
}

#[test]
fn damaged_and_foreign_models_are_refused() {
    let bad = |content: String, says| {
        case("predict bad.json good.gsp -o out.csv --json shown.json", 2, says)
            .with("bad.json", content)
    };
    let half = &model()[..model().len() / 2];
    check([
        case("predict none.json good.gsp", 2, &["none.json: ", "No such file"]),
        bad(half.to_owned(), &["bad.json: ", "ends too early"]),
        bad(String::new(), &["bad.json: ", "not a whole Spinney model"]),
        bad(model().replace("A-x-B", "A-x-C"), &["bad.json: ", "damaged", "checksum"]),
        bad("{\"a\": 1}".into(), &["bad.json: ", "not a Spinney model"]),
        bad("[1, 2]".into(), &["bad.json: ", "not a Spinney model"]),
        bad("hello".into(), &["bad.json: ", "not a Spinney model"]),
        bad(model().replace("spinney-model", "other-model"), &["bad.json: ", "\"other-model\""]),
        bad(
            model().replace("\"version\": 2", "\"version\": 99"),
            &["version 99", "update spinney"],
        ),
        case("inspect bad.json", 2, &["bad.json: ", "not a Spinney model"]).with("bad.json", "{}"),
        case("predict bad.json good.gsp", 2, &["bad.json: ", "not text"])
            .with("bad.json", b"\xff\xfe\x00"),
    ]);
}

/// A TUDataset of two graphs of one edge each, with one of its files replaced.
fn tu(file: &'static str, content: &str, says: &'static [&'static str]) -> Case {
    let mut case = case("train T -o out.json", 2, says);
    for (name, good) in [
        ("T/T_A.txt", "1, 2\n2, 1\n3, 4\n4, 3\n"),
        ("T/T_graph_indicator.txt", "1\n1\n2\n2\n"),
        ("T/T_graph_labels.txt", "1\n-1\n"),
        ("T/T_node_labels.txt", "0\n0\n0\n1\n"),
        ("T/T_edge_labels.txt", "0\n0\n0\n0\n"),
    ] {
        case = if name == file { case.with(name, content) } else { case.with(name, good) };
    }
    case
}

#[test]
fn wrong_counts_in_a_tudataset_are_named() {
    check([
        tu("T/T_graph_labels.txt", "1\n", &["T_graph_indicator.txt:3: ", "has 1 line"]),
        tu("T/T_graph_labels.txt", "1\n-1\n1\n", &["T_graph_labels.txt:3: ", "graph 3"]),
        tu("T/T_graph_labels.txt", "1\nnan\n", &["T: ", "\"nan\"", "finite"]),
        tu("T/T_node_labels.txt", "0\n0\n0\n", &["T_node_labels.txt:3: ", "4 vertices"]),
        tu("T/T_node_labels.txt", "0\n0\n0\n0\n0\n", &["T_node_labels.txt:5: ", "too many"]),
        tu("T/T_edge_labels.txt", "0\n0\n0\n", &["T_edge_labels.txt:3: ", "T_A.txt has more"]),
        tu("T/T_edge_labels.txt", "0\n0\n0\n0\n0\n", &["T_edge_labels.txt:5: ", "too many"]),
        tu("T/T_A.txt", "1, 2\n2, 9\n3, 4\n4, 3\n", &["T_A.txt:2: ", "vertex 9"]),
        tu("T/T_A.txt", "1, 2\n2, 2\n3, 4\n4, 3\n", &["T_A.txt:2: ", "self-loop"]),
        tu("T/T_A.txt", "1, 2\n2, 3\n3, 4\n4, 3\n", &["T_A.txt:2: ", "joins graphs 1 and 2"]),
        tu("T/T_A.txt", "1, 2\nx, 3\n3, 4\n4, 3\n", &["T_A.txt:2: "]),
        tu("T/T_graph_indicator.txt", "2\n1\n1\n2\n", &["T_graph_indicator.txt:2: ", "ascend"]),
        tu("", "", &["T: ", "several data sets (S, T)"]).with("T/S_A.txt", "1, 2\n"),
        case("inspect F", 2, &["F: ", "no TUDataset in this folder"]).with("F/readme.txt", "hi\n"),
        case("inspect F", 2, &["F: ", "F_graph_indicator.txt"]).with("F/F_A.txt", "1, 2\n"),
    ]);
}

#[test]
fn wrong_folds_are_named() {
    let folds = |content: &str, says| {
        case("cv good.gsp --folds-file bad --json shown.json", 2, says).with("bad", content)
    };
    check([
        folds("0\n1\n", &["bad: ", "2 entries for 20 graphs", "one line a graph"]),
        folds(&"0\n1\n".repeat(11), &["bad: ", "22 entries for 20 graphs"]),
        folds("", &["bad: ", "0 entries"]),
        folds("0\none\n", &["bad:2: ", "\"one\"", "integer"]),
        folds("0\n1.5\n", &["bad:2: ", "\"1.5\"", "integer"]),
        folds(&"3\n".repeat(20), &["bad: ", "at least two folds"]),
        case("cv good.gsp --folds-file bad", 2, &["bad:1: ", "integer"])
            .with("bad", b"\xff\xfe\xfd\n"),
        case("cv good.gsp --folds-file none", 2, &["none: ", "No such file"]),
        case("cv good.gsp --folds 1", 2, &["folds", "2 or more"]),
        case("cv good.gsp --folds 21", 2, &["folds", "at most one a graph"]),
    ]);
}

#[test]
fn nonsense_in_a_grid_is_named() {
    let grid = |axis: &str, says| case(&format!("cv good.gsp --trees 2 --grid {axis}"), 2, says);
    check([
        grid("depth", &["grid", "\"depth\"", "NAME=V1,V2"]),
        grid("depth=", &["grid", "lacks a value"]),
        grid("depth=1,,2", &["grid", "lacks a value"]),
        grid("depth=deep", &["grid", "depth=deep"]),
        grid("depth=-1", &["grid", "depth=-1"]),
        grid("depth=0", &["depth", "between 1 and 64"]),
        grid("leaf=big", &["leaf=big", "mean, newton"]),
        grid(
            "size=3",
            &["parameter size", "not a training parameter", "max_edges", "learning_rate"],
        ),
        grid("depth=1 --grid depth=2", &["repeats"]),
        grid("loss=logistic,squared", &["classes and of numbers", "run cv for each"]),
        grid("subsample=nan", &["subsample", "NaN"]),
    ]);
}

#[test]
fn absurd_parameters_are_named_with_their_range() {
    let flag = |flags: &str, says| case(&format!("train good.gsp -o out.json {flags}"), 2, says);
    check([
        flag("--depth 0", &["parameter depth: 0", "between 1 and 64"]),
        flag("--depth 1000", &["parameter depth: 1000"]),
        flag("--trees 0", &["parameter trees: 0"]),
        flag("--learning-rate -1", &["parameter learning_rate: -1"]),
        flag("--learning-rate nan", &["parameter learning_rate: NaN"]),
        flag("--learning-rate inf", &["parameter learning_rate: inf"]),
        flag("--max-edges 100000", &["parameter max_edges: 100000"]),
        flag("--max-edges 0 --preset paper", &["parameter max_edges: 0"]),
        flag("--min-support 0", &["parameter min_support: 0"]),
        flag("--min-samples-leaf 0", &["parameter min_samples_leaf: 0"]),
        flag("--min-gain -1", &["parameter min_gain: -1"]),
        flag("--subsample 0", &["parameter subsample: 0"]),
        flag("--subsample 1.5", &["parameter subsample: 1.5"]),
        flag("--pattern-sample -0.5", &["parameter pattern_sample: -0.5"]),
        flag("--l2 -1", &["parameter l2: -1"]),
        flag("--count-levels 0", &["parameter count_levels: 0"]),
        flag("--huber-delta 0", &["parameter huber_delta: 0"]),
        flag("--early-stopping 0", &["parameter early_stopping: 0"]),
        flag("--early-stopping 5 --checkpoint c", &["parameter checkpoint", "--valid"]),
        flag("--metric rmse", &["parameter metric", "rmse"]),
        flag("--class-weight balanced --loss squared", &["class_weight", "classes"]),
        flag("--valid 0", &["parameter valid: 0", "between 0 and 1"]),
        flag("--valid 1.5", &["parameter valid: 1.5"]),
        flag("--valid -0.5", &["parameter valid: -0.5"]),
        flag("--valid 0.001", &["parameter valid: 0.001 of 20 graphs"]),
        case("mine good.gsp --closed --engine census", 2, &["engine", "bound"]),
    ]);
}

#[test]
fn outputs_that_cannot_be_written_are_named_before_any_work() {
    check([
        case("train good.gsp -o none/out.json", 1, &["none/out.json", "folder none", "create it"]),
        case(
            "train good.gsp -o out.json --json none/shown.json",
            1,
            &["none/shown.json", "create"],
        ),
        case("train good.gsp -o .", 1, &["cannot write .", "folder"]),
        case("predict model.json good.gsp -o none/out.csv", 1, &["none/out.csv", "create it"]),
        case("evaluate model.json good.gsp --json none/e.json", 1, &["none/e.json", "create it"]),
        case("cv good.gsp --json none/cv.json", 1, &["none/cv.json", "create it"]),
        case("mine good.gsp -o none/p.csv", 1, &["none/p.csv", "create it"]),
        case("patterns model.json -o none/p.txt", 1, &["none/p.txt", "create it"]),
        case("features model.json good.gsp -o none/f.npz", 1, &["none/f.npz", "create it"]),
        case("inspect good.gsp --json none/i.json", 1, &["none/i.json", "create it"]),
        case("demo --json none/d.json", 1, &["none/d.json", "create it"]),
        case("mine good.gsp -o p.txt", 2, &["p.txt", ".jsonl, .csv, .gsp or .npz"]),
        case("mine good.gsp -o p.npz.gz", 2, &["p.npz.gz", ".npz"]),
        case("features model.json good.gsp -o f.txt", 2, &["f.txt", ".csv", ".npz"]),
        case("features model.json good.gsp -o f.npz.gz", 2, &["f.npz.gz", ".csv", ".npz"]),
    ]);
}

#[test]
fn an_output_never_replaces_an_input() {
    check([
        case("train good.gsp -o good.gsp", 2, &["good.gsp", "must not replace"]),
        case("train good.gsp -o ./good.gsp", 2, &["good.gsp", "must not replace"]),
        case("train good.gsp -o out.json --json out.json", 2, &["out.json", "must not replace"]),
        case("predict model.json good.gsp -o model.json", 2, &["model.json", "must not replace"]),
        case("evaluate model.json good.gsp --json model.json", 2, &["model.json"]),
        case("cv good.gsp --folds-file folds --json folds", 2, &["folds", "must not replace"]),
        case("mine good.gsp -o good.gsp", 2, &["good.gsp", "must not replace"]),
    ]);
}

/// `/dev/full` refuses every byte as a full disk does.
#[test]
fn a_full_disk_is_reported() {
    if !std::path::Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full here");
        return;
    }
    let full: &[&str] = &["cannot write /dev/full", "No space left", "free some space"];
    check([
        case("train good.gsp -o /dev/full", 1, full),
        case("predict model.json good.gsp -o /dev/full", 1, full),
        case("patterns model.json -o /dev/full", 1, full),
        case("patterns model.json --format csv -o /dev/full", 1, full),
        case("evaluate model.json good.gsp --json /dev/full", 1, full),
    ]);
    let place = place();
    for args in ["predict model.json good.gsp", "evaluate model.json good.gsp", "mine good.gsp"] {
        let program = assert_cmd::cargo::cargo_bin!("spinney");
        let open = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(program);
        command.args(args.split(' ')).arg("-q").current_dir(place.path(""));
        let output = command.stdout(open()).stderr(std::process::Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args}: {stderr}");
        assert!(stderr.starts_with("spinney: cannot write to standard output"), "{stderr}");
        // With nobody to read it, the exit code still says so.
        command.args(["--format", "tudataset"]).stderr(open());
        assert_eq!(command.output().unwrap().status.code(), Some(2), "{args}");
    }
}

/// Usage errors are clap's: several lines, exit code 2, nothing written.
#[test]
fn wrong_usage_exits_with_2() {
    for args in [
        "",
        "trian good.gsp",
        "train good.gsp",
        "train -o out.json",
        "train good.gsp -o out.json --depth deep",
        "train good.gsp -o out.json --depth -1",
        "train good.gsp -o out.json --seed -1",
        "train good.gsp -o out.json --max-edges some",
        "train good.gsp -o out.json --engine gaston",
        "train good.gsp -o out.json --loss hinge",
        "train good.gsp -o out.json --threads 0",
        "train good.gsp -o out.json --folds 3",
        "train good.gsp -o out.json --format csv",
        "train good.gsp -o out.json --on-error ignore",
        "predict model.json",
        "mine good.gsp --min-support 0",
        "mine good.gsp --min-support 101%",
        "mine good.gsp --min-support nan%",
        "mine good.gsp --count-only -o p.csv",
        "cv good.gsp --folds 2 --folds-file folds",
        "features model.json good.gsp",
    ] {
        let place = place();
        let before = place.files();
        let output = place.run(args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(!output.stderr.is_empty(), "{args}");
        assert!(place.files() == before, "{args}");
    }
}
