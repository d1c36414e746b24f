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
struct TreeVertex {
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

/// A vertex of a ring, and the seed of the edge to the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct RingVertex {
    pub(super) vertex: u32,
    pub(super) next_edge: u64,
}

/// A vertex before a change.
#[derive(Clone, Copy, Debug)]
struct LogEntry {
    vertex: u32,
    before: TreeVertex,
}

/// Rooted trees over the vertices of the current set.
#[derive(Debug, Default)]
pub(super) struct Forest {
    vertices: Vec<TreeVertex>,
    log: Vec<LogEntry>,
}

/// What a leaf changes at the root of its tree, and at the child of the root above the leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// The root.
    pub(super) root: u32,
    /// Its new sum.
    pub(super) sum: u64,
    top: TopChild,
}

/// The child of a root above a new leaf (or that leaf), with the leaf.
#[derive(Clone, Copy, Debug)]
struct TopChild {
    vertex: u32,
    sum: u64,
    gives: u64,
    edge: u64,
    size: u32,
}

impl Forest {
    /// A tree of one vertex.
    pub(super) fn start(&mut self, seed: u64) {
        self.vertices.clear();
        self.log.clear();
        self.vertices.push(TreeVertex {
            sum: seed,
            parent: NONE,
            size: 1,
            ..TreeVertex::default()
        });
    }

    /// The number of vertices.
    pub(super) fn len(&self) -> u32 {
        self.vertices.len() as u32
    }

    /// Label and children of a vertex.
    pub(super) fn sum(&self, v: u32) -> u64 {
        self.vertices[v as usize].sum
    }

    /// Where the log ends: what [`Forest::undo`] goes back to.
    pub(super) fn mark(&self) -> u32 {
        self.log.len() as u32
    }

    /// Undoes all changes since the log ended at `mark` and there were `vertices` vertices.
    #[inline(always)]
    pub(super) fn undo(&mut self, mark: u32, vertices: u32) {
        self.vertices.truncate(vertices as usize);
        while self.log.len() > mark as usize {
            if let Some(entry) = self.log.pop() {
                self.vertices[entry.vertex as usize] = entry.before;
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
        let Leaf { seed, edge, gives } = *leaf;
        self.vertices.push(TreeVertex { sum: seed, gives, edge, parent: at, size: 1 });
        carried
    }

    /// Hangs a leaf on a single tree and moves the root to the new centroid.
    #[inline(always)]
    pub(super) fn hang_on_tree(&mut self, at: u32, leaf: &Leaf) -> Carried {
        let carried = self.hang(at, leaf);
        if 2 * carried.top.size > self.len() {
            // Both have just been logged: they lie on the path.
            self.shift(carried.root, carried.top.vertex);
        }
        carried
    }

    /// Carries a new leaf below `at` up to its root, changing the vertices if `KEEP`.
    #[inline(always)]
    fn carry<const KEEP: bool>(&mut self, at: u32, leaf: &Leaf) -> Carried {
        let mut delta = leaf.gives;
        let mut top = TopChild {
            vertex: self.len(),
            sum: leaf.seed,
            gives: leaf.gives,
            edge: leaf.edge,
            size: 1,
        };
        let mut v = at;
        loop {
            let vertex = &mut self.vertices[v as usize];
            if KEEP {
                self.log.push(LogEntry { vertex: v, before: *vertex });
            }
            let sum = vertex.sum.wrapping_add(delta);
            let size = vertex.size + 1;
            if KEEP {
                vertex.sum = sum;
                vertex.size = size;
            }
            if vertex.parent == NONE {
                return Carried { root: v, sum, top };
            }
            let gives = mixed(sum.wrapping_add(vertex.edge));
            delta = gives.wrapping_sub(vertex.gives);
            if KEEP {
                vertex.gives = gives;
            }
            top = TopChild { vertex: v, sum, gives, edge: vertex.edge, size };
            v = vertex.parent;
        }
    }

    /// Moves the root from `root` to its child `child`.
    fn shift(&mut self, root: u32, child: u32) {
        let below = self.vertices[child as usize];
        let old = &mut self.vertices[root as usize];
        let all = old.size;
        old.sum = old.sum.wrapping_sub(below.gives);
        old.gives = mixed(old.sum.wrapping_add(below.edge));
        old.edge = below.edge;
        old.parent = child;
        old.size = all - below.size;
        let given = old.gives;
        let new = &mut self.vertices[child as usize];
        new.sum = new.sum.wrapping_add(given);
        new.parent = NONE;
        new.size = all;
    }

    /// Opens a tree into a ring: the path between `u` and `v`, which an edge of seed `closing` is
    /// about to join.
    pub(super) fn open_ring(&mut self, u: u32, v: u32, closing: u64) -> Vec<RingVertex> {
        let all = (0..).zip(&self.vertices);
        self.log.extend(all.map(|(vertex, &before)| LogEntry { vertex, before }));
        self.move_root_to(u);
        let mut ring = Vec::new();
        let mut below = 0;
        let mut at = v;
        loop {
            let vertex = &mut self.vertices[at as usize];
            vertex.sum = vertex.sum.wrapping_sub(below);
            let next = std::mem::replace(&mut vertex.parent, NONE);
            if next == NONE {
                ring.push(RingVertex { vertex: at, next_edge: closing });
                return ring;
            }
            below = vertex.gives;
            ring.push(RingVertex { vertex: at, next_edge: vertex.edge });
            at = next;
        }
    }

    fn move_root_to(&mut self, v: u32) {
        let mut path = vec![v];
        let mut at = v;
        while self.vertices[at as usize].parent != NONE {
            at = self.vertices[at as usize].parent;
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
        let side = (2 * self.top.size).cmp(&n);
        if side == Ordering::Less {
            return mixed(self.sum.wrapping_add(tags[0]));
        }
        let above = mixed(self.sum.wrapping_sub(self.top.gives).wrapping_add(self.top.edge));
        if side == Ordering::Equal {
            mixed(self.top.gives.wrapping_add(above).wrapping_add(tags[1]))
        } else {
            mixed(self.top.sum.wrapping_add(above).wrapping_add(tags[0]))
        }
    }
}
