"""Runs a command as a child process under limits and reports what it used.

Every measurement of the suite goes through `run`: one child, its CPU time (user and system, of all its threads),
its wall time and its peak memory as the kernel counts them. A child that fails, or exceeds the time or the
address-space limit, raises `Failed`; the suite makes that an honest row of the record.
"""

import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

LAUNCH = pathlib.Path(__file__).with_name("launch.py")
TIME_LIMIT = 300  # wall seconds of one measurement
MEMORY_LIMIT = 8 << 30  # bytes of address space

# No library may start threads of its own.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


class Failed(Exception):
    """A measurement that gave no figure, or an answer that is wrong."""


@dataclasses.dataclass
class Usage:
    cpu: float  # seconds
    wall: float  # seconds
    peak_mb: float
    stdout: str
    stderr: str


def run(command, time_limit=TIME_LIMIT, memory_limit=MEMORY_LIMIT):
    """Runs `command` to its end. `memory_limit` None sets no limit (valgrind needs room of its own)."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        usage = pathlib.Path(folder) / "usage"
        launch = [sys.executable, "-I", "-S", LAUNCH, usage, memory_limit or 0, *command]
        child = subprocess.Popen(
            [str(part) for part in launch],
            stdout=out,
            stderr=err,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,
        )
        try:
            child.wait(time_limit)
        except subprocess.TimeoutExpired:
            _end(child.pid)
            child.wait()
            raise Failed(f"not finished within {time_limit:.0f} s") from None
        texts = [_text(stream) for stream in (out, err)]
        if child.returncode != 0 or not usage.exists():
            raise Failed(_reason(child.returncode, texts[1]))
        code, cpu, wall, peak_mb = usage.read_text().split()
    if int(code) != 0:
        raise Failed(_reason(int(code), texts[1]))
    return Usage(float(cpu), float(wall), float(peak_mb), *texts)


def _end(pid):
    """Ends the child and whatever it started: the child leads a session of its own."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _text(stream):
    stream.seek(0)
    return stream.read().decode(errors="replace")


def _reason(code, stderr):
    """How the child ended, and the last line it wrote that is no part of a backtrace."""
    lines = [line.strip() for line in stderr.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("note:", "stack backtrace"))]
    how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{how}: {lines[-1]}" if lines else how
