//! Numbers against exact arithmetic: residuals over twelve orders of magnitude, sums that cancel.

mod boosted;
mod oracle;

use boosted::{one_tree, request};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use oracle::random::{Random, dataset, graph};
use proptest::prelude::{ProptestConfig, prop, prop_assert, proptest};
use spinney::fit;
use spinney::graph::Graph;
use spinney::model::Node;
use spinney::params::FixedParams;
use spinney::search::gain::Rule;
use spinney::search::samples::Samples;

fn exact(value: f64) -> BigRational {
    BigRational::from_float(value).expect("a finite number")
}

fn total<'a>(values: impl Iterator<Item = &'a f64>) -> BigRational {
    values.fold(BigRational::zero(), |sum, &v| sum + exact(v))
}

fn whole(n: usize) -> BigRational {
    BigRational::from_integer(BigInt::from(n))
}

/// s²·n/(k(n − k)), with s the sum over D1 of the residuals less their mean.
fn exact_gain(d1: &[f64], all: &[f64]) -> BigRational {
    let (k, n) = (whole(d1.len()), whole(all.len()));
    let s = total(d1.iter()) - total(all.iter()) * &k / &n;
    &s * &s * &n / (&k * (&n - &k))
}

/// Whether a number is the mean of others, as exactly as floats can say.
fn is_mean(value: f64, members: &[f64]) -> bool {
    let mean = total(members.iter()) / whole(members.len());
    let size: f64 = members.iter().copied().map(f64::abs).sum();
    (exact(value) - &mean).abs() <= mean.abs() * exact(1e-15) + exact(size * 1e-30)
}

/// A graph of single edges from its middle, to a vertex of label l + 1 for each l that it has.
fn star(has: &[bool]) -> Graph {
    let ends = (1..).zip(has).filter(|(_, has)| **has).map(|(label, _)| label);
    let vertices: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let edges: Vec<(u32, u32, u32)> = (1..vertices.len() as u32).map(|v| (0, v, 0)).collect();
    graph(&vertices, &edges)
}

/// A number of random sign, somewhere in twelve orders of magnitude; whole powers of ten are
/// common.
fn wild(random: &mut Random) -> f64 {
    let size = 10f64.powf(12.0 * random.unit() - 6.0);
    let size = if random.below(4) == 0 { 10f64.powi(random.below(13) as i32 - 6) } else { size };
    if random.below(2) == 0 { size } else { -size }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A gain is as exact as its residuals, rounded to 2⁻⁵⁵ or so of the largest one, allow.
    #[test]
    fn gains_are_those_of_exact_arithmetic(seed in 0u64..1 << 50, n in 2usize..60) {
        let mut random = Random::new(seed);
        let all: Vec<f64> = (0..n).map(|_| wild(&mut random)).collect();
        let k = random.range(1, n - 1);
        let d1 = &all[..k];
        let samples = Samples::new(&all, None).expect("finite numbers");
        let positions: Vec<u32> = (0..n as u32).collect();
        let rule = Rule { l2: 0.0, min_leaf: 1, min_gain: 0.0 };
        let gain = rule.raw_gain(samples.sums(&positions[..k]), samples.sums(&positions));
        let gain = exact(gain.expect("a valid split") * samples.gain_unit());
        let truth = exact_gain(d1, &all);
        // Each residual is off by at most half a unit, so s by at most k of them: (s + e)² − s².
        let unit = exact(samples.gain_unit().sqrt());
        let off = whole(k) * unit;
        let s = total(d1.iter()) - total(all.iter()) * whole(k) / whole(n);
        let spread = whole(n) / (whole(k) * whole(n - k));
        let two = whole(2);
        let allowed = (&two * s.abs() * &off + &off * &off) * spread + &truth * exact(1e-14);
        let difference = (&gain - &truth).abs();
        prop_assert!(
            difference <= allowed,
            "{:?} against {:?}", gain.to_f64(), truth.to_f64()
        );
    }

    /// The split of a tree is the best of all by exact arithmetic, and its leaves are the exact
    /// means.
    #[test]
    fn splits_and_leaves_are_those_of_exact_arithmetic(
        seed in 0u64..1 << 50,
        n in 4usize..30,
        cancels in prop::bool::ANY,
    ) {
        let mut random = Random::new(seed);
        // Graph i has the single edges of some labels: label l in a third of the graphs.
        let labels = 6u32;
        let has: Vec<Vec<bool>> =
            (0..n).map(|_| (0..labels).map(|_| random.below(3) == 0).collect()).collect();
        let graphs: Vec<Graph> = has.iter().map(|has| star(has)).collect();
        let mut targets: Vec<f64> = (0..n).map(|_| wild(&mut random)).collect();
        if cancels {
            for i in (0..n - 1).step_by(2) {
                targets[i + 1] = -targets[i];
            }
        }
        let texts: Vec<String> = targets.iter().map(|t| format!("{t:e}")).collect();
        let params =
            FixedParams { depth: 1, max_edges: Some(1), learning_rate: 1.0, ..one_tree() };
        let fit = fit(&dataset(&graphs, &texts), &request(params)).expect("a model");
        prop_assert!(is_mean(fit.model.init()[0], &targets), "the first score is no mean");
        // Training sees residuals as floats.
        let residuals: Vec<f64> = targets.iter().map(|t| t - fit.model.init()[0]).collect();
        let largest = residuals.iter().fold(0.0f64, |m, r| m.max(r.abs()));
        let column = |l: usize| -> (Vec<f64>, Vec<f64>) {
            let yes = (0..n).filter(|&i| has[i][l]).map(|i| residuals[i]).collect();
            let no = (0..n).filter(|&i| !has[i][l]).map(|i| residuals[i]).collect();
            (yes, no)
        };
        let gains: Vec<BigRational> = (0..labels as usize)
            .map(&column)
            .map(|(yes, no)| match yes.is_empty() || no.is_empty() {
                true => BigRational::zero(),
                false => exact_gain(&yes, &residuals),
            })
            .collect();
        let best = gains.iter().max().expect("labels");
        let noise = exact((1e-12 * largest).powi(2) * 2.0);
        match &fit.model.trees()[0].nodes()[0] {
            Node::Leaf { .. } => prop_assert!(*best <= noise),
            Node::Split { pattern, yes, no, .. } => {
                let code = &fit.model.patterns()[*pattern].code;
                let ends = [code.edges()[0].from_label, code.edges()[0].to_label];
                let label = ends.into_iter().max().expect("two ends") as usize - 1;
                let floor = best * exact(1.0 - 1e-9) - &noise;
                prop_assert!(gains[label] >= floor, "not the best split");
                let (with, without) = column(label);
                for (leaf, members) in [(*yes, with), (*no, without)] {
                    let value = fit.model.trees()[0].value(leaf);
                    prop_assert!(is_mean(value, &members), "a leaf is no mean");
                }
            }
        }
    }
}
