"""Times the whole program on real data, one thread, with peak memory.

Usage: whole.py PROGRAM. Each case runs three times; the least CPU time counts (machines are noisy).
Cases whose data is absent are skipped, visibly. The expected answers are checked.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = pathlib.Path(os.environ.get("SPINNEY_DATA", ROOT.parent / "shared" / "data"))
REPEATS = 3

TRAIN = ["train", "-o", "{model}", "--threads", "1", "--depth", "5", "--trees", "100"]
MINE = ["mine", "--count-only", "--threads", "1"]
# name, data, arguments, (key in results, expected value or None)
CASES = [
    ("TU NCI1 x=8, 100 trees d5, paper", "tu/NCI1", [*TRAIN, "--preset", "paper", "--max-edges", "8"], None),
    ("TU NCI1 x=8, 100 trees d5, default", "tu/NCI1", [*TRAIN, "--max-edges", "8"], None),
    ("CPDB x=8, 100 trees d5, paper", "paper/cpdb.gsp.gz", [*TRAIN, "--preset", "paper", "--max-edges", "8"], None),
    ("nci1_ecfp x=4, 100 trees d5, paper", "paper/nci1_ecfp.gsp.gz", [*TRAIN, "--preset", "paper", "--max-edges", "4"], None),
    ("count CPDB x=8, census", "paper/cpdb.gsp.gz", [*MINE, "--max-edges", "8", "--engine", "census"], 235175),
    ("count CPDB x=8, tree", "paper/cpdb.gsp.gz", [*MINE, "--max-edges", "8", "--engine", "bound"], 235175),
    ("count chemical_340, support 11", "gspan/chemical_340.gsp", [*MINE, "--min-support", "11"], 18121),
]


def run(program, data, arguments, folder):
    """CPU seconds, peak MB and the report of one run."""
    report = pathlib.Path(folder) / "report.json"
    arguments = [a.replace("{model}", str(pathlib.Path(folder) / "model.json")) for a in arguments]
    command = [program, arguments[0], str(data), *arguments[1:], "--json", str(report), "--quiet"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.loads(report.read_text())


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/spinney"
    print(f"{'case':<38} {'CPU s':>7} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, path, arguments, expected in CASES:
            if not (DATA / path).exists():
                print(f"{name:<38} skipped: no {path}")
                continue
            runs = [run(program, DATA / path, arguments, folder) for _ in range(REPEATS)]
            if expected is not None and runs[0][2]["results"]["patterns"] != expected:
                sys.exit(f"{name}: {runs[0][2]['results']['patterns']} patterns, expected {expected}")
            print(f"{name:<38} {min(r[0] for r in runs):7.2f} {max(r[1] for r in runs):8.0f}", flush=True)


if __name__ == "__main__":
    main()
