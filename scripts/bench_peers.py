"""RRWM, linear assignment and eigenpairs beside their peers, on the same input, in one run.

    make bench-peers

RRWM: pygmtools 0.6.0 (NumPy backend), the affinity matrix included, against ours on the same pairs of
graphs (weights uniform in [0, 1], noise 0.2, affinity exp(-d^2/0.15), no anchors). Assignment: lap.
Eigenpairs: numpy.linalg.eigh. Times are medians over several pairs; ratios are peer over ours.
"""

import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BANDWIDTH = 0.15


def kernels():
    """The newest build of the benchmark binary."""
    found = glob.glob(os.path.join(TARGET, "release", "deps", "kernels-*"))
    found = [path for path in found if os.access(path, os.X_OK) and not path.endswith(".d")]
    if not found:
        sys.exit("kernels: not built; run `make bench-peers`")
    return max(found, key=os.path.getmtime)


def pair(n, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)), 1)
    noise = np.triu(rng.normal(0, 0.2, (n, n)), 1)
    order = rng.permutation(n)
    a = upper + upper.T
    b = (a + noise + noise.T)[np.ix_(order, order)]
    return a, b, np.argsort(order)


def write(path, matrix):
    with open(path, "w") as out:
        out.write("source,target,weight\n")
        for i in range(len(matrix)):
            for j in range(i):
                out.write(f"{j},{i},{float(matrix[i, j])!r}\n")


def milliseconds(run, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def rrwm_peer(a, b):
    import pygmtools

    n = len(a)
    difference = a[:, None, :, None] - b[None, :, None, :]
    k = np.exp(-(difference**2) / BANDWIDTH)
    k *= (1 - np.eye(n))[:, None, :, None] * (1 - np.eye(n))[None, :, None, :]
    # pygmtools numbers the pair (i, a) as a * n + i.
    k = k.transpose(1, 0, 3, 2).reshape(n * n, n * n)
    soft = pygmtools.rrwm(k, n, n, backend="numpy")
    return pygmtools.hungarian(soft, backend="numpy").argmax(axis=1)


def rrwm(binary, n, pairs, repeats):
    ours, peers, right, right_peer = [], [], 0, 0
    for seed in range(pairs):
        a, b, truth = pair(n, seed)
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.csv", "b.csv")]
            write(paths[0], a)
            write(paths[1], b)
            command = [binary, "rrwm", *paths, str(BANDWIDTH), str(repeats)]
            result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        ours.append(result["ms"])
        right += sum(truth[int(s)] == int(t) for s, t in result["assignment"])
        answer = rrwm_peer(a, b)
        peers.append(milliseconds(lambda: rrwm_peer(a, b), 3 if n <= 50 else 1))
        right_peer += int((answer == truth).sum())
    mine, theirs = statistics.median(ours), statistics.median(peers)
    print(
        f"RRWM n={n:<5} ours {mine:9.2f} ms   pygmtools {theirs:9.1f} ms   {theirs / mine:6.1f}x"
        f"   accuracy {right / (n * pairs):.3f} / {right_peer / (n * pairs):.3f}"
    )


def one(binary, kind, n):
    result = subprocess.run([binary, "one", kind, str(n)], check=True, capture_output=True)
    return json.loads(result.stdout)["ms"]


def main():
    import lap

    binary = kernels()
    for n, pairs, repeats in ((20, 20, 20), (50, 10, 5), (100, 5, 3)):
        rrwm(binary, n, pairs, repeats)
    for n in (1000, 2000):
        cost = np.random.default_rng(n).random((n, n))
        mine, theirs = one(binary, "assignment", n), milliseconds(lambda: lap.lapjv(cost), 3)
        print(f"LAP  n={n:<5} ours {mine:9.2f} ms   lap       {theirs:9.1f} ms   {theirs / mine:6.1f}x")
    for n in (1000, 2000):
        matrix = np.random.default_rng(n).random((n, n))
        matrix += matrix.T
        mine, theirs = one(binary, "eigen", n), milliseconds(lambda: np.linalg.eigh(matrix), 3)
        print(f"eigh n={n:<5} ours {mine:9.2f} ms   numpy     {theirs:9.1f} ms   {theirs / mine:6.1f}x")


if __name__ == "__main__":
    main()
