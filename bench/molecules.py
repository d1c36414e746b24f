"""Kinds of cases that start from SMILES: to a model, on two threads, scoring, and growth with the number of graphs."""

import csv
import dataclasses
import itertools
import random

import peers
from children import Failed
from kinds import alternate, cpu_times, figures, memory_row, most_memory
from ours import PAPER
from rows import Bar, Row, faster, number, seconds

COLUMNS = ("--target", "HIV_active", "--on-error", "skip")
# The paper's steps (mean leaves, rate 0.1) are small where classes are as unequal as these: LightGBM's Newton steps fit
# closer in as many trees. A model that learned nothing has 0.5.
LEAST_AUC = 0.75
PEER_COLUMNS = ("smiles", "HIV_active")


@dataclasses.dataclass
class SmilesToModel:
    """From the CSV file to a model, against RDKit's Morgan fingerprints and LightGBM."""

    name: str
    data: str
    max_edges: int
    bar: Bar
    memory: Bar | None = None

    def rows(self, lab):
        data, options = lab.data / self.data, (*PAPER, *COLUMNS, "--max-edges", self.max_edges)
        runs, theirs = alternate(
            lab.repeats,
            lambda: lab.spinney.train(data, *options),
            lambda: peers.call("molecules", data, *PEER_COLUMNS),
        )
        auc, peer_auc = lab.spinney.measured("auc", data, *COLUMNS), min(figures(theirs, "auc"))
        if auc < LEAST_AUC:
            raise Failed(f"AUC on the training graphs {auc:.3f}, less than {LEAST_AUC}")
        work = f"{self.data} x={self.max_edges}, SMILES to model, 100 trees d5"
        note = f"of the peer's time, fingerprints {seconds(min(figures(theirs, 'fingerprint_cpu')))}; "
        note += f"AUC on the training graphs {auc:.3f}, theirs {peer_auc:.3f}"
        title = f"{work}, against RDKit Morgan + LightGBM"
        return [
            faster(title, cpu_times(runs), figures(theirs, "cpu"), self.bar, note),
            memory_row(work, most_memory(runs), self.memory),
        ]


@dataclasses.dataclass
class DefaultTraining:
    """From the CSV file to a default model, against RDKit's Morgan fingerprints and LightGBM of 500 trees."""

    name: str
    data: str
    target: str
    bar: Bar
    memory: Bar | None = None

    def rows(self, lab):
        data, options = lab.data / self.data, ("--target", self.target, "--on-error", "skip")
        runs, theirs = alternate(
            lab.repeats,
            lambda: lab.spinney.train(data, *options),
            lambda: peers.call("molecules", data, "smiles", self.target, 500, "lightgbm-500"),
        )
        work = f"{self.data}, SMILES to default model"
        note = f"of the peer's time, fingerprints {seconds(min(figures(theirs, 'fingerprint_cpu')))}"
        title = f"{work}, against RDKit Morgan + LightGBM, 500 trees"
        return [
            faster(title, cpu_times(runs), figures(theirs, "cpu"), self.bar, note),
            memory_row(work, most_memory(runs), self.memory),
        ]


@dataclasses.dataclass
class TwoThreads:
    """Wall time of two threads against one; the models must be the same bytes."""

    name: str
    data: str
    max_edges: int
    bar: Bar

    def rows(self, lab):
        data, options = lab.data / self.data, (*PAPER, *COLUMNS, "--max-edges", self.max_edges)
        one, two = alternate(
            lab.repeats,
            lambda: lab.spinney.train(data, *options, threads=1, model="one.json"),
            lambda: lab.spinney.train(data, *options, threads=2, model="two.json"),
        )
        if (lab.spinney.folder / "one.json").read_bytes() != (lab.spinney.folder / "two.json").read_bytes():
            raise Failed("the models of one and of two threads differ")
        walls = [[usage.wall for usage, _ in runs.results()] for runs in (two, one)]
        work = f"{self.data} x={self.max_edges}: wall time, two threads against one"
        return [faster(work, *walls, self.bar)]


@dataclasses.dataclass
class Scoring:
    """Molecules a second from SMILES, 500 trees, against RDKit's Morgan fingerprints and LightGBM."""

    name: str
    data: str
    max_edges: int
    graphs: int
    bar: Bar

    def rows(self, lab):
        data = lab.data / self.data
        options = ("--preset", "paper", "--trees", "500", "--max-edges", self.max_edges, *COLUMNS)
        lab.spinney.train(data, *options, threads=2, model="scoring.json")
        own, theirs = alternate(
            lab.repeats,
            lambda: lab.spinney.predict(data, *COLUMNS, model="scoring.json", graphs=self.graphs),
            lambda: peers.call("molecules", data, *PEER_COLUMNS, 500),
        )
        speed = self.graphs / min(usage.cpu for usage in own.results())
        peer = self.graphs / min(figures(theirs, "score_cpu"))
        work = f"{self.data}: scoring SMILES, 500 trees, x={self.max_edges}, against RDKit Morgan + LightGBM"
        return [Row(work, f"{number(speed)} /s", f"{number(peer)} /s", speed / peer, bar=self.bar)]


@dataclasses.dataclass
class Doubling:
    """Time as the number of graphs doubles; the files hold nested random choices of the rows."""

    name: str
    data: str
    max_edges: int
    sizes: tuple
    bar: Bar

    def rows(self, lab):
        options = (*PAPER, *COLUMNS, "--max-edges", self.max_edges)
        files = [sample(lab, self.data, size) for size in self.sizes]
        runs = alternate(lab.repeats, *(lambda file=file: lab.spinney.train(file, *options) for file in files))
        times = [min(cpu_times(r)) for r in runs]
        rows = []
        for (size, cpu), (next_size, next_cpu) in itertools.pairwise(zip(self.sizes, times)):
            work = f"{self.data} x={self.max_edges}: {size:,} → {next_size:,} graphs"
            rows.append(Row(work, seconds(next_cpu), seconds(cpu), next_cpu / cpu, bar=self.bar))
        return rows


def sample(lab, data, size):
    """A CSV file of `size` rows, chosen at random but the same every time; a smaller choice is part of a larger."""
    target = lab.spinney.folder / f"sample-{size}.csv"
    if not target.exists():
        with open(lab.data / data, newline="") as lines:
            header, *records = csv.reader(lines)
        random.Random(0).shuffle(records)
        if size > len(records):
            raise Failed(f"{data} has {len(records)} rows only")
        with open(target, "w", newline="") as out:
            csv.writer(out).writerows([header, *records[:size]])
    return target
