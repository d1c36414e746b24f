//! The certificate of a model's patterns: they occur exactly where training believed.
//!
//! Classes rest on 128-bit names. Before a model leaves training, its patterns are looked for in
//! all training graphs by subgraph matching, which shares no code with the census, and must occur
//! exactly where the trees took them to. One occurrence is enough to show that a pattern is there.
//!
//! **Cost.** A walk over every training graph, in parallel. (Spelling patterns from their rarest
//! vertex on was tried: it fails earlier but shares fewer beginnings, and was slower on NCI1.)

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};

use crate::graph::Graph;
use crate::mining::dfs_code::DfsCode;
use crate::mining::limits::TrainingLimits;
use crate::model::matcher::{Dictionary, Matcher, Scratch};

/// Graphs whose patterns are held at a time.
const PART: usize = 1 << 13;

/// For each of some patterns, the positions in `train` of the graphs that contain it, ascending;
/// nothing if the training was abandoned meanwhile.
pub(crate) fn occurrences<'a>(
    codes: impl Iterator<Item = &'a DfsCode>,
    graphs: &[Graph],
    train: &[u32],
    limits: &TrainingLimits,
) -> Option<Vec<Vec<u32>>> {
    let matcher = Matcher::new(codes.map(|code| (code, 1)));
    let mut positions = vec![Vec::new(); matcher.len()];
    let find = |scratch: &mut Scratch, &g: &u32| -> Vec<u32> {
        if limits.is_abandoned() {
            return Vec::new();
        }
        let found = matcher.find(&graphs[g as usize], Dictionary::Same, scratch);
        found.iter().map(|&(pattern, _)| pattern).collect()
    };
    let mut next = 0..;
    for part in train.chunks(PART) {
        let found: Vec<Vec<u32>> = part.par_iter().map_init(Scratch::default, find).collect();
        for (patterns, position) in found.into_iter().zip(&mut next) {
            patterns.into_iter().for_each(|p| positions[p as usize].push(position));
        }
    }
    (!limits.is_abandoned()).then_some(positions)
}
