//! A model file laid out as it is written, a pattern and a tree a line, is read line by line; of
//! any other layout the same model comes, and of the same faults the same refusal.

mod boosted;
mod oracle;

use boosted::{boosted, small_problem};
use oracle::random::Random;
use sha2::{Digest, Sha256};
use spinney::params::FixedParams;
use spinney::{Engine, Model};

/// The file around a content, laid out as it is written.
fn sealed(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "{{\n\"format\": \"spinney-model\",\n\"version\": 2,\n\"sha256\": \"{sum}\",\n\
         \"model\": {body}\n}}\n"
    )
}

fn body(text: &str) -> &str {
    let start = text.find("\"model\": ").expect("the content") + "\"model\": ".len();
    text[start..].strip_suffix("\n}\n").expect("the end")
}

fn models() -> Vec<Model> {
    let model = |seed: u64| {
        let mut random = Random::new(98_000 + seed);
        let (data, params) = small_problem(&mut random, 12);
        let params = FixedParams { trees: 5, depth: 3, ..params };
        boosted(&data, &params, Engine::Census).ok().map(|outcome| outcome.model)
    };
    (0..30).filter_map(model).collect()
}

#[test]
fn the_layout_changes_no_model() {
    for model in models() {
        let text = model.to_json();
        assert_eq!(text, sealed(body(&text)));
        assert_eq!(Model::from_json(&text).as_ref(), Ok(&model));
        let value: serde_json::Value = serde_json::from_str(body(&text)).expect("JSON");
        let others = [
            serde_json::to_string(&value).expect("text"),
            serde_json::to_string_pretty(&value).expect("text"),
            body(&text).replace("\n    {", "\n\n \t {"),
            body(&text).replace(":", " : "),
            body(&text).replace("\n  \"trees\"", "\n \"trees\""),
        ];
        for other in others {
            assert_eq!(Model::from_json(&sealed(&other)).as_ref(), Ok(&model), "{other}");
        }
    }
}

/// A list within another part of the file, laid out as patterns and trees are, is not taken for
/// them.
#[test]
fn lists_elsewhere_are_not_taken_for_the_models() {
    let model = models().swap_remove(0);
    let text = model.to_json();
    let lists = "{\n  \"patterns\": [\n    {}\n  ],\n  \"trees\": [\n    {}\n  ]\n}";
    let other = body(&text).replacen("\"params\": {", &format!("\"params\": {{\"x\":{lists},"), 1);
    let read = Model::from_json(&sealed(&other)).expect("a model");
    assert!(read.params().contains_key("x"));
    assert_eq!((read.patterns(), read.trees()), (model.patterns(), model.trees()));
}

#[test]
fn faults_are_refused_as_in_other_layouts() {
    let texts: Vec<String> = models().iter().map(Model::to_json).collect();
    let parts = ["\"edges\"", "\"gain\"", "},\n    {"];
    let text = texts.iter().find(|text| parts.iter().all(|part| text.contains(part)));
    let text = text.expect("a model of several patterns");
    let content = body(text);
    let faults = [
        content.replacen("},\n    {", "}\n    {", 1),
        content.replacen("},\n    {", "},,\n    {", 1),
        content.replacen("},\n    {", "},\n\n    {", 1).replacen("\"cover\"", "\"over\"", 1),
        content.replacen("\"edges\"", "\"vertex\":0,\"edges\"", 1),
        content.replacen("}\n  ],", "},\n  ],", 1),
        content.replacen("\"trees\": [\n", "\"trees\": [\n    {\"nodes\":[]},\n", 1),
        content.replacen("\"gain\":", "\"gain\":null,\"again\":", 1),
        content.replacen("\"value\":", "\"yes\":1,\"value\":", 1),
        content.replacen("\"value\":", "\"gain\":null,\"value\":", 1),
        content.replacen("\"patterns\": [", "\"patterns\": [],\n  \"patterns\": [", 1),
        format!("{content},\n\"format\": \"other\""),
        format!("{content}}}"),
    ];
    for fault in faults {
        assert_ne!(fault, content);
        let reason = Model::from_json(&sealed(&fault)).expect_err(&fault);
        let other = sealed(&fault).replacen("\n\"model\": ", "\n \"model\": ", 1);
        assert_eq!(Model::from_json(&other).expect_err(&fault), reason);
    }
    let damaged = text.replacen("\"cover\":", "\"cover\": ", 1);
    assert_ne!(&damaged, text);
    assert!(Model::from_json(&damaged).expect_err("damaged").contains("checksum"));
}
