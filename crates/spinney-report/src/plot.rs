//! Plots in SVG: lines, points, bands and guides over two axes, with a legend.
//!
//! Colours are chosen so that colour-blind readers can distinguish them; text and grid take theirs
//! from the page (classes `grid`, `title`, `guide`), so that a plot is readable on dark pages too.
//!
//! **Invariant.** The same plot gives the same text; what comes from outside is escaped; values
//! that are no numbers are left out.

use std::fmt::Write;

use spinney_chem::layout::escape;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineStyle {
    /// A line through the points.
    #[default]
    Line,
    /// A thin broken line to compare with.
    Guide,
    /// Dots.
    Points,
    /// The area inside the points, in the colour of the series before it.
    Band,
}

/// A series of points.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Its name in the legend; none there if empty.
    pub name: String,
    /// The points; of a line ascending in x.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: LineStyle,
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
    /// The series.
    pub lines: Vec<Line>,
    /// Whether y is shown by its logarithm; points must be positive then.
    pub log: bool,
    /// Where the axes begin and end; else where the points do.
    pub x_range: Option<(f64, f64)>,
    /// The same of y.
    pub y_range: Option<(f64, f64)>,
}

/// Colours that colour-blind readers can distinguish (Okabe and Ito; the last is the text's).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor"];
const DASHES: [&str; 3] = ["", "6 3", "2 3"];
const SIZE: (f64, f64) = (560.0, 340.0);
const FRAME: (f64, f64, f64, f64) = (64.0, 34.0, 420.0, 290.0);

/// Both axes of a plot.
struct Axes {
    x: Axis,
    y: Axis,
}

/// From values to places along an axis.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Axis {
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
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    /// Of an axis of logarithms: those of 1, 10, 100, …, or of 1, 2, 5, 10, … if there are few.
    fn log_ticks(&self) -> Vec<f64> {
        let inside = |tick: &f64| (self.low - 1e-9..=self.high + 1e-9).contains(tick);
        let powers = self.low.floor() as i64..=self.high.ceil() as i64;
        let tens: Vec<f64> = powers.clone().map(|p| p as f64).filter(inside).collect();
        if tens.len() > 2 {
            return tens;
        }
        let steps = powers.flat_map(|p| [1.0, 2.0, 5.0].map(|m: f64| p as f64 + m.log10()));
        steps.filter(inside).collect()
    }
}

impl Plot {
    /// The plot as an SVG element.
    #[must_use]
    pub fn svg(&self) -> String {
        let (left, top, right, bottom) = FRAME;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let range = |given: Option<(f64, f64)>| given.into_iter().flat_map(|(a, b)| [a, b]);
        let x = match self.x_range {
            Some(_) => Axis::new(range(self.x_range), left, right),
            None => Axis::new(points().map(|p| p.0), left, right),
        };
        let y = match self.y_range {
            Some(_) => Axis::new(range(self.y_range).map(|y| self.scaled(y)), bottom, top),
            None => Axis::new(points().map(|p| self.scaled(p.1)), bottom, top),
        };
        let mut svg = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
            self.width(),
            SIZE.1,
            escape(&self.title)
        );
        let _ = writeln!(
            svg,
            "<text class=\"title\" x=\"{left}\" y=\"18\">{}</text>",
            escape(&self.title)
        );
        let axes = Axes { x, y };
        self.axes(&mut svg, &axes);
        let mut colours = 0;
        let mut named = 0;
        for line in &self.lines {
            if line.style == LineStyle::Line || line.style == LineStyle::Points {
                colours += 1;
            }
            let ink = Ink::new(colours.max(1) - 1);
            self.series(&mut svg, line, &ink, &axes);
            if !line.name.is_empty() {
                let at = top + 8.0 + 18.0 * f64::from(named);
                ink.legend(&mut svg, line, at);
                named += 1;
            }
        }
        svg + "</svg>\n"
    }

    /// Room for the longest name of the legend, at some seven units a letter.
    fn width(&self) -> f64 {
        let longest = self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
        match longest {
            0 => FRAME.2 + 20.0,
            _ => SIZE.0.max(FRAME.2 + 40.0 + 7.0 * longest as f64),
        }
    }

    fn scaled(&self, y: f64) -> f64 {
        if self.log { y.log10() } else { y }
    }

    fn series(&self, svg: &mut String, line: &Line, ink: &Ink, axes: &Axes) {
        let Axes { x, y } = axes;
        let places: Vec<(f64, f64)> = line
            .points
            .iter()
            .map(|p| (x.at(p.0), y.at(self.scaled(p.1))))
            .filter(|p| p.0.is_finite() && p.1.is_finite())
            .collect();
        if line.style == LineStyle::Points {
            // A path of round dots is much shorter than a circle each.
            let dots: String = places.iter().map(|(x, y)| format!("M{x:.1},{y:.1}h0")).collect();
            let _ = writeln!(
                svg,
                "<path d=\"{dots}\" stroke=\"{}\" stroke-width=\"4.5\" stroke-opacity=\".55\" \
                 stroke-linecap=\"round\" fill=\"none\"/>",
                ink.colour
            );
            return;
        }
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let path = path.join(" ");
        let _ = match line.style {
            LineStyle::Band => writeln!(
                svg,
                "<polygon fill=\"{}\" fill-opacity=\".18\" points=\"{path}\"/>",
                ink.colour
            ),
            LineStyle::Guide => writeln!(svg, "<polyline class=\"guide\" points=\"{path}\"/>"),
            _ => writeln!(
                svg,
                "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" \
                 stroke-dasharray=\"{}\" points=\"{path}\"/>",
                ink.colour, ink.dash
            ),
        };
    }

    fn axes(&self, svg: &mut String, Axes { x, y }: &Axes) {
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
        for tick in if self.log { y.log_ticks() } else { y.ticks() } {
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
            "<text text-anchor=\"middle\" \
             transform=\"translate(16 {height}) rotate(-90)\">{}</text>",
            escape(&self.y)
        );
    }
}

/// Colour and dash of a series.
struct Ink {
    colour: &'static str,
    dash: &'static str,
}

impl Ink {
    fn new(i: usize) -> Ink {
        Ink { colour: COLOURS[i % COLOURS.len()], dash: DASHES[i / COLOURS.len() % DASHES.len()] }
    }

    fn legend(&self, svg: &mut String, line: &Line, at: f64) {
        let right = FRAME.2;
        let Ink { colour, dash } = self;
        let _ = match line.style {
            LineStyle::Points => {
                write!(
                    svg,
                    "<circle cx=\"{}\" cy=\"{at}\" r=\"3.5\" fill=\"{colour}\"/>",
                    right + 20.0
                )
            }
            LineStyle::Guide => write!(
                svg,
                "<line class=\"guide\" x1=\"{}\" x2=\"{}\" y1=\"{at}\" y2=\"{at}\"/>",
                right + 10.0,
                right + 30.0
            ),
            _ => write!(
                svg,
                "<line x1=\"{}\" x2=\"{}\" y1=\"{at}\" y2=\"{at}\" stroke=\"{colour}\" \
                 stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>",
                right + 10.0,
                right + 30.0
            ),
        };
        let x = right + 35.0;
        let y = at + 4.0;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{}</text>", escape(&line.name));
    }
}

/// A number in few digits.
#[must_use]
pub fn number(value: f64) -> String {
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
    use super::{Axis, Line, LineStyle, Plot, number};

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::new([0.53, 0.97].into_iter(), 0.0, 100.0);
        assert_eq!(
            axis.ticks().iter().map(|&t| number(t)).collect::<Vec<_>>(),
            ["0.6", "0.7", "0.8", "0.9"]
        );
        assert_eq!((axis.at(0.53), axis.at(0.97)), (0.0, 100.0));
        let logs = |low: f64, high: f64| {
            let axis = Axis::new([low.log10(), high.log10()].into_iter(), 0.0, 1.0);
            axis.log_ticks().iter().map(|t| number(10f64.powf(*t))).collect::<Vec<_>>()
        };
        assert_eq!(logs(4.0, 30.0), ["5", "10", "20"]);
        assert_eq!(logs(1.0, 5e4), ["1", "10", "100", "1000", "10000"]);
        // A single value, or none, still gives an axis.
        assert!(!Axis::new([3.0].into_iter(), 0.0, 1.0).ticks().is_empty());
        assert!(!Axis::new([f64::NAN].into_iter(), 0.0, 1.0).ticks().is_empty());
    }

    #[test]
    fn lines_are_drawn_and_names_are_text() {
        let line = Line {
            name: "<d> = 1".into(),
            points: vec![(1.0, 0.5), (2.0, f64::NAN), (3.0, 1.0)],
            ..Line::default()
        };
        let svg = Plot { lines: vec![line], ..Plot::default() }.svg();
        assert!(svg.contains("points=\"64.0,290.0 420.0,34.0\""), "{svg}");
        assert!(svg.contains("&lt;d&gt; = 1"));
        let line = Line {
            name: "a name of thirty letters or so".into(),
            points: vec![(1.0, 0.5)],
            ..Line::default()
        };
        let svg = Plot { lines: vec![line], ..Plot::default() }.svg();
        assert!(svg.contains("viewBox=\"0 0 670 340\""), "{svg}");
    }

    #[test]
    fn looks_differ_and_ranges_are_kept() {
        let points = vec![(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)];
        let line = |style| Line { points: points.clone(), style, ..Line::default() };
        let lines = vec![line(LineStyle::Guide), line(LineStyle::Points), line(LineStyle::Band)];
        let plot = Plot { lines, x_range: Some((-1.0, 1.0)), ..Plot::default() };
        let svg = plot.svg();
        assert!(svg.contains("class=\"guide\" points=\"242.0,290.0"), "{svg}");
        assert!(svg.contains("M242.0,290.0h0M331.0,162.0h0") && svg.contains("<polygon"), "{svg}");
        assert!(svg.contains("viewBox=\"0 0 440 340\""), "no legend, no room for one: {svg}");
    }
}
