//! The extensions that are read from the graphs: edges at the vertices found last.

use crate::mining::extend::{Shape, Turn};
use crate::mining::flat::{Flat, StepId, StepTo};
use crate::mining::join::{Gathered, Hit};

/// A slot that is not known yet, and one for extensions that cannot lead to a smallest code.
const UNKNOWN: u32 = u32::MAX;
const DEAD: u32 = u32::MAX - 1;

/// Sorts the edges at new vertices into extensions; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    gathered: Vec<Gathered>,
    used: usize,
    /// The slot of each step forward from the new vertex.
    forward: Vec<u32>,
    steps: Vec<StepId>,
    backward: Vec<BackwardSlot>,
    /// Whether an extension met now for the first time could still be in enough graphs.
    takes_new: bool,
}

/// A backward edge, and its slot.
#[derive(Clone, Copy, Debug)]
struct BackwardSlot {
    /// The position returned to.
    to: u16,
    step: StepId,
    slot: u32,
}

/// An extension from the new vertex: `to` is the position returned to, if backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CollectedStep {
    /// Forward ones come after backward ones.
    pub(crate) to: Option<u16>,
    pub(crate) step: StepId,
    pub(crate) slot: usize,
}

/// A new row: its graph, its number, its vertices, the last of them and the one it was found from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRow<'a> {
    pub(crate) graph: u32,
    pub(crate) number: u32,
    pub(crate) row: &'a [u64],
    pub(crate) around: &'a [StepTo],
    pub(crate) from: u32,
}

impl Collector {
    /// Starts anew.
    pub(crate) fn clear(&mut self, flat: &Flat) {
        self.forward.resize(flat.step_count(), UNKNOWN);
        for &step in &self.steps {
            self.forward[step as usize] = UNKNOWN;
        }
        self.steps.clear();
        self.backward.clear();
        self.used = 0;
        self.takes_new = true;
    }

    /// Gives up the extensions that cannot come to `min_support` graphs with `left` graphs to read.
    /// Returns whether any can.
    pub(crate) fn give_up(&mut self, left: usize, min_support: usize) -> bool {
        if left >= min_support {
            return true;
        }
        self.takes_new = false;
        let mut any = false;
        let forward = self.steps.iter().map(|&step| step as usize);
        for slot in self.backward.iter_mut().map(|b| &mut b.slot) {
            any |= may_reach(&self.gathered, slot, left, min_support);
        }
        for step in forward {
            any |= may_reach(&self.gathered, &mut self.forward[step], left, min_support);
        }
        any
    }

    /// An empty list of hits.
    pub(crate) fn slot(&mut self) -> usize {
        if self.used == self.gathered.len() {
            self.gathered.push(Gathered::default());
        }
        self.gathered[self.used].clear();
        self.used += 1;
        self.used - 1
    }

    pub(crate) fn gathered(&self, slot: usize) -> &Gathered {
        &self.gathered[slot]
    }

    pub(crate) fn gathered_mut(&mut self, slot: usize) -> &mut Gathered {
        &mut self.gathered[slot]
    }

    /// Takes the slot given last back.
    pub(crate) fn discard(&mut self) {
        self.used -= 1;
    }

    /// The extensions from new vertices, in the order of codes.
    pub(crate) fn found(&self) -> Vec<CollectedStep> {
        let found = |to, step, slot| {
            (slot != DEAD).then_some(CollectedStep { to, step, slot: slot as usize })
        };
        let backward = self.backward.iter().filter_map(|b| found(Some(b.to), b.step, b.slot));
        let forward = self.steps.iter().filter_map(|&s| found(None, s, self.forward[s as usize]));
        let mut found: Vec<CollectedStep> = backward.chain(forward).collect();
        found.sort_unstable_by_key(|f| (f.to.is_none(), *f));
        found
    }

    /// Reads the edges at the vertex found last in `new`; returns how many embeddings they make.
    #[inline(always)]
    pub(crate) fn read(&mut self, flat: &Flat, shape: &Shape, new: NewRow<'_>, keep: bool) -> u64 {
        let mut made = 0;
        for seen in new.around {
            if seen.vertex == new.from {
                continue;
            }
            let (slot, vertex) = match flat.packing.find(new.row, seen.vertex) {
                None => (self.forward_slot(flat, shape, seen.step), seen.vertex),
                Some(p) => (self.backward_slot(flat, shape, p as u16, seen.step), 0),
            };
            if slot == DEAD {
                continue;
            }
            made += 1;
            let gathered = &mut self.gathered[slot as usize];
            if keep {
                gathered.add(new.graph, Hit { row: new.number, vertex });
            } else {
                gathered.count_one(new.graph);
            }
        }
        made
    }

    #[inline(always)]
    fn forward_slot(&mut self, flat: &Flat, shape: &Shape, step: StepId) -> u32 {
        match self.forward[step as usize] {
            UNKNOWN => self.new_forward_slot(flat, shape, step),
            slot => slot,
        }
    }

    #[cold]
    fn new_forward_slot(&mut self, flat: &Flat, shape: &Shape, step: StepId) -> u32 {
        let allowed = self.takes_new && shape.allows_forward(flat, step);
        let slot = if allowed { self.slot() as u32 } else { DEAD };
        self.forward[step as usize] = slot;
        self.steps.push(step);
        slot
    }

    #[inline(never)]
    fn backward_slot(&mut self, flat: &Flat, shape: &Shape, to: u16, step: StepId) -> u32 {
        let known = self.backward.iter().find(|b| b.to == to && b.step == step);
        known.map(|b| b.slot).unwrap_or_else(|| {
            let allowed = self.takes_new && shape.allows_backward(flat, to, step);
            let slot = if allowed { self.slot() as u32 } else { DEAD };
            self.backward.push(BackwardSlot { to, step, slot });
            slot
        })
    }
}

/// Whether a slot can still come to `min_support` graphs; if not, it is dead.
fn may_reach(gathered: &[Gathered], slot: &mut u32, left: usize, min_support: usize) -> bool {
    let found = gathered.get(*slot as usize).map_or(0, |g| g.graphs().len());
    if found + left < min_support {
        *slot = DEAD;
    }
    *slot != DEAD
}

impl Shape {
    /// A smallest code starts with the smallest edge of the pattern.
    fn keeps_first(&self, flat: &Flat, step: StepId) -> bool {
        self.first.is_none_or(|first| flat.smaller_way(step) >= first)
    }

    /// Whether a step from the vertex found last may lead to a smallest code.
    fn allows_forward(&self, flat: &Flat, step: StepId) -> bool {
        match self.first {
            None => flat.labels(step).from <= flat.labels(step).to,
            Some(_) => self.keeps_first(flat, step),
        }
    }

    /// Whether a step from the vertex found last back to position `to` may lead to a smallest
    /// code: walking it from there first must not be smaller than the step that the code takes
    /// there. An edge to a root that is in order with twin leaves would beat the code.
    fn allows_backward(&self, flat: &Flat, to: u16, step: StepId) -> bool {
        let turn = self.path.iter().find(|turn| turn.position == to);
        let keeps = |turn: &Turn| flat.reverse(step) >= turn.down;
        turn.is_some_and(keeps) && self.keeps_first(flat, step) && !(to == 0 && self.root_ordered)
    }
}
