//! A parameter is declared once: `docs/adding-a-parameter.patch`, which CONTRIBUTING.md shows, adds
//! one in its declaration and in the code that uses it. Here it is applied to a copy of the
//! workspace, which then builds, with the flag, the page and everything else that comes of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the workspace is built from.
const SOURCES: [&str; 5] = ["Cargo.toml", "Cargo.lock", "README.md", "ARCHITECTURE.md", "crates"];
const PATCH: &str = "docs/adding-a-parameter.patch";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).expect("a folder");
        for entry in std::fs::read_dir(from).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        std::fs::copy(from, to).expect("a copy");
    }
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("a program that can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}:\n{said}");
    output
}

#[test]
fn a_patch_of_two_files_adds_a_parameter() {
    let patch = std::fs::read_to_string(root().join(PATCH)).expect("the patch");
    let touched: Vec<&str> = patch.lines().filter_map(|l| l.strip_prefix("+++ b/")).collect();
    let expected = ["boosting/round_builder.rs", "params/table.rs"];
    assert_eq!(touched, expected.map(|file| format!("crates/spinney/src/{file}")));

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adding_a_parameter");
    let _ = std::fs::remove_dir_all(&folder);
    for source in SOURCES {
        std::fs::create_dir_all(&folder).expect("a folder");
        copy(&root().join(source), &folder.join(source));
    }
    // The copy lies below the work tree, which is not to be patched.
    let apply = ["apply", "--unsafe-paths", "--directory"];
    let mut git = Command::new("git");
    git.args(apply).arg(&folder).arg(root().join(PATCH)).current_dir("/");
    run(git.env("GIT_DIR", folder.join("none")));

    // Of the whole workspace, so that dependencies are those that are built already; the program of
    // this build is not overwritten. The library only prints a page here: optimising it again would
    // take most of the test.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let flags = ["--quiet", "--offline", "--workspace"];
    let unoptimised = ["--config", "profile.dev.package.spinney.opt-level=0"];
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(arguments).args(flags).args(unoptimised).current_dir(&folder);
        run(cargo.env("CARGO_TARGET_DIR", target))
    };
    cargo(&["build", "--example", "parameters"]);
    let page = run(&mut Command::new(target.join("debug/examples/parameters")));
    let page = String::from_utf8(page.stdout).expect("text");
    let ours = spinney::params::reference::markdown();
    assert!(page.contains("`--max-leaf-value F|none`"), "{page}");
    assert!(!ours.contains("max-leaf-value"));
    cargo(&["check"]);
    std::fs::remove_dir_all(&folder).expect("an end");
}

/// The page is made from the declarations: `make parameters`.
#[test]
fn the_page_on_parameters_is_up_to_date() {
    let kept = std::fs::read_to_string(root().join("docs/PARAMETERS.md")).expect("the page");
    assert!(kept == spinney::params::reference::markdown(), "run: make parameters");
}
