"""The pairs of graphs on which `best` and its peers are compared; made by NumPy, not by this project.

Synthetic pairs follow Cho, Lee and Lee (ECCV 2010): weights U[0, 1] kept with probability rho, noise
N(0, sigma^2) on the target's edges, outliers with edges of their own on both sides. Block models have three
blocks of 100 nodes, 0/1 weights, and edges of a given correlation. Hotel pairs are complete graphs on
distances. A large sparse graph has 2 000 nodes of mean degree 10, and the target has lost a twentieth of
its edges. The target is shuffled, the anchors are random.
"""

import csv
import os
from typing import NamedTuple

import numpy as np

# name: (inliers, outliers, density, noise)
SYNTHETIC = {
    "sigma-0.1": (20, 0, 1.0, 0.1),
    "sigma-0.2": (20, 0, 1.0, 0.2),
    "sigma-0.3": (20, 0, 1.0, 0.3),
    "sigma-0.4": (20, 0, 1.0, 0.4),
    "sigma-0.5": (20, 0, 1.0, 0.5),
    "out-6": (20, 6, 1.0, 0.0),
    "out-10": (20, 10, 1.0, 0.0),
    "rho-0.3": (20, 0, 0.3, 0.25),
    "rho-0.9": (20, 0, 0.9, 0.25),
    "n-50": (50, 0, 1.0, 0.3),
    "n-100": (100, 0, 1.0, 0.3),
}
# name: (correlation, anchors)
BLOCKS = {
    "sbm-0.6-2": (0.6, 2),
    "sbm-0.3-5": (0.3, 5),
    "sbm-0.3-10": (0.3, 10),
    "sbm-0.3-15": (0.3, 15),
}
# name: frames between the two
HOTEL = {f"hotel-{gap}": gap for gap in (10, 20, 30, 40, 50, 60, 70, 80, 90)}
# name: (nodes, mean degree, share of the edges that the target has lost, anchors)
SPARSE = {"sparse-2000": (2000, 10, 0.05, 20)}
#: The order is part of every draw's seed: add at the end.
ROWS = [*SYNTHETIC, *BLOCKS, *(name for name in HOTEL if HOTEL[name] >= 50)]
ROWS += [*(name for name in HOTEL if HOTEL[name] < 50), *SPARSE]


def checked_options(parser, **known):
    """The options of a comparison: lists of names that are known, and some trials."""
    options = parser.parse_args()
    for given, names in known.items():
        chosen = getattr(options, given).split(",")
        unknown = [name for name in chosen if name not in names]
        if unknown:
            parser.error(f"--{given}: {', '.join(unknown)}: expected some of {', '.join(names)}")
        setattr(options, given, chosen)
    if options.trials < 1:
        parser.error("--trials: expected at least 1")
    return options


class Pair(NamedTuple):
    """Two graphs as dense matrices, the anchors as rows of two indices, and what is asked for."""

    source: np.ndarray
    target: np.ndarray
    anchors: np.ndarray
    #: Node i of the source is node partner[i] of the target.
    partner: np.ndarray
    #: The inliers that are no anchors.
    rest: np.ndarray

    def accuracy(self, mapping):
        """Of a mapping as an array over the source's nodes, -1 for none."""
        return float(np.mean(mapping[self.rest] == self.partner[self.rest]))


def draw(name, trial, seed, frames=None):
    """The pair of this row and trial; always the same for the same seed."""
    rng = np.random.default_rng([seed, ROWS.index(name), trial])
    if name in SYNTHETIC:
        (source, target, inliers), count = _synthetic(rng, *SYNTHETIC[name]), 2
    elif name in BLOCKS:
        correlation, count = BLOCKS[name]
        source, target, inliers = _block_model(rng, correlation)
    elif name in SPARSE:
        nodes, degree, lost, count = SPARSE[name]
        source, target, inliers = _sparse(rng, nodes, degree, lost)
    else:
        gap = HOTEL[name]
        first = trial % (101 - gap)
        source, target = _distances(frames[first]), _distances(frames[first + gap])
        inliers, count = 30, 2
    order = rng.permutation(len(target))
    partner = np.argsort(order)
    target = np.ascontiguousarray(target[np.ix_(order, order)])
    chosen = rng.choice(inliers, count, replace=False)
    anchors = np.column_stack([chosen, partner[chosen]])
    return Pair(source, target, anchors, partner, np.setdiff1d(np.arange(inliers), chosen))


def trials(name, most):
    """How many trials a row has, `most` at best: there are only so many pairs of frames."""
    return min(most, 101 - HOTEL[name]) if name in HOTEL else most


def hotel_frames(folder):
    """The points of every frame, or None when the folder has none."""
    path = os.path.join(folder, "cmu_hotel", "points.csv")
    if not os.path.exists(path):
        return None
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    frames = np.zeros((101, 30, 2))
    for row in rows:
        frames[int(row["frame"]), int(row["point"])] = float(row["x"]), float(row["y"])
    return frames


def _symmetric(rng, n, density):
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return upper + upper.T


def _synthetic(rng, inliers, outliers, density, noise):
    n = inliers + outliers
    source, target = _symmetric(rng, n, density), _symmetric(rng, n, density)
    shift = np.triu(rng.normal(0.0, noise, (inliers, inliers)), 1) if noise else 0.0
    shift = shift + shift.T if noise else 0.0
    inside = source[:inliers, :inliers]
    target[:inliers, :inliers] = np.where(inside != 0.0, inside + shift, 0.0)
    return source, target, inliers


def _block_model(rng, correlation):
    p = np.array([[0.7, 0.3, 0.4], [0.3, 0.7, 0.3], [0.4, 0.3, 0.7]])
    p = np.kron(p, np.ones((100, 100)))
    source = rng.random(p.shape) < p
    target = rng.random(p.shape) < np.where(source, p + correlation * (1 - p), p * (1 - correlation))
    upper = [np.triu(matrix, 1).astype(float) for matrix in (source, target)]
    return upper[0] + upper[0].T, upper[1] + upper[1].T, 300


def _sparse(rng, nodes, degree, lost):
    upper = np.triu(rng.random((nodes, nodes)) < degree / (nodes - 1), 1)
    kept = upper & (rng.random(upper.shape) >= lost)
    source, target = upper.astype(float), kept.astype(float)
    return source + source.T, target + target.T, nodes


def _distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)
