//! How good the predictions are: measures, learning curves, and the curves that show where they
//! fail.

use maud::{Markup, html};
use spinney::evaluation::metrics::Metric;
use spinney::model::{Task, Truth};

use super::{Learning, Report};
use crate::curves::{Ranked, brier, thinned};
use crate::evaluation::{Evaluation, Measured};
use crate::page::{figure, grouped, percent};
use crate::plot::{Line, LineStyle, Plot};

/// Curves are drawn with at most this many points.
const POINTS: usize = 400;
/// Dots of a scatter plot.
const DOTS: usize = 1500;
/// Classes drawn in one plot.
const MAX_CLASSES_SHOWN: usize = 6;
/// Groups of a calibration curve.
const GROUPS: usize = 10;

pub(super) fn body(report: &Report<'_>, measures: &[Measured]) -> Markup {
    html! {
        @if let Some(evaluation) = &report.evaluation {
            (table(report, evaluation, measures))
        } @else {
            p {
                "Give data with known targets to see how good the model is: "
                code { "spinney report MODEL --data FILE" } "."
            }
        }
        @if !report.learning.is_empty() {
            (figure(
                &learning(&report.learning),
                "Quality round by round. Where the line of unseen data turns back while that of \
                 training data goes on, the model only learns its data by heart. The band is one \
                 standard deviation over folds.",
            ))
        }
        @if let Some(evaluation) = &report.evaluation { (curves(report, evaluation)) }
    }
}

/// A metric in words.
pub(super) fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::Accuracy => "accuracy",
        Metric::Auc => "area under the ROC curve",
        Metric::LogLoss => "log loss",
        Metric::Rmse => "root mean squared error",
        Metric::Mae => "mean absolute error",
        Metric::R2 => "R²",
    }
}

/// A measure with its spread.
pub(super) fn value(m: &Measured) -> String {
    match m.metric {
        _ if m.value.is_nan() => "undefined".into(),
        Metric::Accuracy => format!("{:.1} ± {:.1} %", 100.0 * m.value, 100.0 * m.sd),
        _ => format!("{:.3} ± {:.3}", m.value, m.sd),
    }
}

fn table(report: &Report<'_>, evaluation: &Evaluation, measures: &[Measured]) -> Markup {
    let more = binary(report, evaluation).map(|(scores, probabilities, positive)| {
        let ranked = Ranked::new(scores, positive.iter().copied());
        (ranked.average_precision(), ranked.base_rate(), brier(&probabilities, &positive))
    });
    html! {
        div.wide { table {
            caption { (report.judged()) }
            thead {
                tr {
                    th scope="col" { "measure" }
                    th scope="col" { "value" }
                    th scope="col" { "reads" }
                }
            }
            tbody {
                @for m in measures {
                    tr {
                        th scope="row" { (name(m.metric)) }
                        td { (value(m)) }
                        td.words { (reads(m.metric, report.model.task().classes().len())) }
                    }
                }
                @if let Some((precision, base, brier)) = more {
                    tr {
                        th scope="row" { "average precision" }
                        td { (format!("{precision:.3}")) }
                        td.words {
                            "mean precision over all thresholds, all folds together; guessing "
                            "gives " (format!("{base:.3}"))
                        }
                    }
                    tr {
                        th scope="row" { "Brier score" }
                        td { (format!("{brier:.3}")) }
                        td.words {
                            "mean squared error of the probabilities, all folds together; always "
                            "saying the average gives " (format!("{:.3}", base * (1.0 - base)))
                        }
                    }
                }
            }
        } }
    }
}

fn reads(metric: Metric, classes: usize) -> String {
    let text = match metric {
        Metric::Accuracy => "share of right predictions",
        Metric::Auc => {
            "chance that one of the positive class scores above one of the negative; 0.5 is \
             guessing"
        }
        Metric::LogLoss => {
            let guess = (classes as f64).ln();
            return format!(
                "mean surprise at the true class; lower is better, giving all classes the same \
                 probability costs {guess:.3}"
            );
        }
        Metric::Rmse => "typical error, in units of the target; large errors count more",
        Metric::Mae => "mean error, in units of the target",
        Metric::R2 => "share of the variance explained; 1 is perfect, 0 is the mean",
    };
    text.to_owned()
}

/// One plot a metric, all graphs that it was measured on.
fn learning(all: &[Learning]) -> Vec<Plot> {
    let mut metrics: Vec<Metric> = all.iter().map(|l| l.metric).collect();
    metrics.sort_unstable();
    metrics.dedup();
    let rounds = |values: &[f64]| -> Vec<(f64, f64)> {
        let points: Vec<_> = (1..).map(f64::from).zip(values.iter().copied()).collect();
        thinned(&points, POINTS)
    };
    let plot = |metric: Metric| {
        let mut lines = Vec::new();
        for own in all.iter().filter(|l| l.metric == metric) {
            lines.push(Line {
                name: own.on.clone(),
                points: rounds(&own.values),
                style: LineStyle::Line,
            });
            if let Some(sd) = &own.sd {
                let shifted = |sign: f64| -> Vec<f64> {
                    own.values.iter().zip(sd).map(|(v, s)| v + sign * s).collect()
                };
                let mut points = rounds(&shifted(1.0));
                points.extend(rounds(&shifted(-1.0)).into_iter().rev());
                lines.push(Line { name: String::new(), points, style: LineStyle::Band });
            }
        }
        Plot {
            title: name(metric).into(),
            x: "rounds".into(),
            y: name(metric).into(),
            lines,
            ..Plot::default()
        }
    };
    metrics.into_iter().map(plot).collect()
}

/// Scores, probabilities of the positive class and truth of two classes.
fn binary(report: &Report<'_>, evaluation: &Evaluation) -> Option<(Vec<f64>, Vec<f64>, Vec<bool>)> {
    let (Task::Binary { .. }, Truth::Classes(truth)) = (report.model.task(), &evaluation.truth)
    else {
        return None;
    };
    let all = 0..evaluation.rows.len();
    let scores = all.clone().map(|i| evaluation.predictions.scores(i)[0]).collect();
    let probabilities = all.map(|i| evaluation.predictions.probabilities(i)[1]).collect();
    Some((scores, probabilities, truth.iter().map(|&t| t == 1).collect()))
}

fn curves(report: &Report<'_>, evaluation: &Evaluation) -> Markup {
    match &evaluation.truth {
        Truth::Numbers(truth) => residuals(evaluation, truth),
        Truth::Classes(truth) => html! {
            (ranking(report, evaluation, truth))
            (confusion(report, evaluation, truth))
        },
    }
}

fn square(
    title: &str,
    x: &str,
    y: &str,
    mut lines: Vec<Line>,
    guide: Option<Vec<(f64, f64)>>,
) -> Plot {
    let guide =
        guide.map(|points| Line { name: "guessing".into(), points, style: LineStyle::Guide });
    lines.extend(guide);
    let range = Some((0.0, 1.0));
    Plot {
        title: title.into(),
        x: x.into(),
        y: y.into(),
        lines,
        x_range: range,
        y_range: range,
        log: false,
    }
}

/// The curves of the classes that are drawn.
struct RankingCurves {
    roc: Vec<Line>,
    recall: Vec<Line>,
    calibration: Vec<Line>,
    /// The share of the class that was drawn last.
    base: f64,
}

impl RankingCurves {
    fn new(classes: &[String], evaluation: &Evaluation, truth: &[u32]) -> Self {
        let is_binary = classes.len() == 2;
        let shown = if is_binary { 1..2 } else { 0..classes.len().min(MAX_CLASSES_SHOWN) };
        let mut curves = RankingCurves {
            roc: Vec::new(),
            recall: Vec::new(),
            calibration: Vec::new(),
            base: f64::NAN,
        };
        for class in shown {
            let positive = || truth.iter().map(|&t| t as usize == class);
            let probability = |i: usize| evaluation.predictions.probabilities(i)[class];
            // By score: probabilities near 0 and 1 tie where scores do not.
            let score = |i: usize| {
                if is_binary { evaluation.predictions.scores(i)[0] } else { probability(i) }
            };
            let ranked = Ranked::new((0..truth.len()).map(score), positive());
            let line = |points: &[(f64, f64)]| Line {
                name: if is_binary { "model".into() } else { classes[class].clone() },
                points: thinned(points, POINTS),
                style: LineStyle::Line,
            };
            curves.roc.push(line(&ranked.roc()));
            curves.recall.push(line(&ranked.precision_recall()));
            let sure = Ranked::new((0..truth.len()).map(probability), positive());
            curves.calibration.push(line(&sure.calibration(GROUPS)));
            curves.base = ranked.base_rate();
        }
        curves
    }
}

fn ranking(report: &Report<'_>, evaluation: &Evaluation, truth: &[u32]) -> Markup {
    let classes = report.classes();
    let RankingCurves { roc, recall, calibration, base } =
        RankingCurves::new(&classes, evaluation, truth);
    let diagonal = vec![(0.0, 0.0), (1.0, 1.0)];
    let flat = (classes.len() == 2).then(|| vec![(0.0, base), (1.0, base)]);
    let mut calibration = square(
        "Calibration",
        "predicted probability",
        "share that is so",
        calibration,
        Some(diagonal.clone()),
    );
    if let Some(guide) = calibration.lines.last_mut() {
        guide.name = "perfect".into();
    }
    let plots = [
        square("ROC curve", "false positive rate", "true positive rate", roc, Some(diagonal)),
        square("Precision and recall", "recall", "precision", recall, flat),
        calibration,
    ];
    let of = match &classes[..] {
        [_, positive] => format!("The positive class is {positive}."),
        _ if classes.len() > MAX_CLASSES_SHOWN => {
            format!(
                "Each class against the rest; the first {MAX_CLASSES_SHOWN} of {}.",
                classes.len()
            )
        }
        _ => "Each class against the rest.".into(),
    };
    figure(
        &plots,
        &format!(
            "{of} ROC: how many of the positives are found (up) at the price of how many false \
             alarms (right). Precision and recall: of those predicted positive, how many are (up), \
             when so many of all positives are found (right). Calibration: ten groups by predicted \
             probability; on the broken line, seven of ten predicted with 70 % are positive."
        ),
    )
}

fn confusion(report: &Report<'_>, evaluation: &Evaluation, truth: &[u32]) -> Markup {
    let classes = report.classes();
    let mut table = vec![vec![0usize; classes.len()]; classes.len()];
    for (i, &t) in truth.iter().enumerate() {
        if let Some(predicted) = evaluation.predictions.class(i) {
            table[t as usize][predicted] += 1;
        }
    }
    if classes.len() > 20 {
        return html! {
            p.note { "With " (classes.len()) " classes the confusion table is left out." }
        };
    }
    html! {
        div.wide { table.confusion {
            caption {
                "Confusion table: true class in rows, predicted class in columns; shares of the row"
            }
            thead {
                tr { td {} @for class in &classes { th scope="col" { "predicted " (class) } } }
            }
            tbody {
                @for (t, row) in table.iter().enumerate() {
                    tr {
                        th scope="row" { "true " (classes[t]) }
                        @for (p, &n) in row.iter().enumerate() {
                            td.right[t == p].wrong[t != p && n > 0] {
                                (grouped(n)) " " span { (percent(n, row.iter().sum())) }
                            }
                        }
                    }
                }
            }
        } }
    }
}

fn residuals(evaluation: &Evaluation, truth: &[f64]) -> Markup {
    let n = truth.len();
    let step = n.div_ceil(DOTS).max(1);
    let rows = || (0..n).step_by(step);
    let predicted = |i: usize| evaluation.predictions.value(i);
    let (low, high) = rows().fold((f64::MAX, f64::MIN), |(a, b), i| {
        (a.min(truth[i]).min(predicted(i)), b.max(truth[i]).max(predicted(i)))
    });
    let dots =
        |points: Vec<(f64, f64)>| Line { name: String::new(), points, style: LineStyle::Points };
    let guide =
        |points: Vec<(f64, f64)>| Line { name: String::new(), points, style: LineStyle::Guide };
    let plots = [
        Plot {
            title: "Predicted and true".into(),
            x: "true".into(),
            y: "predicted".into(),
            lines: vec![
                dots(rows().map(|i| (truth[i], predicted(i))).collect()),
                guide(vec![(low, low), (high, high)]),
            ],
            x_range: Some((low, high)),
            y_range: Some((low, high)),
            log: false,
        },
        Plot {
            title: "Residuals".into(),
            x: "predicted".into(),
            y: "true − predicted".into(),
            lines: vec![
                dots(rows().map(|i| (predicted(i), truth[i] - predicted(i))).collect()),
                guide(vec![(low, 0.0), (high, 0.0)]),
            ],
            ..Plot::default()
        },
    ];
    let some = if step > 1 { format!(" Every {step}th is shown.") } else { String::new() };
    figure(
        &plots,
        &format!(
            "Each dot is one of the {} predicted: on the broken line where it was predicted \
             exactly.{some}",
            grouped(n)
        ),
    )
}
