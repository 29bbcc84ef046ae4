"""Compare dense linear assignment with lap.lapjv on the same matrices, in one run.

    cargo build --release -p anchormatch --example bench_assignment
    python scripts/bench_assignment.py [N ...]

Needs numpy and lap. Both sides solve the matrices that examples/bench_assignment.rs describes; the
optimal values must agree. Prints median and least milliseconds of each and their ratios, ours over
lap's.
"""

import os
import subprocess
import sys
import time

import lap
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "release", "examples", "bench_assignment")
U = np.uint64


def random(seed, index):
    """53 random bits for each index: SplitMix64, started at a multiple of the seed."""
    with np.errstate(over="ignore"):
        z = U(seed) * U(0xD1342543DE82EF95) + (index + U(1)) * U(0x9E3779B97F4A7C15)
        z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
        return (z ^ (z >> U(31))) >> U(11)


def uniform(seed, index):
    return random(seed, index) / 2.0**53


def matrix(kind, n, seed):
    entry = np.arange(n * n, dtype=U).reshape(n, n)
    node = np.arange(n, dtype=U)
    if kind == "uniform":
        return uniform(seed, entry)
    if kind == "integer100":
        return (random(seed, entry) % U(100)).astype(float)
    if kind == "geometric":
        x = uniform(seed, U(4) * node)[:, None] - uniform(seed, U(4) * node + U(2))
        y = uniform(seed, U(4) * node + U(1))[:, None] - uniform(seed, U(4) * node + U(3))
        return np.sqrt(x * x + y * y)
    return uniform(seed, U(2) * node)[:, None] * uniform(seed, U(2) * node + U(1))


def main():
    ours = subprocess.run([BINARY, *sys.argv[1:]], check=True, capture_output=True, text=True)
    print(f"{'costs':>11} {'n':>5} {'ours ms':>9} {'lap ms':>9} {'ratio':>6} {'of least':>8}")
    for line in ours.stdout.splitlines():
        kind, n, median, least, values = line.split()
        times = []
        for seed, value in enumerate(values.split(",")):
            cost = matrix(kind, int(n), seed)
            start = time.perf_counter()
            optimum, _, _ = lap.lapjv(cost)
            times.append((time.perf_counter() - start) * 1e3)
            if abs(optimum - float(value)) > 1e-8 * max(1.0, abs(optimum)):
                sys.exit(f"{kind} n={n} seed={seed}: ours {value}, lap {optimum}")
        times.sort()
        middle = times[len(times) // 2]
        ratio, of_least = float(median) / middle, float(least) / times[0]
        print(f"{kind:>11} {n:>5} {median:>9} {middle:9.3f} {ratio:6.2f} {of_least:8.2f}", flush=True)


if __name__ == "__main__":
    main()
