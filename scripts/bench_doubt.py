"""Sparse graphs at the edge of what can be found, and graphs that have nothing to do with each other: are confidences right?

    cargo build -p anchormatch-cli
    python scripts/bench_doubt.py [--rows WORD,..] [--seeds 11,12] [--binary PATH ..] [--strangers]

Needs numpy and scipy. Two samples of the edges of one graph with so few anchors, or of so few edges, that some matches fail; with
`--strangers` the second side is of another graph of the same kind, and anchors are drawn at random. Graphs are made by
`trust_families.py`, apart from the generators of this project. Several binaries are asked the same questions in one run; seconds are
those of all cores, reading included.
"""

import argparse
import sys
import tempfile

import numpy as np
from bench_clustered import BINARY, asked, cell, written
from trust_families import Trial, copies

#: Kind, degree, nodes, share of the edges, anchors.
ROWS = [
    ("Kronecker", 30, 600, 0.5, 12),
    ("Kronecker", 20, 700, 0.6, 10),
    ("clustered", 10, 600, 0.6, 8),
    ("attachment", 10, 700, 0.55, 20),
    ("uniform", 8, 500, 0.55, 20),
    ("uniform", 8, 1000, 0.6, 50),
    ("blocks", 16, 600, 0.5, 15),
    ("forest fire", 8, 600, 0.5, 10),
    ("duplicated", 6, 600, 0.8, 8),
    ("geometric", 12, 500, 0.7, 5),
    ("small world", 8, 500, 0.8, 4),
    ("planar", 6, 500, 0.8, 5),
    ("space", 12, 500, 0.7, 4),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="words of rows to run (default: all)")
    parser.add_argument("--seeds", default="11,12", help="one pair for each (default: 11,12)")
    parser.add_argument("--binary", nargs="+", default=[BINARY])
    parser.add_argument("--strangers", action="store_true", help="graphs that have nothing to do with each other")
    return parser.parse_args()


def estranged(trial, other, rng):
    """The source of one trial beside the target of another; nothing that is found is right."""
    nodes = min(trial.source.shape[0], other.target.shape[0])
    count = len(trial.anchors)
    anchors = np.stack([rng.permutation(nodes)[:count] for _ in range(2)], axis=1)
    return Trial(trial.source, other.target, anchors, np.full(trial.source.shape[0], -1), {})


def told(answers):
    """Of strangers the mean confidence and the largest of any pair of graphs, and seconds."""
    means = [answer[0].mean() for answer in answers]
    return f"{np.mean(means):.3f}, {max(means):.3f}, {np.mean([answer[3] for answer in answers]):.1f}"


def main():
    options = arguments()
    words = [word.strip() for word in options.rows.split(",")]
    what = "mean confidence, largest mean" if options.strangers else "accuracy, mean confidence, ECE"
    print(f"| family, degree, nodes, kept, anchors | {what}, seconds of cores |")
    for kind, degree, nodes, kept, anchors in ROWS:
        name = f"{kind}, {degree}, {nodes}, {kept}, {anchors}"
        if not any(word in name for word in words):
            continue
        answers = [[] for _ in options.binary]
        for seed in map(int, options.seeds.split(",")):
            draw = copies(kind, nodes, degree, kept, anchors)
            trial = draw(np.random.default_rng(seed))
            if options.strangers:
                trial = estranged(trial, draw(np.random.default_rng(seed + 1000)), np.random.default_rng(seed + 5))
            with tempfile.TemporaryDirectory() as folder:
                files = written(folder, trial)
                for found, binary in zip(answers, options.binary):
                    found.append(asked(binary, files, [], trial))
        cells = map(told if options.strangers else cell, answers)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
