"""How Spinney's time and memory grow with the number of graphs, the size of patterns, trees, depth and threads.

Each sweep varies one setting and keeps the others; its lines are data sets. The figure has a column per sweep: time
above, peak memory below. Threads are judged by wall time, all else by CPU time of one thread.
"""

import dataclasses
import os

import svg
from children import Failed
from molecules import COLUMNS, sample

HIV, NCI1, CPDB = "moleculenet/HIV.csv", "tu/NCI1", "paper/cpdb.gsp.gz"
BASE = {"--preset": "paper", "--depth": 5, "--trees": 100, "--max-edges": 6}


@dataclasses.dataclass
class Sweep:
    """`option` takes `values` on each of `lines`: label → (data, settings that differ from BASE)."""

    title: str
    x_label: str
    option: str
    values: tuple
    lines: dict
    log_time: bool = False


def cores():
    return tuple(t for t in (1, 2, 4, 8, 16) if t <= (os.cpu_count() or 1))


SWEEPS = [
    Sweep(
        "Number of graphs",
        "graphs (HIV, random choice)",
        "graphs",
        (5_000, 10_000, 20_000, 40_000),
        {"x = 4": (HIV, {"--max-edges": 4}), "x = 6": (HIV, {"--max-edges": 6})},
    ),
    Sweep(
        "Size of patterns",
        "max_edges",
        "--max-edges",
        (2, 4, 6, 8, 10),
        {"TU NCI1": (NCI1, {}), "CPDB": (CPDB, {})},
        log_time=True,
    ),
    Sweep(
        "Number of trees",
        "trees (depth 5, x = 6)",
        "--trees",
        (50, 100, 200, 400),
        {"TU NCI1": (NCI1, {}), "CPDB": (CPDB, {})},
    ),
    Sweep(
        "Depth of trees",
        "depth (100 trees, x = 6)",
        "--depth",
        (1, 2, 4, 6, 8),
        {"TU NCI1": (NCI1, {}), "CPDB": (CPDB, {})},
    ),
    Sweep(
        "Threads",
        "threads (x = 6)",
        "threads",
        cores(),
        {"HIV": (HIV, {}), "TU NCI1": (NCI1, {})},
    ),
]


def measure(lab, sweep):
    """Points of the sweep: {label: [{x, cpu, wall, peak_mb}, …]}. A run that fails ends its line."""
    found = {}
    for label, (data, settings) in sweep.lines.items():
        if not (lab.data / data).exists():
            print(f"  growth, {sweep.title}, {label}: skipped: no {data}")
            continue
        found[label] = []
        for value in sweep.values:
            try:
                found[label].append(point(lab, sweep, (data, settings), value))
            except Failed as failure:
                print(f"  growth, {sweep.title} {value}, {label}: {failure}")
                break
    return found


def point(lab, sweep, line, value):
    data, settings = line
    path, threads, settings = lab.data / data, 1, {**BASE, **settings}
    if sweep.option == "graphs":
        path = sample(lab, data, value)
    elif sweep.option == "threads":
        threads = value
    else:
        settings[sweep.option] = value
    arguments = [part for pair in settings.items() for part in pair]
    arguments += COLUMNS if data == HIV else ()
    runs = [lab.spinney.train(path, *arguments, threads=threads)[0] for _ in range(min(lab.repeats, 2))]
    return {
        "x": value,
        "cpu": min(r.cpu for r in runs),
        "wall": min(r.wall for r in runs),
        "peak_mb": max(r.peak_mb for r in runs),
    }


def draw(about, found):
    """The figure of all sweeps as SVG text."""
    times, memories = [], []
    for sweep in SWEEPS:
        lines, clock = found[sweep.title], "wall" if sweep.option == "threads" else "cpu"
        label = f"{'wall' if clock == 'wall' else 'CPU'} time (s)"
        times.append(svg.Panel(sweep.title, sweep.x_label, label, curves(lines, clock), sweep.log_time))
        memory = curves(lines, "peak_mb")
        memories.append(svg.Panel("", sweep.x_label, "peak memory (MB)", memory, sweep.log_time))
    base = "100 trees of depth 5, x (max_edges) = 6, one thread, the paper's settings, unless the axis says otherwise"
    subtitle = f"{base}; {about['cpu']}, {about['date'][:10]}, commit {about['commit']}"
    return svg.figure("Spinney: growth of time and memory", subtitle, [times, memories])


def curves(lines, key):
    return {label: [(p["x"], p[key]) for p in points] for label, points in lines.items() if points}


def run(lab, about, folder):
    """Measures all sweeps and writes DATE-growth.svg into `folder`; returns the points, or None without data."""
    found = {sweep.title: measure(lab, sweep) for sweep in SWEEPS}
    if not any(found.values()):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{about['date'][:10]}-growth.svg"
    target.write_text(draw(about, found))
    print("wrote", target)
    return found
