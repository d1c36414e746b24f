//! `spinney features`: a model's questions as a 0/1 matrix, for other learners.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use spinney::model::export::Features;
use spinney::{Dataset, Error, Model, Result};

use crate::args::{CommonArgs, ReadingArgs};
use crate::molecules::pattern_text;
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
        let bytes = npz(&features)
            .map_err(|e| Error::failed(format!("cannot make the matrix file: {e}")))?;
        output::write_to(Some(&args.output), |out| out.write_all(&bytes))?;
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

/// The files of `scipy.sparse.save_npz` for a CSR matrix.
fn npz(features: &Features) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let ones = features.indices.len();
    let shape = [features.rows() as u64, features.columns.len() as u64];
    let bytes_of =
        |values: &[u64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let indices: Vec<u8> = features.indices.iter().flat_map(|v| v.to_le_bytes()).collect();
    add(&mut zip, "indices", ("<i4", &format!("({ones},)")), &indices)?;
    let starts = bytes_of(&features.starts);
    add(&mut zip, "indptr", ("<i8", &format!("({},)", features.starts.len())), &starts)?;
    add(&mut zip, "format", ("|S3", "()"), b"csr")?;
    add(&mut zip, "shape", ("<i8", "(2,)"), &bytes_of(&shape))?;
    add(&mut zip, "data", ("|u1", &format!("({ones},)")), &vec![1; ones])?;
    Ok(zip.finish()?.into_inner())
}

/// Adds one array in NumPy's format, version 1.0.
fn add<W: Write + Seek>(
    zip: &mut zip::ZipWriter<W>,
    name: &str,
    (kind, shape): (&str, &str),
    bytes: &[u8],
) -> zip::result::ZipResult<()> {
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .large_file(bytes.len() > 1 << 30);
    zip.start_file(format!("{name}.npy"), options)?;
    let dict = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and header length take 10 bytes; data starts at a multiple of 64.
    let length = (10 + dict.len() + 1).next_multiple_of(64) - 10;
    let header = format!("{dict:<width$}\n", width = length - 1);
    zip.write_all(b"\x93NUMPY\x01\x00")?;
    zip.write_all(&(length as u16).to_le_bytes())?;
    zip.write_all(header.as_bytes())?;
    zip.write_all(bytes)?;
    Ok(())
}
