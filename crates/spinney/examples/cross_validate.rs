//! Cross-validates two settings on one census.
//!
//! `cargo run --release -p spinney --example cross_validate`

use spinney::evaluation::metrics::MeanSd;
use spinney::representation::CovariateColumns;
use spinney::representation::views::Views;
use spinney::training::cross_validation::{FoldWork, cross_validate, random_folds};
use spinney::training::{Explored, Prepared, Silent};
use spinney::{Preset, Request, Result, demo};

fn main() -> Result<()> {
    let raw = demo::graph_xor();
    let paper = Request::paper();
    let requests = [1, 5].map(|depth| {
        let params =
            spinney::Params { depth: depth.into(), trees: 50.into(), ..paper.params.clone() };
        paper.with_params(params)
    });

    // Graphs as the paper sees them, their patterns explored once for all settings and folds.
    let mut views = Views::of_preset(Preset::Paper);
    let prepared = Prepared::new(&raw, &CovariateColumns::default(), false, &mut views)?;
    let explored = Explored::new(&prepared, &requests, &Silent)?;
    let graphs: Vec<u32> = (0..raw.len() as u32).collect();
    let folds = random_folds(&prepared.data, graphs, &requests[0].params, 5)?;

    for request in &requests {
        let result = cross_validate(&explored, request, &folds, None, FoldWork::silent())?;
        for found in result.iter().flat_map(|result| &result.headline) {
            let depth = request.params.depth.given();
            let MeanSd { mean, sd } = found.value;
            println!("depth {depth:?}: {} {mean:.4} ± {sd:.4}", found.metric);
        }
    }
    Ok(())
}
