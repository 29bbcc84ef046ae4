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
The graphs are those of scripts/peer_pairs.py, which come from NumPy, not from this project's generators.
"""

import argparse
import os
import time

import numpy as np
import scipy
from peer_pairs import BLOCKS, HOTEL, ROWS, SYNTHETIC, checked_options, draw, hotel_frames, trials
from scipy.optimize import quadratic_assignment

import anchormatch as am

# Nearer frames leave nothing to compare.
SHOWN = [*SYNTHETIC, *BLOCKS, *(name for name in HOTEL if HOTEL[name] >= 50)]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default=",".join(SHOWN), help="names, separated by commas")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, help="of ours (default: every core)")
    parser.add_argument("--times", default="1", help="multiples of our time for SciPy (default 1)")
    parser.add_argument("--data", default=os.environ.get("ANCHORMATCH_DATA", ""))
    options = checked_options(parser, rows=ROWS)
    try:
        options.times = sorted(float(text) for text in options.times.split(","))
    except ValueError:
        parser.error("--times: expected numbers, separated by commas")
    return options


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
    pair = draw(name, trial, options.seed, frames)
    rng = np.random.default_rng([options.seed, trial])
    source, target, anchors = pair.source, pair.target, pair.anchors

    begun = time.perf_counter()
    matching = am.match(source, target, anchors, preset="best", seed=options.seed, threads=options.threads)
    seconds = time.perf_counter() - begun
    scores = [np.mean([matching.mapping.get(i) == pair.partner[i] for i in pair.rest])]
    starts = []
    limits = [factor * seconds for factor in options.times]
    for mapping, number in restarts(source, target, anchors, limits, rng):
        scores.append(pair.accuracy(mapping))
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
        number = trials(name, options.trials)
        results = [trial_of(name, trial, options, frames) for trial in range(number)]
        scores = np.array([r[0] for r in results])
        mean = scores.mean(axis=0)
        error = scores.std(axis=0, ddof=1) / np.sqrt(number) if number > 1 else 0 * mean
        starts = np.mean([r[2] for r in results], axis=0)
        milliseconds = 1e3 * np.median([r[1] for r in results])
        line = f"{name:12}   {mean[0]:.3f} +- {error[0]:.3f} {milliseconds:8.1f}"
        for k, count in enumerate(starts):
            line += f"   {mean[k + 1]:.3f} +- {error[k + 1]:.3f} {count:8.1f}"
        print(line, flush=True)
        if mean[0] < mean[1]:
            below.append(name)
    print("below FAQ (first column): " + (", ".join(below) or "none"))


if __name__ == "__main__":
    main()
