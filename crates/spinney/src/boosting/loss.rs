//! Losses: what the scores should achieve, and which way is down (paper, section 2.3).
//!
//! **Invariant.** `residual` is the negative gradient of `value`; `curvature` is positive or zero
//! and is its second derivative (for softmax the diagonal, for Huber the squared loss's). Scores of
//! graph `i` are `scores[i * outputs ..]`.

use rayon::prelude::{IndexedParallelIterator, ParallelIterator, ParallelSliceMut};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::math::{exp, ln, ln_1p, sum};
use crate::model::predict::softmax;
use crate::model::{Link, Task, Truth};
use crate::params::{FixedParams, Init, LossKind};

/// A loss with the targets it is measured against.
#[derive(Clone, Debug)]
pub struct Loss {
    formula: Formula,
    task: Task,
    /// Class indices, or numbers; NaN where a graph has no target.
    targets: Vec<f64>,
}

/// First and second derivative of the loss of one graph by one of its scores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Derivatives {
    /// The negative gradient.
    pub residual: f64,
    /// The second derivative.
    pub curvature: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Formula {
    Logistic,
    Softmax,
    Squared,
    Huber(f64),
    Poisson,
}

/// Integer targets with at most this many different values are classes, unless a loss says
/// otherwise.
const MAX_INTEGER_CLASSES: usize = 20;

impl Loss {
    /// Strata for random folds: the class of each graph, or one stratum for numbers.
    #[must_use]
    pub fn strata(&self) -> Vec<u32> {
        let numbers = self.task().classes().is_empty();
        self.targets().iter().map(|&t| if numbers { 0 } else { t as u32 }).collect()
    }

    /// The loss that the parameters ask for, on the targets of `data`. What the targets mean (which
    /// classes there are, or that they are numbers) is asked of all of them.
    ///
    /// # Errors
    /// If targets do not fit the loss, or there are none. Graphs may lack one: see
    /// [`Dataset::require_targets`].
    pub fn new(params: &FixedParams, data: &Dataset) -> Result<Loss> {
        let formula = match params.loss {
            LossKind::Auto => guess(data)?,
            LossKind::Logistic => Formula::Logistic,
            LossKind::Softmax => Formula::Softmax,
            LossKind::Squared => Formula::Squared,
            LossKind::Huber => Formula::Huber(params.huber_delta),
            LossKind::Poisson => Formula::Poisson,
        };
        match formula {
            Formula::Logistic | Formula::Softmax => {
                Loss::classes(formula, data, params.positive.as_deref())
            }
            _ => Loss::numbers(formula, data),
        }
    }

    fn classes(formula: Formula, data: &Dataset, positive: Option<&str>) -> Result<Loss> {
        let mut names = data.class_names()?;
        if names.len() < 2 {
            return Err(Error::data(format!(
                "all targets are {:?}: there is nothing to learn from one class",
                names.first().map_or("", String::as_str)
            )));
        }
        put_positive_last(&mut names, positive)?;
        let known = data.classes_if_known(&names)?.into_iter();
        let targets = known.map(|class| class.map_or(f64::NAN, f64::from)).collect();
        let task = match (formula, <[String; 2]>::try_from(names)) {
            (Formula::Logistic, Ok(classes)) => Task::Binary { classes },
            (Formula::Logistic, Err(names)) => {
                return Err(Error::parameter(
                    "loss",
                    format!(
                        "logistic needs two classes, the targets have {}: use softmax",
                        names.len()
                    ),
                ));
            }
            (_, Ok(classes)) => Task::Multiclass { classes: classes.to_vec() },
            (_, Err(classes)) => Task::Multiclass { classes },
        };
        Ok(Loss { formula, task, targets })
    }

    fn numbers(formula: Formula, data: &Dataset) -> Result<Loss> {
        let known = data.numbers_if_known()?.into_iter();
        let targets: Vec<f64> = known.map(|number| number.unwrap_or(f64::NAN)).collect();
        if let (Formula::Poisson, Some(i)) = (formula, targets.iter().position(|&t| t < 0.0)) {
            return Err(Error::data(format!(
                "graph {} has target {}: the poisson loss needs counts of at least 0",
                data.ids()[i],
                targets[i]
            )));
        }
        Ok(Loss { formula, task: Task::Regression, targets })
    }

    /// What the targets are.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// From score to prediction.
    #[must_use]
    pub fn link(&self) -> Link {
        match self.formula {
            Formula::Logistic => Link::Logistic,
            Formula::Softmax => Link::Softmax,
            Formula::Squared | Formula::Huber(_) => Link::Identity,
            Formula::Poisson => Link::Exp,
        }
    }

    /// The number of scores of a graph.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.task.outputs()
    }

    /// The targets: class indices, or numbers.
    #[must_use]
    pub fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// The same loss of some graphs alone, numbered in their order.
    #[must_use]
    pub(crate) fn of(&self, graphs: &[u32]) -> Loss {
        let targets = graphs.iter().map(|&g| self.targets[g as usize]).collect();
        Loss { targets, ..self.clone() }
    }

    /// The targets of some graphs, for evaluation.
    #[must_use]
    pub fn truth(&self, graphs: &[u32]) -> Truth {
        let targets = graphs.iter().map(|&g| self.targets[g as usize]);
        match self.task {
            Task::Regression => Truth::Numbers(targets.collect()),
            _ => Truth::Classes(targets.map(|t| t as u32).collect()),
        }
    }

    /// The scores before the first tree, from the graphs `train` with their weights.
    #[must_use]
    pub fn init(&self, how: Init, train: &[u32], weights: &[f64]) -> Vec<f64> {
        let total = sum(weights.iter().copied());
        let mean = |value: &dyn Fn(f64) -> f64| {
            let targets = train.iter().map(|&i| self.targets[i as usize]);
            sum(targets.zip(weights).map(|(y, w)| w * value(y))) / total
        };
        let log = |p: f64| ln(p.max(1e-10));
        match (self.formula, how) {
            (Formula::Logistic, Init::Mean) => vec![mean(&|y| 2.0 * y - 1.0)],
            (Formula::Logistic, Init::Best) => {
                let p = mean(&|y| y);
                vec![0.5 * (log(p) - log(1.0 - p))]
            }
            (Formula::Softmax, Init::Mean) => vec![0.0; self.outputs()],
            (Formula::Softmax, Init::Best) => {
                (0..self.outputs()).map(|c| log(mean(&|y| f64::from(y == c as f64)))).collect()
            }
            (Formula::Squared | Formula::Huber(_), _) => vec![mean(&|y| y)],
            (Formula::Poisson, _) => vec![log(mean(&|y| y))],
        }
    }

    /// What [`derivatives`](Self::derivatives) takes of the scores of all graphs: for several
    /// classes, the probabilities, which all outputs share.
    #[must_use]
    pub fn prepared(&self, mut scores: Vec<f64>) -> Vec<f64> {
        if self.formula == Formula::Softmax {
            let classes = self.outputs();
            let all = scores.par_chunks_exact_mut(classes).with_min_len(64);
            all.for_each(|scores| scores.copy_from_slice(&softmax(scores)));
        }
        scores
    }

    /// Derivatives at the scores of graph `i` for one output, from its scores as they are
    /// [prepared](Self::prepared).
    #[must_use]
    pub fn derivatives(&self, i: usize, scores: &[f64], output: usize) -> Derivatives {
        let y = self.targets[i];
        match self.formula {
            Formula::Logistic => {
                let sign = 2.0 * y - 1.0;
                let residual = 2.0 * sign / (1.0 + exp(2.0 * sign * scores[0]));
                Derivatives { residual, curvature: residual.abs() * (2.0 - residual.abs()) }
            }
            Formula::Softmax => {
                let p = scores[output];
                let residual = f64::from(y == output as f64) - p;
                Derivatives { residual, curvature: p * (1.0 - p) }
            }
            Formula::Squared => Derivatives { residual: y - scores[0], curvature: 1.0 },
            Formula::Huber(delta) => {
                let residual = (y - scores[0]).clamp(-delta, delta);
                Derivatives { residual, curvature: 1.0 }
            }
            Formula::Poisson => {
                let mean = exp(scores[0]);
                Derivatives { residual: y - mean, curvature: mean }
            }
        }
    }

    /// A Newton step is multiplied by this: (K−1)/K for K classes that share one constraint.
    #[must_use]
    pub fn newton_factor(&self) -> f64 {
        let k = self.outputs() as f64;
        if self.formula == Formula::Softmax { (k - 1.0) / k } else { 1.0 }
    }

    /// The loss of graph `i`.
    #[must_use]
    pub fn value(&self, i: usize, scores: &[f64]) -> f64 {
        let y = self.targets[i];
        match self.formula {
            Formula::Logistic => {
                let margin = -2.0 * (2.0 * y - 1.0) * scores[0];
                // log(1 + e^m) without overflow.
                margin.max(0.0) + ln_1p(exp(-margin.abs()))
            }
            Formula::Softmax => -ln(softmax(scores)[y as usize].max(1e-300)),
            Formula::Squared => 0.5 * (y - scores[0]).powi(2),
            Formula::Huber(delta) => {
                let e = (y - scores[0]).abs();
                if e <= delta { 0.5 * e * e } else { delta * (e - 0.5 * delta) }
            }
            Formula::Poisson => exp(scores[0]) - y * scores[0],
        }
    }
}

/// Words that name the class one looks for.
const POSITIVE: [&str; 10] =
    ["active", "true", "yes", "positive", "pos", "toxic", "mutagenic", "t", "y", "+"];

/// Of two classes the second is the positive one: the one asked for, or the one whose name says so.
fn put_positive_last(names: &mut [String], asked: Option<&str>) -> Result<()> {
    if let Some(asked) = asked {
        let Some(at) = names.iter().position(|n| n == asked) else {
            return Err(Error::parameter(
                "positive",
                format!("{asked:?} is none of the classes {}", names.join(", ")),
            ));
        };
        if names.len() == 2 {
            names.swap(at, 1);
        }
        return Ok(());
    }
    let says_so = |name: &String| POSITIVE.contains(&name.to_lowercase().as_str());
    if let [first, second] = names
        && says_so(first)
        && !says_so(second)
    {
        std::mem::swap(first, second);
    }
    Ok(())
}

/// Two values: two classes. Words or a few integers: classes. Else numbers.
fn guess(data: &Dataset) -> Result<Formula> {
    let names = data.class_names()?;
    let integers = names.iter().all(|n| n.parse::<f64>().is_ok_and(|v| v.fract() == 0.0));
    let words = names.iter().all(|n| n.parse::<f64>().is_err());
    Ok(match names.len() {
        0..=2 => Formula::Logistic,
        n if words
            || (integers && n <= MAX_INTEGER_CLASSES && 2 * n <= data.with_target().len()) =>
        {
            Formula::Softmax
        }
        _ => Formula::Squared,
    })
}

#[cfg(test)]
mod tests {
    use super::{Derivatives, Formula, Loss, put_positive_last};
    use crate::model::Task;

    #[test]
    fn the_positive_class_comes_last() {
        let order = |names: [&str; 2], asked: Option<&str>| {
            let mut names = names.map(String::from);
            put_positive_last(&mut names, asked).map(|()| names)
        };
        assert_eq!(order(["active", "inactive"], None).unwrap(), ["inactive", "active"]);
        assert_eq!(order(["False", "True"], None).unwrap(), ["False", "True"]);
        assert_eq!(order(["0", "1"], Some("0")).unwrap(), ["1", "0"]);
        assert_eq!(order(["bad", "good"], None).unwrap(), ["bad", "good"]);
        assert!(order(["0", "1"], Some("2")).unwrap_err().to_string().contains("0, 1"));
    }

    /// Residual and curvature against finite differences of the value.
    #[test]
    fn derivatives_are_derivatives() {
        let classes = Task::Multiclass { classes: vec![String::new(); 3] };
        let cases = [
            (Formula::Logistic, Task::Regression, vec![0.3], vec![0.0, 1.0]),
            (Formula::Squared, Task::Regression, vec![0.3], vec![-2.0, 1.5]),
            (Formula::Huber(1.0), Task::Regression, vec![0.3], vec![0.9]),
            (Formula::Poisson, Task::Regression, vec![0.3], vec![0.0, 4.0]),
            (Formula::Softmax, classes, vec![0.3, -0.2, 1.0], vec![0.0, 1.0, 2.0]),
        ];
        for (formula, task, scores, targets) in cases {
            let loss = Loss { formula, task, targets };
            for i in 0..loss.targets.len() {
                for output in 0..scores.len() {
                    let at = |step: f64| {
                        let mut s = scores.clone();
                        s[output] += step;
                        loss.value(i, &s)
                    };
                    let h = 1e-4;
                    let slope = (at(h) - at(-h)) / (2.0 * h);
                    let bend = (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h);
                    let Derivatives { residual: r, curvature: c } =
                        loss.derivatives(i, &loss.prepared(scores.clone()), output);
                    assert!((r + slope).abs() < 1e-6, "{formula:?}: {r} against {slope}");
                    assert!((c - bend).abs() < 1e-5, "{formula:?}: {c} against {bend}");
                }
            }
        }
    }
}
