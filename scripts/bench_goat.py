"""Compare GOAT, or another method, with graspologic.match.graph_match(transport=True) on the same block
models, in one run.

    cargo build --release -p anchormatch-lab --example block_models
    python scripts/bench_goat.py [TRIALS [METHOD]]        a solver, or the preset best or fast

Needs numpy and graspologic. The example writes the correlated block models that it solves; this
script reads them. Prints means of accuracy, objective over the truth's, milliseconds and, for both,
the ratio of times, theirs over ours.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from graspologic.match import graph_match

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "release", "examples", "block_models")


def read(path):
    values = np.array(open(path).read().split(), dtype=float)
    n, count = int(values[0]), int(values[1])
    pairs = values[2 : 2 + 2 * count].astype(int).reshape(count, 2)
    a, b = values[2 + 2 * count : 2 + 2 * count + 2 * n * n].reshape(2, n, n)
    return a, b, pairs, values[-n:].astype(int)


def theirs(path):
    a, b, pairs, truth = read(path)
    clock = time.perf_counter()
    result = graph_match(a, b, partial_match=pairs, transport=True, rng=0)
    milliseconds = (time.perf_counter() - clock) * 1e3
    partners = np.empty(len(a), dtype=int)
    partners[result.indices_A] = result.indices_B
    free = np.setdiff1d(np.arange(len(a)), pairs[:, 0])
    value = np.sum(a * b[np.ix_(partners, partners)]) / np.sum(a * b[np.ix_(truth, truth)])
    return np.mean(partners[free] == truth[free]), value, milliseconds


def main():
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    solver = sys.argv[2] if len(sys.argv) > 2 else "goat"
    print("  rho seeds   accuracy        objective/truth        ms              ratio")
    for rho, seeds in ((0.6, 2), (0.3, 5), (0.3, 10), (0.3, 15)):
        with tempfile.TemporaryDirectory() as folder:
            command = [BINARY, solver, str(rho), str(seeds), str(trials), folder]
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            _, _, share, value, milliseconds, _ = map(float, lines.splitlines()[-1].split())
            files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
            their_share, their_value, their_ms = np.mean([theirs(path) for path in files], axis=0)
        print(
            f"{rho:5} {seeds:5}   {share:.3f} {their_share:.3f}     {value:.4f} {their_value:.4f}"
            f"   {milliseconds:8.1f} {their_ms:8.1f}   {their_ms / milliseconds:6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
