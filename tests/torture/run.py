"""Breaks Spinney as well as it can and writes what came of it to docs/RELIABILITY.md.

Every figure on that page comes from a run of this script (`make torture`); what could not be tried on a
machine is said there to have been skipped. Bounded in time: see the options. Parts can be run alone (`--only`, with `--page` to write the page); their
rows are kept under target/torture, and the page is put together from the last run of each.
"""

import argparse
import datetime
import hashlib
import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ["gspan", "tudataset", "table", "smi", "sdf", "parquet", "folds", "model", "miner"]


class Page:
    """Rows of the table, and whether all went well."""

    def __init__(self):
        self.rows, self.failures = [], []

    def row(self, what, found, ok, note=""):
        verdict = {True: "held", False: "**broken**", None: "skipped"}[ok]
        self.rows.append((what, found, verdict, note))
        if ok is False:
            self.failures.append(what)
        print(f"{verdict:10} {what}: {found} {note}", flush=True)


def graphs(count, seed):
    """Random connected graphs in gSpan text; the class depends on a pattern and on chance."""
    rng, text = random.Random(seed), []
    for number in range(count):
        size = rng.randint(8, 14)
        labels = [rng.choice("CCCNO") for _ in range(size)]
        edges = {(rng.randrange(v), v) for v in range(1, size)}
        edges |= {tuple(sorted(rng.sample(range(size), 2))) for _ in range(2)}
        has = any({labels[u], labels[v]} == {"N", "O"} for u, v in edges)
        target = 1 if has ^ (rng.random() < 0.2) else 0
        text.append(f"t # {number} {target}\n")
        text += [f"v {v} {label}\n" for v, label in enumerate(labels)]
        text += [f"e {u} {v} {(u + v) % 2}\n" for u, v in sorted(edges)]
    return "".join(text)


def intact(path, part):
    """The content of a sealed file; raises if it is damaged."""
    text = path.read_text()
    file = json.loads(text)
    start = text.index(f'"{part}": ') + len(part) + 4
    body = text[start:].rstrip()[:-1].rstrip()
    if hashlib.sha256(body.encode()).hexdigest() != file["sha256"]:
        raise ValueError(f"{path.name}: the checksum does not fit")
    return file[part]


class Kills:
    """Random SIGKILLs; everything that may be seen afterwards is looked at."""

    def __init__(self, program, folder, seed):
        self.program, self.folder, self.rng = program, folder, random.Random(seed)
        self.kills = self.corrupt = self.lost = self.differing = self.left_over = self.finished = 0
        (folder / "x.gsp").write_text(graphs(250, 1))
        (folder / "many.gsp").write_text(graphs(6000, 2))

    def command(self, args):
        return [str(self.program), *args.split()]

    def run(self, args):
        subprocess.run(self.command(args), cwd=self.folder, check=True, capture_output=True)

    def kill(self, args, longest):
        """Starts a command and kills it after a while, if it is still there. Says whether it was."""
        process = subprocess.Popen(
            self.command(args), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(self.rng.uniform(0, longest))
            self.finished += 1
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.kills += 1
            return True

    def clean(self):
        for path in self.folder.glob(".spinney-*.tmp"):
            self.left_over += 1
            path.unlink()

    def seconds(self, args):
        start = time.time()
        self.run(args)
        return time.time() - start

    def train(self, wanted):
        args = "train x.gsp -o MODEL --trees 400 --max-edges 5 --threads 1"
        longest = 1.1 * self.seconds(args.replace("MODEL", "whole.json"))
        whole = (self.folder / "whole.json").read_bytes()
        model, kept = self.folder / "model.json", self.folder / "kept.json"
        args = args.replace("MODEL", "model.json") + " --checkpoint kept.json --resume"
        while self.kills < wanted:
            rounds, there = 0, True
            while there and self.kills < wanted:
                # Short lives, so that many are needed to come to the end.
                there = self.kill(args, longest / 3)
                rounds = self.look(kept, model, whole, rounds)
            self.run(args)
            self.differing += model.read_bytes() != whole
            self.clean()
            model.unlink()
            kept.unlink()

    def look(self, kept, model, whole, before):
        """Looks at what is there after a kill; gives the number of rounds that are kept."""
        if model.exists() and model.read_bytes() != whole:
            self.corrupt += 1
        if not kept.exists():
            self.lost += before > 0
            return 0
        try:
            rounds = len(intact(kept, "checkpoint")["rounds"])
        except (ValueError, KeyError):
            self.corrupt += 1
            return before
        self.lost += rounds < before
        return rounds

    def results(self, name):
        """The results of a cross-validation without its times."""
        results = json.loads((self.folder / name).read_text())["results"]
        return [{k: v for k, v in setting.items() if k != "seconds"} for setting in results]

    def cv(self, wanted):
        args = "cv x.gsp --folds 5 --trees 30 --max-edges 4 --grid depth=2,4 --threads 1 --json JSON"
        longest = 1.1 * self.seconds(args.replace("JSON", "whole_cv.json"))
        whole = self.results("whole_cv.json")
        cells, output = self.folder / "cells.json", self.folder / "cv.json"
        args = args.replace("JSON", "cv.json") + " --checkpoint cells.json --resume"
        start = self.kills
        while self.kills - start < wanted:
            done, there = 0, True
            while there and self.kills - start < wanted:
                there = self.kill(args, longest / 3)
                try:
                    now = len(intact(cells, "folds")) if cells.exists() else 0
                    if output.exists() and self.results("cv.json") != whole:
                        raise ValueError
                except (ValueError, KeyError):
                    self.corrupt += 1
                    now = done
                self.lost += now < done
                done = now
            self.run(args)
            self.differing += self.results("cv.json") != whole
            self.clean()
            output.unlink()
            cells.unlink()

    def predict(self, wanted):
        args = "predict whole.json many.gsp -o OUT --threads 1"
        longest = 1.1 * self.seconds(args.replace("OUT", "whole.csv"))
        whole = (self.folder / "whole.csv").read_bytes()
        out, old = self.folder / "out.csv", b"what was there before\n"
        start = self.kills
        while self.kills - start < wanted:
            out.write_bytes(old)
            self.kill(args.replace("OUT", "out.csv"), longest)
            self.corrupt += out.read_bytes() not in (old, whole)
        self.run(args.replace("OUT", "out.csv"))
        self.differing += out.read_bytes() != whole
        self.clean()


def kills(page, program, number, seed):
    with tempfile.TemporaryDirectory() as folder:
        kills = Kills(program, Path(folder), seed)
        for what, share in [("train", 0.5), ("cv", 0.25), ("predict", 0.25)]:
            before, start = kills.kills, time.time()
            getattr(kills, what)(int(number * share) if what != "train" else int(number * share))
            done = kills.kills - before
            page.row(
                f"`kill -9` at random moments of `{what}`",
                f"{done} kills",
                None if done == 0 else kills.corrupt == kills.lost == kills.differing == 0,
                f"{kills.corrupt} corrupt files, {kills.lost} times rounds or cells of the last checkpoint lost, "
                f"{kills.differing} results that differ from those without a break; {time.time() - start:.0f} s",
            )
        page.row(
            "temporary files that a kill left behind",
            f"{kills.left_over} of {kills.kills} kills",
            True,
            "named `.spinney-*.tmp`; they may be removed at any time",
        )


def bad_input(page):
    """The corpora of bad input, by the program's own tests."""
    command = ["cargo", "test", "-q", "-p", "spinney-cli", "--test", "bad_input", "--test", "corpus", "--",
               "--nocapture", "--test-threads", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    numbers = [int(n) for n in re.findall(r"(\d+) cases", done.stdout)]
    panics = len(re.findall(r"panicked at crates/.*/src/", done.stderr))
    page.row(
        "bad inputs, each with the message it must give",
        f"{sum(numbers)} inputs",
        done.returncode == 0 and sum(numbers) >= 200,
        f"exit code 1 or 2, one line that names place and reason, no output; {panics} panics",
    )


class Mounted:
    """A small file system in memory."""

    def __init__(self, size):
        self.folder, self.size = Path(tempfile.mkdtemp()), size

    def __enter__(self):
        command = ["mount", "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs", str(self.folder)]
        done = subprocess.run(command, capture_output=True)
        if done.returncode != 0:
            self.folder.rmdir()
            return None
        return self.folder

    def __exit__(self, *_):
        if self.folder.exists():
            subprocess.run(["umount", str(self.folder)], capture_output=True)
            self.folder.rmdir()


def said(done):
    return done.stderr.decode(errors="replace").strip().splitlines()


def environment(page, program):
    with tempfile.TemporaryDirectory() as place:
        data, other = Path(place) / "x.gsp", Path(place) / "y.gsp"
        data.write_text(graphs(200, 3))
        other.write_text(graphs(200, 4))
        train = [str(program), "train", str(data), "--trees", "200", "--max-edges", "5", "-q"]
        full_disk(page, train)
        read_only(page, train)
        closed_pipe(page, program, data)
        replaced(page, program, data, other, Path(place))


def full_disk(page, train):
    with Mounted("200k") as folder:
        if folder is None:
            return page.row("disk full", "no permission to mount a small tmpfs", None)
        old = b"a model from before"
        (folder / "m.json").write_bytes(old)
        done = subprocess.run([*train, "-o", str(folder / "m.json")], capture_output=True)
        whole = (folder / "m.json").read_bytes() == old and os.listdir(folder) == ["m.json"]
        page.row("disk full while a model is written (tmpfs of 200 kB)", f"exit code {done.returncode}",
                 done.returncode == 1 and whole and "No space left" in said(done)[-1],
                 "says so; the file from before is whole, no temporary file is left")
        (folder / "m.json").unlink()
        kept = folder / "kept.json"
        done = subprocess.run([*train, "-o", "/dev/null", "--checkpoint", str(kept)], capture_output=True)
        try:
            rounds = len(intact(kept, "checkpoint")["rounds"])
        except (ValueError, OSError, KeyError):
            rounds = 0
        page.row("disk full while checkpoints are written", f"exit code {done.returncode}, {rounds} rounds kept",
                 done.returncode == 1 and rounds > 0 and len(os.listdir(folder)) == 1,
                 "says so; the last checkpoint that had room is whole")


def read_only(page, train):
    with Mounted("1m") as folder:
        if folder is None:
            return page.row("read-only folder", "no permission to mount", None)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        done = subprocess.run([*train, "-o", str(folder / "m.json")], capture_output=True)
        page.row("read-only folder", f"exit code {done.returncode}",
                 done.returncode == 1 and len(said(done)) == 1 and "Read-only" in said(done)[0],
                 "one line that says so")


def closed_pipe(page, program, data):
    wrong = 0
    for args in [["mine", str(data), "--max-edges", "3"], ["inspect", str(data)], ["demo"]]:
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([str(program), *args, "-q"], stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        wrong += done.returncode != 0 or b"panicked" in done.stderr
    page.row("closed pipe (into `head`)", "3 commands", wrong == 0, "end quietly with exit code 0")


def replaced(page, program, data, other, place):
    """The input is replaced or cut short while it is read."""
    rng, wrong, tries, refused = random.Random(5), 0, 60, 0
    whole = {}
    for name in [data, other]:
        subprocess.run([str(program), "inspect", str(name), "--json", str(place / "w.json")], check=True,
                       stdout=subprocess.DEVNULL)
        whole[name] = json.loads((place / "w.json").read_text())["results"]
    large = place / "large.gsp"
    text = data.read_text()
    for i in range(tries):
        large.write_text(text)
        command = [str(program), "inspect", str(large), "--json", str(place / "l.json"), "-q"]
        (place / "l.json").unlink(missing_ok=True)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0, 0.01))
        if i % 2:
            shutil.copy(other, place / "new.gsp")
            os.replace(place / "new.gsp", large)
        else:
            os.truncate(large, rng.randrange(len(text)))
        _, err = process.communicate()
        if process.returncode == 0:
            found = json.loads((place / "l.json").read_text())["results"]
            # A file cut short between two graphs is a shorter file.
            wrong += i % 2 == 1 and found not in whole.values()
        else:
            refused += 1
            wrong += process.returncode != 2 or b"large.gsp" not in err or b"panicked" in err
    page.row("input replaced or cut short while it is read", f"{tries} times, {refused} refused", wrong == 0,
             "one file or the other is read, or the error names the file")


def resident(command, cwd):
    """Runs a command; gives its output, seconds and largest resident set in MB."""
    start = time.time()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, out, err, time.time() - start, usage.ru_maxrss * 1024 / 1e6


def memory(page, program, data):
    hiv = data / "moleculenet" / "HIV.csv"
    if not hiv.exists():
        return page.row("memory of 500 MB on HIV", f"{hiv.name} is not there", None)
    with tempfile.TemporaryDirectory() as place:
        base = [str(program), "train", str(hiv), "--target", "HIV_active", "--on-error", "skip", "--max-edges", "8",
                "--trees", "2", "-q"]
        for preset in ["paper", "default"]:
            args = [*base, "--preset", preset]
            free = resident([*args, "-o", "free.json"], place)
            held = resident([*args, "-o", "held.json", "--memory", "500MB", "--time", "5m"], place)
            said = re.search(r"\d+ rounds? \((.*?)\)", held[1])
            with open(Path(place) / "held.json") as file:
                model = json.load(file)["model"]
            same = (Path(place) / "free.json").read_bytes() == (Path(place) / "held.json").read_bytes()
            unproven = len(model["provenance"].get("unproven", []))
            page.row(
                f"`--memory 500MB` on HIV, max_edges 8, {preset} preset",
                f"{held[4]:.0f} MB at most",
                held[0] == 0 and held[4] <= 500,
                f"{said[1] if said else 'no model'}; {unproven} nodes unproven; "
                f"{'the same model as' if same else 'not the model'} without the limit "
                f"({free[4]:.0f} MB); {held[3]:.0f} s ({free[3]:.0f} s without)",
            )


def fuzz(page, args):
    """Fuzz targets for a while, as many at a time as there are cores; what earlier runs did counts, too."""
    ready = subprocess.run(["cargo", "+nightly", "fuzz", "--version"], cwd=ROOT, capture_output=True)
    if ready.returncode != 0:
        return page.row("fuzzing", "needs a nightly compiler and `cargo install cargo-fuzz`", None)
    built = subprocess.run(["cargo", "+nightly", "fuzz", "build"], cwd=ROOT, capture_output=True, text=True)
    if built.returncode != 0:
        return page.row("fuzzing", "the targets do not build", False, built.stderr[-300:].replace("\n", " "))
    kept = ROOT / "target/torture/executions.json"
    totals = json.loads(kept.read_text()) if kept.exists() else {}
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for target, number, code in pool.map(lambda target: fuzz_one(target, args), args.targets):
            totals[target] = totals.get(target, 0) + number
            failed += [target] if code else []
            print(f"  {target} {number:,}{' (failed)' if code else ''}", flush=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(totals))
    few = "" if sum(totals.values()) >= 10_000_000 else "fewer than the 10 million that are asked for; "
    notes = ", ".join(f"{target} {totals.get(target, 0):,}" for target in TARGETS)
    page.row(f"fuzzing, {len(TARGETS)} targets with AddressSanitizer", f"{sum(totals.values()):,} executions",
             not failed, f"{few}{len(failed)} targets failed {' '.join(failed)}; {notes}")


def fuzz_one(target, args):
    """One target: its name, how often it was executed, its exit code."""
    (ROOT / "fuzz/corpus" / target).mkdir(parents=True, exist_ok=True)
    command = ["cargo", "+nightly", "fuzz", "run", target, f"fuzz/corpus/{target}", f"fuzz/seeds/{target}", "--",
               f"-max_total_time={args.fuzz_seconds}", f"-seed={args.seed + 1}", "-timeout=20", "-rss_limit_mb=4096",
               "-print_final_stats=1", f"-max_len={args.fuzz_bytes}", "-verbosity=0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        why = re.search(r"panicked at.*\n.*|ERROR: .*", done.stderr)
        print(f"  {target}: {why[0] if why else done.stderr[-500:]}\n  see fuzz/artifacts/{target}", flush=True)
    number = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    return target, int(number[1]) if number else 0, done.returncode


def sanitizers(page):
    """The modules with `unsafe`, under AddressSanitizer; where Python runs beside them, without a check for leaks,
    which Python has by design: that test counts holders itself."""
    command = ["grep", "-rlE", r"unsafe (\{|impl)", "crates", "--include=*.rs"]
    modules = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()
    covered = {"crates/spinney-python/src/ffi.rs": ("arrow", 1), "crates/spinney-python/src/arrow.rs": ("capsules", 0)}
    passed, held = 0, True
    for test, leaks in covered.values():
        env = {**os.environ, "RUSTFLAGS": "-Zsanitizer=address", "ASAN_OPTIONS": f"detect_leaks={leaks}"}
        command = ["cargo", "+nightly", "test", "--manifest-path", "fuzz/arrow/Cargo.toml", "--test", test, "--target",
                   "x86_64-unknown-linux-gnu"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=env)
        found = re.search(r"(\d+) passed; (\d+) failed", done.stdout)
        if found is None and "toolchain" in done.stderr:
            return page.row("AddressSanitizer", "needs a nightly compiler", None)
        passed += int(found[1]) if found else 0
        held &= done.returncode == 0
    rest = ", ".join(module for module in modules if module not in covered)
    names = " and ".join(f"`{module}`" for module in covered)
    page.row(f"AddressSanitizer over {names}", f"{passed} tests", held,
             f"Arrow data from a foreign producer and from Python's capsules; `unsafe` that is not covered: {rest or 'none'}")


def machine():
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True)
    return (f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores; {version.stdout.strip()}; "
            f"commit {commit.stdout.strip()}; {datetime.date.today()}")


def save(name, page, seconds):
    """Keeps the rows of a part for the page."""
    folder = ROOT / "target/torture"
    folder.mkdir(parents=True, exist_ok=True)
    kept = {"rows": page.rows, "machine": machine(), "seconds": seconds}
    (folder / f"{name}.json").write_text(json.dumps(kept))


def write(parts):
    """Puts the page together."""
    rows, runs = [], []
    for name in parts:
        path = ROOT / f"target/torture/{name}.json"
        if not path.exists():
            rows.append((name, "not run", "skipped", ""))
            continue
        kept = json.loads(path.read_text())
        rows += kept["rows"]
        runs.append(f"- {name}: {kept['seconds']:.0f} s, {kept['machine']}")
    lines = [
        "# Reliability",
        "What Spinney promises when things go wrong, and how it was tried. This page is written by `make torture`",
        "(tests/torture/run.py); no figure on it was written by hand.",
        "",
        "| tried | found | verdict | |",
        "|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += ["", "Runs:", *runs]
    (ROOT / "docs/RELIABILITY.md").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / "target/release/spinney", type=Path)
    parser.add_argument("--kills", default=1000, type=int)
    parser.add_argument("--fuzz-seconds", default=60, type=int)
    parser.add_argument("--fuzz-bytes", default=20000, type=int, help="the longest input")
    parser.add_argument("--targets", nargs="*", default=TARGETS)
    parser.add_argument("--data", default=os.environ.get("SPINNEY_DATA", ROOT / "../shared/data"), type=Path)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--page", action="store_true", help="write the page even if only parts are run")
    args = parser.parse_args()
    program, page, failures = args.program.resolve(), Page(), []
    parts = {
        "kills": lambda: kills(page, program, args.kills, args.seed),
        "bad_input": lambda: bad_input(page),
        "environment": lambda: environment(page, program),
        "memory": lambda: memory(page, program, args.data),
        "sanitizers": lambda: sanitizers(page),
        "fuzz": lambda: fuzz(page, args),
    }
    for name, part in parts.items():
        if not args.only or name in args.only:
            start = time.time()
            part()
            save(name, page, time.time() - start)
            failures += page.failures
            page.rows, page.failures = [], []
    if args.page or not args.only:
        write(parts)
    if failures:
        sys.exit("broken: " + "; ".join(failures))


if __name__ == "__main__":
    main()
