"""Calls of the Spinney program, each checked against the answer that is known."""

import json
import pathlib
import re
import shutil

from children import Failed, run

PAPER = ("--preset", "paper", "--depth", "5", "--trees", "100")


class Spinney:
    """The program under test; its files go to `folder`."""

    def __init__(self, program, folder):
        self.program = pathlib.Path(program).resolve()
        self.folder = pathlib.Path(folder)

    def version(self):
        return run([self.program, "--version"]).stdout.split()[-1]

    def call(self, command, *arguments, **limits):
        """Usage and JSON report of one call."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        usage = run([self.program, command, *arguments, "--json", report, "--quiet"], **limits)
        return usage, json.loads(report.read_text())

    def train(self, data, *arguments, threads=1, classes=None, model="model.json", **limits):
        """Trains; returns usage and the training record. `classes` is the expected number, if known."""
        target = ["-o", self.folder / model, "--threads", threads]
        usage, report = self.call("train", data, *arguments, *target, **limits)
        record = report["results"]["record"]
        if classes is not None and record["classes"] != classes:
            raise Failed(f"{record['classes']} classes, expected {classes}")
        losses = [r["train_loss"] for r in record["rounds"]]
        if len(losses) > 1 and not losses[-1] < losses[0]:
            raise Failed(f"training loss did not fall: {losses[0]:.4f}, then {losses[-1]:.4f}")
        return usage, record

    def measured(self, metric, data, *arguments, model="model.json"):
        """A metric of the trained model on `data`, untimed."""
        _, report = self.call("evaluate", self.folder / model, data, *arguments)
        return report["results"][metric]

    def count(self, data, *arguments, threads=1, patterns=None, **limits):
        """Counts patterns; returns usage and the results."""
        usage, report = self.call("mine", data, "--count-only", "--threads", threads, *arguments, **limits)
        check_patterns(report["results"]["patterns"], patterns)
        return usage, report["results"]

    def list(self, data, *arguments, threads=1, patterns=None, **limits):
        """Lists patterns with their graphs into a file; returns usage and the file."""
        target = self.folder / "patterns.jsonl"
        usage, report = self.call("mine", data, "-o", target, "--threads", threads, *arguments, **limits)
        check_patterns(report["results"]["patterns"], patterns)
        return usage, target

    def predict(self, data, *arguments, model="model.json", graphs=None):
        """Predicts every graph of `data` into a CSV file."""
        target = self.folder / "predictions.csv"
        usage, _ = self.call("predict", self.folder / model, data, "-o", target, "--threads", "1", *arguments)
        rows = sum(1 for _ in target.open()) - 1
        if graphs is not None and rows != graphs:
            raise Failed(f"{rows} predictions, expected {graphs}")
        return usage

    def instructions(self, data, *arguments, patterns=None, time_limit=900):
        """Instructions of a whole counting run, by callgrind; the count is checked in a run without it."""
        valgrind = shutil.which("valgrind")
        if valgrind is None:
            raise Failed("valgrind is not installed")
        self.count(data, *arguments, patterns=patterns)
        tool = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        call = [self.program, "mine", data, "--count-only", "--threads", "1", "--quiet", *arguments]
        usage = run([*tool, *call], time_limit=time_limit, memory_limit=None)
        return int(re.search(r"Collected\s*:\s*(\d+)", usage.stderr).group(1))


def check_patterns(found, expected):
    if expected is not None and found != expected:
        raise Failed(f"{found} patterns, expected {expected}")


def training_alone(usage, record):
    """CPU seconds of the rounds after enumeration, of a one-thread run.

    The record's times run from the start of training, and the first round's includes the exploration; so the
    later rounds are timed, and scaled to all of them.
    """
    rounds = record["rounds"]
    if len(rounds) < 2:
        raise Failed("needs at least two rounds")
    later = rounds[-1]["seconds"] - rounds[0]["seconds"]
    return busy_share(usage) * later * len(rounds) / (len(rounds) - 1)


def learning(usage, record):
    """CPU seconds of enumeration and trees in a one-thread run: without reading, certificate and model file."""
    return busy_share(usage) * record["seconds"]


def busy_share(usage):
    """The share of its wall time that a one-thread run had the processor: the record has only wall times."""
    return min(1.0, usage.cpu / usage.wall)
