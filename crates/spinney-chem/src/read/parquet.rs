//! `.parquet`: a table by columns, read row by row.
//!
//! Columns of text, numbers and truth values are columns here; nested ones are not. Values become
//! the text that a CSV would hold: numbers as their shortest decimal form, nothing for null.
//!
//! **Invariant.** A record's place is its number from 1, for the file has no lines.
//!
//! **Cost.** One pass; memory holds one page of each column at a time. The crate's row interface is
//! enough for this: arrow, which would double the build, is left out.

use std::cell::Cell;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::RowGroupMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use ::parquet::record::reader::RowIter;
use ::parquet::schema::types::Type;
use csv::ByteRecord;
use spinney::io::source::read_error;
use spinney::{Error, Result};

use super::parquet_guard::GuardedFile;
use super::{ReadError, Row, Table};

pub(super) struct ParquetTable {
    rows: RowIter<'static>,
    path: PathBuf,
    columns: Vec<String>,
    number: usize,
    stopped: bool,
}

impl ParquetTable {
    pub(super) fn open(path: &Path) -> Result<ParquetTable> {
        if path == Path::new("-") {
            let reason = "standard input cannot be read as parquet; give a file";
            return Err(Error::parameter("format", reason));
        }
        let file = File::open(path).map_err(|e| read_error(path, e))?;
        let reader = guarded(path, || SerializedFileReader::new(GuardedFile::new(file)?))?;
        check_places(path, &reader)?;
        let schema = reader.metadata().file_metadata().schema().clone();
        let flat = schema.get_fields().iter().filter(|f| f.is_primitive());
        let flat: Vec<Arc<Type>> = flat.cloned().collect();
        let columns = flat.iter().map(|f| f.name().to_owned()).collect();
        let wanted = Type::group_type_builder(schema.name()).with_fields(flat).build();
        let rows =
            guarded(path, || RowIter::from_file_into(Box::new(reader)).project(Some(wanted?)))?;
        Ok(ParquetTable { rows, path: path.to_owned(), columns, number: 0, stopped: false })
    }
}

/// Refuses negative places and lengths, which the crate takes for granted.
fn check_places(path: &Path, reader: &SerializedFileReader<GuardedFile>) -> Result<()> {
    let groups = reader.metadata().row_groups().iter();
    let mut columns = groups.flat_map(RowGroupMetaData::columns);
    let is_wrong = columns.any(|c| {
        let start = c.dictionary_page_offset().unwrap_or_else(|| c.data_page_offset());
        start < 0 || c.compressed_size() < 0
    });
    if is_wrong {
        return Err(explained(path, &ParquetError::General("a column has no place".into())));
    }
    Ok(())
}

thread_local! {
    /// Whether this thread is inside [`guarded`], where a panic is an answer and not a fault.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does `work`; the crate panics on some damaged files, which is an error like any other. Such a
/// panic must not reach the process's panic hook either, for that prints, or ends a program that
/// is being fuzzed: the first call puts a hook before it that is silent here and nowhere else.
fn guarded<T>(
    path: &Path,
    work: impl FnOnce() -> std::result::Result<T, ParquetError>,
) -> Result<T> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let hook = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                hook(panic);
            }
        }));
    });
    GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    let done = done.unwrap_or_else(|_| Err(ParquetError::General("damaged content".into())));
    done.map_err(|e| explained(path, &e))
}

fn explained(path: &Path, error: &ParquetError) -> Error {
    let reason = error.to_string();
    match reason.split_once("Disabled feature at compile time: ") {
        Some((_, kind)) => {
            let advice = "write it with snappy, zstd or gzip";
            Error::file(path, format!("{kind} compression is not supported; {advice}"))
        }
        None => Error::file(path, format!("not an intact parquet file: {reason}")),
    }
}

impl Table for ParquetTable {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn next_row(&mut self) -> Option<std::result::Result<Row, ReadError>> {
        if self.stopped {
            return None;
        }
        self.number += 1;
        match guarded(&self.path, || self.rows.next().transpose()) {
            Ok(row) => row.map(|row| {
                let mut fields = ByteRecord::new();
                row.get_column_iter().for_each(|(_, field)| push(&mut fields, field));
                Ok(Row { line: self.number, fields, block: None })
            }),
            Err(e) => {
                self.stopped = true;
                Some(Err(ReadError::Stop(e)))
            }
        }
    }
}

fn push(fields: &mut ByteRecord, field: &Field) {
    match field {
        Field::Null => fields.push_field(b""),
        Field::Str(text) => fields.push_field(text.as_bytes()),
        Field::Bytes(bytes) => fields.push_field(bytes.data()),
        Field::Float(v) => fields.push_field(v.to_string().as_bytes()),
        Field::Double(v) => fields.push_field(v.to_string().as_bytes()),
        other => fields.push_field(other.to_string().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::parquet::basic::{Compression, ZstdLevel};
    use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    use super::super::tests::{named, records};
    use super::super::{Columns, Structure, Targets};

    /// Three rows in each of two row groups.
    fn written(compression: Compression) -> Vec<u8> {
        let schema = "message m { required binary SMILES (UTF8); optional double y; \
                      required int64 n; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut writer =
            SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
        for _ in 0..2 {
            let mut group = writer.next_row_group().unwrap();
            let smiles = ["CCO", "", "C\0"].map(|s| ByteArray::from(s.as_bytes().to_vec()));
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&smiles, None, None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let levels = [1, 0, 1];
            column.typed::<DoubleType>().write_batch(&[0.1, 2.0], Some(&levels), None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&[1, -1, 7], None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        writer.into_inner().unwrap()
    }

    #[test]
    fn rows_are_records() {
        let zstd = Compression::ZSTD(ZstdLevel::default());
        let gzip = Compression::GZIP(Default::default());
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, zstd, gzip] {
            let columns =
                Columns { targets: Targets::All, id: Some("n".into()), ..Columns::default() };
            let all = records("a.parquet", &written(compression), &columns).unwrap();
            assert_eq!(all.len(), 6);
            let first = all[0].clone().unwrap();
            assert_eq!(first.structure, Structure::Smiles("CCO".into()));
            assert_eq!((first.line, first.id.as_str()), (1, "1"));
            assert_eq!(first.targets, [Some("0.1".to_owned())]);
            assert_eq!(all[1], Err("2: -1: empty SMILES".into()));
            assert_eq!(all[5], Err("6: 7: a NUL byte in the SMILES".into()));
        }
        let whole = written(Compression::SNAPPY);
        let message = records("a.parquet", &whole, &named("N2")).unwrap_err().to_string();
        assert!(message.contains("did you mean \"n\"?"), "{message}");
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = written(Compression::SNAPPY);
        for end in [0, 3, 100, whole.len() - 1] {
            let message = records("a.parquet", &whole[..end], &Columns::default());
            let message = message.unwrap_err().to_string();
            assert!(message.contains("not an intact parquet file"), "{message}");
        }
    }
}
