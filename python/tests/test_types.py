"""The type hints are consistent, and the stubs say what the compiled module has."""

import subprocess
import sys


def run(folder, *args):
    # From another folder, so that the package that is installed is found, and nothing beside it.
    done = subprocess.run([sys.executable, "-m", *args], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_hints(tmp_path):
    run(tmp_path, "mypy", "-p", "spinney", "--ignore-missing-imports")


def test_stubs(tmp_path):
    run(tmp_path, "mypy.stubtest", "spinney._spinney")
