//! Writing results: whole files or none, tables that line up, one JSON envelope.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use spinney::io::atomic::write_whole;
use spinney::labels::Labels;
use spinney::mining::{DfsCode, DfsEdge};
use spinney::{Error, Metric, Result};

/// Writes `{"command", "params", "seconds", "results"}`.
pub(crate) fn write_json(
    path: Option<&Path>,
    command: &str,
    params: &Value,
    started: Instant,
    results: &Value,
) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let seconds = started.elapsed().as_secs_f64();
    let all = json!({"command": command, "params": params, "seconds": seconds, "results": results});
    write_whole(path, |out| writeln!(out, "{all:#}"))
}

/// Refuses, before any work is done, outputs that cannot be written or would replace an input or
/// each other.
pub(crate) fn check(outputs: &[Option<&Path>], inputs: &[&Path]) -> Result<()> {
    let mut taken: Vec<PathBuf> = inputs.iter().filter_map(|path| place(path)).collect();
    for path in outputs.iter().flatten() {
        let shown = path.display();
        if path.is_dir() {
            return Err(Error::failed(format!(
                "cannot write {shown}: it is a folder; give the name of a file"
            )));
        }
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(Error::failed(format!(
                "cannot write {shown}: its folder {} does not exist; create it first",
                folder.display()
            )));
        }
        let Some(place) = place(path) else { continue };
        if taken.contains(&place) {
            return Err(Error::data(format!(
                "{shown} is named twice: an output must not replace an input or another output"
            )));
        }
        taken.push(place);
    }
    Ok(())
}

/// Where a file is or would be; none for devices and pipes.
fn place(path: &Path) -> Option<PathBuf> {
    if path.exists() {
        return path.canonicalize().ok().filter(|p| p.is_file());
    }
    Some(folder_of(path).canonicalize().ok()?.join(path.file_name()?))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes to a file, whole or not at all, or to standard output.
pub(crate) fn write_to(
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    if let Some(path) = path {
        return write_whole(path, write);
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    finish(write(&mut out).and_then(|()| out.flush()))
}

/// Prints a text on standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// A reader that has seen enough (`| head`) is no failure.
fn finish(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::failed(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// A line on standard error, which may be closed or full: then nobody reads it.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes CSV; failures are those of `out`, as they are.
pub(crate) fn write_csv(
    out: &mut dyn Write,
    write: impl FnOnce(&mut csv::Writer<&mut dyn Write>) -> csv::Result<()>,
) -> std::io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    write(&mut csv).map_err(|e| match e.into_kind() {
        csv::ErrorKind::Io(e) => e,
        kind => std::io::Error::other(format!("{kind:?}")),
    })?;
    csv.flush()
}

/// `model.json` becomes `model.TARGET.json`; what is no letter, digit, `-` or `_` becomes `_`.
pub(crate) fn named_after(path: &Path, target: &str) -> PathBuf {
    let safe = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let target: String = target.chars().map(safe).collect();
    let ending = path.extension().map_or("json".into(), |e| e.to_string_lossy());
    path.with_extension(format!("{target}.{ending}"))
}

/// `1 graph`, `2 graphs`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A table with left-aligned text and right-aligned numbers.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|h| h.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let is_number =
        |cell: &str| cell.split(' ').next().is_some_and(|word| word.parse::<f64>().is_ok());
    let numeric: Vec<bool> =
        (0..header.len()).map(|i| rows.iter().all(|r| is_number(&r[i]))).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().enumerate().map(|(i, cell)| {
            let pad = " ".repeat(widths[i].saturating_sub(cell.chars().count()));
            if numeric[i] { format!("{pad}{cell}") } else { format!("{cell}{pad}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let header: Vec<String> = header.iter().map(|h| (*h).to_owned()).collect();
    std::iter::once(line(&header)).chain(rows.iter().map(|r| line(r))).collect()
}

/// A metric's value as people read it: shares in percent.
pub(crate) fn value(metric: Metric, value: f64) -> String {
    match metric {
        _ if value.is_nan() => "undefined".into(),
        Metric::Accuracy => format!("{:.2} %", 100.0 * value),
        _ => format!("{value:.4}"),
    }
}

/// A metric's mean and standard deviation.
pub(crate) fn spread(metric: Metric, mean: f64, sd: f64) -> String {
    match metric {
        _ if mean.is_nan() => "undefined".into(),
        Metric::Accuracy => format!("{:.2} ± {:.2} %", 100.0 * mean, 100.0 * sd),
        _ => format!("{mean:.4} ± {sd:.4}"),
    }
}

/// A pattern's code as JSON: `[from, to, label, edge label, label]` for each edge.
pub(crate) fn code_json(code: &DfsCode, labels: &Labels) -> Value {
    let vertex = |label| labels.vertex.name(label);
    let edge = |e: &DfsEdge| {
        let edge = labels.edge.name(e.edge_label);
        json!([e.from, e.to, vertex(e.from_label), edge, vertex(e.to_label)])
    };
    code.edges().iter().map(edge).collect()
}

/// Metrics as a JSON object.
pub(crate) fn metrics_json(metrics: &[(Metric, f64)]) -> Value {
    metrics
        .iter()
        .map(|(m, v)| (m.name().to_owned(), json!(v)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
