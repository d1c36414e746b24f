//! The certificate of a model's patterns: they occur exactly where training believed.
//!
//! Classes rest on 128-bit names. Before a model leaves training, its patterns are looked for in
//! all training graphs by subgraph matching, which shares no code with the census, and must occur
//! exactly where the trees took them to. One occurrence is enough to tell that a pattern is there.
//!
//! **Cost.** A walk over every training graph, in parallel. (Spelling patterns from their rarest
//! vertex on was tried: it fails earlier but shares fewer beginnings, and was slower on NCI1.)

use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use crate::graph::Graph;
use crate::mining::dfs_code::DfsCode;
use crate::model::matcher::{Dictionary, Matcher, Scratch};

/// For each of some patterns, the positions in `train` of the graphs that contain it, ascending.
pub(super) fn occurrences<'a>(
    codes: impl Iterator<Item = &'a DfsCode>,
    graphs: &[Graph],
    train: &[u32],
) -> Vec<Vec<u32>> {
    let matcher = Matcher::new(codes.map(|code| (code, 1)));
    let found: Vec<Vec<u32>> = train
        .into_par_iter()
        .map_init(Scratch::default, |scratch, &g| {
            let found = matcher.find(&graphs[g as usize], Dictionary::Same, scratch);
            found.iter().map(|&(pattern, _)| pattern).collect()
        })
        .collect();
    let mut positions = vec![Vec::new(); matcher.len()];
    for (position, patterns) in (0..).zip(found) {
        patterns.into_iter().for_each(|p: u32| positions[p as usize].push(position));
    }
    positions
}
