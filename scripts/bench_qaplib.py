"""QAPLIB beside SciPy in one run: the same instances, the same seconds for each.

    cargo build --release -p anchormatch-cli
    python scripts/bench_qaplib.py --data DIR [--seconds S] [--largest N] [--solver NAME] [NAME ...]

Needs numpy and scipy. DIR is the data folder with qaplib/index.csv and qaplib/dat/NAME.dat. SciPy's
quadratic_assignment runs with method "faq" and with method "2opt", each with random restarts for S
seconds; a start that has begun is finished, however long it takes. Ours is `anchormatch solve --json`
with the same limit. Everything runs on --threads threads. Costs are recomputed here from A, B and the
permutation. The gap is (found - best)/max(|best|, 1); "scipy" is the better of its two methods, which
together had twice the time.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "release", "anchormatch")
GROUPS = [("n <= 30", 0, 30), ("30 < n <= 50", 31, 50), ("n > 50", 51, 10**9), ("all", 0, 10**9)]
STOPPED = 3


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="instances to run (default: all)")
    data = os.environ.get("ANCHORMATCH_DATA")
    parser.add_argument("--data", default=data, required=not data)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each instance and method")
    parser.add_argument("--largest", type=int, default=50, help="leave larger instances out")
    parser.add_argument("--solver", default="portfolio")
    parser.add_argument("--threads", type=int, default=1, help="of ours and of SciPy's BLAS")
    parser.add_argument("--binary", default=BINARY)
    return parser.parse_args()


def instances(folder):
    with open(os.path.join(folder, "index.csv"), newline="") as file:
        for row in csv.DictReader(file):
            if row["best_cost_found"]:
                yield row["name"], int(row["n"]), float(row["best_cost_found"])


def matrices(path):
    with open(path) as file:
        words = file.read().split()
    n = int(words[0])
    numbers = np.array(words[1:], dtype=float)
    return numbers[: n * n].reshape(n, n), numbers[n * n :].reshape(n, n)


def cost(a, b, order):
    if sorted(order) != list(range(len(a))):
        sys.exit(f"no permutation: {order}")
    return float((a * b[np.ix_(order, order)]).sum())


def scipys(method, a, b, seconds):
    """The best cost of random restarts and the seconds that they took."""
    rng = np.random.default_rng(0)
    best, starts, clock = np.inf, 0, time.perf_counter()
    while starts == 0 or time.perf_counter() - clock < seconds:
        options = {"rng": rng}
        if method == "faq":
            options["P0"] = "randomized" if starts else "barycenter"
        order = quadratic_assignment(a, b, method=method, options=options).col_ind
        best = min(best, cost(a, b, order))
        starts += 1
    return best, time.perf_counter() - clock


def ours(binary, path, solver, seconds, threads, a, b):
    command = [binary, "solve", path, "--json", "--solver", solver]
    command += ["--time-limit", str(seconds), "--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, STOPPED):
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    return cost(a, b, result["assignment"]), result["seconds"]


def summary(rows, methods):
    print(f"\n{'':<14}{'instances':>10}" + "".join(f"{name:>24}" for name in methods))
    for title, least, most in GROUPS:
        group = [row for row in rows if least <= row["n"] <= most]
        if not group:
            continue
        cells = []
        for name in methods:
            gaps = [row[name] for row in group]
            reached = sum(gap <= 1e-9 for gap in gaps) / len(gaps)
            cells.append(f"{100 * statistics.mean(gaps):8.3f} %, best {100 * reached:5.1f} %")
        print(f"{title:<14}{len(group):>10}" + "".join(f"{cell:>24}" for cell in cells))


def main(options):
    folder = os.path.join(options.data, "qaplib")
    if not os.path.exists(options.binary):
        sys.exit(f"{options.binary}: not built; run `cargo build --release -p anchormatch-cli`")
    if not os.path.exists(os.path.join(folder, "index.csv")):
        sys.exit(f"{folder}/index.csv: not found; name the data folder with --data")
    rows, known = [], list(instances(folder))
    unknown = set(options.names) - {name for name, _, _ in known}
    if unknown:
        sys.exit(f"{folder}/index.csv: has no {', '.join(sorted(unknown))}")
    methods = ["faq", "2opt", "scipy", options.solver]
    print(
        f"scipy {scipy.__version__}, {options.seconds} s for each instance and method, "
        f"{options.threads} threads; gaps in %, seconds in brackets"
    )
    print(f"{'instance':<10}{'n':>4}{'best known':>14}" + "".join(f"{m:>18}" for m in methods))
    for name, n, best in known:
        if n > options.largest or (options.names and name not in options.names):
            continue
        path = os.path.join(folder, "dat", f"{name}.dat")
        a, b = matrices(path)
        gap = lambda found: (found - best) / max(abs(best), 1.0)
        row, cells = {"n": n}, []
        for method in ("faq", "2opt"):
            found, took = scipys(method, a, b, options.seconds)
            row[method] = gap(found)
            cells.append(f"{100 * row[method]:.3f} ({took:.1f})")
        row["scipy"] = min(row["faq"], row["2opt"])
        cells.append(f"{100 * row['scipy']:.3f}")
        found, took = ours(
            options.binary, path, options.solver, options.seconds, options.threads, a, b
        )
        row[options.solver] = gap(found)
        cells.append(f"{100 * row[options.solver]:.3f} ({took:.1f})")
        rows.append(row)
        line = f"{name:<10}{n:>4}{best:>14.0f}" + "".join(f"{cell:>18}" for cell in cells)
        print(line, flush=True)
    if not rows:
        sys.exit("no instance has such a name and size")
    summary(rows, methods)


if __name__ == "__main__":
    OPTIONS = arguments()
    # BLAS reads these when it is loaded.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(OPTIONS.threads)
    import numpy as np
    import scipy
    from scipy.optimize import quadratic_assignment

    main(OPTIONS)
