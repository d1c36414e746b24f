"""Prints the page on the Python package from its docstrings (`reference/python.md`; `make docs-outputs` writes it)."""

from __future__ import annotations

import inspect
import re
import textwrap

import spinney
import spinney.distributed

CLASSES = ("SpinneyClassifier", "SpinneyRegressor", "GBoostClassifier", "SubgraphTransformer", "Graphs", "Explanation", "Drawing")
FUNCTIONS = (spinney.read, spinney.load)
DISTRIBUTED = ("score_batches", "score_dask", "score_spark", "score_ray")
LISTS = ("Parameters", "Returns", "Yields", "Raises", "Attributes")


def in_markdown(text: str) -> str:
    """The roles and quotes of docstrings in Markdown."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def sections(doc: str) -> list[tuple[str, str]]:
    """The sections of a docstring, the first without a name."""
    parts = re.split(r"^([A-Z][A-Za-z]+)\n-{3,}\n", doc, flags=re.MULTILINE)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]


def entries(text: str) -> str:
    """`name : type` and what is indented below, as a list."""
    lines = []
    for match in re.finditer(r"^(\S.*)\n((?:(?: {4}.*)?\n)*)", text.rstrip() + "\n", re.MULTILINE):
        name, _, kind = match[1].partition(" : ")
        told = in_markdown(" ".join(textwrap.dedent(match[2]).split()))
        kind = f" ({in_markdown(kind)})" if kind else ""
        lines.append(f"- **{name.replace('*', '')}**{kind}" + (f": {told}" if told else ""))
    return "\n".join(lines)


def page_of(doc: str | None, level: int) -> str:
    """A docstring as Markdown."""
    parts = []
    for name, text in sections(inspect.cleandoc(doc or "")):
        text = text.strip("\n")
        if not text:
            continue
        if name in LISTS:
            text = entries(text)
        elif name == "Examples":
            text = f"```pycon\n{text}\n```"
        else:
            text = in_markdown(text)
        parts.append(f"{'#' * level} {name}\n\n{text}" if name and level < 5 else f"*{name}*\n\n{text}" if name else text)
    return "\n\n".join(parts)


def own_methods(cls: type) -> list[tuple[str, object]]:
    """Public methods and properties that this package documents, by name."""
    found = []
    for name, member in inspect.getmembers(cls):
        target = member.fget if isinstance(member, property) else member
        module = getattr(inspect.unwrap(target), "__module__", "") if callable(target) else ""
        if not name.startswith("_") and (module or "").startswith("spinney") and getattr(target, "__doc__", None):
            found.append((name, member))
    return found


def signature(function: object, name: str) -> str:
    shown = inspect.signature(function)
    kept = [p.replace(annotation=p.empty) for p in shown.parameters.values() if p.name not in ("self", "cls")]
    return f"{name}{shown.replace(parameters=kept, return_annotation=inspect.Signature.empty)}"


def class_page(name: str, told: set[str]) -> str:
    cls = getattr(spinney, name)
    parts = [f"## {name}", page_of(cls.__doc__, 3)]
    rows = []
    for method, member in own_methods(cls):
        first = in_markdown(inspect.cleandoc(inspect.getdoc(member) or "").split("\n\n")[0].replace("\n", " "))
        called = method if isinstance(member, property) else signature(member, method)
        rows.append(f"| `{called}` | {first.replace('|', chr(92) + '|')} |")
    told.add(name)
    if rows:
        parts.append("### Methods of " + name + "\n\n| | |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts)


def page() -> str:
    told: set[str] = set()
    parts = ["# Python", "The module is `spinney`; this page is made of its docstrings."]
    parts += [class_page(name, told) for name in CLASSES]
    for function in FUNCTIONS:
        parts.append(f"## {function.__name__}\n\n`{signature(function, function.__name__)}`\n\n{page_of(function.__doc__, 3)}")
    parts.append("## spinney.distributed\n\n" + in_markdown(inspect.cleandoc(spinney.distributed.__doc__).split("\n\nThe engines")[0]))
    for name in DISTRIBUTED:
        function = getattr(spinney.distributed, name)
        parts.append(f"### {name}\n\n`{signature(function, name)}`\n\n{page_of(function.__doc__, 5)}")
    lines = "\n\n".join(parts).splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
