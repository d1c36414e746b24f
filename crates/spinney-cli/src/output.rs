//! Writing results: whole files or none, tables that line up, one JSON envelope.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use spinney::io::atomic::write_whole;
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
        Err(e) if !is_closed_pipe(&e) => {
            Err(Error::failed(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Also when the CSV writer has wrapped it.
fn is_closed_pipe(error: &std::io::Error) -> bool {
    let closed = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    let inner = error.get_ref().and_then(|e| e.downcast_ref::<csv::Error>());
    closed(error) || matches!(inner.map(csv::Error::kind), Some(csv::ErrorKind::Io(e)) if closed(e))
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

/// Metrics as a JSON object.
pub(crate) fn metrics_json(metrics: &[(Metric, f64)]) -> Value {
    metrics
        .iter()
        .map(|(m, v)| (m.name().to_owned(), json!(v)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
