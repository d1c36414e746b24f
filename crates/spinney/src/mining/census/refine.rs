//! Naming a pattern with two or more cycles, by individualisation and refinement.
//!
//! After refinement, each vertex of the first class that does not consist of twins is singled out
//! in turn, and the names found are added up. A colouring whose classes are single vertices or
//! twins determines the pattern; so two patterns with a common leaf are the same, and the name is
//! complete, not merely invariant.
//!
//! **Cost.** Rounds × edges for a pattern that refinement alone decides, which is nearly all in
//! molecules; each level of individualisation multiplies it by the size of a class.

use crate::mining::census::hash::{mixed, tag};

/// Colour refinement, and individualisation where refinement alone does not decide.
#[derive(Default)]
pub(super) struct Refiner {
    next: Vec<u64>,
    sorted: Vec<u64>,
}

/// An edge between two vertices, with the seed of its label.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) edge: u64,
}

impl Refiner {
    /// The name of a connected pattern.
    pub(super) fn name(&mut self, seeds: &[u64], links: &[Link]) -> u64 {
        let mut colors = seeds.to_vec();
        self.refine(&mut colors, links);
        let size = tag(4 + ((seeds.len() as u64) << 8) + ((links.len() as u64) << 32));
        mixed(self.individualize(&colors, links).wrapping_add(size))
    }

    /// Refines until the number of colours stays the same; one round more than the last that
    /// changed it, so that colours also reflect how the classes are joined.
    fn refine(&mut self, colors: &mut [u64], links: &[Link]) {
        let mut classes = self.class_count(colors);
        loop {
            self.round(colors, links);
            let now = self.class_count(colors);
            if now == classes {
                return;
            }
            classes = now;
        }
    }

    fn round(&mut self, colors: &mut [u64], links: &[Link]) {
        let tag = tag(5);
        self.next.clear();
        self.next.extend(colors.iter().map(|c| mixed(c.wrapping_add(tag))));
        for &Link { from, to, edge } in links {
            self.next[from] = self.next[from].wrapping_add(mixed(colors[to].wrapping_add(edge)));
            self.next[to] = self.next[to].wrapping_add(mixed(colors[from].wrapping_add(edge)));
        }
        for (color, next) in colors.iter_mut().zip(&self.next) {
            *color = mixed(*next);
        }
    }

    fn class_count(&mut self, colors: &[u64]) -> usize {
        self.sorted.clear();
        self.sorted.extend_from_slice(colors);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.sorted.len()
    }

    fn individualize(&mut self, colors: &[u64], links: &[Link]) -> u64 {
        let Some(class) = undecided_class(colors, links) else { return summary(colors) };
        let mut total = 0u64;
        let mut done: Vec<(usize, u64)> = Vec::new();
        for &v in &class {
            let twin = done.iter().find(|(u, _)| are_twins(*u, v, colors.len(), links));
            let name = twin.map(|t| t.1).unwrap_or_else(|| {
                let mut singled = colors.to_vec();
                singled[v] = mixed(singled[v].wrapping_add(tag(6)));
                self.refine(&mut singled, links);
                self.individualize(&singled, links)
            });
            done.push((v, name));
            total = total.wrapping_add(mixed(name));
        }
        total.wrapping_add(tag(7))
    }
}

fn summary(colors: &[u64]) -> u64 {
    colors.iter().fold(0u64, |sum, &c| sum.wrapping_add(mixed(c)))
}

/// Of the classes that do not consist of twins, the smallest; of those, that of the lowest colour.
fn undecided_class(colors: &[u64], links: &[Link]) -> Option<Vec<usize>> {
    let mut best: Option<Vec<usize>> = None;
    for (first, &color) in colors.iter().enumerate() {
        if colors[..first].contains(&color) {
            continue;
        }
        let class: Vec<usize> = (first..colors.len()).filter(|&v| colors[v] == color).collect();
        let decided = class[1..].iter().all(|&v| are_twins(first, v, colors.len(), links));
        let is_smaller = |b: &Vec<usize>| (class.len(), color) < (b.len(), colors[b[0]]);
        if !decided && best.as_ref().is_none_or(is_smaller) {
            best = Some(class);
        }
    }
    best
}

/// Whether two vertices of one label have the same labelled neighbours besides each other.
fn are_twins(u: usize, v: usize, n: usize, links: &[Link]) -> bool {
    let row = |a: usize, b: usize| {
        let mut row = vec![None; n];
        for &Link { from, to, edge } in links {
            if from == a && to != b {
                row[to] = Some(edge);
            } else if to == a && from != b {
                row[from] = Some(edge);
            }
        }
        row
    };
    row(u, v) == row(v, u)
}
