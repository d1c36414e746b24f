//! Line plots in SVG: what the paper's figures need, and no more.

use std::fmt::Write;

use spinney_chem::layout::escape;

/// A line of points, ascending in x.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What the axes show.
    pub x: String,
    /// What the axes show.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether y is shown by its logarithm; points must be positive then.
    pub log: bool,
}

/// Colours that colour-blind readers can tell apart (Okabe and Ito).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES: [&str; 3] = ["", "6 3", "2 3"];
const SIZE: (f64, f64) = (560.0, 340.0);
const FRAME: (f64, f64, f64, f64) = (64.0, 34.0, 420.0, 290.0);

/// From values to places along an axis.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, (start, end): (f64, f64)) -> Axis {
        let finite = values.filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let room = if high > low { 0.0 } else { 0.5 * high.abs().max(1.0) };
        Axis { low: low - room, high: high + room, start, end }
    }

    fn at(&self, value: f64) -> f64 {
        self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
    }

    /// Round values, about five.
    fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough);
        let step = step.unwrap_or(10.0 * power);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }
}

impl Plot {
    /// The plot as an SVG element.
    #[must_use]
    pub fn svg(&self) -> String {
        let (left, top, right, bottom) = FRAME;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let scaled = |y: f64| if self.log { y.log10() } else { y };
        let x = Axis::new(points().map(|p| p.0), (left, right));
        let y = Axis::new(points().map(|p| scaled(p.1)), (bottom, top));
        // Room for the longest name of the legend, at some seven units a letter.
        let longest = self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
        let width = SIZE.0.max(right + 40.0 + 7.0 * longest as f64);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
            width,
            SIZE.1,
            escape(&self.title)
        );
        let _ = writeln!(
            svg,
            "<text class=\"title\" x=\"{left}\" y=\"18\">{}</text>",
            escape(&self.title)
        );
        self.axes(&mut svg, &x, &y);
        for (i, line) in self.lines.iter().enumerate() {
            let path: Vec<String> = line
                .points
                .iter()
                .filter(|p| scaled(p.1).is_finite())
                .map(|p| format!("{:.1},{:.1}", x.at(p.0), y.at(scaled(p.1))))
                .collect();
            let colour = COLOURS[i % COLOURS.len()];
            let dash = DASHES[i / COLOURS.len() % DASHES.len()];
            let _ = writeln!(
                svg,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"{dash}\" points=\"{}\"/>",
                path.join(" ")
            );
            let at = top + 8.0 + 18.0 * i as f64;
            let _ = writeln!(
                svg,
                "<line x1=\"{0}\" x2=\"{1}\" y1=\"{at}\" y2=\"{at}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>\
                 <text x=\"{2}\" y=\"{3}\">{4}</text>",
                right + 10.0,
                right + 30.0,
                right + 35.0,
                at + 4.0,
                escape(&line.name)
            );
        }
        svg + "</svg>\n"
    }

    fn axes(&self, svg: &mut String, x: &Axis, y: &Axis) {
        let (left, top, right, bottom) = FRAME;
        for tick in x.ticks() {
            let at = x.at(tick);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>\
                 <text text-anchor=\"middle\" x=\"{at:.1}\" y=\"{}\">{}</text>",
                bottom + 16.0,
                number(tick)
            );
        }
        for tick in y.ticks() {
            let at = y.at(tick);
            let shown = if self.log { 10f64.powf(tick) } else { tick };
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text text-anchor=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
                left - 6.0,
                at + 4.0,
                number(shown)
            );
        }
        let middle = (left + right) / 2.0;
        let _ = writeln!(
            svg,
            "<text text-anchor=\"middle\" x=\"{middle}\" y=\"{}\">{}</text>",
            bottom + 36.0,
            escape(&self.x)
        );
        let height = (top + bottom) / 2.0;
        let _ = writeln!(
            svg,
            "<text text-anchor=\"middle\" transform=\"translate(16 {height}) rotate(-90)\">{}</text>",
            escape(&self.y)
        );
    }
}

/// A number in few digits.
fn number(value: f64) -> String {
    let text = if value != 0.0 && value.abs() < 0.01 {
        format!("{value:.4}")
    } else if value.abs() >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, Line, Plot, number};

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::new([0.53, 0.97].into_iter(), (0.0, 100.0));
        assert_eq!(
            axis.ticks().iter().map(|&t| number(t)).collect::<Vec<_>>(),
            ["0.6", "0.7", "0.8", "0.9"]
        );
        assert_eq!((axis.at(0.53), axis.at(0.97)), (0.0, 100.0));
        // A single value, or none, still gives an axis.
        assert!(!Axis::new([3.0].into_iter(), (0.0, 1.0)).ticks().is_empty());
        assert!(!Axis::new([f64::NAN].into_iter(), (0.0, 1.0)).ticks().is_empty());
    }

    #[test]
    fn lines_are_drawn_and_names_are_text() {
        let line =
            Line { name: "<d> = 1".into(), points: vec![(1.0, 0.5), (2.0, f64::NAN), (3.0, 1.0)] };
        let svg = Plot { lines: vec![line], ..Plot::default() }.svg();
        assert!(svg.contains("points=\"64.0,290.0 420.0,34.0\""), "{svg}");
        assert!(svg.contains("&lt;d&gt; = 1"));
        let line = Line { name: "a name of thirty letters or so".into(), points: vec![(1.0, 0.5)] };
        let svg = Plot { lines: vec![line], ..Plot::default() }.svg();
        assert!(svg.contains("viewBox=\"0 0 670 340\""), "{svg}");
    }
}
