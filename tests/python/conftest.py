"""What the comparisons share: the program under test, the built-in data, the shared data."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("SPINNEY", "target/release/spinney")
DATA = pathlib.Path(os.environ.get("SPINNEY_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture
def spinney(tmp_path):
    """Runs the program and gives back the `results` of its --json file."""

    def run(*args):
        report = tmp_path / "report.json"
        command = [PROGRAM, *map(str, args), "--json", report, "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(report.read_text())

    return run


def run(*args):
    """Runs the program, which must succeed."""
    done = subprocess.run([PROGRAM, *map(str, args), "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def shared(path):
    """A file of the shared data, or a visible skip where it is absent."""
    found = DATA / path
    if not found.exists():
        pytest.skip(f"shared data not found: {found}")
    return found
