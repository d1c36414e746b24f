//! `spinney features`: a model's questions as a 0/1 matrix, for other learners.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use spinney::model::export::Features;
use spinney::{Dataset, Error, Model, Result};
use spinney_chem::smarts::pattern_text;

use crate::args::{CommonArgs, ReadingArgs};
use crate::npz::{Matrix, Values};
use crate::{input, output};

/// Write which graph contains which of a model's patterns.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model file
    model: PathBuf,
    /// Graphs
    input: PathBuf,
    /// A .csv file, or a .npz file for scipy.sparse.load_npz
    #[arg(short, long, value_name = "FILE.csv|.npz")]
    output: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let as_npz = is_npz(&args.output)?;
    let outputs = [Some(args.output.as_path()), args.common.json.as_deref()];
    output::check(&outputs, &[&args.model, &args.input])?;
    let model = input::model(&args.model)?;
    let data = input::read_for(&model, &args.input, &args.reading, &args.common)?.data;
    let features = model.features(&data);
    if as_npz {
        let matrix = Matrix {
            starts: &features.starts,
            indices: &features.indices,
            values: Values::Ones,
            columns: features.columns.len(),
        };
        output::write_to(Some(&args.output), |out| matrix.write(out))?;
    } else {
        write_csv(&args.output, &model, &data, &features)?;
    }
    let names: Vec<String> =
        (0..features.columns.len()).map(|c| name(&model, &features, c)).collect();
    args.common.note(&format!(
        "wrote {}: {}, {}, {}",
        args.output.display(),
        output::count(features.rows(), "graph"),
        output::count(features.columns.len(), "column"),
        output::count(features.indices.len(), "one"),
    ));
    let params = json!({
        "model": args.model.display().to_string(),
        "input": args.input.display().to_string(),
        "output": args.output.display().to_string(),
    });
    let results = json!({
        "output": args.output.display().to_string(),
        "rows": features.rows(),
        "columns": names,
        "ones": features.indices.len(),
    });
    output::write_json(args.common.json.as_deref(), "features", &params, started, &results)
}

/// By the file's name.
fn is_npz(path: &Path) -> Result<bool> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    if name.ends_with(".npz") {
        Ok(true)
    } else if name.ends_with(".csv") || name.ends_with(".csv.gz") {
        Ok(false)
    } else {
        let reason = format!("{}: name a .csv, .csv.gz or .npz file", path.display());
        Err(Error::parameter("output", reason))
    }
}

/// A column's name: the pattern, and how often it must occur if more than once.
fn name(model: &Model, features: &Features, column: usize) -> String {
    let (pattern, at_least) = features.columns[column];
    let text = pattern_text(&model.patterns()[pattern].code, model.labels());
    if at_least == 1 { text } else { format!("{text} x{at_least}") }
}

fn write_csv(path: &Path, model: &Model, data: &Dataset, features: &Features) -> Result<()> {
    let write = |csv: &mut csv::Writer<&mut dyn Write>| {
        let names = (0..features.columns.len()).map(|c| name(model, features, c));
        csv.write_record(std::iter::once("id".to_owned()).chain(names))?;
        for (i, id) in data.ids().iter().enumerate() {
            let mut row = vec!["0"; features.columns.len()];
            features.row(i).iter().for_each(|&c| row[c as usize] = "1");
            csv.write_record(std::iter::once(id.as_str()).chain(row))?;
        }
        Ok(())
    };
    output::write_to(Some(path), |out| output::write_csv(out, write))
}
