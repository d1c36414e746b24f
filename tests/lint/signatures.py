#!/usr/bin/env python3
"""Holds what clippy and rustfmt cannot: tuples in signatures, widths and names.

Prints each place as `file:line: what` and ends with status 1 if a rule is broken. The two rules
with a number hold what was reached: lower the number when there are fewer places, never raise it.
Files are those that git tracks. Plain Python 3.11.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[2]

MAX_COLUMNS = 100
MAX_TUPLE_FUNCTIONS = 10
MAX_TUPLE_LETS = 59

TUPLE_LET = re.compile(r"^\s*let \((mut )?\w+, (mut )?\w+\) = \(")
CONSTANT = re.compile(r"\b(?:const|static) (LEAST|MOST|ENOUGH|MANY|(?:MOST|LEAST)_\w*)\s*:")
BARE_TYPE = re.compile(r"\bpub (?:enum|struct|type) (Kind|Step|State|Record|Rows)\b")
ALIAS = re.compile(r"(\bpub(?:\([^)]*\))? )?\btype (\w+)\s*(?:<[^=;]*>)?\s*=\s*([^;]*);")

# What is code or data for a compiler but not for a reader: comments, strings and characters.
LITERAL = re.compile(
    r"""
    //[^\n]*
  | /\*.*?\*/
  | \b(?:b|c)?r(?P<hashes>\#*)".*?"(?P=hashes)
  | \b[bc]?"(?:[^"\\]|\\.)*"
  | "(?:[^"\\]|\\.)*"
  | '(?:[^'\\\n]|\\(?:u\{[^}]*\}|x..|.))'
    """,
    re.VERBOSE | re.DOTALL,
)

# Files of Markdown that are made by programs or copied from a day's run.
UNWRAPPED = ("bench/records/", "results/", "docs/RELIABILITY.md", "docs/site/reference/python.md")


class Place(NamedTuple):
    """Where something was found, and what."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class Parameter(NamedTuple):
    """A parameter of a function: its pattern and its type."""

    pattern: str
    type: str


def tracked(*globs: str) -> list[str]:
    """The files that git tracks, by their names from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *globs], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def bare(source: str) -> str:
    """The source with blanks for comments and literals: the same lines and columns."""
    return LITERAL.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


def end_of_group(source: str, start: int) -> int:
    """The place after the bracket that closes the one at `start`; arrows close nothing."""
    depth = 0
    for at in range(start, len(source)):
        if source[at] in "([{<":
            depth += 1
        elif source[at] in ")]}" or (source[at] == ">" and source[at - 1] not in "-="):
            depth -= 1
        if depth == 0:
            return at + 1
    return len(source)


def split_at(source: str, separator: str) -> Iterator[str]:
    """The parts of a text between separators that stand in no brackets."""
    at = start = 0
    while at < len(source):
        if source[at] in "([{<":
            at = end_of_group(source, at)
            continue
        if source[at] == separator:
            yield source[start:at]
            start = at + 1
        at += 1
    yield source[start:]


def parameters(signature: str) -> Iterator[Parameter]:
    """The parameters between a function's parentheses, `self` left out."""
    for part in split_at(signature, ","):
        found = re.match(r"\s*(.*?)\s*(?<!:):(?!:)\s*(.*)", part, re.DOTALL)
        if part.lstrip().startswith("("):
            # The colon after a pattern, not one inside of it; proptest's `in` is no type.
            end = end_of_group(part, part.index("("))
            if part[end:].lstrip().startswith(":"):
                yield Parameter(part[:end].strip(), part[end:].lstrip(" :\n"))
        elif found:
            yield Parameter(found[1], found[2])


def is_tuple(written: str) -> bool:
    """Whether a type, perhaps behind references, is a tuple of two or more."""
    inner = re.sub(r"^(?:&\s*(?:'\w+\s+)?(?:mut\s+)?)+", "", written.strip())
    if not inner.startswith("(") or end_of_group(inner, 0) != len(inner):
        return False
    return sum(1 for part in split_at(inner[1:-1], ",") if part.strip()) > 1


def tuple_aliases(sources: dict[str, str]) -> dict[str, set[str]]:
    """For each file the names that stand for tuples there: its own, and public ones of its crate."""
    own: dict[str, set[str]] = {name: set() for name in sources}
    public: dict[str, set[str]] = {}
    for name, source in sources.items():
        for visibility, alias, written in ALIAS.findall(source):
            if is_tuple(written):
                own[name].add(alias)
                if visibility:
                    public.setdefault(crate(name), set()).add(alias)
    return {name: names | public.get(crate(name), set()) for name, names in own.items()}


def crate(name: str) -> str:
    """The crate of a file, from its path."""
    return name.split("/")[1]


def tuple_parameters(name: str, source: str, aliases: set[str]) -> Iterator[Place]:
    """A file's functions with a parameter whose type or pattern is a tuple."""
    for found in re.finditer(r"\bfn (\w+)\s*", source):
        start = found.end()
        if source[start : start + 1] == "<":
            start = end_of_group(source, start)
        start = source.find("(", start)
        if start < 0:
            continue
        signature = source[start + 1 : end_of_group(source, start) - 1]
        line = source.count("\n", 0, found.start()) + 1
        for parameter in parameters(signature):
            alias = re.match(r"(?:&\s*(?:'\w+\s+)?(?:mut\s+)?)*(?:\w+::)*(\w+)", parameter.type)
            known = alias is not None and alias[1] in aliases
            if is_tuple(parameter.type) or parameter.pattern.startswith("(") or known:
                written = " ".join(f"{parameter.pattern}: {parameter.type}".split())
                yield Place(name, line, f"fn {found[1]} takes a tuple, {written}")
                break


def lines_that(name: str, text: str, pattern: re.Pattern[str], says: str) -> Iterator[Place]:
    """A place for each line in which the pattern is found."""
    for number, line in enumerate(text.split("\n"), 1):
        if found := pattern.search(line):
            yield Place(name, number, says.format(found[1] if pattern.groups else ""))


def wide_rust(name: str, text: str) -> Iterator[Place]:
    """Lines of Rust that are too long, strings and comments too."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_COLUMNS:
            yield Place(name, number, f"{len(line)} columns")


def wide_prose(name: str, text: str) -> Iterator[Place]:
    """Lines of prose that are too long; tables, code and what cannot be broken may be."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"\s*(?:[-*>]\s+)*(`{3,}|~{3,})", line)
        if fence is None and mark:
            fence = mark[1]
            continue
        if fence is not None:
            if line.strip().strip(fence[0]) == "" and line.strip().startswith(fence):
                fence = None
            continue
        if len(line) <= MAX_COLUMNS or line.lstrip().startswith("|") or line.startswith("    "):
            continue
        # A heading is one line, and so is a link, an image or an address alone.
        words = re.sub(r"!?\[[^\]]*\]\([^)]*\)|\[[^\]]*\]:\s*\S+|<[^>]*>|https?://\S+", "", line)
        if line.startswith("#") or not re.search(r"\w", words):
            continue
        yield Place(name, number, f"{len(line)} columns of prose")


class Rule(NamedTuple):
    """What is counted, how often it may stand, and where it stands."""

    title: str
    allowed: int
    places: list[Place]


def rules() -> list[Rule]:
    """Every rule with what it finds in the tree."""
    rust = {name: (ROOT / name).read_text() for name in tracked("*.rs")}
    crates = {name: text for name, text in rust.items() if name.startswith("crates/")}
    sources = {name: bare(text) for name, text in crates.items()}
    aliases = tuple_aliases(sources)
    prose = {
        name: (ROOT / name).read_text()
        for name in tracked("*.md")
        if not name.startswith(UNWRAPPED)
    }
    tuples = [
        place
        for name, source in sources.items()
        for place in tuple_parameters(name, source, aliases[name])
    ]

    def in_crates(pattern: re.Pattern[str], says: str) -> list[Place]:
        return [p for name, text in sources.items() for p in lines_that(name, text, pattern, says)]

    constants = in_crates(CONSTANT, "{} says no quantity and unit")
    types = in_crates(BARE_TYPE, "{} does not say of what")
    return [
        Rule("functions that take tuples", MAX_TUPLE_FUNCTIONS, tuples),
        Rule("`let (a, b) = (…`", MAX_TUPLE_LETS, in_crates(TUPLE_LET, "two names in one let")),
        Rule("wide lines of Rust", 0, [p for n, t in rust.items() for p in wide_rust(n, t)]),
        Rule("constants without a quantity", 0, constants),
        Rule("public types with a bare name", 0, types),
        Rule("wide lines of prose", 0, [p for n, t in prose.items() for p in wide_prose(n, t)]),
    ]


def main() -> int:
    """Prints the places of broken rules, then a line for each rule."""
    checked = rules()
    for rule in checked:
        if len(rule.places) > rule.allowed:
            print(*rule.places, sep="\n")
    for rule in checked:
        verdict = "ok" if len(rule.places) <= rule.allowed else "BROKEN"
        print(f"{verdict}: {rule.title}: {len(rule.places)}, at most {rule.allowed}")
    return int(any(len(rule.places) > rule.allowed for rule in checked))


if __name__ == "__main__":
    sys.exit(main())
