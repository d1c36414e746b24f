"""Runs the benchmark suite: Spinney and its peers on real data, with a dated record.

Usage: run.py --program target/release/spinney [--only NAME …] [--repeats N] [--quick] [--out DIR]
NAME is a case of cases.py, or `growth` for the figure of growth. A bar that is missed is a row, not an error.
Data come from ../shared/data beside the project, or from $SPINNEY_DATA; cases without data are skipped, visibly.
"""

import argparse
import dataclasses
import os
import pathlib
import tempfile
import time

import growth
import record
from cases import CASES
from kinds import attempt
from ours import Spinney
from peers import SETTINGS
from rows import Row, number, space

ROOT = pathlib.Path(__file__).resolve().parents[1]
SLOW = {"cpdb12", "nci1-none", "gaston-340-7"}
GROWTH = "growth"


@dataclasses.dataclass
class Lab:
    """What a case needs to measure."""

    spinney: Spinney
    data: pathlib.Path
    repeats: int


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*(case.name for case in CASES), GROWTH]
    parser.add_argument("--program", default=ROOT / "target/release/spinney", help="the program to measure")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side; the least counts [5]")
    parser.add_argument("--quick", action="store_true", help="one run of each side, no slow case, no growth")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/records", help="folder of the record")
    return parser.parse_args()


def chosen(arguments):
    for case in CASES:
        if arguments.only:
            if case.name in arguments.only:
                yield case
        elif not (arguments.quick and case.name in SLOW):
            yield case


def run_case(case, lab):
    title, bar = f"{case.name}: {case.data}", getattr(case, "bar", getattr(case, "memory", None))
    if not (lab.data / case.data).exists():
        return [Row(title, bar=bar, trouble="skipped: no data")]
    return attempt(title, bar, lambda: case.rows(lab))


def show(case, rows, start):
    print(f"{case.name} ({time.monotonic() - start:.0f} s)")
    for row in rows:
        value = "" if row.value is None else f"{number(row.value)}{space(row.unit)}{row.unit}"
        print(f"  {row.work}: {row.ours} | {row.peer} | {value} | {row.bar or ''} | {row.verdict()}", flush=True)


def main():
    arguments = options()
    data = pathlib.Path(os.environ.get("SPINNEY_DATA", ROOT.parent / "shared" / "data"))
    rows, extra, began = [], {}, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Spinney(arguments.program, folder), data, 1 if arguments.quick else arguments.repeats)
        about = record.surroundings(lab.spinney, lab.repeats, SETTINGS)
        for case in chosen(arguments):
            start = time.monotonic()
            found = run_case(case, lab)
            show(case, found, start)
            rows += found
        if GROWTH in arguments.only if arguments.only else not arguments.quick:
            points = growth.run(lab, about, arguments.out)
            extra = {"growth": points} if points else {}
    about["minutes"] = round((time.monotonic() - began) / 60, 1)
    print("wrote", record.write(arguments.out, about, rows, extra))
    print(summary(rows))


def summary(rows):
    judged = [row for row in rows if row.bar is not None]
    met = sum(row.verdict() == "yes" for row in judged)
    troubles = sum(bool(row.trouble) for row in rows)
    return f"{met} of {len(judged)} bars met; {troubles} rows without a figure"


if __name__ == "__main__":
    main()
