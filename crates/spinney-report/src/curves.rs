//! Curves over predictions: ROC, precision and recall, calibration. Pure functions of slices.
//!
//! Predictions of the same score are one step: their order is not the model's, so nothing is read
//! into it. Each curve is sorted once: O(n log n).

/// Which graphs are of the positive class, and their scores or probabilities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranked {
    /// Score and truth, the highest score first.
    ranked: Vec<(f64, bool)>,
}

impl Ranked {
    /// Sorts by score.
    pub fn new(
        scores: impl IntoIterator<Item = f64>,
        positive: impl IntoIterator<Item = bool>,
    ) -> Self {
        let mut ranked: Vec<(f64, bool)> = scores.into_iter().zip(positive).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ranked { ranked }
    }

    /// True and false positives above every score that occurs, from the strictest on.
    fn steps(&self) -> Vec<(f64, f64)> {
        let mut hits = 0.0;
        let mut misses = 0.0;
        let mut steps = Vec::new();
        for same in self.ranked.chunk_by(|a, b| a.0 == b.0) {
            let positive = same.iter().filter(|r| r.1).count();
            hits += positive as f64;
            misses += (same.len() - positive) as f64;
            steps.push((hits, misses));
        }
        steps
    }

    /// The share of positives.
    #[must_use]
    pub fn base_rate(&self) -> f64 {
        self.ranked.iter().filter(|r| r.1).count() as f64 / self.ranked.len() as f64
    }

    /// False positive rate and true positive rate, from (0, 0) to (1, 1); empty if one class lacks.
    #[must_use]
    pub fn roc(&self) -> Vec<(f64, f64)> {
        let steps = self.steps();
        let Some(&(positives, negatives)) = steps.last() else { return Vec::new() };
        if positives == 0.0 || negatives == 0.0 {
            return Vec::new();
        }
        let point = |(hits, misses): (f64, f64)| (misses / negatives, hits / positives);
        std::iter::once((0.0, 0.0)).chain(steps.into_iter().map(point)).collect()
    }

    /// Recall and precision, from few to all predicted positive; empty without positives.
    #[must_use]
    pub fn precision_recall(&self) -> Vec<(f64, f64)> {
        let steps = self.steps();
        let positives = steps.last().map_or(0.0, |s| s.0);
        if positives == 0.0 {
            return Vec::new();
        }
        steps.into_iter().map(|(hits, misses)| (hits / positives, hits / (hits + misses))).collect()
    }

    /// The mean precision over all steps of recall: the area under the curve above, without
    /// interpolation (scikit-learn's average precision).
    #[must_use]
    pub fn average_precision(&self) -> f64 {
        let mut area = 0.0;
        let mut recall = 0.0;
        let curve = self.precision_recall();
        for &(next, precision) in &curve {
            area += (next - recall) * precision;
            recall = next;
        }
        if curve.is_empty() { f64::NAN } else { area }
    }

    /// For scores that are probabilities: groups of nearly equal size, by probability, each with
    /// its mean probability and its share of positives.
    #[must_use]
    pub fn calibration(&self, groups: usize) -> Vec<(f64, f64)> {
        let n = self.ranked.len();
        let groups = groups.min(n);
        let group = |g: usize| {
            // From the lowest on.
            let from = n - (g + 1) * n / groups;
            let to = n - g * n / groups;
            let members = &self.ranked[from..to];
            let mean = members.iter().map(|r| r.0).sum::<f64>() / members.len() as f64;
            let share = members.iter().filter(|r| r.1).count() as f64 / members.len() as f64;
            (mean, share)
        };
        (0..groups).map(group).collect()
    }
}

/// The Brier score: the mean squared distance of probabilities from what happened.
#[must_use]
pub fn brier(probabilities: &[f64], positive: &[bool]) -> f64 {
    let square = |(p, y): (&f64, &bool)| (p - f64::from(u8::from(*y))).powi(2);
    probabilities.iter().zip(positive).map(square).sum::<f64>() / positive.len() as f64
}

/// At most `most` points of a curve: its ends, and others evenly spread.
#[must_use]
pub fn thinned(curve: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if curve.len() <= most {
        return curve.to_vec();
    }
    (0..most).map(|i| curve[i * (curve.len() - 1) / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Ranked, brier, thinned};

    fn area(curve: &[(f64, f64)]) -> f64 {
        curve.windows(2).map(|w| (w[1].0 - w[0].0) * (w[1].1 + w[0].1) / 2.0).sum()
    }

    /// Numbers without order, as small as ties need.
    fn example(n: u64) -> (Vec<f64>, Vec<bool>) {
        let number = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let scores = (0..n).map(|i| (number(i) % 23) as f64 / 22.0).collect();
        (scores, (0..n).map(|i| number(i + 1000) % 3 == 0).collect())
    }

    #[test]
    fn the_area_under_roc_is_auc() {
        let (scores, positive) = example(200);
        let ranked = Ranked::new(scores.clone(), positive.clone());
        let auc = spinney::evaluation::metrics::auc(&positive, &scores);
        assert!((area(&ranked.roc()) - auc).abs() < 1e-12);
        assert!(Ranked::new([0.1, 0.2], [true, true]).roc().is_empty());
        assert!(Ranked::default().roc().is_empty());
    }

    #[test]
    fn precision_is_what_counting_gives() {
        let (scores, positive) = example(120);
        let all = positive.iter().filter(|p| **p).count() as f64;
        let ranked = Ranked::new(scores.clone(), positive.clone());
        let mut thresholds = scores.clone();
        thresholds.sort_by(|a, b| b.total_cmp(a));
        thresholds.dedup();
        let counted = thresholds.iter().map(|t| {
            let above = scores.iter().zip(&positive).filter(|(s, _)| *s >= t);
            let (hits, taken) =
                above.fold((0.0, 0.0), |(h, n), (_, p)| (h + f64::from(*p), n + 1.0));
            (hits / all, hits / taken)
        });
        assert_eq!(ranked.precision_recall(), counted.collect::<Vec<_>>());
        // Known from scikit-learn's documentation.
        let known = Ranked::new([0.1, 0.4, 0.35, 0.8], [false, false, true, true]);
        assert!((known.average_precision() - 0.833_333_333).abs() < 1e-6);
    }

    #[test]
    fn calibration_takes_everybody_once() {
        let (scores, positive) = example(103);
        let ranked = Ranked::new(scores.clone(), positive.clone());
        let groups = ranked.calibration(10);
        assert_eq!(groups.len(), 10);
        assert!(groups.windows(2).all(|w| w[0].0 <= w[1].0));
        let one = ranked.calibration(1)[0];
        assert!((one.1 - ranked.base_rate()).abs() < 1e-12);
        assert!((brier(&[1.0, 0.5], &[true, false]) - 0.125).abs() < 1e-12);
        assert!(Ranked::default().calibration(10).is_empty());
    }

    #[test]
    fn thin_curves_keep_their_ends() {
        let curve: Vec<(f64, f64)> = (0..1000).map(|i| (f64::from(i), 0.0)).collect();
        let thin = thinned(&curve, 50);
        assert_eq!((thin.len(), thin[0].0, thin[49].0), (50, 0.0, 999.0));
    }
}
