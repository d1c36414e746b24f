//! The labels along the short paths of patterns, as a tree of paths that begin alike.
//!
//! **Invariant.** A pattern's paths are its longest: each other path of at most
//! [`MAX_PATH_EDGES`] edges lies within one of them, unless the pattern has more paths than are
//! gathered. Every pattern has at least one. Of a path's two directions the one is kept that begins
//! with the rarer label; so a graph's many paths from a common label end early.
//!
//! **Cost.** The paths of each pattern, at most [`MAX_STEPS`] steps.

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, NONE};
use super::screen::MAX_PATH_EDGES;
use crate::mining::dfs_code::DfsCode;

/// The most steps along the paths of a pattern.
const MAX_STEPS: usize = 2_000;

/// The paths of some patterns.
#[derive(Debug, Default)]
pub(super) struct Trails {
    /// The number of paths.
    pub(super) paths: usize,
    /// The path of one vertex of each label's number, or [`NONE`].
    pub(super) starts: Vec<u32>,
    /// The paths with one edge more.
    pub(super) longer: FxHashMap<Trail, u32>,
    /// The paths of each pattern.
    pub(super) needed: Vec<Needed>,
}

/// The paths that a pattern needs: one at least.
#[derive(Debug)]
pub(super) struct Needed {
    pub(super) paths: Vec<u32>,
    /// Whether it has edges and is no more than the one path.
    pub(super) is_path: bool,
}

/// A path and the letter of one edge more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Trail {
    pub(super) path: u32,
    pub(super) letter: u32,
}

/// A pattern's vertices and edges.
#[derive(Default)]
struct Outline {
    /// The number of each vertex's label.
    labels: Vec<u32>,
    around: Vec<Vec<Arc>>,
}

#[derive(Clone, Copy)]
struct Arc {
    to: u16,
    letter: u32,
}

/// A walk along all paths of a pattern.
struct Gather<'g> {
    trails: &'g mut Trails,
    outline: &'g Outline,
    /// How many vertices of patterns have each label.
    users: &'g [u32],
    vertices: Vec<u16>,
    /// The letters forth and back of each edge.
    forth: Vec<u32>,
    back: Vec<u32>,
    found: Vec<u32>,
    /// The edges of the longest path.
    longest: usize,
    left: usize,
}

impl Trails {
    /// The paths of `patterns`.
    pub(super) fn of<'a>(
        patterns: impl Iterator<Item = &'a DfsCode> + Clone,
        alphabet: &Alphabet,
    ) -> Trails {
        // Labels without a number share one behind the others.
        let unknown = alphabet.vertex_count() as u32;
        let mut users = vec![0; alphabet.vertex_count() + 1];
        let mut use_one = |label| users[alphabet.vertex(label).min(unknown) as usize] += 1;
        for code in patterns.clone() {
            use_one(code.root());
            code.edges().iter().filter(|e| e.is_forward()).for_each(|e| use_one(e.to_label));
        }
        let mut trails = Trails { starts: vec![NONE; users.len()], ..Trails::default() };
        let mut outline = Outline::default();
        for code in patterns {
            outline.draw(code, alphabet);
            let needed = trails.gather(&outline, &users, code.edge_count());
            trails.needed.push(needed);
        }
        trails
    }

    /// The paths of a pattern of so many edges.
    fn gather(&mut self, outline: &Outline, users: &[u32], edges: usize) -> Needed {
        let mut gather = Gather {
            trails: self,
            outline,
            users,
            vertices: Vec::with_capacity(MAX_PATH_EDGES + 1),
            forth: Vec::with_capacity(MAX_PATH_EDGES),
            back: Vec::with_capacity(MAX_PATH_EDGES),
            found: Vec::new(),
            longest: 0,
            left: MAX_STEPS,
        };
        for v in 0..outline.labels.len() as u16 {
            gather.vertices.push(v);
            gather.follow();
            gather.vertices.pop();
        }
        let Gather { mut found, longest, .. } = gather;
        let is_path = edges > 0 && longest == edges;
        if found.is_empty() {
            found.push(self.start(outline.labels[0]));
        }
        found.sort_unstable();
        found.dedup();
        Needed { paths: found, is_path }
    }

    fn start(&mut self, label: u32) -> u32 {
        let start = &mut self.starts[label as usize];
        if *start == NONE {
            *start = next(&mut self.paths);
        }
        *start
    }

    /// The path of some labels.
    fn path(&mut self, label: u32, letters: &[u32]) -> u32 {
        let start = self.start(label);
        letters.iter().fold(start, |path, &letter| {
            let paths = &mut self.paths;
            *self.longer.entry(Trail { path, letter }).or_insert_with(|| next(paths))
        })
    }
}

fn next(paths: &mut usize) -> u32 {
    *paths += 1;
    *paths as u32 - 1
}

impl Outline {
    fn draw(&mut self, code: &DfsCode, alphabet: &Alphabet) {
        self.labels.clear();
        let unknown = alphabet.vertex_count() as u32;
        let number = |label| alphabet.vertex(label).min(unknown);
        self.labels.push(number(code.root()));
        let found = code.edges().iter().filter(|e| e.is_forward());
        self.labels.extend(found.map(|e| number(e.to_label)));
        self.around.iter_mut().for_each(Vec::clear);
        self.around.resize(self.labels.len().max(self.around.len()), Vec::new());
        for e in code.edges() {
            for (from, to, label) in [(e.from, e.to, e.to_label), (e.to, e.from, e.from_label)] {
                let letter = alphabet.letter(e.edge_label, alphabet.vertex(label));
                let arc = (letter != NONE).then_some(Arc { to, letter });
                self.around[usize::from(from)].extend(arc);
            }
        }
    }

    fn label(&self, v: u16) -> u32 {
        self.labels[usize::from(v)]
    }

    fn around(&self, v: u16) -> &[Arc] {
        &self.around[usize::from(v)]
    }
}

impl Gather<'_> {
    /// Goes on from the path's end.
    fn follow(&mut self) {
        let here = self.vertices[self.vertices.len() - 1];
        let outline = self.outline;
        let mut ends = true;
        if self.forth.len() < MAX_PATH_EDGES {
            for arc in outline.around(here) {
                if self.vertices.contains(&arc.to) {
                    continue;
                }
                ends = false;
                if self.left == 0 {
                    return;
                }
                self.left -= 1;
                let back = outline.around(arc.to).iter().find(|a| a.to == here);
                self.vertices.push(arc.to);
                self.forth.push(arc.letter);
                self.back.extend(back.map(|a| a.letter));
                self.follow();
                self.vertices.pop();
                self.forth.pop();
                self.back.pop();
            }
        }
        if ends && (self.forth.len() == MAX_PATH_EDGES || !self.can_begin_earlier()) {
            self.keep();
        }
    }

    /// Whether the path is the end of a longer one.
    fn can_begin_earlier(&self) -> bool {
        let around = self.outline.around(self.vertices[0]);
        around.iter().any(|arc| !self.vertices.contains(&arc.to))
    }

    /// Keeps the path if this is its direction.
    fn keep(&mut self) {
        let [first, last] = [self.vertices[0], self.vertices[self.vertices.len() - 1]]
            .map(|v| self.outline.label(v));
        let users = |label: u32| (self.users[label as usize], label);
        let order = users(first).cmp(&users(last));
        if order.then_with(|| self.forth.iter().cmp(self.back.iter().rev())).is_le() {
            let path = self.trails.path(first, &self.forth);
            self.found.push(path);
            self.longest = self.longest.max(self.forth.len());
        }
    }
}
