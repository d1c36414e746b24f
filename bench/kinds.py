"""Kinds of cases. Each runs ours and its peers in turn (ours, peer, ours, peer, …) and gives rows.

The least CPU time of the repeats counts, for both sides: other load can only add time. Each kind checks the
answer, so that a fast wrong one fails. `lab` holds the program, the data folder and the number of repeats.
"""

import dataclasses
import time

import matrices
import peers
from children import Failed
from ours import PAPER, learning, training_alone
from rows import Bar, Row, at_most, faster, megabytes, number, seconds

# A case starts no further repeat once it has taken this long.
CASE_SECONDS = 300


class Runs(list):
    """Results of one side's repeats; after a failure there are none, and asking for them raises it."""

    failure = None

    def results(self):
        if self.failure is not None:
            raise self.failure
        return list(self)


def alternate(repeats, *measurements):
    """`Runs` per measurement, taken in turn. A measurement that fails is not tried again."""
    sides = [Runs() for _ in measurements]
    start = time.monotonic()
    for _ in range(repeats):
        for runs, measurement in zip(sides, measurements):
            if runs.failure is None:
                try:
                    runs.append(measurement())
                except Failed as failure:
                    runs.failure = failure
        if time.monotonic() - start > CASE_SECONDS:
            break
    return sides


def attempt(work, bar, measure):
    """The rows of `measure()`, or one row that says what went wrong."""
    try:
        return measure()
    except (Failed, KeyError, ValueError, OSError) as error:
        reason = str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}"
        return [Row(work, bar=bar, trouble=f"failed: {reason}")]


def cpu_times(runs):
    """CPU seconds of our runs."""
    return [usage.cpu for usage, _ in runs.results()]


def most_memory(runs):
    return max(usage.peak_mb for usage, _ in runs.results())


def figures(runs, key):
    """The figures `key` of a peer's runs."""
    return [result[key] for result in runs.results()]


@dataclasses.dataclass
class Fit:
    """Enumeration and 100 trees of depth 5, against table learners' fit alone on the finished matrix.

    Bars hold for peers that grow the paper's trees, as ours does; their defaults stop earlier and are shown beside.
    """

    name: str
    data: str
    max_edges: int
    classes: int
    bars: dict  # peer's name: bar, or None; the XGBoost that training alone is judged by comes first
    training: Bar
    memory: Bar | None = None

    def rows(self, lab):
        data, work = lab.data / self.data, f"{self.data} x={self.max_edges}"
        matrix = matrices.build(lab.spinney, data, self.max_edges, self.classes)
        own, *theirs = alternate(
            lab.repeats,
            lambda: lab.spinney.train(data, *PAPER, "--max-edges", self.max_edges, classes=self.classes),
            *(lambda peer=peer: peers.call(peer, matrix) for peer in self.bars),
        )
        own.results()
        accuracy = lab.spinney.measured("accuracy", data)
        rows = []
        for (peer, bar), fits in zip(self.bars.items(), theirs):
            title = f"{work}: enumeration + 100 trees d5, against the fit of {peers.NAMES[peer]}"
            rows += attempt(title, bar, lambda: [against(title, bar, (own, accuracy), fits)])
        title = f"{work}: training alone, after enumeration, against the fit of {peers.NAMES[next(iter(self.bars))]}"
        rows += attempt(title, self.training, lambda: [alone(title, self.training, own, theirs[0])])
        return [*rows, memory_row(work, most_memory(own), self.memory)]


def against(title, bar, ours, fits):
    """Ours against a peer's fit. A model that fits the training graphs much worse does not count."""
    own, accuracy = ours
    theirs, peer_accuracy = figures(fits, "cpu"), min(figures(fits, "accuracy"))
    if accuracy < peer_accuracy - 0.1:
        raise Failed(f"accuracy on the training graphs {accuracy:.3f}, the peer's {peer_accuracy:.3f}")
    whole = min(cpu_times(own))
    note = f"the whole program, from the file to a certified model file, {seconds(whole)} "
    note += f"({number(min(theirs) / whole)}×); "
    note += f"training accuracy {accuracy:.3f}, the peer's {peer_accuracy:.3f}"
    return faster(title, [learning(*run) for run in own.results()], theirs, bar, note)


def alone(title, bar, own, fits):
    return faster(title, [training_alone(*run) for run in own.results()], figures(fits, "cpu"), bar)


@dataclasses.dataclass
class Instructions:
    """Instructions of a whole counting run against those that Gaston took, which were counted once."""

    name: str
    data: str
    options: tuple
    patterns: int
    gaston: float  # in 1e9
    bar: Bar

    def rows(self, lab):
        work = f"{self.data} {' '.join(self.options)}: instructions of mining, against Gaston's"
        return attempt(work, self.bar, lambda: [self.row(lab, work)])

    def row(self, lab, work):
        own = lab.spinney.instructions(lab.data / self.data, *self.options, patterns=self.patterns) / 1e9
        return Row(work, f"{number(own)} G", f"{number(self.gaston)} G", own / self.gaston, bar=self.bar)


@dataclasses.dataclass
class FrequentMining:
    """Frequent patterns against fast-gspan."""

    name: str
    data: str
    min_support: int
    patterns: int
    bar: Bar

    def rows(self, lab):
        data, options = lab.data / self.data, ("--min-support", self.min_support)
        counted, listed, theirs = alternate(
            lab.repeats,
            lambda: lab.spinney.count(data, *options, patterns=self.patterns),
            lambda: lab.spinney.list(data, *options, patterns=self.patterns),
            lambda: peers.call("fast_gspan", data, self.min_support),
        )
        if set(figures(theirs, "patterns")) != {self.patterns}:
            raise Failed(f"fast-gspan found {theirs[0]['patterns']} patterns, expected {self.patterns}")
        whole, core = figures(theirs, "cpu"), figures(theirs, "core_cpu")
        count, listing = cpu_times(counted), cpu_times(listed)
        work = f"{self.data}, support {self.min_support}"
        return [
            faster(f"{work}: counting, against fast-gspan", count, whole, self.bar),
            faster(f"{work}: listing with graphs, against fast-gspan", listing, whole),
            faster(f"{work}: listing with graphs, against its C++ program alone", listing, core),
        ]


@dataclasses.dataclass
class LargePatterns:
    """Large patterns on two threads, by each engine: total CPU time, memory, and how much is explored."""

    name: str
    data: str
    max_edges: int
    cpu: Bar
    memory: Bar

    def rows(self, lab):
        work = f"{self.data} x={self.max_edges}, enumeration + 100 trees d5, two threads"
        data, options = lab.data / self.data, (*PAPER, "--max-edges", self.max_edges)
        explored = {}

        def by(engine):
            title, bar = f"{work}, {engine} engine", self.cpu if engine == "auto" else None
            return attempt(title, bar, lambda: train(engine, title, bar))

        def train(engine, title, bar):
            usage, record = lab.spinney.train(data, *options, "--engine", engine, threads=2)
            explored[engine] = record["patterns"] + record["met_alone"]
            note = f"{record['engine']}: {record['patterns']:,} patterns explored, {seconds(usage.wall)} wall"
            return [
                Row(title, seconds(usage.cpu), value=usage.cpu, unit="s", bar=bar, note=note),
                memory_row(title, usage.peak_mb, self.memory if bar else None),
            ]

        rows = by("auto") + by("bound")
        return rows + attempt(f"{work}: share explored by bound", None, lambda: [self.share(lab, work, explored)])

    def share(self, lab, work, explored):
        if "bound" not in explored:
            raise Failed("the bound engine did not finish")
        _, results = lab.spinney.count(lab.data / self.data, "--max-edges", self.max_edges, threads=2)
        bound, total = explored["bound"], results["patterns"]
        title = f"{work}: share of the patterns that the bound engine explores"
        return Row(title, f"{bound:,}", f"{total:,}", 100 * bound / total, "%", at_most(99, "%"))


@dataclasses.dataclass
class AllSizes:
    """Patterns of any size: only the bound can finish.

    The whole space is beyond counting, so the explored patterns are set against those of up to `counted` edges that
    occur in enough graphs for a leaf: the true share is smaller.
    """

    name: str
    data: str
    options: tuple
    counted: int
    min_support: int
    memory: Bar

    def rows(self, lab):
        title = f"{self.data} {' '.join(self.options)}"
        usage, record = lab.spinney.train(lab.data / self.data, *self.options, time_limit=600)
        explored = record["patterns"] + record["met_alone"]
        note = f"{record['engine']} engine: {explored:,} patterns in {record['classes']:,} classes explored"
        work = f"{title}: explored, against the patterns of up to {self.counted} edges alone"
        return [
            Row(f"{title}: CPU time", seconds(usage.cpu), value=usage.cpu, unit="s", note=note),
            memory_row(title, usage.peak_mb, self.memory),
            *attempt(work, None, lambda: [self.share(lab, work, explored)]),
        ]

    def share(self, lab, work, explored):
        space = ("--max-edges", self.counted, "--min-support", self.min_support)
        _, results = lab.spinney.count(lab.data / self.data, *space, threads=2)
        total = results["patterns"]
        return Row(work, f"{explored:,}", f"{total:,}", 100 * explored / total, "%")


def memory_row(work, peak_mb, bar):
    return Row(f"{work}: peak memory", megabytes(peak_mb), value=peak_mb, unit="MB", bar=bar)
