"""What a case yields: rows of the record, each a figure of ours, one of a peer, a judged value and its bar."""

import dataclasses


@dataclasses.dataclass
class Bar:
    """`value` must be at least (or at most) `limit`."""

    limit: float
    unit: str = "×"
    at_least: bool = True

    def met(self, value):
        return value >= self.limit if self.at_least else value <= self.limit

    def __str__(self):
        return f"{'≥' if self.at_least else '≤'} {number(self.limit)}{space(self.unit)}{self.unit}"


def at_least(limit, unit="×"):
    return Bar(limit, unit)


def at_most(limit, unit="×"):
    return Bar(limit, unit, at_least=False)


@dataclasses.dataclass
class Row:
    """One line of the table. `value` is what the bar judges; without one the row only informs."""

    work: str
    ours: str = ""
    peer: str = ""
    value: float | None = None
    unit: str = "×"
    bar: Bar | None = None
    note: str = ""
    samples: dict = dataclasses.field(default_factory=dict)  # all repeats' seconds, of both sides
    trouble: str = ""  # why there is no value: "skipped: …" or "failed: …"

    def verdict(self):
        if self.trouble:
            return self.trouble
        if self.bar is None:
            return "–"
        return "yes" if self.bar.met(self.value) else "no"

    def as_json(self):
        fields = dataclasses.asdict(self)
        return {**fields, "verdict": self.verdict()}


def number(value):
    """Three significant digits, without exponent."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def space(unit):
    return "" if unit in ("×", "%") else " "


def seconds(value):
    return f"{number(value)} s"


def megabytes(value):
    return f"{number(value)} MB"


def faster(work, ours, theirs, bar=None, note=""):
    """The row that judges how many times less time ours took than theirs (the least of each)."""
    samples = {"ours": [round(t, 4) for t in ours], "peer": [round(t, 4) for t in theirs]}
    least, peer = min(ours), min(theirs)
    return Row(work, seconds(least), seconds(peer), peer / least, bar=bar, note=note, samples=samples)
