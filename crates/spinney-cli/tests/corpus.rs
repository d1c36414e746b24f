//! A corpus of bad input (`corpus/bad_input.json`): each case has its files, a command, the exit
//! code and the one line that the program must say. Nothing is written, and nothing that was there
//! is changed.
//!
//! Text in the files stands for bytes: a character is a byte, up to U+00FF.

mod support;

use serde_json::Value;
use support::Place;

fn write_all(place: &Place, files: &Value) {
    for (name, content) in files.as_object().unwrap() {
        let bytes: Vec<u8> = content.as_str().unwrap().chars().map(|c| c as u8).collect();
        place.write(name, bytes);
    }
}

#[test]
fn every_case_says_what_it_must() {
    let corpus: Value = serde_json::from_str(include_str!("corpus/bad_input.json")).unwrap();
    let cases = corpus["cases"].as_array().unwrap();
    let mut wrong = Vec::new();
    for case in cases {
        let place = Place::new();
        write_all(&place, &corpus["good"]);
        write_all(&place, &case["files"]);
        let before = place.files();
        let output = place.run(case["args"].as_str().unwrap());
        let said = String::from_utf8(output.stderr).unwrap();
        let expected = format!("spinney: {}\n", case["says"].as_str().unwrap());
        let code = output.status.code().map(i64::from);
        if code != case["code"].as_i64() || said != expected || place.files() != before {
            wrong.push(format!("{}: {code:?} {said}instead of {expected}", case["args"]));
        }
    }
    println!("{} cases of the corpus", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= 100);
}
