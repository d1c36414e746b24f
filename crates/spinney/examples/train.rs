//! Trains the default model on a file of graphs (or on the built-in data), saves it, and predicts.
//!
//! `cargo run --release -p spinney --example train -- graphs.gsp model.json`

use std::path::PathBuf;

use spinney::io::{self, ReadOptions};
use spinney::{Model, Request, Result, demo, fit};

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let data = match arguments.next() {
        Some(path) => io::read(&path, &ReadOptions::default())?.data,
        None => demo::graph_xor(),
    };

    // The same model as that of `spinney train` without flags: representation, automatic defaults,
    // hold-out tuning and all.
    let outcome = fit(&data, &Request::default())?;
    println!("{} patterns", outcome.model.patterns().len());
    if let Some(tuning) = &outcome.tuning {
        println!("tuned: {tuning:?}");
    }

    let model = match arguments.next() {
        Some(path) => {
            outcome.model.save(&path)?;
            Model::load(&path)?
        }
        None => outcome.model,
    };
    for (metric, value) in model.evaluate(&data)? {
        println!("{metric} on the training graphs: {value:.4}");
    }
    Ok(())
}
