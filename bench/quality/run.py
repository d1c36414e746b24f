"""Quality with defaults, beside rivals on the same folds.

    python3 bench/quality/run.py --program target/release/spinney --data ../shared/data -o results/quality

Needs the packages of `bench/requirements.txt` (`make quality` sets them up). What was run stays in `folds.json` and is not run
again, so a run that was stopped can be continued; `--again Spinney` removes a method's results first. Writes `quality.md` and `quality.svg`.

AUC (accuracy of ENZYMES, RMSE of ESOL) is the mean over folds. Differences are tested fold by fold: Student's t with the
correction of Nadeau and Bengio (2003) for training parts that overlap.
"""

import argparse
import json
import math
import pathlib
import time

import numpy
import scipy.stats

import ours
import rivals
import sets

SCAFFOLD = ["BBBP", "ESOL", "AID 1", "AID 47", "Tox21 NR-AhR", "Tox21 SR-MMP"]
TENFOLD = ["NCI1", "CPDB", "CPDB molecules", "Mutag"]
LARGE = 5000


def plan(names):
    """(set, split, number of folds): five, ten where that is the custom, three of the largest; five of scaffolds."""
    for name in names:
        yield name, "random", 3 if name == "HIV" else 10 if name in TENFOLD else 5
    for name in names:
        if name in SCAFFOLD:
            yield name, "scaffold", 5


def run_fold(args, method, data, cache, train, test):
    begun = time.perf_counter()
    if method in ours.METHODS:
        scores, seconds = ours.fold_scores(method, args.program, data, train, test)
    else:
        scores = rivals.fold_scores(method, data, cache, train, test, tune=len(data) <= 10 * LARGE)
        seconds = time.perf_counter() - begun
    y = data.y[test]
    result = {data.measure: abs(rivals.quality(data.measure, y, scores)), "seconds": seconds, "test": len(test)}
    if data.measure == "auc":
        result["accuracy"] = float(((scores > 0) == (y == 1)).mean())
        if (probability := probabilities(method, scores)) is not None:
            result["brier"] = float(((probability - y) ** 2).mean())
    return result


def probabilities(method, scores):
    """Of class 1: Spinney's scores are half of the log odds, learners of tables give probabilities, the others nothing of the kind."""
    if method == "Spinney":
        return 1 / (1 + numpy.exp(-2 * scores))
    return scores + 0.5 if method.startswith("Morgan") else None


def run(args, done):
    for name, split, count in plan(args.sets):
        methods = [m for m in args.methods if count > len(done.get(f"{name}, {split}", {}).get("methods", {}).get(m, []))]
        if not methods:
            continue
        data, cache = sets.load(args.data, name), {}
        folds = data.folds(split, count)
        if "Spinney" in methods:
            done.get(f"{name}, {split}", {}).pop("note", None)
        row = done.setdefault(f"{name}, {split}", {"measure": data.measure, "graphs": len(data), "kept_out": data.kept_out,
                                                   "methods": {}})
        for method in methods:
            fits = ours.applies(method, data) if method in ours.METHODS else rivals.applies(method, data)
            if not fits:
                continue
            of_folds = row["methods"].setdefault(method, [])
            for fold in range(len(of_folds), folds.max() + 1):
                train, test = numpy.flatnonzero(folds != fold), numpy.flatnonzero(folds == fold)
                of_folds.append(run_fold(args, method, data, cache, train, test))
                (args.output / args.ledger).write_text(json.dumps(done, indent=1) + "\n")
            values = [f[data.measure] for f in of_folds]
            print(f"{name} ({split}) {method}: {data.measure} {numpy.mean(values):.4f}, "
                  f"{numpy.mean([f['seconds'] for f in of_folds]):.1f} s a fold", flush=True)


def compared(row, method):
    """(mean difference ours − theirs, positive where ours is better; its standard error; p) over folds."""
    sign = -1 if row["measure"] == "rmse" else 1
    mine, theirs = row["methods"]["Spinney"], row["methods"][method]
    gaps = sign * numpy.array([a[row["measure"]] - b[row["measure"]] for a, b in zip(mine, theirs)])
    share = mine[0]["test"] / (row["graphs"] - mine[0]["test"])
    error = math.sqrt((1 / len(gaps) + share) * gaps.var(ddof=1))
    p = float(2 * scipy.stats.t.sf(abs(gaps.mean()) / error, len(gaps) - 1)) if error > 0 else 1.0
    return float(gaps.mean()), error, p


def lines(done, args):
    everyone = [*ours.METHODS, *rivals.RIVALS]
    yield "| data, folds | graphs | measure | " + " | ".join(everyone) + " | best rival | difference ± standard error | p |"
    yield "|---" * (len(everyone) + 6) + "|"
    tally = {"at least equal": 0, "better": 0, "all": 0}
    for key, row in done.items():
        if "Spinney" not in row["methods"]:
            continue
        better = min if row["measure"] == "rmse" else max
        means = {m: numpy.mean([f[row["measure"]] for f in folds]) for m, folds in row["methods"].items()}
        outside = {m: v for m, v in means.items() if m in rivals.RIVALS or m == "gBoost"}
        cells = [f"**{means[m]:.4f}**" if m == "Spinney" else f"{means[m]:.4f}" if m in means else "" for m in everyone]
        end = " | | |"
        if outside:
            best = better(outside, key=outside.get)
            gap, error, p = compared(row, best)
            end = f" {best} | {gap:+.4f} ± {error:.4f} | {p:.3f} |"
            tally["all"] += 1
            tally["better"] += gap > 0
            tally["at least equal"] += gap >= -error
        mark = (", kept out of the study" if row["kept_out"] else "") + row.get("note", "")
        yield f"| {key}{mark} | {row['graphs']:,} | {row['measure']} | " + " | ".join(cells) + " |" + end
    yield ""
    yield (f"Better than the best rival on {tally['better']} of {tally['all']}, at least equal within one standard error on "
           f"{tally['at least equal']}.")
    yield ""
    yield ("| data, folds | accuracy of Spinney, % | Brier score | Morgan + XGBoost, Brier score | seconds to train, a fold | "
           "Morgan + LightGBM (tuned), seconds |")
    yield "|---|---|---|---|---|---|"
    for key, row in done.items():
        if "Spinney" not in row["methods"]:
            continue
        mine = row["methods"]["Spinney"]
        accuracy = f"{100 * numpy.mean([f['accuracy'] for f in mine]):.2f}" if "accuracy" in mine[0] else ""
        seconds, theirs = (seconds_of(row["methods"].get(method)) for method in ("Spinney", "Morgan + LightGBM"))
        brier = [mean_of(row["methods"].get(method), "brier") for method in ("Spinney", "Morgan + XGBoost")]
        yield f"| {key} | {accuracy} | {' | '.join(brier)} | {seconds} | {theirs} |"


def seconds_of(folds):
    """Of a fold, as it is shown; a run that was delayed has no time."""
    timed = [f["seconds"] for f in folds or [] if f["seconds"] is not None]
    return f"{numpy.mean(timed):.1f}" if timed else ""


def mean_of(folds, what):
    """The mean over folds as it is shown; nothing where it was not measured."""
    return f"{numpy.mean([f[what] for f in folds]):.4f}" if folds and all(what in f for f in folds) else ""


def plot(done):
    """Differences to the best rival, with two standard errors, as an SVG."""
    rows = []
    for key, row in done.items():
        theirs = [m for m in row["methods"] if m in rivals.RIVALS or m == "gBoost"]
        if "Spinney" in row["methods"] and theirs and row["measure"] != "rmse":
            best = max(theirs, key=lambda m: numpy.mean([f[row["measure"]] for f in row["methods"][m]]))
            rows.append((f"{key} ({best})", *compared(row, best)[:2]))
    width, line, left, reach = 900, 22, 380, 0.06
    scale = (width - left - 20) / (2 * reach)
    x = lambda value: left + scale * (max(-reach, min(reach, value)) + reach)
    height = line * len(rows) + 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="10" y2="{height - 35}" stroke="#888"/>']
    for i, (label, gap, error) in enumerate(rows):
        y = 22 + line * i
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{label}</text>')
        parts.append(f'<line x1="{x(gap - 2 * error):.1f}" x2="{x(gap + 2 * error):.1f}" y1="{y}" y2="{y}" stroke="#555"/>')
        parts.append(f'<circle cx="{x(gap):.1f}" cy="{y}" r="4" fill="{"#0072b2" if gap > 0 else "#d55e00"}"/>')
    for tick in (-0.06, -0.03, 0, 0.03, 0.06):
        parts.append(f'<text x="{x(tick):.1f}" y="{height - 18}" text-anchor="middle">{tick:+.2f}</text>')
    parts.append(f'<text x="{x(0):.1f}" y="{height - 3}" text-anchor="middle">Spinney minus the best rival (AUC or accuracy), '
                 "two standard errors</text></svg>")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/spinney")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("results/quality"))
    parser.add_argument("--ledger", default="folds.json")
    parser.add_argument("--sets", nargs="+", default=sets.NAMES, metavar="SET", help="the sets to run")
    parser.add_argument("--methods", nargs="+", default=[*ours.METHODS, *rivals.RIVALS], metavar="METHOD")
    parser.add_argument("--again", nargs="*", default=[], metavar="METHOD", help="methods to run again, on the sets to run")
    parser.add_argument("--merge", nargs="*", type=pathlib.Path, default=[], help="further ledgers to show")
    parser.add_argument("--table-only", action="store_true", help="write what was run, run nothing")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    ledger = args.output / args.ledger
    done = json.loads(ledger.read_text()) if ledger.exists() else {}
    for path in args.merge:
        for key, row in json.loads(path.read_text()).items():
            done.setdefault(key, {**row, "methods": {}})["methods"].update(row["methods"])
    for name, split, _ in plan(args.sets):
        for method in args.again:
            done.get(f"{name}, {split}", {"methods": {}})["methods"].pop(method, None)
    if not args.table_only:
        run(args, done)
    ledger.write_text(json.dumps(done, indent=1) + "\n")
    head = ("# Quality with defaults, beside rivals\nWritten by `make quality`; how, in `bench/quality/run.py`. Rivals choose their "
            "settings on a part of each training part; Spinney has its defaults. Seconds on a shared machine of two cores.\n\n")
    (args.output / "quality.md").write_text(head + "\n".join(lines(done, args)) + "\n")
    (args.output / "quality.svg").write_text(plot(done))


if __name__ == "__main__":
    main()
