//! Output files that appear whole or not at all.
//!
//! **Invariant.** At every moment the output path holds what it held before or the complete new
//! content. The content goes to a temporary file in the same folder, is flushed and synced, and
//! then takes the path by renaming, which is atomic. On any failure the temporary file is removed.
//!
//! What cannot be renamed over is written directly: devices, pipes, and the standard streams under
//! their file names (`/dev/stdout`), even if they lead to a file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use flate2::{Compression, write::GzEncoder};
use tempfile::NamedTempFile;

use super::source::is_gz;
use crate::error::{Error, Result};

/// Temporary files on their way.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of outputs that are being written. For a program about to exit: no
/// output can be begun or finished while the guard lives.
#[must_use]
pub fn discard_unfinished() -> impl Sized {
    let all = unfinished();
    all.iter().for_each(|path| drop(fs::remove_file(path)));
    all
}

/// A temporary file that [`discard_unfinished`] knows of.
struct Temporary {
    /// Present until it takes the path of the output.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl Temporary {
    fn new(folder: &Path) -> io::Result<Temporary> {
        let mut all = unfinished();
        let file = temporary_in(folder)?;
        let path = file.path().to_owned();
        all.push(path.clone());
        Ok(Temporary { file: Some(file), path })
    }

    fn file(&mut self) -> io::Result<&mut File> {
        let file = self.file.as_mut().map(NamedTempFile::as_file_mut);
        file.ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Takes the path of the output.
    fn persist(mut self, path: &Path) -> io::Result<()> {
        let _no_discarding = unfinished();
        let file = self.file.take().ok_or(ErrorKind::NotFound)?;
        file.persist(path).map(drop).map_err(|e| e.error)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.path);
    }
}

/// Writes a file through `write`; the file appears whole or not at all. A path that ends in `.gz`
/// is gzipped.
///
/// The file keeps the permissions of the one that it replaces; a new file has the usual ones. A
/// symbolic link stays, and what it leads to is replaced.
///
/// # Errors
/// A folder that does not exist, a path that is a folder or write-protected, a failure of `write`,
/// or of the disk.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let done = match fs::metadata(path) {
        _ if is_stream(path) => write_directly(path, write),
        Ok(old) if old.is_dir() => {
            Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder; give the name of a file"))
        }
        Ok(old) if old.is_file() => replace(path, &old, write),
        Ok(_) => write_directly(path, write),
        Err(_) => create(path, write),
    };
    done.map_err(|e| Error::write(path, explained(e)))
}

/// Whether the path is another name of an open stream.
fn is_stream(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|name| path.starts_with(name))
}

fn explained(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::StorageFull => io::Error::new(
            ErrorKind::StorageFull,
            format!("{error}; free some space or write elsewhere"),
        ),
        _ => error,
    }
}

fn write_directly(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // Appending, because a stream that leads to a file may already have content.
    let mut file = OpenOptions::new().append(true).open(path)?;
    fill(&mut file, is_gz(path), write)
}

fn create(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = folder_of(path);
    if !folder.exists() {
        let folder = folder.display();
        let reason = format!("its folder {folder} does not exist; create it first");
        return Err(io::Error::new(ErrorKind::NotFound, reason));
    }
    let temporary = filled(&folder, is_gz(path), write)?;
    temporary.persist(path)
}

fn replace(
    path: &Path,
    old: &Metadata,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if old.permissions().readonly() {
        let reason = "the file exists and is write-protected; remove it or write elsewhere";
        return Err(io::Error::new(ErrorKind::PermissionDenied, reason));
    }
    let place = fs::canonicalize(path)?;
    let mut temporary = filled(&folder_of(&place), is_gz(path), write)?;
    temporary.file()?.set_permissions(old.permissions())?;
    temporary.persist(&place)
}

fn folder_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

/// A temporary file in `folder` with the whole content, on the disk.
fn filled(
    folder: &Path,
    gzipped: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Temporary> {
    let mut temporary = Temporary::new(folder)?;
    fill(temporary.file()?, gzipped, write)?;
    temporary.file()?.sync_all()?;
    Ok(temporary)
}

/// An empty temporary file with the permissions of any new file.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".spinney-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666)); // less the umask
    }
    builder.tempfile_in(folder)
}

fn fill(
    file: &mut File,
    gzipped: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    if gzipped {
        let mut packed = BufWriter::new(GzEncoder::new(&mut out, Compression::default()));
        write(&mut packed)?;
        packed.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
    } else {
        write(&mut out)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{self, Read};
    use std::path::Path;

    use super::write_whole;
    use crate::io::source::open;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn new_and_replaced_files_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let long = "x".repeat(1 << 20);
        for content in ["first and longer", "second", "", &long] {
            write_whole(&path, |out| out.write_all(content.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn a_failure_leaves_all_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        for before in [None, Some("before")] {
            if let Some(text) = before {
                fs::write(&path, text).unwrap();
            }
            let error = write_whole(&path, |out| {
                out.write_all(&[b'x'; 100_000])?;
                Err(io::Error::other("broke off"))
            });
            let message = error.unwrap_err().to_string();
            assert!(message.contains("cannot write") && message.contains("broke off"), "{message}");
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            assert_eq!(names(folder.path()).len(), usize::from(before.is_some()));
        }
    }

    #[test]
    fn a_name_in_gz_is_packed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt.gz");
        let content = "spinney ".repeat(50_000);
        write_whole(&path, |out| out.write_all(content.as_bytes())).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 10_000);
        let mut back = String::new();
        open(&path).unwrap().read_to_string(&mut back).unwrap();
        assert_eq!(back, content);
    }

    #[test]
    fn a_missing_folder_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_whole(&folder.path().join("no/out.txt"), |_| Ok(())).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("no does not exist; create it first"), "{message}");
        assert!(names(folder.path()).is_empty());
        let message = write_whole(folder.path(), |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("it is a folder"), "{message}");
    }

    #[test]
    fn a_write_protected_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        fs::write(&path, "precious").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let message = write_whole(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("write-protected"), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_the_usual_or_the_old_ones() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let usual = folder.path().join("usual");
        let path = folder.path().join("out");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        fs::write(&usual, "").unwrap();
        write_whole(&path, |_| Ok(())).unwrap();
        assert_eq!(mode(&path), mode(&usual));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_whole(&path, |_| Ok(())).unwrap();
        assert_eq!(mode(&path), 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let link = folder.path().join("link");
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write_whole(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_directly() {
        write_whole(Path::new("/dev/null"), |out| out.write_all(b"x")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        if Path::new("/dev/full").exists() {
            let full = write_whole(Path::new("/dev/full"), |out| out.write_all(b"x")).unwrap_err();
            assert!(full.to_string().contains("free some space"), "{full}");
            assert!(!full.is_bad_input());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_written_directly() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            eprintln!("skipped: no mkfifo here");
            return;
        }
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
        };
        write_whole(&pipe, |out| out.write_all(b"through")).unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
    }
}
