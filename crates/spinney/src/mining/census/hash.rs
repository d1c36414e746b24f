//! Naming a connected edge set by a number that depends only on its pattern.
//!
//! Three cases, by the number of independent cycles:
//! - **Tree.** Kept up to date as edges enter and leave: every vertex holds the sum of its
//!   children's contributions, seen from the first vertex; a new leaf changes only the path to
//!   it. The name is read at the *centroid* (the vertex, or the edge, that halves the tree), found
//!   from subtree sizes, by turning the sums over on the way from the first vertex to it. Centroid
//!   and sums determine a tree (Aho, Hopcroft and Ullman 1974).
//! - **One cycle.** Colour refinement and the number of vertices determine a connected pattern.
//! - **More.** Individualisation and refinement: after refinement, each vertex of the first class
//!   that does not consist of twins is singled out in turn, and the names found are added up. A
//!   colouring whose classes are single vertices or twins determines the pattern; so two patterns
//!   with a common leaf are the same, and the name is complete, not merely invariant.
//!
//! **Invariant.** Equal patterns have equal names; different patterns have different names unless
//! 128 bits collide. Tested on all connected graphs of up to 8 vertices and against DFS codes.
//!
//! **Cost.** Tree: the path to the new leaf and from the first vertex to the centroid. One cycle:
//! rounds × edges. The constants are fixed, so names are the same on every machine.

use super::walk::{Follow, Step};
use crate::graph::Graph;
use crate::labels::Label;
use crate::random::mix;

/// Two independent 64-bit lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Name(pub(crate) u64, pub(crate) u64);

impl Name {
    fn plus(self, other: Name) -> Name {
        Name(self.0.wrapping_add(other.0), self.1.wrapping_add(other.1))
    }

    fn minus(self, other: Name) -> Name {
        Name(self.0.wrapping_sub(other.0), self.1.wrapping_sub(other.1))
    }

    fn mixed(self) -> Name {
        Name(
            fold(self.0 ^ 0x243f_6a88_85a3_08d3, 0x9e37_79b9_7f4a_7c15),
            fold(self.1 ^ 0x1319_8a2e_0370_7344, 0xd6e8_feb8_6659_fd93),
        )
    }

    /// The `i`-th of a fixed sequence of unrelated names, one sequence a `kind`.
    pub(crate) fn seed(kind: u64, i: u64) -> Name {
        let x = mix(mix(kind).wrapping_add(i));
        Name(x, mix(x ^ 0xa5a5_a5a5_5a5a_5a5a))
    }
}

fn fold(x: u64, by: u64) -> u64 {
    let wide = u128::from(x) * u128::from(by);
    (wide as u64) ^ ((wide >> 64) as u64)
}

const VERTEX: u64 = 1;
const EDGE: u64 = 2;
const ALONE: u64 = 3;
const TAG: u64 = 4;

/// The name of the pattern of one vertex.
pub(crate) fn vertex_name(label: Label) -> Name {
    Name::seed(ALONE, label.into())
}

/// A vertex of a tree, seen from the first vertex.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Label and children.
    sum: Name,
    /// What the parent's sum holds of this vertex.
    gives: Name,
    /// Seed of the edge to the parent.
    edge: Name,
    parent: u32,
    /// Vertices in this subtree.
    size: u32,
}

/// Names the set that a [`Walker`](super::walk::Walker) stands at.
#[derive(Default)]
pub(crate) struct Namer {
    vertex_seeds: Vec<Name>,
    edge_seeds: Vec<Name>,
    /// Of the current graph.
    vertex_labels: Vec<Label>,
    edge_labels: Vec<Label>,
    /// Of the current set.
    places: Vec<Place>,
    seeds: Vec<Name>,
    links: Vec<(u32, u32, Name)>,
    cycles: usize,
    saved: Vec<(u32, Name, Name)>,
    marks: Vec<usize>,
    refiner: Refiner,
}

impl Namer {
    /// Prepares for the edge sets of `graph`.
    pub(crate) fn load(&mut self, graph: &Graph) {
        self.vertex_labels.clear();
        self.vertex_labels.extend_from_slice(graph.labels());
        self.edge_labels.clear();
        self.edge_labels.extend(graph.edges().iter().map(|e| e.label));
        extend_seeds(&mut self.vertex_seeds, VERTEX, &self.vertex_labels);
        extend_seeds(&mut self.edge_seeds, EDGE, &self.edge_labels);
    }

    /// The name of the current set's pattern.
    pub(crate) fn name(&mut self) -> Name {
        match self.cycles {
            0 => self.tree_name(),
            1 => self.refiner.one_cycle(&self.seeds, &self.links),
            _ => self.refiner.any(&self.seeds, &self.links),
        }
    }

    fn seed_of(&self, vertex: u32) -> Name {
        self.vertex_seeds[self.vertex_labels[vertex as usize] as usize]
    }

    /// Hangs a new leaf below `parent` and carries the change up to the first vertex.
    fn grow(&mut self, parent: usize, seed: Name, edge: Name) {
        self.marks.push(self.saved.len());
        let gives = seed.plus(edge).mixed();
        self.places.push(Place { sum: seed, gives, edge, parent: parent as u32, size: 1 });
        let mut delta = gives;
        let mut at = parent;
        loop {
            let place = &mut self.places[at];
            self.saved.push((at as u32, place.sum, place.gives));
            place.size += 1;
            place.sum = place.sum.plus(delta);
            if at == 0 {
                break;
            }
            let gives = place.sum.plus(place.edge).mixed();
            delta = gives.minus(place.gives);
            place.gives = gives;
            at = place.parent as usize;
        }
    }

    fn shrink(&mut self) {
        self.places.pop();
        let mark = self.marks.pop().unwrap_or(0);
        for (at, sum, gives) in self.saved.drain(mark..) {
            let place = &mut self.places[at as usize];
            place.size -= 1;
            (place.sum, place.gives) = (sum, gives);
        }
    }

    fn tree_name(&self) -> Name {
        let n = self.places.len() as u32;
        let mut centroid = 0;
        for (i, place) in self.places.iter().enumerate() {
            if 2 * place.size >= n && place.size < self.places[centroid].size {
                centroid = i;
            }
        }
        let place = &self.places[centroid];
        if 2 * place.size == n {
            // An edge halves the tree: both sides, in no order.
            let above = self.above(centroid);
            let other = above.plus(place.edge).mixed();
            return place.gives.plus(other).plus(Name::seed(TAG, 2)).mixed();
        }
        let whole = if centroid == 0 {
            place.sum
        } else {
            place.sum.plus(self.above(centroid).plus(place.edge).mixed())
        };
        whole.plus(Name::seed(TAG, 1)).mixed()
    }

    /// The sum of `v`'s parent as seen from `v`: everything but the subtree of `v`.
    fn above(&self, v: usize) -> Name {
        let place = &self.places[v];
        let parent = place.parent as usize;
        let rest = self.places[parent].sum.minus(place.gives);
        if parent == 0 {
            return rest;
        }
        let further = self.above(parent).plus(self.places[parent].edge).mixed();
        rest.plus(further)
    }
}

fn extend_seeds(seeds: &mut Vec<Name>, kind: u64, labels: &[Label]) {
    let most = labels.iter().filter(|&&l| l != crate::labels::UNSEEN).max();
    let most = most.map_or(0, |&l| l as usize + 1);
    for label in seeds.len()..most {
        seeds.push(Name::seed(kind, label as u64));
    }
}

impl Follow for Namer {
    fn start(&mut self, vertex: u32) {
        let seed = self.seed_of(vertex);
        self.places.clear();
        self.places.push(Place { sum: seed, size: 1, ..Place::default() });
        self.seeds.clear();
        self.seeds.push(seed);
        self.links.clear();
        self.saved.clear();
        self.marks.clear();
        self.cycles = 0;
    }

    fn enter(&mut self, step: Step, vertex: u32) -> bool {
        let edge = self.edge_seeds[self.edge_labels[step.edge as usize] as usize];
        self.links.push((step.from as u32, step.to as u32, edge));
        if step.new {
            let seed = self.seed_of(vertex);
            self.seeds.push(seed);
            if self.cycles == 0 {
                self.grow(step.from, seed, edge);
            }
        } else {
            self.cycles += 1;
        }
        true
    }

    fn leave(&mut self, step: Step) {
        self.links.pop();
        if step.new {
            self.seeds.pop();
            if self.cycles == 0 {
                self.shrink();
            }
        } else {
            self.cycles -= 1;
        }
    }
}

/// Colour refinement, and individualisation where refinement alone does not decide.
#[derive(Default)]
struct Refiner {
    next: Vec<Name>,
    sorted: Vec<Name>,
}

type Links = [(u32, u32, Name)];

impl Refiner {
    fn one_cycle(&mut self, seeds: &[Name], links: &Links) -> Name {
        let mut colors = seeds.to_vec();
        self.refine(&mut colors, links);
        summary(&colors).plus(Name::seed(TAG, 3 + ((seeds.len() as u64) << 8))).mixed()
    }

    fn any(&mut self, seeds: &[Name], links: &Links) -> Name {
        let mut colors = seeds.to_vec();
        self.refine(&mut colors, links);
        let tag = Name::seed(TAG, 4 + ((seeds.len() as u64) << 8) + ((links.len() as u64) << 32));
        self.individualize(&colors, links).plus(tag).mixed()
    }

    /// Refines until the number of colours stays the same; one round more than the last that
    /// changed it, so that colours also tell how the classes are joined.
    fn refine(&mut self, colors: &mut [Name], links: &Links) {
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

    fn round(&mut self, colors: &mut [Name], links: &Links) {
        self.next.clear();
        self.next.extend(colors.iter().map(|c| c.plus(Name::seed(TAG, 5)).mixed()));
        for &(u, v, edge) in links {
            let (u, v) = (u as usize, v as usize);
            self.next[u] = self.next[u].plus(colors[v].plus(edge).mixed());
            self.next[v] = self.next[v].plus(colors[u].plus(edge).mixed());
        }
        for (color, next) in colors.iter_mut().zip(&self.next) {
            *color = next.mixed();
        }
    }

    fn class_count(&mut self, colors: &[Name]) -> usize {
        self.sorted.clear();
        self.sorted.extend_from_slice(colors);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.sorted.len()
    }

    fn individualize(&mut self, colors: &[Name], links: &Links) -> Name {
        let Some(class) = undecided_class(colors, links) else { return summary(colors) };
        let mut total = Name::default();
        let mut done: Vec<(usize, Name)> = Vec::new();
        for &v in &class {
            let twin = done.iter().find(|(u, _)| are_twins(*u, v, colors.len(), links));
            let name = twin.map(|t| t.1).unwrap_or_else(|| {
                let mut singled = colors.to_vec();
                singled[v] = singled[v].plus(Name::seed(TAG, 6)).mixed();
                self.refine(&mut singled, links);
                self.individualize(&singled, links)
            });
            done.push((v, name));
            total = total.plus(name.mixed());
        }
        total.plus(Name::seed(TAG, 7))
    }
}

fn summary(colors: &[Name]) -> Name {
    colors.iter().fold(Name::default(), |sum, c| sum.plus(c.mixed()))
}

/// Of the classes that do not consist of twins, the smallest; of those, the one of least colour.
fn undecided_class(colors: &[Name], links: &Links) -> Option<Vec<usize>> {
    let mut best: Option<(usize, Name, Vec<usize>)> = None;
    for (first, &color) in colors.iter().enumerate() {
        if colors[..first].contains(&color) {
            continue;
        }
        let class: Vec<usize> = (first..colors.len()).filter(|&v| colors[v] == color).collect();
        let decided = class[1..].iter().all(|&v| are_twins(first, v, colors.len(), links));
        if !decided && best.as_ref().is_none_or(|b| (class.len(), color) < (b.0, b.1)) {
            best = Some((class.len(), color, class));
        }
    }
    best.map(|b| b.2)
}

/// Whether two vertices of one label have the same labelled neighbours besides each other.
fn are_twins(u: usize, v: usize, n: usize, links: &Links) -> bool {
    let row = |a: usize, b: usize| {
        let mut row = vec![None; n];
        for &(x, y, edge) in links {
            let (x, y) = (x as usize, y as usize);
            if x == a && y != b {
                row[y] = Some(edge);
            } else if y == a && x != b {
                row[x] = Some(edge);
            }
        }
        row
    };
    row(u, v) == row(v, u)
}
