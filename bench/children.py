"""Runs a command as a child process under limits and tells what it used.

Every measurement of the suite goes through `run`: one child, its CPU time (user and system, of all its threads),
its wall time and its peak memory as the kernel counts them. A child that fails, or exceeds the time or the
address-space limit, raises `Failed`; the suite makes that an honest row of the record.
"""

import dataclasses
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time

TIME_LIMIT = 300  # wall seconds of one measurement
MEMORY_LIMIT = 8 << 30  # bytes of address space

# No library may start threads of its own accord.
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
    command = [str(part) for part in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        child = subprocess.Popen(
            command,
            stdout=out,
            stderr=err,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,
            preexec_fn=lambda: _limit(memory_limit),
        )
        late = threading.Event()
        timer = threading.Timer(time_limit, lambda: (late.set(), _end(child.pid)))
        timer.start()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = [_text(stream) for stream in (out, err)]
    if late.is_set():
        raise Failed(f"not finished within {time_limit:.0f} s")
    if status != 0:
        raise Failed(_reason(child.returncode, texts[1]))
    return Usage(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, *texts)


def _limit(memory_limit):
    if memory_limit is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


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
