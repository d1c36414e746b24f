//! A DFS code as a graph with its twins, for the [minimality test](crate::mining::minimal).

use crate::labels::Label;
use crate::mining::dfs_code::DfsEdge;

/// No vertex, no position.
pub(super) const NONE: u16 = u16::MAX;

/// Where the arcs of a vertex lie.
#[derive(Clone, Copy, Debug, Default)]
struct ArcRange {
    start: u16,
    degree: u16,
}

/// An edge as seen from one of its ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arc {
    pub(super) to: u16,
    pub(super) key: u64,
}

/// An edge of the code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) key: u64,
    /// Backward edges from the vertex found last are written up to this position.
    pub(super) written: u16,
}

/// Edge label and label of the vertex reached, in the order of codes.
fn key(edge: Label, to: Label) -> u64 {
    u64::from(edge) << 32 | u64::from(to)
}

/// A code, and the graph of its edges; keeps its buffers.
#[derive(Debug, Default)]
pub(super) struct LoadedCode {
    pub(super) labels: Vec<Label>,
    /// The arcs of each vertex in `arcs`, and a free place after them.
    ranges: Vec<ArcRange>,
    pub(super) arcs: Vec<Arc>,
    /// The first of a vertex's twins, itself included; [`NONE`] if it has none.
    pub(super) class: Vec<u16>,
    pub(super) links: Vec<Link>,
    /// For each position of the code, the one that it was found from.
    pub(super) parent: Vec<u16>,
    /// The edge put last, still in place.
    added: Option<DfsEdge>,
}

impl LoadedCode {
    /// Loads a code, to be extended by one more edge.
    pub(super) fn load(&mut self, root: Label, edges: &[DfsEdge]) {
        self.added = None;
        self.links.clear();
        self.parent.clear();
        self.parent.push(NONE);
        self.labels.clear();
        self.labels.push(root);
        self.ranges.clear();
        self.ranges.push(ArcRange::default());
        for e in edges {
            if e.is_forward() {
                self.ranges.push(ArcRange::default());
            }
            self.ranges[usize::from(e.from)].degree += 1;
            self.ranges[usize::from(e.to)].degree += 1;
        }
        let mut end = 0;
        for ArcRange { start, degree } in &mut self.ranges {
            *start = end;
            end += *degree + 1;
            *degree = 0;
        }
        self.arcs.clear();
        self.arcs.resize(end.into(), Arc::default());
        let vertices = self.ranges.len();
        for &edge in edges {
            self.add(edge);
        }
        debug_assert_eq!(vertices, self.ranges.len(), "each vertex has its arcs");
    }

    fn add(&mut self, e: DfsEdge) {
        let written = match self.links.last() {
            Some(before) if before.to < before.from => before.to + 1,
            _ => 0,
        };
        let key_to = key(e.edge_label, e.to_label);
        self.links.push(Link { from: e.from, to: e.to, key: key_to, written });
        if e.is_forward() {
            self.labels.push(e.to_label);
            self.parent.push(e.from);
            if usize::from(e.to) == self.ranges.len() {
                self.ranges.push(ArcRange { start: self.arcs.len() as u16, degree: 0 });
                self.arcs.push(Arc::default());
            }
        }
        self.add_arc(e.from, Arc { to: e.to, key: key_to });
        self.add_arc(e.to, Arc { to: e.from, key: key(e.edge_label, e.from_label) });
    }

    fn add_arc(&mut self, v: u16, arc: Arc) {
        let ArcRange { start, degree } = &mut self.ranges[usize::from(v)];
        self.arcs[usize::from(*start + *degree)] = arc;
        *degree += 1;
    }

    /// Puts an edge after the loaded ones, in place of the one put there before.
    pub(super) fn replace_last(&mut self, edge: DfsEdge) {
        self.take_back();
        self.added = Some(edge);
        self.add(edge);
        self.find_twins();
    }

    /// Takes the edge put last back.
    fn take_back(&mut self) {
        let Some(e) = self.added.take() else { return };
        self.links.pop();
        self.ranges[usize::from(e.from)].degree -= 1;
        if e.is_forward() {
            self.labels.pop();
            self.parent.pop();
            self.ranges.pop();
            self.arcs.pop();
        } else {
            self.ranges[usize::from(e.to)].degree -= 1;
        }
    }

    pub(super) fn range(&self, v: u16) -> std::ops::Range<usize> {
        let ArcRange { start, degree } = self.ranges[usize::from(v)];
        start.into()..usize::from(start + degree)
    }

    pub(super) fn around(&self, v: u16) -> &[Arc] {
        &self.arcs[self.range(v)]
    }

    pub(super) fn degree(&self, v: u16) -> usize {
        self.ranges[usize::from(v)].degree.into()
    }

    fn find_twins(&mut self) {
        self.class.clear();
        let n = self.labels.len();
        if self.links.len() < n + 2 {
            for v in 0..n as u16 {
                let class = self.twin_leaf(v);
                self.class.push(class);
            }
            return;
        }
        for v in 0..n as u16 {
            let first = (0..n as u16).find(|&u| u != v && self.are_twins(u, v));
            self.class.push(first.map_or(NONE, |u| u.min(v)));
        }
    }

    /// The first of the leaves that look like `v` and hang on the same vertex, if there are two.
    fn twin_leaf(&self, v: u16) -> u16 {
        let &[Arc { to: hub, .. }] = self.around(v) else { return NONE };
        let label = self.labels[usize::from(v)];
        let around = self.around(hub);
        let edge = self.around(v)[0].key >> 32;
        let mut alike =
            around.iter().filter(|a| a.key == key(edge as Label, label) && self.degree(a.to) == 1);
        let first = alike.by_ref().map(|a| a.to).next();
        let more = alike.map(|a| a.to).next();
        match (first, more) {
            (Some(first), Some(_)) => first,
            _ => NONE,
        }
    }

    fn are_twins(&self, u: u16, v: u16) -> bool {
        let a = self.around(u);
        let b = self.around(v);
        let seen = |n: &Arc| n.to == v || b.iter().any(|m| m.to == n.to && m.key == n.key);
        self.labels[usize::from(u)] == self.labels[usize::from(v)]
            && a.len() == b.len()
            && a.iter().all(seen)
    }
}
