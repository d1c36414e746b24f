//! Where an extension occurs, and how two such lists are joined.
//!
//! **Invariant.** Hits are in ascending order of graphs and, within a graph, of rows.

/// Where a pattern occurs: the graphs, and how its parent's embeddings continue to its own.
#[derive(Clone, Debug, Default)]
pub struct Embeddings {
    graphs: Vec<u32>,
    /// Where the hits of each graph start, and after the last graph where they end.
    starts: Vec<u32>,
    hits: Vec<Hit>,
}

/// A row of the parent that an extension continues, and the new vertex (0 for a backward edge).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) row: u32,
    pub(crate) vertex: u32,
}

/// The hits in one graph.
#[derive(Clone, Copy)]
struct GraphHits<'e> {
    /// The number of the first.
    start: usize,
    hits: &'e [Hit],
}

impl Embeddings {
    /// The graphs that contain the pattern, ascending.
    #[must_use]
    pub fn graphs(&self) -> &[u32] {
        &self.graphs
    }

    /// The number of graphs that contain the pattern.
    #[must_use]
    pub fn support(&self) -> usize {
        self.graphs.len()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * (self.graphs.capacity() + self.starts.capacity()) + 8 * self.hits.capacity()
    }

    /// For each graph, its number of hits.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        self.starts.windows(2).map(|w| w[1] - w[0])
    }

    pub(crate) fn hits(&self) -> &[Hit] {
        &self.hits
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    /// The hits in the `i`-th graph.
    #[inline(always)]
    fn of_graph(&self, i: usize) -> GraphHits<'_> {
        let range = self.range(i);
        GraphHits { start: range.start, hits: &self.hits[range] }
    }

    /// Each graph, with the numbers of its hits.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> + '_ {
        self.graphs.iter().enumerate().map(|(i, &graph)| (graph, self.range(i)))
    }

    /// The hits that `keep` accepts.
    pub(crate) fn filtered(&self, keep: impl Fn(Hit) -> bool) -> Embeddings {
        let mut kept = Gathered::default();
        for (graph, range) in self.parts() {
            for &hit in self.hits[range].iter().filter(|hit| keep(**hit)) {
                kept.add(graph, hit);
            }
        }
        kept.finish()
    }
}

/// Hits being gathered; the buffers are used again.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    graphs: Vec<u32>,
    starts: Vec<u32>,
    hits: Vec<Hit>,
    count: u32,
    /// The number of the last graph, plus one.
    last: u32,
}

impl Gathered {
    pub(crate) fn clear(&mut self) {
        self.last = 0;
        self.graphs.clear();
        self.starts.clear();
        self.hits.clear();
        self.count = 0;
    }

    pub(crate) fn graphs(&self) -> &[u32] {
        &self.graphs
    }

    /// Adds a hit in `graph`, which is none before the last one's.
    #[inline(always)]
    pub(crate) fn add(&mut self, graph: u32, hit: Hit) {
        if self.last != graph + 1 {
            self.enter(graph);
        }
        self.hits.push(hit);
    }

    /// Counts a hit in `graph` without keeping it.
    #[inline(always)]
    pub(crate) fn count_one(&mut self, graph: u32) {
        if self.last != graph + 1 {
            self.enter(graph);
        }
        self.count += 1;
    }

    #[cold]
    fn enter(&mut self, graph: u32) {
        self.last = graph + 1;
        self.graphs.push(graph);
        self.starts.push(self.end());
    }

    /// The hits so far, kept or counted.
    fn end(&self) -> u32 {
        self.count + self.hits.len() as u32
    }

    /// What was gathered, in exact size. Small buffers are copied and kept, large ones handed over.
    pub(crate) fn finish(&mut self) -> Embeddings {
        const LARGE: usize = 1 << 12;
        let mut starts = Vec::with_capacity(self.starts.len() + 1);
        starts.extend_from_slice(&self.starts);
        starts.push(self.end());
        let hits = if self.hits.len() < LARGE {
            self.hits.clone()
        } else {
            self.hits.shrink_to_fit();
            std::mem::take(&mut self.hits)
        };
        Embeddings { graphs: self.graphs.clone(), starts, hits }
    }
}

/// Two lists of extensions of one pattern.
#[derive(Clone, Copy)]
pub(crate) struct JoinedLists<'e> {
    pub(crate) a: &'e Embeddings,
    pub(crate) b: &'e Embeddings,
}

/// The pairs of hits on the same row of the parent whose vertices `fit`: `gather` gets the graph,
/// the number of the first hit and the second's vertex, and says whether it wants more of that
/// graph. Gives up, and returns false, where fewer than `min_support` graphs (by `counts`) can be
/// left.
pub(crate) fn join(
    lists: JoinedLists<'_>,
    min_support: usize,
    counts: impl Fn(u32) -> bool,
    fit: impl Fn(u32, u32) -> bool,
    mut gather: impl FnMut(u32, Hit) -> bool,
) -> bool {
    let JoinedLists { a, b } = lists;
    let mut possible = 0;
    common(&a.graphs, &b.graphs, |i, _| {
        possible += usize::from(counts(a.graphs[i]));
        min_support > 1 || possible == 0
    });
    if possible < min_support {
        return false;
    }
    let mut found = 0;
    common(&a.graphs, &b.graphs, |i, j| {
        let graph = a.graphs[i];
        let any = join_graph(a.of_graph(i), b.of_graph(j), &fit, |hit| gather(graph, hit));
        let counted = usize::from(counts(graph));
        found += counted * usize::from(any);
        possible -= counted * usize::from(!any && min_support > 1);
        possible >= min_support
    });
    found >= min_support
}

/// The same for one graph of each list. Returns whether there is a pair.
#[inline(always)]
fn join_graph(
    a: GraphHits<'_>,
    b: GraphHits<'_>,
    fit: impl Fn(u32, u32) -> bool,
    mut gather: impl FnMut(Hit) -> bool,
) -> bool {
    let mut any = false;
    let mut rest = b.hits.iter();
    let Some(mut next) = rest.next() else { return false };
    for (number, first) in (a.start..).zip(a.hits) {
        while next.row < first.row {
            let Some(more) = rest.next() else { return any };
            next = more;
        }
        if next.row != first.row {
            continue;
        }
        // The next hit of `a` may be on the same row, so the place is kept.
        let mut second = next;
        let mut ahead = rest.clone();
        loop {
            if fit(first.vertex, second.vertex) {
                any = true;
                if !gather(Hit { row: number as u32, vertex: second.vertex }) {
                    return true;
                }
            }
            match ahead.next() {
                Some(more) if more.row == first.row => second = more,
                _ => break,
            }
        }
    }
    any
}

/// The places of the numbers that two ascending lists have in common, until `found` says no.
fn common(a: &[u32], b: &[u32], mut found: impl FnMut(usize, usize) -> bool) {
    let mut i = 0;
    let mut j = 0;
    while i < a.len() && j < b.len() {
        let x = a[i];
        let y = b[j];
        if x == y && !found(i, j) {
            return;
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
}
