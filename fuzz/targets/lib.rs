//! What the fuzz targets share: input as a file, and a limit on what is worth reading.
//!
//! A target fails by a panic, a sanitizer's finding, a hang or too much memory. Errors are what it
//! is all about: they must come as errors.

use std::path::PathBuf;
use std::sync::OnceLock;

use spinney_chem::Chemistry;
use spinney_chem::read::{Columns, MoleculeFormat, Request, Targets, load};

/// A folder of this process, in memory where there is such a place.
pub fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let shared = PathBuf::from("/dev/shm");
        let base = if shared.is_dir() { shared } else { std::env::temp_dir() };
        let folder = base.join(format!("spinney-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder to write to");
        folder
    })
}

/// A file with this content.
pub fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, content).expect("room for a small file");
    path
}

/// Reads molecules with all columns as targets, strictly and leniently.
pub fn molecules(name: &str, format: MoleculeFormat, content: &[u8]) {
    let path = file(name, content);
    for lenient in [false, true] {
        let request = Request {
            path: path.clone(),
            format: Some(format),
            columns: Columns { targets: Targets::All, ..Columns::default() },
            on_error: if lenient { spinney::io::OnError::Skip } else { spinney::io::OnError::Fail },
            lenient,
        };
        let _ = load(&request, &Chemistry::default());
    }
}
