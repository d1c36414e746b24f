//! Tables as they are shown: HTML for the page, CSV for others.

use std::fmt::Write;

use spinney_chem::layout::escape;

/// A table of text.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// What must be known to read it.
    pub note: String,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
}

/// Cells of more characters may be broken into lines.
const LONG: usize = 24;

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(title: &str, head: &[&str]) -> Table {
        let head = head.iter().map(|&h| h.to_owned()).collect();
        Table { title: title.into(), head, ..Table::default() }
    }

    /// One more row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// As comma-separated values.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for row in std::iter::once(&self.head).chain(&self.rows) {
            // Memory takes every record.
            let _ = out.write_record(row);
        }
        String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// As an HTML table.
    #[must_use]
    pub fn html(&self) -> String {
        let cells = |row: &[String], tag: &str| -> String {
            let long =
                |cell: &str| if cell.chars().count() > LONG { " class=\"long\"" } else { "" };
            let cell = |cell: &String| format!("<{tag}{}>{}</{tag}>", long(cell), escape(cell));
            row.iter().map(cell).collect()
        };
        let mut text = format!("<table>\n<caption>{}</caption>\n", escape(&self.title));
        let _ = writeln!(text, "<thead><tr>{}</tr></thead>\n<tbody>", cells(&self.head, "th"));
        for row in &self.rows {
            let _ = writeln!(text, "<tr>{}</tr>", cells(row, "td"));
        }
        text += "</tbody>\n</table>\n";
        if !self.note.is_empty() {
            let _ = writeln!(text, "<p class=\"note\">{}</p>", escape(&self.note));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn cells_stay_text() {
        let mut table = Table::new("a < b", &["x", "y"]);
        table.row(["1,5", "say \"<b>\""]);
        assert_eq!(table.csv(), "x,y\n\"1,5\",\"say \"\"<b>\"\"\"\n");
        assert!(table.html().contains("<caption>a &lt; b</caption>"));
        assert!(table.html().contains("<td>say &quot;&lt;b&gt;&quot;</td>"));
    }
}
