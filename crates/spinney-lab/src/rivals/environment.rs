//! The Python environment of the rivals: made once, by `python3 -m venv` and `pip`, and kept.

use std::path::{Path, PathBuf};
use std::process::Command;

use spinney::{Error, Result};

/// Scripts and requirements come with the program.
const FILES: [(&str, &str); 6] = [
    ("requirements.txt", include_str!("../../rivals/requirements.txt")),
    ("worker.py", include_str!("../../rivals/worker.py")),
    ("tables.py", include_str!("../../rivals/tables.py")),
    ("kernels.py", include_str!("../../rivals/kernels.py")),
    ("fingerprints.py", include_str!("../../rivals/fingerprints.py")),
    ("scaling.py", include_str!("../../rivals/scaling.py")),
];

/// An environment that is ready.
#[derive(Clone, Debug)]
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// The environment in `folder`, made if it is not there or not of these requirements.
    ///
    /// # Errors
    /// If there is no Python, packages cannot be had, or the folder cannot be written.
    pub fn set_up(folder: &Path) -> Result<Environment> {
        std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        let ready = folder.join("ready");
        let requirements = FILES[0].1;
        let known = std::fs::read_to_string(&ready);
        for (name, text) in FILES {
            std::fs::write(folder.join(name), text)
                .map_err(|e| Error::file(&folder.join(name), e))?;
        }
        let environment = Environment { folder: folder.to_owned() };
        if known.is_ok_and(|known| known == requirements) {
            return Ok(environment);
        }
        finish(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        finish(environment.python().args(install).arg(folder.join("requirements.txt")))?;
        std::fs::write(&ready, requirements).map_err(|e| Error::file(&ready, e))?;
        Ok(environment)
    }

    /// Where it is kept, by default: the user's cache.
    #[must_use]
    pub fn usual_folder() -> PathBuf {
        let of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let cache = of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")));
        cache.unwrap_or_else(std::env::temp_dir).join("spinney").join("rivals")
    }

    fn python(&self) -> Command {
        Command::new(self.folder.join("venv/bin/python"))
    }

    /// A script of ours; one thread, since rivals run side by side.
    #[must_use]
    pub fn worker(&self, script: &str) -> Command {
        let mut command = self.python();
        command.arg(self.folder.join(script));
        for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(threads, "1");
        }
        command
    }
}

/// Runs a command to its end.
fn finish(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| Error::failed(format!("{name}: {e}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::failed(format!("{name}: {}", super::last_line(&said))))
}
