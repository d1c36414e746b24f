"""Runs the blocks of one page in the current folder, in order, as a reader would.

``python run_page.py PAGE [--update]``. Python blocks share their names; ``sh`` blocks run in bash and stop at the first
error. What a block prints is compared with the output block that follows it; ``--update`` writes it there instead.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import re
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

from blocks import Block, blocks_of

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Wrong(Exception):
    """A block that did not do what the page says."""


def run_python(block: Block, names: dict[str, object], page: str) -> str:
    """What the block prints."""
    printed = io.StringIO()
    tree = ast.parse(block.text)
    ast.increment_lineno(tree, block.line)
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, page, "exec"), names)
    except Exception as error:
        if not block.must_fail:
            raise Wrong(printed.getvalue() + traceback.format_exc()) from error
        return printed.getvalue() + f"{type(error).__name__}: {error}\n"
    if block.must_fail:
        raise Wrong("should have failed")
    return printed.getvalue()


def run_shell(block: Block) -> str:
    """What the block prints: of a block that must fail, errors as well."""
    errors = subprocess.STDOUT if block.must_fail else subprocess.PIPE
    command = ["bash", "-euo", "pipefail", "-c", block.text]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
    if (done.returncode != 0) != block.must_fail:
        raise Wrong(f"exit code {done.returncode}\n{done.stdout}{done.stderr or ''}")
    return done.stdout


def without_times(printed: str) -> str:
    """What is printed, with dots for measured times."""
    lines, times_below = [], False
    for line in printed.splitlines():
        times_below = (times_below or line.endswith("  seconds")) and bool(line.strip())
        line = re.sub(r"\b\d+\.\d+ s\b", "... s", line.rstrip())
        lines.append(re.sub(r"\s+\d+\.\d\d(  best)?$", r"  ...\1", line) if times_below else line)
    return "\n".join(lines) + "\n"


def run(page: Path, update: bool) -> None:
    text = page.read_text()
    names: dict[str, object] = {"__name__": "__main__"}
    printed, changes = "", []
    for block in blocks_of(text):
        where = f"{page}:{block.line}"
        if block.file:
            Path(block.file).write_text(block.text)
        elif block.runs:
            start = time.monotonic()
            try:
                printed = run_python(block, names, str(page)) if block.language == "python" else run_shell(block)
            except Wrong as wrong:
                sys.exit(f"{where}:\n{block.text}\n{wrong}")
            print(f"{where}: {time.monotonic() - start:.1f} s", flush=True)
        elif block.is_output and not doctest.OutputChecker().check_output(block.text, printed, FLAGS):
            if not update:
                sys.exit(f"{where}: should print\n{block.text}\nbut prints\n{printed}")
            changes.append((block, printed))
    for block, new in reversed(changes):
        text = text[: block.start] + without_times(new) + text[block.end :]
    if changes:
        page.write_text(text)
        print(f"{page}: {len(changes)} outputs written")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    run(Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:])
