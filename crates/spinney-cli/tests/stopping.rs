//! Work that is stopped: by Ctrl-C once or twice, by SIGTERM, by SIGKILL. Files are whole or not
//! there, and what goes on from a checkpoint ends as if nothing had happened.
#![cfg(unix)]

mod support;

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::{Place, counts};

const TRAIN: &str =
    "train many.gsp -o model.json --loss softmax --trees 400 --max-edges 5 --threads 1";
const CV: &str = "cv many.gsp --loss squared --folds 5 --trees 60 --max-edges 4 --json cv.json";

fn place() -> Place {
    let place = Place::new();
    place.write("many.gsp", counts(150));
    place
}

fn start(place: &Place, args: &str) -> Child {
    let program = assert_cmd::cargo::cargo_bin!("spinney");
    let mut command = Command::new(program);
    command.current_dir(place.path("")).args(args.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

/// Waits until a file is there, or the program has ended.
fn wait_for(place: &Place, name: &str, child: &mut Child) {
    let start = Instant::now();
    while !place.path(name).exists() && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {name} within a minute");
        sleep(Duration::from_millis(2));
    }
}

/// The exit code and what was said.
fn end(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn names(place: &Place) -> Vec<String> {
    let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    place.files().keys().map(name).collect()
}

fn whole_model() -> String {
    let place = place();
    place.ok(TRAIN);
    place.text("model.json")
}

#[test]
fn ctrl_c_once_saves_and_resume_gives_the_same_model() {
    let whole = whole_model();
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let place = place();
        let args = format!("{TRAIN} --checkpoint kept.json --resume");
        let mut child = start(&place, &args);
        wait_for(&place, "kept.json", &mut child);
        signal(&child, name);
        let (ended, said) = end(child);
        assert_eq!(ended, Some(code), "{said}");
        assert!(said.contains("of 400 rounds") && said.contains("--resume"), "{said}");
        assert_eq!(names(&place), ["kept.json", "many.gsp", "model.json"]);
        assert!(place.ok("inspect model.json").contains("interrupted"), "{said}");
        assert_ne!(place.text("model.json"), whole);
        let said = place.ok(&args);
        assert!(said.contains("400 rounds"), "{said}");
        assert!(place.text("model.json") == whole, "a model resumed differs");
        // There is nothing left to do, and it is done again.
        place.ok(&args);
        assert!(place.text("model.json") == whole, "a model resumed differs");
    }
}

/// Grids of 6 by 6 like vertices: a census of their patterns of up to 12 edges takes long.
fn grids() -> String {
    let grid = |id: usize| {
        let mut text = format!("t # {id} {id}\n");
        (0..36).for_each(|v| text += &format!("v {v} A\n"));
        for v in 0..36 {
            let right = (v % 6 < 5).then_some(v + 1);
            let below = (v < 30).then_some(v + 6);
            for w in right.into_iter().chain(below) {
                text += &format!("e {v} {w} x\n");
            }
        }
        text
    };
    (0..2).map(grid).collect()
}

/// The time within which a program must end that took hours if nothing stopped it.
const CEILING: Duration = Duration::from_secs(60);

#[test]
fn what_has_nothing_to_save_ends_at_once() {
    let all = [
        (
            "train grids.gsp -o model.json --engine census --max-edges 12 --threads 1",
            "before a round",
        ),
        (
            "train grids.gsp -o model.json --preset paper --max-edges none --threads 1",
            "before a round",
        ),
        ("cv grids.gsp --folds 2 --engine census --max-edges 12", "--checkpoint"),
        ("mine grids.gsp -o patterns.csv", ""),
    ];
    for (args, says) in all {
        for (name, code) in [("-INT", 130), ("-TERM", 143)] {
            let place = Place::new();
            place.write("grids.gsp", grids());
            let child = start(&place, args);
            sleep(Duration::from_millis(700));
            let asked = Instant::now();
            signal(&child, name);
            let (ended, said) = end(child);
            assert_eq!(ended, Some(code), "{args}: {said}");
            assert!(said.contains(says), "{args}: {said}");
            assert!(asked.elapsed() < CEILING, "{args}");
            assert_eq!(names(&place), ["grids.gsp"], "{args}");
        }
    }
}

#[test]
fn ctrl_c_twice_stops_at_once_and_leaves_nothing_half_done() {
    let whole = whole_model();
    let place = place();
    let args = format!("{TRAIN} --checkpoint kept.json --resume");
    let mut child = start(&place, &args);
    wait_for(&place, "kept.json", &mut child);
    signal(&child, "-INT");
    // Two signals that arrive together are one.
    sleep(Duration::from_millis(5));
    signal(&child, "-INT");
    let (code, said) = end(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("once more"), "{said}");
    place.ok(&args);
    assert!(place.text("model.json") == whole, "a model resumed differs");
}

#[test]
fn a_kill_loses_nothing_that_was_kept() {
    let whole = whole_model();
    let place = place();
    let args = format!("{TRAIN} --checkpoint kept.json --resume");
    for pause in [3, 20, 60, 150, 400, 30, 90] {
        let mut child = start(&place, &args);
        sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!place.path("model.json").exists() || place.text("model.json") == whole);
    }
    place.ok(&args);
    assert!(place.text("model.json") == whole, "a model resumed differs");
}

#[test]
fn cross_validation_goes_on_fold_by_fold() {
    let (calm, broken) = (place(), place());
    calm.ok(CV);
    let args = format!("{CV} --checkpoint folds.json --resume");
    let mut child = start(&broken, &args);
    wait_for(&broken, "folds.json", &mut child);
    signal(&child, "-INT");
    let (code, said) = end(child);
    if code == Some(130) {
        assert!(said.contains("finished fold") && said.contains("--resume"), "{said}");
        assert_eq!(names(&broken), ["folds.json", "many.gsp"]);
    }
    broken.ok(&args);
    let curves = |place: &Place| {
        let mut results = place.json("cv.json")["results"].take();
        results[0].as_object_mut().unwrap().remove("seconds");
        results
    };
    assert_eq!(curves(&calm), curves(&broken));
}

#[test]
fn checkpoints_are_not_overwritten_or_misused() {
    let place = Place::with_graphs();
    let args =
        "train good.gsp -o model.json --preset paper --max-edges 1 --trees 3 --checkpoint c.json";
    place.ok(args);
    let refused = |args: &str, says: &[&str]| {
        let before = place.files();
        let output = place.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {said}");
        says.iter().for_each(|text| assert!(said.contains(text), "{args}: {said}"));
        assert_eq!(before, place.files(), "{args}");
    };
    refused(args, &["c.json", "--resume"]);
    refused(&format!("{args} --resume --seed 4"), &["c.json", "seed 0, now seed is 4"]);
    refused(&format!("{args} --resume --depth 2"), &["c.json", "depth"]);
    refused("train good.gsp -o m.json --resume", &["--checkpoint"]);
    refused("train good.gsp -o m.json --checkpoint m.json", &["m.json", "twice"]);
    refused("train good.gsp -o m.json --method gboost --checkpoint d.json", &["gboost"]);
    refused("cv good.gsp --checkpoint c.json --resume", &["c.json", "spinney-checkpoint"]);
    refused("train good.gsp -o m.json --checkpoint model.json --resume", &["spinney-model"]);
    place.write("c.json", &place.text("c.json")[..300]);
    refused(&format!("{args} --resume"), &["c.json", "ends too early"]);
    place.write("c.json", "");
    refused(&format!("{args} --resume"), &["c.json", "ends too early"]);
}
