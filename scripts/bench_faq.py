"""Compare seeded FAQ with scipy.optimize.quadratic_assignment on the same matrices, in one run.

    cargo build --release -p anchormatch --example bench_faq
    python scripts/bench_faq.py [--trials N] [--starts N] [--solver NAME] [--only speed|accuracy]

Needs numpy and scipy. The problems are the synthetic pairs of Cho, Lee and Lee (2010): complete
graphs with weights U[0, 1] (a share rho of the edges when rho < 1), noise N(0, sigma^2) on the
target's edges, outliers on both sides, the target shuffled, two random seeds. Prints medians of the
milliseconds, the accuracy on the inliers that are not seeds, its standard error, and in how many
trials our objective is better, equal or worse.
"""

import argparse
import itertools
import os
import subprocess
import tempfile
import time

import numpy as np
from scipy.optimize import quadratic_assignment

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "release", "examples", "bench_faq")


def symmetric(rng, n, draw):
    upper = np.triu(draw((n, n)), 1)
    return upper + upper.T


def instance(inliers, noise, outliers, density, seeds, seed):
    """A, B, the truth as target place of each source inlier, and the seeds."""
    rng = np.random.default_rng(seed)
    n = inliers + outliers
    edges = symmetric(rng, n, rng.random) < density
    a = symmetric(rng, n, rng.random) * edges
    b = symmetric(rng, n, rng.random) * (symmetric(rng, n, rng.random) < density)
    core = slice(0, inliers)
    noisy = a[core, core] + noise * symmetric(rng, inliers, rng.standard_normal)
    b[core, core] = noisy * edges[core, core]
    np.fill_diagonal(a, 0)
    np.fill_diagonal(b, 0)
    order = rng.permutation(n)
    place = np.argsort(order)
    known = rng.choice(inliers, seeds, replace=False)
    pairs = np.column_stack([known, place[known]])
    return a, b[np.ix_(order, order)], place[:inliers], pairs


def ours(problems, solver, repeats, restarts):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        for a, b, _, pairs in problems:
            file.write(f"{len(a)} {len(pairs)}\n")
            for block in (pairs, a, b):
                file.write(" ".join(map(repr, block.ravel().tolist())) + "\n")
    command = [BINARY, file.name, solver, str(repeats)] + ([str(restarts)] if restarts else [])
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    os.unlink(file.name)
    results = []
    for line in lines.splitlines():
        milliseconds, iterations, objective, partners = line.split()
        partners = np.array([-1 if p == "-" else int(p) for p in partners.split(",")])
        results.append((float(milliseconds), int(iterations), float(objective), partners))
    return results


def scipys(problems, repeats, starts):
    results = []
    for number, (a, b, _, pairs) in enumerate(problems):
        times, best = [], None
        for _ in range(repeats):
            rng = np.random.default_rng(number)
            clock = time.perf_counter()
            for start in range(starts):
                options = {"maximize": True, "partial_match": pairs, "rng": rng}
                options["P0"] = "randomized" if start else "barycenter"
                result = quadratic_assignment(a, b, method="faq", options=options)
                if start == 0 or result.fun > best.fun:
                    best = result
            times.append((time.perf_counter() - clock) * 1e3)
        results.append((np.median(times), best.nit, best.fun, best.col_ind))
    return results


def accuracy(problems, results):
    shares = []
    for (_, _, truth, pairs), (_, _, _, partners) in zip(problems, results):
        free = np.setdiff1d(np.arange(len(truth)), pairs[:, 0])
        shares.append(np.mean(partners[free] == truth[free]))
    return np.mean(shares), np.std(shares) / np.sqrt(len(shares))


def compare(title, problems, repeats, options):
    us = ours(problems, options.solver, repeats, options.starts - 1)
    them = scipys(problems, repeats, options.starts)
    (mean, error), (their_mean, their_error) = accuracy(problems, us), accuracy(problems, them)
    gains = np.array([u[2] - t[2] for u, t in zip(us, them)])
    size = np.array([1e-9 * abs(t[2]) for t in them])
    better, worse = np.sum(gains > size), np.sum(gains < -size)
    fast, slow = np.median([u[0] for u in us]), np.median([t[0] for t in them])
    print(
        f"{title:>16} {fast:9.3f} {slow:9.3f} {slow / fast:7.1f}"
        f" {np.median([u[1] for u in us]):5.0f} {np.median([t[1] for t in them]):5.0f}"
        f"  {mean:.3f}±{error:.3f} {their_mean:.3f}±{their_error:.3f}"
        f" {better:4d} {len(us) - better - worse:4d} {worse:4d}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--solver", default="faq")
    parser.add_argument("--only", choices=["speed", "accuracy"])
    options = parser.parse_args()
    print(
        f"{'':>16} {'ours ms':>9} {'scipy ms':>9} {'ratio':>7} {'iterations':>11}"
        f"  {'accuracy':>11} {'of scipy':>11} {'better, equal, worse':>14}"
    )
    if options.only != "accuracy":
        sizes = ((20, 20, 20), (100, 20, 5), (400, 5, 3))
        for (n, trials, repeats), noise in itertools.product(sizes, (0.0, 0.1, 0.3)):
            problems = [instance(n, noise, 0, 1.0, 2, 1000 + k) for k in range(trials)]
            compare(f"n={n} σ={noise}", problems, repeats, options)
    if options.only != "speed":
        rows = [(f"σ={noise}", (20, noise, 0, 1.0)) for noise in (0.1, 0.2, 0.3, 0.4, 0.5)]
        rows += [(f"{outliers} outliers", (20, 0.0, outliers, 1.0)) for outliers in (6, 10)]
        rows += [(f"ρ={density} σ=.25", (20, 0.25, 0, density)) for density in (0.3, 0.9)]
        rows += [(f"n={n} σ=.3", (n, 0.3, 0, 1.0)) for n in (50, 100)]
        for title, (inliers, noise, outliers, density) in rows:
            problems = [
                instance(inliers, noise, outliers, density, 2, k) for k in range(options.trials)
            ]
            compare(title, problems, 1, options)


if __name__ == "__main__":
    main()
