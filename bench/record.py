"""Writes the record of a run: a dated Markdown table and the same as JSON, with all that made it."""

import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import subprocess

from rows import number, space

PACKAGES = ("xgboost", "lightgbm", "scikit-learn", "scipy", "numpy", "rdkit", "fast-gspan", "pandas")


def surroundings(spinney, repeats, settings):
    """Date, machine, versions and settings."""
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "commit": commit(),
        "versions": {
            "spinney": spinney.version(),
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in PACKAGES},
        },
        "repeats": repeats,
        "peer_settings": settings,
    }


def cpu_model():
    try:
        found = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found.group(1) if found else platform.processor()


def commit():
    """The commit of the work tree, marked if it has changes; the record folder does not count."""
    here = pathlib.Path(__file__).parent

    def git(*arguments):
        return subprocess.run(["git", "-C", here, *arguments], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no")
    return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


def table(rows):
    lines = ["| work | ours | peer | value | bar | met? |", "|---|---|---|---|---|---|"]
    for row in rows:
        value = "" if row.value is None else f"{number(row.value)}{space(row.unit)}{row.unit}"
        cells = [row.work, row.ours, row.peer, value, str(row.bar or ""), row.verdict()]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def notes(rows):
    return "\n".join(f"- {row.work}: {row.note}" for row in rows if row.note)


def markdown(about, rows, growth=""):
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    settings = "\n".join(f"- {name}: `{json.dumps(values)}`" for name, values in about["peer_settings"].items())
    return f"""# Benchmarks of {about['date'][:10]}
{about['cpu']}, {about['cores']} cores, load {about['load']} at the start; {about['system']}. The run took {about['minutes']} minutes.
Commit {about['commit']}; {versions}.

CPU time (user and system) of one thread unless a row says otherwise, the least of {about['repeats']} repeats; ours and
the peer's repeats alternate. “Value” is the peer's time by ours, so more is better; for instructions, growth and
memory, less is better. Peers' fits get the finished matrix; ours is enumeration and trees, and the notes have the whole
program. Peers are judged where they grow trees as freely as the paper's (leaves of one graph, no shrinkage), as ours
does; with their default leaves they stop earlier, fit less closely and are shown beside.
{growth}
{table(rows)}

Notes:
{notes(rows)}

Peers' settings:
{settings}
"""


def write(folder, about, rows, extra):
    """Writes DATE.md and DATE.json into `folder`; returns the Markdown file. A day's later run replaces the earlier."""
    folder.mkdir(parents=True, exist_ok=True)
    day = about["date"][:10]
    content = {**about, "rows": [row.as_json() for row in rows], **extra}
    (folder / f"{day}.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    target = folder / f"{day}.md"
    figure = f"\n![Growth of time and memory]({day}-growth.svg)\n" if "growth" in extra else ""
    target.write_text(markdown(about, rows, figure))
    return target
