"""Accuracy and time of `best` and of what a user of a peer would write, on the same pairs, in one run.

    pip install . && pip install -r scripts/peers.txt
    python scripts/bench_accuracy.py [--rows NAME,..] [--methods NAME,..] [--trials N] [--seed N] [--data DIR]

The pairs are those of scripts/peer_pairs.py. The methods: the presets best and fast of anchormatch; SM, IPFP
and RRWM of pygmtools ("+a": on the problem of the free nodes with the anchors folded into the diagonal, "-":
without the anchors), affinities exp(-d^2 / w) with the w of the literature: 0.15 for weights U[0, 1], 2 500
for distances in pixels (Cho, Lee and Lee 2010), and between existing edges only where a graph is not complete; SciPy's FAQ with the anchors as partial_match, from the
barycentre and as the best of ten starts; graspologic's FAQ and GOAT (transport=True); POT's fused
Gromov-Wasserstein, the features of a node being its weights to the anchors, the anchors pinned by a large
cost, its plan rounded by assignment.

Prints the mean accuracy over the inliers that are not anchors, and the median milliseconds of one call. A
method is left out of a row where it would need too much memory or time, and has fewer trials where a call
takes seconds.
"""

import argparse
import os
import time
import warnings

import numpy as np
from peer_pairs import (
    BLOCKS,
    HOTEL,
    ROWS,
    SPARSE,
    SYNTHETIC,
    checked_options,
    draw,
    hotel_frames,
    trials,
)
from scipy.optimize import linear_sum_assignment, quadratic_assignment

import anchormatch as am

#: Of the affinities, for the synthetic weights and for distances in pixels.
WIDTH, WIDTH_PIXELS = 0.15, 2500.0
#: Beyond this many nodes a dense affinity matrix does not fit; from the other on it takes seconds a call.
DENSE_MOST, DENSE_SLOW = 100, 60
SLOW_TRIALS = 5


def affinity(source, target, width):
    """exp(-d^2 / width) of all pairs of edges, as [i, a, j, b]; none with itself or where an edge is missing."""
    k = np.exp(-((source[:, None, :, None] - target[None, :, None, :]) ** 2) / width)
    complete = np.count_nonzero(source) == source.size - len(source)
    edges = [
        (~np.eye(len(matrix), dtype=bool) if complete else matrix != 0).astype(float)
        for matrix in (source, target)
    ]
    k *= edges[0][:, None, :, None]
    k *= edges[1][None, :, None, :]
    return k


def pygmtools_method(solver, anchored):
    import pygmtools

    solve = getattr(pygmtools, solver)

    def run(pair):
        source, target = pair.source, pair.target
        width = WIDTH if source.max() <= 1.0 else WIDTH_PIXELS
        anchors = pair.anchors if anchored else pair.anchors[:0]
        free = [np.setdiff1d(np.arange(len(m)), anchors[:, k]) for k, m in enumerate((source, target))]
        inside = [m[np.ix_(f, f)] for f, m in zip(free, (source, target))]
        k = affinity(*inside, width)
        n1, n2 = len(free[0]), len(free[1])
        if anchored:
            columns = source[np.ix_(free[0], anchors[:, 0])], target[np.ix_(free[1], anchors[:, 1])]
            folded = np.exp(-((columns[0][:, None] - columns[1][None]) ** 2) / width).sum(axis=2)
            rows, cols = np.indices((n1, n2))
            # An edge to an anchor counts in both directions, like all others.
            k[rows, cols, rows, cols] = 2.0 * folded
        # pygmtools numbers the pair (i, a) as a * n1 + i.
        soft = solve(k.transpose(1, 0, 3, 2).reshape(n1 * n2, n1 * n2), n1, n2, backend="numpy")
        found = pygmtools.hungarian(soft, backend="numpy")
        mapping = np.full(len(source), -1)
        mapping[anchors[:, 0]] = anchors[:, 1]
        mapping[free[0]] = np.where(found.any(axis=1), free[1][found.argmax(axis=1)], -1)
        return mapping

    return run


def ours(preset):
    def run(pair):
        matching = am.match(pair.source, pair.target, pair.anchors, preset=preset)
        mapping = np.full(len(pair.source), -1)
        for source, target in matching.pairs:
            mapping[source] = target
        return mapping

    return run


def scipy_faq(starts):
    def run(pair):
        rng = np.random.default_rng(0)
        best = None
        for start in range(starts):
            options = {"maximize": True, "partial_match": pair.anchors, "rng": rng}
            if start:
                options["P0"] = "randomized"
            result = quadratic_assignment(pair.source, pair.target, method="faq", options=options)
            if best is None or result.fun > best.fun:
                best = result
        return best.col_ind

    return run


def graspologic_method(transport):
    from graspologic.match import graph_match

    def run(pair):
        result = graph_match(
            pair.source, pair.target, partial_match=pair.anchors, transport=transport, rng=0
        )
        mapping = np.full(len(pair.source), -1)
        mapping[result.indices_A] = result.indices_B
        return mapping

    return run


def pot_method():
    import ot

    def run(pair):
        largest = max(1.0, pair.source.max())
        source, target = pair.source / largest, pair.target / largest
        left, right = pair.anchors.T
        cost = ((source[:, left][:, None] - target[:, right][None]) ** 2).mean(axis=2)
        cost[left, :] = cost[:, right] = 1e3
        cost[left, right] = 0.0
        plan = ot.gromov.fused_gromov_wasserstein(cost, source, target, alpha=0.5, loss_fun="square_loss")
        plan[left, right] = plan.max() + 1.0
        return linear_sum_assignment(plan, maximize=True)[1]

    return run


METHODS = {
    "best": lambda: ours("best"),
    "fast": lambda: ours("fast"),
    "pygm-sm+a": lambda: pygmtools_method("sm", True),
    "pygm-ipfp+a": lambda: pygmtools_method("ipfp", True),
    "pygm-rrwm-": lambda: pygmtools_method("rrwm", False),
    "pygm-rrwm+a": lambda: pygmtools_method("rrwm", True),
    "scipy-faq": lambda: scipy_faq(1),
    "scipy-faq-10": lambda: scipy_faq(10),
    "grasp-faq": lambda: graspologic_method(False),
    "grasp-goat": lambda: graspologic_method(True),
    "pot-fgw": pot_method,
}
TABLES = {
    "Synthetic": list(SYNTHETIC),
    "Hotel": list(HOTEL),
    "Block models and a large sparse graph": [*BLOCKS, *SPARSE],
}


def nodes(name):
    if name in SYNTHETIC:
        return SYNTHETIC[name][0] + SYNTHETIC[name][1]
    return 30 if name in HOTEL else 300 if name in BLOCKS else SPARSE[name][0]


def trials_of(method, name, most):
    """Zero where the method cannot take the row."""
    size, dense = nodes(name), method.startswith("pygm")
    if (dense and size > DENSE_MOST) or (method in ("pot-fgw", "scipy-faq-10") and size > 1000):
        return 0
    most = trials(name, most)
    if size > 1000:
        return min(most, 2)
    return min(most, SLOW_TRIALS) if dense and size > DENSE_SLOW else most


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default=",".join(ROWS), help="names, separated by commas")
    parser.add_argument("--methods", default=",".join(METHODS), help="names, separated by commas")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default=os.environ.get("ANCHORMATCH_DATA", ""))
    return checked_options(parser, rows=ROWS, methods=METHODS)


def measured(method, run, name, options, frames):
    """Mean accuracy, its standard error, the median milliseconds and the number of trials."""
    count = trials_of(method, name, options.trials)
    if not count:
        return None
    scores, times = [], []
    for trial in range(count):
        pair = draw(name, trial, options.seed, frames)
        begun = time.perf_counter()
        mapping = run(pair)
        times.append(1e3 * (time.perf_counter() - begun))
        scores.append(pair.accuracy(mapping))
    error = np.std(scores, ddof=1) / np.sqrt(count) if count > 1 else 0.0
    return float(np.mean(scores)), float(error), float(np.median(times)), count


def show(title, rows, methods, cells):
    """Two tables in Markdown; what is best in a column stands in bold."""
    shown = {
        "accuracy": lambda cell: f"{cell[0]:.3f}" + (f" ± {cell[1]:.3f}" if cell[1] >= 5e-4 else ""),
        "milliseconds": lambda cell: f"{cell[2]:.1f}" if cell[2] < 100 else f"{cell[2]:.0f}",
    }
    for what, text in shown.items():
        print(f"\n**{title}, {what}**\n")
        print("| method | " + " | ".join(rows) + " |")
        print("|---" * (len(rows) + 1) + "|")
        for method in methods:
            line = [f"`{method}`"]
            for name in rows:
                cell, column = cells[method, name], [cells[m, name] for m in methods]
                most = max(round(other[0], 3) for other in column if other)
                bold = "**" if what == "accuracy" and cell and round(cell[0], 3) == most else ""
                line.append(f"{bold}{text(cell)}{bold}" if cell else "–")
            print("| " + " | ".join(line) + " |")
    fewer = {}
    for (method, name), cell in cells.items():
        if cell and cell[3] < max(other[3] for other in cells.values() if other):
            fewer.setdefault(cell[3], {}).setdefault(name, []).append(method)
    for count, of in sorted(fewer.items()):
        everywhere = [
            name for name, who in of.items() if len(who) == sum(cells[m, name] is not None for m in methods)
        ]
        some = [f"{name} ({', '.join(who)})" for name, who in of.items() if name not in everywhere]
        print(f"\n{count} trials: {', '.join(everywhere + some)}.")


def main():
    options = arguments()
    # Some peers warn of their own dependencies, or of an iteration that did not converge.
    warnings.simplefilter("ignore")
    frames = hotel_frames(options.data)
    runs = {method: METHODS[method]() for method in options.methods}
    print(f"{options.trials} trials where nothing else is said, seed {options.seed}.")
    for title, names in TABLES.items():
        rows = [name for name in names if name in options.rows]
        if title == "Hotel" and rows and frames is None:
            print(f"\n**{title}**: no {options.data}/cmu_hotel/points.csv: give --data DIR")
            continue
        if not rows:
            continue
        cells = {
            (method, name): measured(method, run, name, options, frames)
            for name in rows
            for method, run in runs.items()
        }
        show(title, rows, options.methods, cells)
        if "best" in runs:
            for name in rows:
                ahead = [
                    method
                    for method in options.methods
                    if cells[method, name] and cells[method, name][0] > cells["best", name][0]
                ]
                if ahead:
                    print(f"\nAhead of `best` in {name}: {', '.join(ahead)}.")


if __name__ == "__main__":
    main()
