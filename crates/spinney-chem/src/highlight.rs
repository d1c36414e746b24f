//! Colours behind the parts of a drawing.
//!
//! What is highlighted is yellow. Weights go from blue (below 0) over white to orange (above): the
//! two ends differ for colour-blind eyes too, and in grey they differ from 0. A weight is shown by
//! its share of the largest, so drawings that are compared must agree on that.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// The colour of what is highlighted.
pub const HIGHLIGHT: &str = "#ffd866";
const ABOVE: [f64; 3] = [226.0, 117.0, 35.0];
const BELOW: [f64; 3] = [41.0, 125.0, 187.0];
/// Weights of a smaller share stay plain.
const MIN_SHOWN_SHARE: f64 = 0.02;

/// Highlights of vertices and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlights {
    vertices: BTreeMap<u32, Cow<'static, str>>,
    edges: BTreeMap<(u32, u32), Cow<'static, str>>,
}

impl Highlights {
    /// Highlights a vertex.
    pub fn mark_vertex(&mut self, v: u32) {
        self.vertices.insert(v, Cow::Borrowed(HIGHLIGHT));
    }

    /// Highlights the edge between two vertices.
    pub fn mark_edge(&mut self, a: u32, b: u32) {
        self.edges.insert((a.min(b), a.max(b)), Cow::Borrowed(HIGHLIGHT));
    }

    /// Shows a weight, from −1 to 1, at a vertex.
    pub fn weigh_vertex(&mut self, v: u32, weight: f64) {
        if let Some(shade) = shade(weight) {
            self.vertices.insert(v, Cow::Owned(shade));
        }
    }

    /// Shows a weight, from −1 to 1, at the edge between two vertices.
    pub fn weigh_edge(&mut self, a: u32, b: u32, weight: f64) {
        if let Some(shade) = shade(weight) {
            self.edges.insert((a.min(b), a.max(b)), Cow::Owned(shade));
        }
    }

    /// The highlight of a vertex.
    #[must_use]
    pub fn vertex(&self, v: u32) -> Option<Cow<'static, str>> {
        self.vertices.get(&v).cloned()
    }

    /// The highlight of the edge between two vertices.
    #[must_use]
    pub fn edge(&self, a: u32, b: u32) -> Option<Cow<'static, str>> {
        self.edges.get(&(a.min(b), a.max(b))).cloned()
    }
}

/// The colour of a weight from −1 (blue) over 0 (white) to 1 (orange); none near 0.
#[must_use]
pub fn shade(weight: f64) -> Option<String> {
    let strength = weight.abs().min(1.0);
    if weight.is_nan() || strength < MIN_SHOWN_SHARE {
        return None;
    }
    let end = if weight > 0.0 { ABOVE } else { BELOW };
    let [r, g, b] = end.map(|to| (255.0 + (to - 255.0) * strength).round() as u8);
    Some(format!("#{r:02x}{g:02x}{b:02x}"))
}

#[cfg(test)]
mod tests {
    use super::{Highlights, shade};

    #[test]
    fn weights_become_colours() {
        assert_eq!(shade(1.0).as_deref(), Some("#e27523"));
        assert_eq!(shade(-7.0).as_deref(), Some("#297dbb"));
        assert_eq!((shade(0.01), shade(f64::NAN)), (None, None));
        let mut highlights = Highlights::default();
        highlights.weigh_edge(4, 2, 0.5);
        assert_eq!(highlights.edge(2, 4).as_deref(), Some("#f1ba91"));
        assert_eq!(highlights.edge(2, 3), None);
    }
}
