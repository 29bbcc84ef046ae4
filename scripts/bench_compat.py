"""Time the functions of anchormatch.compat beside those whose places they take, in one run.

    python scripts/bench_compat.py [--repeats N]

Needs anchormatch, numpy and scipy; graspologic and pygmtools are measured where they are installed. Both
sides get the same arrays and one thread. Prints the least milliseconds of processor time of the repeats, how
many times less ours is, and the values reached (the largest difference of soft results).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import time
from collections.abc import Callable
from typing import Any

for library in ("OPENBLAS", "OMP", "MKL"):
    # Read when the libraries are loaded.
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np
import scipy.optimize
import scipy.sparse

from anchormatch.compat import graspologic, pygmtools
from anchormatch.compat import scipy as ours


def pair(nodes: int, seed: int, density: float = 1.0, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A weighted graph, a noisy copy in another order, and pairs that are known."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((nodes, nodes)) * (rng.random((nodes, nodes)) < density), 1)
    a = upper + upper.T
    upper = np.triu(a + noise * rng.normal(size=a.shape) * (a > 0), 1)
    order = rng.permutation(nodes)
    b = (upper + upper.T)[np.ix_(order, order)]
    return a, b, np.column_stack([order[:2], np.arange(2)])


def affinities(nodes: int) -> np.ndarray:
    a, b, _ = pair(nodes, 3)
    k = np.exp(-((a[None, :, None, :] - b[:, None, :, None]) ** 2) / 0.15)
    same = np.eye(nodes, dtype=bool)
    k[np.broadcast_to(same[None, :, None, :] | same[:, None, :, None], k.shape)] = 0
    return k.reshape(nodes**2, nodes**2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print("| function | theirs, ms | ours, ms | times less | values |")
    print("|---|---|---|---|---|")

    def row(name: str, theirs: Callable[[], Any], mine: Callable[[], Any], values: Callable[[Any, Any], str]) -> None:
        least, results = [np.inf, np.inf], [None, None]
        for _ in range(repeats):
            for side, function in enumerate((theirs, mine)):
                start = time.process_time()
                results[side] = function()
                least[side] = min(least[side], time.process_time() - start)
        ratio = least[0] / least[1]
        print(f"| {name} | {1e3 * least[0]:.3g} | {1e3 * least[1]:.3g} | {ratio:.2g} | {values(*results)} |", flush=True)

    def objectives(a: Any, b: Any) -> str:
        return f"{a.fun:.6g}, {b.fun:.6g}"

    for nodes in (20, 100, 400):
        a, b, known = pair(nodes, 1)
        options = {"partial_match": known, "maximize": True, "rng": np.random.default_rng(0)}
        row(
            f"scipy faq, {nodes} nodes, 2 seeds",
            lambda a=a, b=b, o=options: scipy.optimize.quadratic_assignment(a, b, options=o),
            lambda a=a, b=b, o=options: ours.quadratic_assignment(a, b, options=o),
            objectives,
        )
    for nodes in (20, 50):
        a, b, known = pair(nodes, 2)
        row(
            f"scipy 2opt, {nodes} nodes",
            lambda a=a, b=b: scipy.optimize.quadratic_assignment(a, b, "2opt", {"rng": np.random.default_rng(0)}),
            lambda a=a, b=b: ours.quadratic_assignment(a, b, "2opt", {"rng": np.random.default_rng(0)}),
            objectives,
        )

    if importlib.util.find_spec("graspologic"):
        theirs = importlib.import_module("graspologic.match").graph_match

        def scores(a: Any, b: Any) -> str:
            return f"{a.score:.6g}, {b.score:.6g}"

        for name, (a, b, known), more in [
            ("100 nodes, 2 seeds", pair(100, 4), {}),
            ("100 nodes, 2 seeds, transport", pair(100, 4), {"transport": True}),
            ("400 nodes, 2 seeds", pair(400, 5), {}),
            ("1000 nodes, sparse, 2 seeds", pair(1000, 6, 0.01), {"max_iter": 5}),
        ]:
            if "sparse" in name:
                a, b = scipy.sparse.csr_array(a), scipy.sparse.csr_array(b)
            options = {"partial_match": known, "rng": 0, **more}
            row(
                f"graspologic graph_match, {name}",
                lambda a=a, b=b, o=options: theirs(a, b, **o),
                lambda a=a, b=b, o=options: graspologic.graph_match(a, b, **o),
                scores,
            )

    if importlib.util.find_spec("pygmtools"):
        pygm = importlib.import_module("pygmtools")
        pygm.set_backend("numpy")

        def differences(a: Any, b: Any) -> str:
            return f"differ by {np.abs(a - b).max():.1g}"

        for nodes in (10, 30):
            k = affinities(nodes)
            for function in ("sm", "rrwm", "ipfp"):
                row(
                    f"pygmtools {function}, {nodes} nodes",
                    lambda k=k, n=nodes, f=function: getattr(pygm, f)(k, n, n),
                    lambda k=k, n=nodes, f=function: getattr(pygmtools, f)(k, n, n),
                    differences,
                )
        scores_of_many = np.random.default_rng(7).random((50, 40, 40))
        large = np.random.default_rng(8).random((500, 500))
        for name, function, s in [
            ("50 problems of 40 nodes", "sinkhorn", scores_of_many),
            ("500 nodes", "sinkhorn", large),
            ("50 problems of 40 nodes", "hungarian", scores_of_many),
            ("500 nodes", "hungarian", large),
        ]:
            row(
                f"pygmtools {function}, {name}",
                lambda s=s, f=function: getattr(pygm, f)(s),
                lambda s=s, f=function: getattr(pygmtools, f)(s),
                differences,
            )


if __name__ == "__main__":
    main()
