//! Sums over rooted trees, kept up to date as leaves are hung on and taken off again.
//!
//! Every vertex holds the sum of its label and of what its children give; what it gives to its
//! parent is that sum and the edge between them, mixed. A new leaf changes only the path from it
//! to the root.
//!
//! **Invariant.** `gives` = (`sum` + `edge`) mixed, for every vertex with a parent. The roots are
//! the vertices without one: a tree has a single root, its *centroid* (no subtree below it holds
//! more than half of the vertices); a set with one cycle is a forest whose roots form the ring.
//! Sizes of subtrees are true in trees only. What a change overwrites is logged, and undone by
//! reading the log backwards.
//!
//! **Cost.** The path from the leaf to the root: in a tree, at most half of its vertices.

use std::cmp::Ordering;

use crate::mining::census::hash::mixed;

/// A vertex of a tree.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Label and children.
    sum: u64,
    /// What the parent's sum holds of this vertex.
    gives: u64,
    /// Seed of the edge to the parent.
    edge: u64,
    parent: u32,
    /// Vertices in this subtree.
    size: u32,
}

/// A leaf that may be hung on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Seed of its label.
    pub(super) seed: u64,
    /// Seed of the edge that it hangs by.
    pub(super) edge: u64,
    /// What it gives: both, mixed.
    pub(super) gives: u64,
}

const NONE: u32 = u32::MAX;

/// Rooted trees over the vertices of the current set.
#[derive(Debug, Default)]
pub(super) struct Forest {
    places: Vec<Place>,
    log: Vec<(u32, Place)>,
}

/// What a leaf changes at the root of its tree, and at the child of the root above the leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// The root.
    pub(super) root: u32,
    /// Its new sum.
    pub(super) sum: u64,
    top: u32,
    top_sum: u64,
    top_gives: u64,
    top_edge: u64,
    top_size: u32,
}

impl Forest {
    /// A tree of one vertex.
    pub(super) fn start(&mut self, seed: u64) {
        self.places.clear();
        self.log.clear();
        self.places.push(Place { sum: seed, parent: NONE, size: 1, ..Place::default() });
    }

    /// The number of vertices.
    pub(super) fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// Label and children of a vertex.
    pub(super) fn sum(&self, v: u32) -> u64 {
        self.places[v as usize].sum
    }

    /// Where the log ends: what [`Forest::undo`] goes back to.
    pub(super) fn mark(&self) -> u32 {
        self.log.len() as u32
    }

    /// Undoes all changes since the log ended at `mark` and there were `vertices` vertices.
    #[inline(always)]
    pub(super) fn undo(&mut self, mark: u32, vertices: u32) {
        self.places.truncate(vertices as usize);
        while self.log.len() > mark as usize {
            if let Some((v, place)) = self.log.pop() {
                self.places[v as usize] = place;
            }
        }
    }

    /// What a leaf below `at` would change.
    #[inline(always)]
    pub(super) fn look(&mut self, at: u32, leaf: &Leaf) -> Carried {
        self.carry::<false>(at, leaf)
    }

    /// Hangs a leaf on a ring's tree.
    #[inline(always)]
    pub(super) fn hang(&mut self, at: u32, leaf: &Leaf) -> Carried {
        let carried = self.carry::<true>(at, leaf);
        let (sum, gives, edge) = (leaf.seed, leaf.gives, leaf.edge);
        self.places.push(Place { sum, gives, edge, parent: at, size: 1 });
        carried
    }

    /// Hangs a leaf on a single tree and moves the root to the new centroid.
    #[inline(always)]
    pub(super) fn hang_on_tree(&mut self, at: u32, leaf: &Leaf) -> Carried {
        let carried = self.hang(at, leaf);
        if 2 * carried.top_size > self.len() {
            // Both have just been logged: they lie on the path.
            self.shift(carried.root, carried.top);
        }
        carried
    }

    /// Carries a new leaf below `at` up to its root, changing the places if `KEEP`.
    #[inline(always)]
    fn carry<const KEEP: bool>(&mut self, at: u32, leaf: &Leaf) -> Carried {
        let mut delta = leaf.gives;
        let (mut top, mut top_sum, mut top_size) = (self.len(), leaf.seed, 1);
        let (mut top_gives, mut top_edge) = (leaf.gives, leaf.edge);
        let mut v = at;
        loop {
            let place = &mut self.places[v as usize];
            if KEEP {
                self.log.push((v, *place));
            }
            let sum = place.sum.wrapping_add(delta);
            let size = place.size + 1;
            if KEEP {
                place.sum = sum;
                place.size = size;
            }
            if place.parent == NONE {
                return Carried { root: v, sum, top, top_sum, top_gives, top_edge, top_size };
            }
            let gives = mixed(sum.wrapping_add(place.edge));
            delta = gives.wrapping_sub(place.gives);
            if KEEP {
                place.gives = gives;
            }
            (top, top_sum, top_edge, top_gives, top_size) = (v, sum, place.edge, gives, size);
            v = place.parent;
        }
    }

    /// Moves the root from `root` to its child `child`.
    fn shift(&mut self, root: u32, child: u32) {
        let below = self.places[child as usize];
        let old = &mut self.places[root as usize];
        let all = old.size;
        old.sum = old.sum.wrapping_sub(below.gives);
        old.gives = mixed(old.sum.wrapping_add(below.edge));
        old.edge = below.edge;
        old.parent = child;
        old.size = all - below.size;
        let given = old.gives;
        let new = &mut self.places[child as usize];
        new.sum = new.sum.wrapping_add(given);
        new.parent = NONE;
        new.size = all;
    }

    /// Opens a tree into a ring: the path between `u` and `v`, which an edge of seed `closing` is
    /// about to join. Gives the ring's vertices with the seed of the edge to the next one.
    pub(super) fn open_ring(&mut self, (u, v): (u32, u32), closing: u64) -> Vec<(u32, u64)> {
        self.log.extend((0..self.len()).zip(self.places.iter().copied()));
        self.move_root_to(u);
        let mut ring = Vec::new();
        let mut below = 0;
        let mut at = v;
        loop {
            let place = &mut self.places[at as usize];
            place.sum = place.sum.wrapping_sub(below);
            let next = std::mem::replace(&mut place.parent, NONE);
            if next == NONE {
                ring.push((at, closing));
                return ring;
            }
            below = place.gives;
            ring.push((at, place.edge));
            at = next;
        }
    }

    fn move_root_to(&mut self, v: u32) {
        let mut path = vec![v];
        let mut at = v;
        while self.places[at as usize].parent != NONE {
            at = self.places[at as usize].parent;
            path.push(at);
        }
        for step in path.windows(2).rev() {
            self.shift(step[1], step[0]);
        }
    }
}

impl Carried {
    /// The name of a tree of `n` vertices, the leaf included, read at its centroid or, if an edge
    /// halves it, at both ends of that edge in no order. With sums of what hangs below, this
    /// determines a tree (Aho, Hopcroft and Ullman 1974).
    #[inline(always)]
    pub(super) fn tree_name(&self, n: u32, tags: &[u64; 2]) -> u64 {
        let side = (2 * self.top_size).cmp(&n);
        if side == Ordering::Less {
            return mixed(self.sum.wrapping_add(tags[0]));
        }
        let above = mixed(self.sum.wrapping_sub(self.top_gives).wrapping_add(self.top_edge));
        if side == Ordering::Equal {
            mixed(self.top_gives.wrapping_add(above).wrapping_add(tags[1]))
        } else {
            mixed(self.top_sum.wrapping_add(above).wrapping_add(tags[0]))
        }
    }
}
