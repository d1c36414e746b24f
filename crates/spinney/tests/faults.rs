//! Faults that the library once had, each with the smallest case that showed it.

mod boosted;
mod oracle;

use boosted::request;
use oracle::random::{dataset, graph};
use serde_json::Value;
use sha2::{Digest, Sha256};
use spinney::graph::Graph;
use spinney::params::{FixedParams, LossKind};
use spinney::search::gain::{Rule, Sums};
use spinney::{Model, fit};

/// Gains that are equal as fractions are ties, so that the simpler pattern wins.
#[test]
fn equal_gains_are_ties() {
    let rule = Rule { l2: 0.0, min_leaf: 1, min_gain: 0.0 };
    let unit = 1i64 << 50;
    for n in 4..=20i64 {
        for whole in -6..=6i64 {
            let mut seen: Vec<((i128, i128), f64)> = Vec::new();
            for (k, g) in (1..n).flat_map(|k| (-12..=12i64).map(move |g| (k, g))) {
                let s = i128::from(n * g - k * whole);
                let fraction = (s * s, i128::from(k * (n - k)));
                let part = Sums { g: g * unit, h: k, n: k as u32 };
                let all = Sums { g: whole * unit, h: n, n: n as u32 };
                let gain = rule.gain(part, all).expect("a valid split");
                for &(other, known) in &seen {
                    if fraction.0 * other.1 == other.0 * fraction.1 {
                        assert_eq!(gain, known, "n {n}, sum {whole}, part {g} of {k}");
                    }
                }
                seen.push((fraction, gain));
            }
        }
    }
}

/// Squares of large residuals leave the range of numbers; the model must still be readable.
#[test]
fn huge_targets_give_a_readable_model() {
    let graphs: Vec<Graph> = (0..6u32).map(|i| graph(&[0, i % 2], &[(0, 1, 0)])).collect();
    let targets: Vec<String> =
        (0..6).map(|i| if i % 2 == 0 { "1e200" } else { "-1e200" }.to_owned()).collect();
    let params =
        FixedParams { loss: LossKind::Squared, trees: 2, depth: 1, ..FixedParams::paper() };
    if let Ok(fit) = fit(&dataset(&graphs, &targets), &request(params)) {
        assert!(Model::from_json(&fit.model.to_json()).is_ok());
    }
}

/// A pattern that stands twice in a model file: counts go to one of the two alone, so a tree that
/// asks for the other predicts wrongly in silence.
#[test]
fn repeated_patterns_are_refused_or_predict_the_same() {
    let graphs: Vec<Graph> = (0..6u32).map(|i| graph(&[0, i % 2], &[(0, 1, 0)])).collect();
    let targets: Vec<String> = (0..6).map(|i| (i % 2).to_string()).collect();
    let data = dataset(&graphs, &targets);
    let params = FixedParams { trees: 2, depth: 1, ..FixedParams::paper() };
    let model = fit(&data, &request(params)).expect("a model").model;
    let mut file: Value = serde_json::from_str(&model.to_json()).expect("JSON");
    let patterns = file["model"]["patterns"].as_array_mut().expect("patterns");
    let first = patterns[0].clone();
    patterns.push(first);
    let body = file["model"].to_string();
    let digest = Sha256::digest(body.as_bytes());
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let twice = format!(
        "{{\"format\": \"spinney-model\", \"version\": 2, \"sha256\": \"{sum}\", \
         \"model\": {body}}}"
    );
    if let Ok(read) = Model::from_json(&twice) {
        assert_eq!(read.predict(&data), model.predict(&data));
    }
}
