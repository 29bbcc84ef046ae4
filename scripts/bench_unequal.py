"""Graphs one of which shows several times as many edges as the other: accuracy, calibration error and time.

    cargo build -p anchormatch-cli
    python scripts/bench_unequal.py [--rows WORD,..] [--seeds 11,12] [--binary PATH ..] [-- OPTION ..]

Needs numpy and scipy. Both sides are samples of the edges of one graph, with shares of their own; graphs are made by
`trust_families.py`, apart from the generators of this project. Several binaries are asked the same questions in one run; what stands
after `--` is handed to `anchormatch match`. Seconds are those of all cores, reading included.
"""

import argparse
import sys
import tempfile

import numpy as np
from bench_clustered import BINARY, asked, cell, written
from trust_families import Trial, chosen, edges_of, matrix

#: Kind, degree, nodes, shares of the edges of both sides, anchors.
ROWS = [
    ("geometric", 40, 2500, (0.95, 0.2), 100),
    ("geometric", 40, 1000, (0.25, 0.9), 50),
    ("small world", 40, 2500, (0.95, 0.2), 60),
    ("space", 40, 2500, (0.95, 0.25), 60),
    ("space", 30, 800, (0.3, 1.0), 30),
    ("planar", 6, 1000, (1.0, 0.4), 50),
    ("clustered", 40, 2500, (0.95, 0.2), 100),
    ("attachment", 30, 1500, (0.9, 0.2), 60),
    ("uniform", 60, 2500, (0.95, 0.12), 300),
    ("blocks", 40, 1500, (0.25, 0.95), 60),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="words of rows to run (default: all)")
    parser.add_argument("--seeds", default="11,12", help="one pair for each (default: 11,12)")
    parser.add_argument("--binary", nargs="+", default=[BINARY])
    parser.add_argument("options", nargs="*", help="for anchormatch match, after --")
    return parser.parse_args()


def drawn(kind, degree, nodes, kept, anchors, seed):
    """Two samples of one graph, the second in another order."""
    rng = np.random.default_rng(seed)
    edges = edges_of(rng, kind, nodes, degree)
    partner = rng.permutation(nodes)
    one, two = (edges[rng.random(len(edges)) < share] for share in kept)
    graphs = matrix(one, nodes), matrix(partner[two], nodes)
    return Trial(*graphs, chosen(rng, partner, anchors), partner, {})


def main():
    told = arguments()
    words = [word.strip() for word in told.rows.split(",")]
    print("| family, degree, nodes, kept, anchors | accuracy, mean confidence, ECE, seconds of cores |")
    for kind, degree, nodes, kept, anchors in ROWS:
        name = f"{kind}, {degree}, {nodes}, {kept[0]} and {kept[1]}, {anchors}"
        if not any(word in name for word in words):
            continue
        answers = [[] for _ in told.binary]
        for seed in map(int, told.seeds.split(",")):
            trial = drawn(kind, degree, nodes, kept, anchors, seed)
            with tempfile.TemporaryDirectory() as folder:
                files = written(folder, trial)
                for found, binary in zip(answers, told.binary):
                    found.append(asked(binary, files, told.options, trial))
        print(f"| {name} | {' | '.join(map(cell, answers))} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
