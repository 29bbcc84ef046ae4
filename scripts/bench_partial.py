"""Sparse graphs of which each side has nodes that the other one has not: recall, precision, calibration error and time.

    cargo build -p anchormatch-cli
    python scripts/bench_partial.py [--rows WORD,..] [--seeds 11,12] [--binary PATH ..]

Needs numpy and scipy. Of one graph both sides have the common nodes and as many of their own as stand beside them, and of the edges
among these a share; graphs are made by `trust_families.py`, apart from the generators of this project. Every pair is matched twice: with
`--allow-unmatched` for recall and precision, and without it for the share of the common nodes that is matched right, the mean confidence and
the calibration error of all pairs. Several binaries are asked the same questions in one run; seconds are those of all cores, reading
included, of the second match.
"""

import argparse
import sys
import tempfile

import numpy as np
from bench_clustered import BINARY, asked, cell, written
from trust_families import copies

#: Kind, degree, common nodes, nodes of each side's own, share of the edges, anchors.
ROWS = [
    ("uniform", 10, 4000, 0, 0.6, 40),
    ("uniform", 20, 2400, 1600, 0.9, 50),
    ("uniform", 16, 3000, 1000, 0.7, 80),
    ("attachment", 10, 4000, 0, 0.7, 80),
    ("attachment", 14, 2600, 1400, 0.9, 60),
    ("clustered", 10, 4000, 0, 0.7, 80),
    ("clustered", 12, 3200, 800, 0.85, 100),
    ("Kronecker", 16, 2500, 500, 0.9, 60),
    ("forest fire", 8, 3000, 1000, 0.95, 100),
    ("blocks", 20, 2200, 800, 0.8, 60),
    ("geometric", 16, 2400, 600, 0.95, 100),
    ("small world", 10, 2400, 600, 0.9, 100),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="words of rows to run (default: all)")
    parser.add_argument("--seeds", default="11,12", help="one pair for each (default: 11,12)")
    parser.add_argument("--binary", nargs="+", default=[BINARY])
    return parser.parse_args()


def main():
    told = arguments()
    words = [word.strip() for word in told.rows.split(",")]
    what = "recall, precision; accuracy, mean confidence, ECE, seconds of cores"
    print(f"| family, degree, common + own nodes, kept, anchors | {what} |")
    for kind, degree, shared, own, kept, anchors in ROWS:
        name = f"{kind}, {degree}, {shared} + {own}, {kept}, {anchors}"
        if not any(word in name for word in words):
            continue
        surer, whole = ([[] for _ in told.binary] for _ in range(2))
        for seed in told.seeds.split(","):
            trial = copies(kind, shared, degree, kept, anchors, extra=own)(np.random.default_rng(int(seed)))
            with tempfile.TemporaryDirectory() as folder:
                files = written(folder, trial)
                for k, binary in enumerate(told.binary):
                    surer[k].append(asked(binary, files, ["--allow-unmatched"], trial))
                    whole[k].append(asked(binary, files, [], trial))
        cells = []
        for some, all_of_them in zip(surer, whole):
            right = np.concatenate([answer[1] for answer in some])
            recall = right.sum() / sum(answer[2] for answer in some)
            cells.append(f"{recall:.3f}, {right.mean():.3f}; {cell(all_of_them)}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
