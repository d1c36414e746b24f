//! Which patterns a graph can have, by the labels along its paths.
//!
//! Most patterns of a model are in no given graph, and a walk would look for each of them until
//! every beginning has failed. Here the graph's short paths are read once, and a pattern stays only
//! if each of its own is among them. (Patterns of one vertex are counted without all this.)
//!
//! **Invariant.** Nothing that occurs is left out: an occurrence takes paths to paths of the same
//! labels. What is left in need not occur; but a pattern that is a path itself is seen to occur as
//! often as its path is met.
//!
//! **Cost.** The paths of at most [`MAX_PATH_EDGES`] edges that some pattern begins with, then a
//! look at the patterns whose rarest path is there. Where vertices have so many neighbours that
//! paths are too many, kinds of edges decide ([`Needs`]).

use super::alphabet::{Alphabet, NONE};
use super::ground::{Ground, bit};
use super::needs::Needs;
use super::trails::{Needed, Trail, Trails};
use crate::mining::dfs_code::DfsCode;

/// The most edges of a path that is looked for.
pub(super) const MAX_PATH_EDGES: usize = 4;

/// The most steps along paths for each vertex and edge of a graph.
const MAX_STEPS_A_PART: usize = 64;

/// Of more longer paths the one with a letter is found by bisection.
const MAX_SCANNED_PATHS: usize = 6;

/// The paths that patterns need.
#[derive(Clone, Debug, Default)]
pub(super) struct Screen {
    /// The path of one vertex of each label's number, or [`NONE`].
    starts: Vec<u32>,
    /// The paths with one edge more, path after path, each path's ascending by letter.
    longer: Vec<Longer>,
    /// Where each path's longer ones start; one more entry at the end.
    longer_starts: Vec<u32>,
    /// By path, the bits of the letters by which others are longer.
    bits: Vec<u64>,
    /// The patterns by their rarest path.
    suspects: Vec<Suspect>,
    /// Where each path's suspects start; one more entry at the end.
    suspect_starts: Vec<u32>,
    /// The other paths that suspects need.
    needed: Vec<u32>,
    /// The kinds of edges that each pattern needs.
    kinds: Vec<Needs>,
}

/// A path with one edge more.
#[derive(Clone, Copy, Debug)]
struct Longer {
    letter: u32,
    path: u32,
}

/// A pattern, and where the paths that it needs stand.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    pattern: u32,
    /// Whether the pattern is no more than its path.
    is_path: bool,
    needed: (u32, u32),
}

/// A pattern that a graph can have, or has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seen {
    /// It may be there.
    Perhaps(u32),
    /// It is there, with so many embeddings.
    Surely(u32, u64),
}

/// What is seen of one graph; reusable.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    /// How often the graph has each path; all 0 between graphs.
    times: Vec<u32>,
    /// The paths that it has.
    present: Vec<u32>,
}

impl Screen {
    pub(super) fn new<'a>(
        patterns: impl Iterator<Item = &'a DfsCode> + Clone,
        alphabet: &Alphabet,
    ) -> Screen {
        let trails = Trails::of(patterns.clone(), alphabet);
        let mut screen = Screen { kinds: patterns.map(Needs::of).collect(), ..Screen::default() };
        screen.lay_out(&trails);
        let mut users = vec![0u32; trails.paths];
        trails.needed.iter().flat_map(|n| &n.paths).for_each(|&path| users[path as usize] += 1);
        let mut by_rarest: Vec<Vec<Suspect>> = vec![Vec::new(); trails.paths];
        for (pattern, Needed { paths: mut needed, is_path }) in (0..).zip(trails.needed) {
            needed.sort_unstable_by_key(|&path| (users[path as usize], path));
            let start = screen.needed.len() as u32;
            screen.needed.extend(&needed[1..]);
            let suspect = Suspect { pattern, is_path, needed: (start, screen.needed.len() as u32) };
            by_rarest[needed[0] as usize].push(suspect);
        }
        screen.suspect_starts.push(0);
        for suspects in by_rarest {
            screen.suspects.extend(suspects);
            screen.suspect_starts.push(screen.suspects.len() as u32);
        }
        screen
    }

    /// Puts the paths into flat arrays.
    fn lay_out(&mut self, trails: &Trails) {
        self.starts.clone_from(&trails.starts);
        let mut longer: Vec<(Trail, u32)> = trails.longer.iter().map(|(&t, &p)| (t, p)).collect();
        longer.sort_unstable_by_key(|(trail, _)| (trail.path, trail.letter));
        self.longer_starts = vec![0; trails.paths + 1];
        self.bits = vec![0; trails.paths];
        for (trail, path) in longer {
            self.longer.push(Longer { letter: trail.letter, path });
            self.longer_starts[trail.path as usize + 1] += 1;
            self.bits[trail.path as usize] |= bit(trail.letter);
        }
        for path in 0..trails.paths {
            self.longer_starts[path + 1] += self.longer_starts[path];
        }
    }

    /// Shows `each` the patterns that a graph can have; `kinds` gives the graph's kinds of edges.
    pub(super) fn for_each(
        &self,
        ground: &Ground,
        sight: &mut Sight,
        kinds: impl FnOnce() -> Needs,
        each: impl FnMut(Seen),
    ) {
        sight.times.resize(self.suspect_starts.len() - 1, 0);
        let left = MAX_STEPS_A_PART * ground.parts();
        let mut look = Look { screen: self, ground, sight, row: [0; MAX_PATH_EDGES + 1], left };
        if look.along_all() {
            self.by_paths(sight, each);
        } else {
            let kinds = kinds();
            let has_kinds = |&pattern: &u32| self.kinds[pattern as usize].met_by(&kinds);
            (0..self.kinds.len() as u32).filter(has_kinds).map(Seen::Perhaps).for_each(each);
        }
        for path in sight.present.drain(..) {
            sight.times[path as usize] = 0;
        }
    }

    fn by_paths(&self, sight: &Sight, mut each: impl FnMut(Seen)) {
        for &path in &sight.present {
            let start = self.suspect_starts[path as usize] as usize;
            let end = self.suspect_starts[path as usize + 1] as usize;
            for suspect in &self.suspects[start..end] {
                let needed = &self.needed[suspect.needed.0 as usize..suspect.needed.1 as usize];
                if suspect.is_path {
                    each(Seen::Surely(suspect.pattern, sight.times[path as usize].into()));
                } else if needed.iter().all(|&other| sight.times[other as usize] > 0) {
                    each(Seen::Perhaps(suspect.pattern));
                }
            }
        }
    }

    fn longer(&self, path: u32) -> &[Longer] {
        let start = self.longer_starts[path as usize];
        let end = self.longer_starts[path as usize + 1];
        &self.longer[start as usize..end as usize]
    }
}

/// A look along the paths of one graph.
struct Look<'l> {
    screen: &'l Screen,
    ground: &'l Ground,
    sight: &'l mut Sight,
    /// The vertices of the path.
    row: [u32; MAX_PATH_EDGES + 1],
    /// The steps that may still be taken.
    left: usize,
}

impl Look<'_> {
    /// Looks along all paths; whether there are not too many.
    fn along_all(&mut self) -> bool {
        let ground = self.ground;
        ground.inner.iter().all(|&v| {
            let number = ground.vertices[v as usize];
            let start = self.screen.starts.get(number as usize).filter(|&&path| path != NONE);
            start.is_none_or(|&path| {
                self.row[0] = v;
                self.along(path, 0)
            })
        })
    }

    fn along(&mut self, path: u32, edges: usize) -> bool {
        let times = &mut self.sight.times[path as usize];
        *times += 1;
        if *times == 1 {
            self.sight.present.push(path);
        }
        let bits = self.screen.bits[path as usize];
        let spot = self.ground.spots[self.row[edges] as usize];
        if spot.bits & bits == 0 {
            return true;
        }
        let ways = spot.of(&self.ground.ways);
        if self.left < ways.len() {
            return false;
        }
        self.left -= ways.len();
        let longer = self.screen.longer(path);
        for way in ways {
            if bits & bit(way.letter) == 0 || self.row[..edges].contains(&way.vertex) {
                continue;
            }
            if let Some(next) = longer_by(longer, way.letter) {
                self.row[edges + 1] = way.vertex;
                if !self.along(next, edges + 1) {
                    return false;
                }
            }
        }
        true
    }
}

/// The path that is longer by a letter.
fn longer_by(longer: &[Longer], letter: u32) -> Option<u32> {
    if longer.len() > MAX_SCANNED_PATHS {
        let at = longer.binary_search_by_key(&letter, |l| l.letter);
        return at.ok().map(|at| longer[at].path);
    }
    longer.iter().find(|l| l.letter == letter).map(|l| l.path)
}
