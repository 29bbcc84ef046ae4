"""The preset `best` beside SciPy's FAQ with as many random restarts as fit into the same wall time.

    pip install . && pip install scipy
    python scripts/bench_restarts.py [--rows NAME,..] [--trials N] [--seed N] [--threads N]
                                     [--times X,..] [--data DIR]

Each trial draws a pair of graphs and two random anchors (more for the block models), times
`anchormatch.match(..., preset="best")`, and then gives `scipy.optimize.quadratic_assignment` the anchors
as partial_match: the first start from the barycentre, every other from a random doubly stochastic matrix,
until the time that `best` took is over (a start that has begun is finished, so SciPy always gets at least
one and a little more time). Its answer is the start with the best objective. `--times 1,10` shows it with
ten times the time too. Accuracy is over the inliers that are not anchors; +- is the standard error of the mean.
The graphs come from NumPy here, not from the generators of this project, by the protocol of Cho, Lee and
Lee (ECCV 2010): weights U[0,1] kept with probability rho, noise N(0, sigma^2) on the target's edges,
outliers with edges of their own on both sides.
"""

import argparse
import csv
import os
import sys
import time

# name: (inliers, outliers, density, noise)
SYNTHETIC = {
    "sigma-0.1": (20, 0, 1.0, 0.1),
    "sigma-0.2": (20, 0, 1.0, 0.2),
    "sigma-0.3": (20, 0, 1.0, 0.3),
    "sigma-0.4": (20, 0, 1.0, 0.4),
    "sigma-0.5": (20, 0, 1.0, 0.5),
    "out-6": (20, 6, 1.0, 0.0),
    "out-10": (20, 10, 1.0, 0.0),
    "rho-0.3": (20, 0, 0.3, 0.25),
    "rho-0.9": (20, 0, 0.9, 0.25),
    "n-50": (50, 0, 1.0, 0.3),
    "n-100": (100, 0, 1.0, 0.3),
}
# name: (correlation, anchors)
BLOCKS = {
    "sbm-0.6-2": (0.6, 2),
    "sbm-0.3-5": (0.3, 5),
    "sbm-0.3-10": (0.3, 10),
    "sbm-0.3-15": (0.3, 15),
}
HOTEL = {f"hotel-{gap}": gap for gap in (50, 60, 70, 80, 90)}
ROWS = [*SYNTHETIC, *BLOCKS, *HOTEL]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default=",".join(ROWS), help="names, separated by commas")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, help="of ours (default: every core)")
    parser.add_argument("--times", default="1", help="multiples of our time for SciPy (default 1)")
    parser.add_argument("--data", default=os.environ.get("ANCHORMATCH_DATA", "../shared/data"))
    options = parser.parse_args()
    options.rows = options.rows.split(",")
    try:
        options.times = sorted(float(text) for text in options.times.split(","))
    except ValueError:
        parser.error("--times: expected numbers, separated by commas")
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"--rows: {', '.join(unknown)}: expected some of {', '.join(ROWS)}")
    if options.trials < 1:
        parser.error("--trials: expected at least 1")
    return options


def symmetric(rng, n, density):
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return upper + upper.T


def synthetic(rng, inliers, outliers, density, noise):
    """Source, target and the number of inliers, in the same order on both sides."""
    n = inliers + outliers
    source, target = symmetric(rng, n, density), symmetric(rng, n, density)
    shift = np.triu(rng.normal(0.0, noise, (inliers, inliers)), 1) if noise else 0.0
    shift = shift + shift.T if noise else 0.0
    inside = source[:inliers, :inliers]
    target[:inliers, :inliers] = np.where(inside != 0.0, inside + shift, 0.0)
    return source, target, inliers


def block_model(rng, correlation):
    """Two graphs of three blocks of 100; an edge of one is an edge of the other with this correlation."""
    p = np.array([[0.7, 0.3, 0.4], [0.3, 0.7, 0.3], [0.4, 0.3, 0.7]])
    p = np.kron(p, np.ones((100, 100)))
    source = rng.random(p.shape) < p
    target = rng.random(p.shape) < np.where(source, p + correlation * (1 - p), p * (1 - correlation))
    upper = [np.triu(matrix, 1).astype(float) for matrix in (source, target)]
    return upper[0] + upper[0].T, upper[1] + upper[1].T, 300


def hotel_frames(folder):
    path = os.path.join(folder, "cmu_hotel", "points.csv")
    if not os.path.exists(path):
        return None
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    frames = np.zeros((101, 30, 2))
    for row in rows:
        frames[int(row["frame"]), int(row["point"])] = float(row["x"]), float(row["y"])
    return frames


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def draw(name, trial, rng, frames):
    if name in SYNTHETIC:
        return *synthetic(rng, *SYNTHETIC[name]), 2
    if name in BLOCKS:
        correlation, anchors = BLOCKS[name]
        return *block_model(rng, correlation), anchors
    gap = HOTEL[name]
    first = trial % (101 - gap)
    return distances(frames[first]), distances(frames[first + gap]), 30, 2


def restarts(source, target, anchors, limits, rng):
    """FAQ's best mapping within each limit, with the number of starts."""
    found = []
    best, value, starts = None, -np.inf, 0
    begun = time.perf_counter()
    for limit in limits:
        while best is None or time.perf_counter() - begun < limit:
            options = {"maximize": True, "partial_match": anchors, "rng": rng}
            if starts:
                options["P0"] = "randomized"
            result = quadratic_assignment(source, target, method="faq", options=options)
            starts += 1
            if result.fun > value:
                best, value = result.col_ind, result.fun
        found.append((best, starts))
    return found


def trial_of(name, trial, options, frames):
    rng = np.random.default_rng([options.seed, ROWS.index(name), trial])
    source, target, inliers, count = draw(name, trial, rng, frames)
    order = rng.permutation(len(target))
    # Node i of the source is node partner[i] of the shuffled target.
    partner = np.argsort(order)
    target = np.ascontiguousarray(target[np.ix_(order, order)])
    chosen = rng.choice(inliers, count, replace=False)
    anchors = np.column_stack([chosen, partner[chosen]])
    rest = np.setdiff1d(np.arange(inliers), chosen)

    begun = time.perf_counter()
    matching = am.match(source, target, anchors, preset="best", seed=options.seed, threads=options.threads)
    seconds = time.perf_counter() - begun
    ours = np.mean([matching.mapping.get(i) == partner[i] for i in rest])
    scores = [ours]
    starts = []
    limits = [factor * seconds for factor in options.times]
    for mapping, number in restarts(source, target, anchors, limits, rng):
        scores.append(np.mean(mapping[rest] == partner[rest]))
        starts.append(number)
    return scores, seconds, starts


def main():
    options = arguments()
    frames = hotel_frames(options.data)
    print(f"{options.trials} trials, seed {options.seed}, SciPy {scipy.__version__}")
    columns = "".join(f"   FAQ, time x {factor:<5g} starts" for factor in options.times)
    print(f"{'row':12}   {'best':15}       ms{columns}")
    below = []
    for name in options.rows:
        if name in HOTEL and frames is None:
            print(f"{name:12}   no {options.data}/cmu_hotel/points.csv: give --data DIR")
            continue
        trials = min(options.trials, 101 - HOTEL[name]) if name in HOTEL else options.trials
        results = [trial_of(name, trial, options, frames) for trial in range(trials)]
        scores = np.array([r[0] for r in results])
        mean = scores.mean(axis=0)
        error = scores.std(axis=0, ddof=1) / np.sqrt(trials) if trials > 1 else 0 * mean
        starts = np.mean([r[2] for r in results], axis=0)
        milliseconds = 1e3 * np.median([r[1] for r in results])
        line = f"{name:12}   {mean[0]:.3f} +- {error[0]:.3f} {milliseconds:8.1f}"
        for k, number in enumerate(starts):
            line += f"   {mean[k + 1]:.3f} +- {error[k + 1]:.3f} {number:8.1f}"
        print(line, flush=True)
        if mean[0] < mean[1]:
            below.append(name)
    print("below FAQ (first column): " + (", ".join(below) or "none"))


if __name__ == "__main__":
    if any(word in sys.argv[1:] for word in ("-h", "--help")):
        arguments()
    import numpy as np
    import scipy
    from scipy.optimize import quadratic_assignment

    import anchormatch as am

    main()
