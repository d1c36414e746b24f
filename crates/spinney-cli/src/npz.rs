//! Sparse matrices as `.npz` files, for `scipy.sparse.load_npz`.

use std::io::{Cursor, Seek, Write};

/// A matrix in compressed rows.
pub(crate) struct Matrix<'m> {
    /// Where each row starts, and where the last one ends.
    pub(crate) starts: &'m [u64],
    /// The columns of the entries of each row, ascending.
    pub(crate) indices: &'m [u32],
    /// The entries.
    pub(crate) values: Values<'m>,
    /// The number of columns.
    pub(crate) columns: usize,
}

/// The entries of a matrix.
pub(crate) enum Values<'m> {
    /// All of them are 1.
    Ones,
    /// Counts.
    Counts(&'m [u64]),
}

impl Matrix<'_> {
    /// Writes the files of `scipy.sparse.save_npz` for a CSR matrix.
    pub(crate) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let bytes = self.archive().map_err(std::io::Error::other)?;
        out.write_all(&bytes)
    }

    fn archive(&self) -> zip::result::ZipResult<Vec<u8>> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let entries = self.indices.len();
        let long =
            |values: &[u64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let indices: Vec<u8> = self.indices.iter().flat_map(|v| v.to_le_bytes()).collect();
        let all = format!("({entries},)");
        let array = |kind, shape| ArrayHeader { kind, shape };
        add(&mut zip, "indices", array("<i4", &all), &indices)?;
        let starts = format!("({},)", self.starts.len());
        add(&mut zip, "indptr", array("<i8", &starts), &long(self.starts))?;
        add(&mut zip, "format", array("|S3", "()"), b"csr")?;
        let shape = [self.starts.len() as u64 - 1, self.columns as u64];
        add(&mut zip, "shape", array("<i8", "(2,)"), &long(&shape))?;
        match self.values {
            Values::Ones => add(&mut zip, "data", array("|u1", &all), &vec![1; entries])?,
            Values::Counts(counts) => add(&mut zip, "data", array("<i8", &all), &long(counts))?,
        }
        Ok(zip.finish()?.into_inner())
    }
}

/// What NumPy's header says of an array.
struct ArrayHeader<'a> {
    kind: &'a str,
    shape: &'a str,
}

/// Adds one array in NumPy's format, version 1.0.
fn add<W: Write + Seek>(
    zip: &mut zip::ZipWriter<W>,
    name: &str,
    ArrayHeader { kind, shape }: ArrayHeader<'_>,
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
