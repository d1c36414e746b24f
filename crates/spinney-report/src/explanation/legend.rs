//! The scale of colours below a drawing.

use std::fmt::Write;

use spinney_chem::highlight::shade;
use spinney_chem::layout::escape;

const HEIGHT: f64 = 52.0;
const STEPS: usize = 21;

/// `picture` with a legend below it: blue for −`largest`, orange for `largest`.
pub(super) fn below(picture: &str, largest: f64, upwards: &str) -> String {
    let (w, h) = size(picture);
    let width = w.max(300.0);
    let inner =
        picture.replacen("<svg ", &format!("<svg x=\"{:.0}\" y=\"0\" ", (width - w) / 2.0), 1);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{:.0}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{inner}{}</svg>\n",
        h + HEIGHT,
        scale(Place { middle: width / 2.0, top: h + 6.0 }, largest, upwards),
    )
}

/// The legend alone.
pub(super) fn alone(largest: f64, upwards: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 300 {HEIGHT}\" role=\"img\" \
         aria-label=\"Colours from blue for {0} to orange for {1}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">{2}</svg>",
        number(-largest),
        number(largest),
        scale(Place { middle: 150.0, top: 6.0 }, largest, upwards),
    )
}

/// Where the scale lies.
struct Place {
    middle: f64,
    top: f64,
}

fn scale(Place { middle, top }: Place, largest: f64, upwards: &str) -> String {
    let step = 220.0 / STEPS as f64;
    let mut svg = String::new();
    for i in 0..STEPS {
        let weight = 2.0 * i as f64 / (STEPS - 1) as f64 - 1.0;
        let fill = shade(weight).unwrap_or_else(|| "#ffffff".into());
        let x = middle - 110.0 + i as f64 * step;
        let _ = write!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"10\" fill=\"{fill}\"/>",
            step + 0.2
        );
    }
    let texts = [
        (-110.0, "start", number(-largest)),
        (0.0, "middle", "0".into()),
        (110.0, "end", number(largest)),
    ];
    for (shift, anchor, text) in texts {
        let x = middle + shift;
        let y = top + 24.0;
        let _ = write!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#333\">{text}</text>"
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#333\">\
         orange: for {}</text>",
        top + 40.0,
        escape(upwards)
    );
    svg
}

fn number(value: f64) -> String {
    format!("{value:+.3}").replace('-', "−")
}

/// Width and height of a drawing.
fn size(svg: &str) -> (f64, f64) {
    let value = |name: &str| {
        let start = svg.find(name)? + name.len();
        svg[start..].split('"').next()?.parse().ok()
    };
    (value(" width=\"").unwrap_or(300.0), value(" height=\"").unwrap_or(200.0))
}

#[cfg(test)]
mod tests {
    use super::{alone, below};

    #[test]
    fn the_legend_fits_below() {
        let svg = below("<svg width=\"100\" height=\"80\"></svg>", 0.5, "<b>");
        assert!(
            svg.contains("width=\"300\" height=\"132\"") && svg.contains("<svg x=\"100\""),
            "{svg}"
        );
        assert!(svg.contains("+0.500") && svg.contains("for &lt;b&gt;"));
        assert!(alone(0.5, "x").contains("−0.500"));
    }
}
