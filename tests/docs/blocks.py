"""The code blocks of a Markdown page, and what their first lines say about them.

A block runs if its first line says only ``python`` or ``sh``. What may follow the language:

- ``norun: REASON``: the block is not run, and the reason is counted.
- ``fails``: the block must fail. What it prints includes the error.
- ``file=NAME`` (any other language): the block is written to this file.
- ``output`` (with ``text``): what the block before it prints. ``...`` stands for anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
RUNNABLE = ("python", "sh")

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the rest of its first line, and where its text lies."""

    language: str
    options: str
    text: str
    start: int
    end: int
    line: int

    @property
    def runs(self) -> bool:
        return self.language in RUNNABLE and not self.options.startswith("norun")

    @property
    def must_fail(self) -> bool:
        return self.options == "fails"

    @property
    def reason(self) -> str | None:
        """Why it is not run."""
        return self.options.removeprefix("norun").lstrip(": ") if self.options.startswith("norun") else None

    @property
    def file(self) -> str | None:
        """The file that it is written to."""
        return self.options.removeprefix("file=") if self.options.startswith("file=") else None

    @property
    def is_output(self) -> bool:
        return self.language == "text" and self.options == "output"


def blocks_of(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for match in _FENCE.finditer(text):
        language, _, options = match["info"].strip().partition(" ")
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(language, options.strip(), match["text"], match.start("text"), match.end("text"), line))
    return found


def pages() -> list[Path]:
    """All Markdown pages of the documentation."""
    return sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)
