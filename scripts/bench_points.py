"""Points in two images: `best` beside ICP, coherent point drift and RANSAC, on the same trials, in one run.

    pip install . && pip install -r scripts/peers.txt
    python scripts/bench_points.py [--rows NAME,..] [--methods NAME,..] [--trials N] [--seed N] [--data DIR]
    python scripts/bench_points.py --tune [--trials N] [--seed N] [--data DIR]

Made here by NumPy, in 640 x 480 pixels: 30 points that both images have, 10 and 25 that one has alone,
1.5 pixels of noise, 3 anchors; turned by 30 degrees and scaled by 1.3, sheared, mirrored, in perspective,
a solid of depth 400 seen from afar and turned by 20 and 45 degrees, bent by 30 pixels. The house of
`am.generate.house`, 51 points on both sides, 2 anchors. From --data: the Hotel sequence 50 and 90 frames
apart with 2 and 3 anchors, whole and with 25 of the 30 points on each side (there are 51 and 11 pairs of
such frames; the anchors differ); Willow's ducks and wine bottles, five random pairs of images of a class
in every trial, 3 anchors.

Everyone knows the anchors and whether points may stay alone; only where they may are pairs refused.

- `best`: `am.match(am.points(a), am.points(b), anchors)`, defaults; nothing is told of the row.
- `icp`: the map is fitted to the anchors, then, forty times, to the one-to-one assignment of least total
  distance within a gate that shrinks. It is told the row's family.
- `cpd-rigid`, `cpd-affine`: pycpd, from where the anchors' map puts the source; these classes take no
  pairs.
- `cpd-priors`: pycpd's DeformableRegistration with the correspondence priors of Golyanik, Taetz, Reis and
  Stricker (WACV 2016), from there too. pycpd's own class of them, ConstrainedDeformableRegistration, is
  not in its release on the registry (2.0.0); they are two terms of its linear system, added below.
- `ransac`: skimage.measure.ransac over putative pairs: each free point with its nearest few under the
  anchors' map. The anchors join every sample. It is told the family: the class of the map, or
  FundamentalMatrixTransform where that did better. Where points may stay alone, a map is then
  fitted again to its one-to-one pairs, three times; with epipolar lines the assignment weighs the residual
  and the distance under the anchors' map. Where no sample finds a consensus, the anchors' map decides.

The peers end with a one-to-one assignment of what they leave over. They are told which row is a mirror
image, and in Willow take the reflection that suits the anchors better.

The settings of the peers are FIRST and SETTINGS, by kind of row: a peer knows in what kind of row it is.
They are in units of the target's spread (the root of the mean square distance from the mean, about 230
pixels where the image has 640 x 480), and were chosen from GRIDS, one after the other, twice round, by
the mean F1 of the kind's rows:

    python scripts/bench_points.py --tune --seed 1000 --trials 12 --data DIR
    python scripts/bench_points.py --tune --seed 1000 --trials 4 --data DIR --methods ransac

The second is for RANSAC in solid, bent, house, Hotel and Willow, whose calls are slow or many; its gate
came first in bent and Hotel, and after the threshold elsewhere. Other draws than those reported, but the
same house, and in part the same images of Hotel and Willow. The rest are the peers' defaults, but for the
tolerance of pycpd (1e-7 in place of 1e-3, with at most 150 iterations) and the samples of RANSAC
(SAMPLES).

Prints recall / precision over the pairs that are no anchors, all trials together, and the mean seconds of
a call; a star stands at the best F1 of a row. "Sure" is the share that is right of best's pairs with a
confidence of .99 and more. A call that fails has claimed no pairs, and is counted below the table.
"""

import argparse
import csv
import importlib.metadata
import os
import sys
import time
import warnings
from collections import Counter
from typing import NamedTuple

import numpy as np
from peer_pairs import hotel_frames
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import anchormatch as am

WIDTH, HEIGHT, DEPTH = 640.0, 480.0, 400.0
COMMON, SOURCE_EXTRA, TARGET_EXTRA, NOISE = 30, 10, 25, 1.5
HOTEL_KEPT = 25
WILLOW = ("duck", "winebottle")
#: Ten points an image are few: a trial of Willow is so many pairs of images.
WILLOW_PAIRS = 5
SURE = 0.99
ICP_ROUNDS, REFITS = 40, 3
#: Far from any cost, and small enough to leave the rest its digits.
FORBIDDEN = 1e6


class Row(NamedTuple):
    """What a row asks for; `kind` is the key of SETTINGS."""

    title: str
    kind: str
    anchors: int
    extras: bool
    #: Whether the target is a mirror image; None: perhaps.
    mirrored: bool | None = False
    #: Of the motion, the house, Hotel (gap, points kept) or Willow.
    of: object = None
    data: bool = False


class Task(NamedTuple):
    source: np.ndarray
    target: np.ndarray
    anchors: np.ndarray
    #: Of every source point, -1 for none.
    partner: np.ndarray
    row: Row

    def rest(self):
        """The source points whose partners are asked for."""
        return np.setdiff1d(np.flatnonzero(self.partner >= 0), self.anchors[:, 0])


def turned(x, degrees):
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return x[:, :2] @ np.array([[cos, sin], [-sin, cos]])


def solid(x, degrees):
    angle = np.deg2rad(degrees)
    return np.column_stack([np.cos(angle) * x[:, 0] + np.sin(angle) * x[:, 2], x[:, 1]])


#: Pixels from the middle of the image, and a depth, to pixels from the middle of the other.
MOTIONS = {
    "turned": lambda x: 1.3 * turned(x, 30.0),
    "shear": lambda x: x[:, :2] @ np.array([[1.1, 0.05], [0.5, 0.8]]),
    "mirrored": lambda x: x[:, :2] * [-1.0, 1.0],
    "perspective": lambda x: turned(x, 10.0) / (1.0 + x[:, :2] @ [[6e-4], [4e-4]]),
    "solid-20": lambda x: solid(x, 20.0),
    "solid-45": lambda x: solid(x, 45.0),
    "bent": lambda x: x[:, :2] + 30.0 * np.column_stack([np.sin(x[:, 1] / 100), np.cos(x[:, 0] / 120)]),
}
#: The order is part of every draw's seed: add at the end.
ROWS = {
    "turned": Row("turned 30°, scaled 1.3", "similarity", 3, True),
    "shear": Row("affine shear", "affine", 3, True),
    "mirrored": Row("mirrored", "similarity", 3, True, True),
    "perspective": Row("perspective", "projective", 3, True),
    "solid-20": Row("solid, 20°", "solid", 3, True),
    "solid-45": Row("solid, 45°", "solid", 3, True),
    "bent": Row("bent by 30 pixels", "bent", 3, True),
    "house-25": Row("house, 25° and 10°", "house", 2, False, of=(25.0, 10.0)),
    "house-35": Row("house, 35° and 20°", "house", 2, False, of=(35.0, 20.0)),
    "house-40": Row("house, 40° and 30°", "house", 2, False, of=(40.0, 30.0)),
}
for _gap in (50, 90):
    for _count in (2, 3):
        ROWS[f"hotel-{_gap}-{_count}"] = Row(
            f"Hotel, {_gap} frames, {_count} anchors", "hotel", _count, False, of=(_gap, 30), data=True
        )
        ROWS[f"hotel-{_gap}-{_count}-lost"] = Row(
            f"Hotel, {_gap} frames, {_count} anchors, {HOTEL_KEPT} of 30",
            "hotel-lost",
            _count,
            True,
            of=(_gap, HOTEL_KEPT),
            data=True,
        )
for _class in WILLOW:
    ROWS[_class] = Row(f"Willow, {_class}", "willow", 3, False, None, of=_class, data=True)


def moved(rng, motion):
    """Both images, the common points first."""
    scene = (rng.random((COMMON + SOURCE_EXTRA + TARGET_EXTRA, 3)) - 0.5) * [WIDTH, HEIGHT, DEPTH]
    first, second = (
        image + np.array([WIDTH / 2, HEIGHT / 2]) + rng.normal(0.0, NOISE, (len(scene), 2))
        for image in (scene[:, :2], MOTIONS[motion](scene))
    )
    return first[: COMMON + SOURCE_EXTRA], np.delete(second, np.s_[COMMON : COMMON + SOURCE_EXTRA], axis=0)


def drawn(name, trial, seed, data):
    """The tasks of this row and trial; always the same for the same seed."""
    row = ROWS[name]
    rng = np.random.default_rng([seed, list(ROWS).index(name), trial])
    if row.kind == "willow":
        images = data["willow"][row.of]
        for _ in range(WILLOW_PAIRS):
            one, two = rng.choice(len(images), 2, replace=False)
            yield _task(rng, row, images[one], images[two], len(images[one]))
    elif row.kind == "house":
        made = am.generate.house((0.0, 0.0), row.of, jitter=1.0, seed=int(rng.integers(2**31)))
        order = made.truth[np.argsort(made.truth[:, 0]), 1]
        yield _task(rng, row, made.source_points, made.target_points[order], len(order))
    elif row.data:
        gap, kept = row.of
        first = trial % (len(data["hotel"]) - gap)
        source, target = data["hotel"][first], data["hotel"][first + gap]
        points = len(source)
        here, there = (rng.permutation(points) < kept for _ in range(2))
        # The common points first, then those of one side alone.
        order = [
            np.r_[np.flatnonzero(here & there), np.flatnonzero(a & ~b)]
            for a, b in ((here, there), (there, here))
        ]
        yield _task(rng, row, source[order[0]], target[order[1]], int(np.sum(here & there)))
    else:
        yield _task(rng, row, *moved(rng, name), COMMON)


def _task(rng, row, source, target, common):
    """Shuffled on both sides, with anchors among the common points."""
    orders = [rng.permutation(len(points)) for points in (source, target)]
    places = [np.argsort(order) for order in orders]
    partner = np.full(len(source), -1)
    partner[places[0][:common]] = places[1][:common]
    chosen = places[0][rng.choice(common, row.anchors, replace=False)]
    anchors = np.column_stack([chosen, partner[chosen]])
    return Task(np.asarray(source)[orders[0]], np.asarray(target)[orders[1]], anchors, partner, row)


def willow_images(folder):
    """The keypoints of every image by class, or None when the folder has none."""
    path = os.path.join(folder, "willow_duck_winebottle", "points.csv")
    if not os.path.exists(path):
        return None
    images = {}
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            points = images.setdefault(line["class"], {}).setdefault(int(line["image"]), {})
            points[int(line["point"])] = float(line["x"]), float(line["y"])
    return {
        name: [np.array([points[k] for k in sorted(points)]) for _, points in sorted(of.items())]
        for name, of in images.items()
    }


# What the peers share.


def model_class(family):
    import skimage.transform

    return {
        "similarity": skimage.transform.SimilarityTransform,
        "affine": skimage.transform.AffineTransform,
        "projective": skimage.transform.ProjectiveTransform,
        "epipolar": skimage.transform.FundamentalMatrixTransform,
    }[family]


#: Pairs that determine a member of the family (the eight-point algorithm for epipolar lines).
NEEDED = {"similarity": 2, "affine": 3, "projective": 4, "epipolar": 8}
#: Of RANSAC, at most: beside the anchors a map needs a pair or two, epipolar lines five or six.
SAMPLES = {"similarity": 150, "affine": 150, "projective": 150, "epipolar": 1000}


def fitted(family, source, target):
    """The family's map of least squares; a smaller family where the pairs are too few or lie badly."""
    families = ["similarity", "affine", "projective"]
    for name in families[families.index(family) :: -1]:
        if len(source) >= NEEDED[name]:
            found = model_class(name).from_estimate(source, target)
            if found and np.all(np.isfinite(found.params)):
                return found
    raise ValueError("no map through these pairs")


def placed(task, family):
    """Source and target in units of the target's spread, the source where the anchors' map puts it."""
    spread = np.sqrt(np.mean(np.sum((task.target - task.target.mean(axis=0)) ** 2, axis=1)))
    target = (task.target - task.target.mean(axis=0)) / spread
    source = task.source / spread
    left, right = task.anchors.T
    mirrored = {False: [1.0], True: [-1.0], None: [1.0, -1.0]}[task.row.mirrored]
    best = None
    for sign in mirrored:
        turned_over = source * [sign, 1.0]
        rough = fitted("similarity", turned_over[left], target[right])
        error = np.sum((rough(turned_over[left]) - target[right]) ** 2)
        if best is None or error < best[0]:
            best = error, turned_over
    source = best[1]
    return fitted(family, source[left], target[right])(source), target


def assigned(task, cost, gate):
    """One-to-one with the anchors; beyond the gate points stay alone, if they may."""
    cost = np.nan_to_num(cost, nan=FORBIDDEN, posinf=FORBIDDEN)
    cost = np.minimum(cost, gate if task.row.extras else FORBIDDEN)
    left, right = task.anchors.T
    cost[left, :] = cost[:, right] = 2.0 * FORBIDDEN
    cost[left, right] = -FORBIDDEN
    mapping = np.full(len(task.source), -1)
    rows, columns = linear_sum_assignment(cost)
    kept = cost[rows, columns] < (gate if task.row.extras else 2.0 * FORBIDDEN)
    mapping[rows[kept]] = columns[kept]
    return mapping


# The contenders: a mapping as an array over the source's points, -1 for none.


def best(task, _settings):
    matching = am.match(
        am.points(task.source), am.points(task.target), task.anchors, allow_unmatched=task.row.extras
    )
    mapping = np.full(len(task.source), -1)
    sure = np.zeros(len(task.source), dtype=bool)
    for (i, a), confidence in zip(matching.pairs, matching.confidence):
        mapping[i], sure[i] = a, confidence >= SURE
    return mapping, sure


def icp(task, settings):
    source, target = placed(task, settings["start"])
    moved_source, gate = source, settings["widest"]
    for _ in range(ICP_ROUNDS):
        # The gate holds for the fit even where every point has a partner.
        near = assigned(
            task._replace(row=task.row._replace(extras=True)), cdist(moved_source, target), gate
        )
        pairs = np.flatnonzero(near >= 0)
        family = settings["family"] if len(pairs) >= NEEDED[settings["family"]] + 2 else settings["start"]
        moved_source = fitted(family, source[pairs], target[near[pairs]])(source)
        gate = max(settings["gate"], 0.9 * gate)
    return assigned(task, cdist(moved_source, target), settings["gate"])


def drift(name):
    def run(task, settings):
        source, target = placed(task, settings["start"])
        given = {
            "X": target,
            "Y": source,
            "sigma2": settings["sigma"] ** 2,
            "w": settings["w"],
            # Of the objective or of the variance; the default, 1e-3, is for clouds of pixels.
            "tolerance": 1e-7,
            "max_iterations": 150,
        }
        if name == "priors":
            given |= {key: settings[key] for key in ("alpha", "beta")}
            registration = with_priors()(task.anchors, settings["reliability"], **given)
        else:
            import pycpd

            registration = {"rigid": pycpd.RigidRegistration, "affine": pycpd.AffineRegistration}[name](
                **given
            )
        found, _ = registration.register()
        return assigned(task, cdist(found, target), settings["gate"])

    return run


def with_priors():
    import pycpd

    class Priors(pycpd.DeformableRegistration):
        """Known pairs draw with the weight sigma^2 / reliability beside those of the expectation."""

        def __init__(self, pairs, reliability, **given):
            super().__init__(**given)
            self.pairs, self.reliability = pairs, reliability

        def update_transform(self):
            left, right = self.pairs.T
            pull = self.sigma2 / self.reliability
            weight, aim = self.P1.copy(), self.P @ self.X
            weight[left] += pull
            aim[left] += pull * self.X[right]
            system = weight[:, None] * self.G + self.alpha * self.sigma2 * np.eye(self.M)
            self.W = np.linalg.solve(system, aim - weight[:, None] * self.Y)

    return Priors


def ransac(task, settings):
    from skimage.measure import ransac as consensus

    family = settings["family"]
    source, target = placed(task, settings["start"])
    left, right = task.anchors.T
    known = source[left], target[right]
    distance = cdist(source, target)
    free = distance.copy()
    free[left, :] = free[:, right] = np.inf
    nearest = np.argsort(free, axis=1)[:, : settings["candidates"]]
    putative = np.zeros(free.shape, dtype=bool)
    np.put_along_axis(putative, nearest, True, axis=1)
    putative &= np.isfinite(free)
    i, a = np.nonzero(putative)

    class Anchored(model_class(family)):
        """Every estimate sees the anchors."""

        @classmethod
        def from_estimate(cls, one, two):
            return model_class(family).from_estimate(np.vstack([one, known[0]]), np.vstack([two, known[1]]))

    model, inliers = consensus(
        (source[i], target[a]),
        Anchored,
        min_samples=max(1, NEEDED[family] - len(left)) + settings["more"],
        residual_threshold=settings["threshold"],
        max_trials=SAMPLES[family],
        stop_probability=0.999,
        rng=0,
    )
    if model is None or not np.any(inliers):
        return assigned(task, distance, settings["gate"])
    if family == "epipolar":
        cost = np.full(free.shape, FORBIDDEN)
        cost[i, a] = np.abs(model.residuals(source[i], target[a])) + settings["nearness"] * distance[i, a]
        return assigned(task, cost, settings["gate"])
    mapping = assigned(task, cdist(model(source), target), settings["gate"])
    # Without a gate the pairs hold too many that are wrong.
    for _ in range(REFITS if task.row.extras else 0):
        pairs = np.flatnonzero(mapping >= 0)
        if len(pairs) > NEEDED[family] + 2:
            model = fitted(family, source[pairs], target[mapping[pairs]])
        mapping = assigned(task, cdist(model(source), target), settings["gate"])
    return mapping


METHODS = {
    "best": best,
    "icp": icp,
    "cpd-rigid": drift("rigid"),
    "cpd-affine": drift("affine"),
    "cpd-priors": drift("priors"),
    "ransac": ransac,
}
MAPS = ["similarity", "affine", "projective"]
GATES = [0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.25]
_DRIFT = {
    "start": MAPS[:2],
    "sigma": [0.01, 0.03, 0.1, 0.3, 1.0],
    "w": [0.05, 0.2, 0.4, 0.6],
    "gate": GATES,
}
#: What --tune chooses from.
GRIDS = {
    "icp": {"family": MAPS, "start": MAPS[:2], "widest": [0.1, 0.2, 0.3, 0.5, 0.8], "gate": GATES},
    "cpd-rigid": _DRIFT,
    "cpd-affine": _DRIFT,
    "cpd-priors": {
        **_DRIFT,
        "alpha": [0.1, 0.5, 2.0, 10.0],
        "beta": [0.3, 0.7, 1.5, 3.0],
        "reliability": [1e-8, 1e-4, 1e-2],
    },
    "ransac": {
        # Before the family, since epipolar lines leave less over than a map does.
        "gate": GATES,
        "family": [*MAPS, "epipolar"],
        "start": MAPS[:2],
        "candidates": [1, 2, 3, 6],
        "threshold": [0.01, 0.02, 0.04, 0.08],
        "more": [0, 1],
        "nearness": [0.01, 0.1, 0.3],
    },
}
#: From where --tune sets out.
FIRST = {
    "icp": {"family": "affine", "start": "similarity", "widest": 0.3, "gate": 0.03},
    "cpd-rigid": {"start": "similarity", "sigma": 0.1, "w": 0.2, "gate": 0.045},
    "cpd-affine": {"start": "similarity", "sigma": 0.1, "w": 0.2, "gate": 0.045},
    "cpd-priors": {
        "start": "similarity",
        "sigma": 0.1,
        "w": 0.2,
        "gate": 0.045,
        "alpha": 2.0,
        "beta": 1.5,
        "reliability": 1e-4,
    },
    "ransac": {
        "family": "affine",
        "start": "similarity",
        "candidates": 3,
        "threshold": 0.02,
        "more": 0,
        "gate": 0.03,
        "nearness": 0.1,
    },
}
#: What --tune chose, where it is not FIRST (and, for `family`, the kind's own), by kind of row.
SETTINGS = {
    "icp": {
        "affine": {"start": "affine"},
        "projective": {"widest": 0.8},
        "solid": {"widest": 0.8, "gate": 0.25},
        "bent": {"family": "projective", "widest": 0.8, "gate": 0.15},
        "house": {"start": "affine", "widest": 0.8, "gate": 0.02},
        "hotel": {"family": "similarity", "widest": 0.8, "gate": 0.1},
        "hotel-lost": {"family": "projective", "widest": 0.8, "gate": 0.25},
    },
    "cpd-rigid": {
        "similarity": {"sigma": 0.01},
        "affine": {"start": "affine", "sigma": 0.01, "w": 0.4, "gate": 0.07},
        "projective": {"sigma": 0.03, "w": 0.6, "gate": 0.15},
        "solid": {"sigma": 0.01, "w": 0.6, "gate": 0.25},
        "bent": {"sigma": 0.3, "w": 0.4, "gate": 0.25},
        "house": {"sigma": 1.0, "w": 0.05},
        "hotel": {"w": 0.6},
        "hotel-lost": {"sigma": 0.3, "gate": 0.25},
        "willow": {"w": 0.05},
    },
    "cpd-affine": {
        "similarity": {"sigma": 0.01},
        "affine": {"start": "affine", "sigma": 0.01},
        "projective": {"sigma": 0.03, "w": 0.6, "gate": 0.15},
        "solid": {"w": 0.6, "gate": 0.25},
        "bent": {"w": 0.6, "gate": 0.15},
        "house": {"sigma": 1.0, "w": 0.6},
        "hotel": {"sigma": 0.03, "w": 0.05},
        "hotel-lost": {"sigma": 0.3, "gate": 0.25},
        "willow": {"w": 0.05},
    },
    "cpd-priors": {
        "similarity": {"sigma": 0.01, "alpha": 10.0, "beta": 0.3},
        "affine": {"start": "affine", "sigma": 0.01, "beta": 3.0},
        "projective": {"sigma": 0.3, "w": 0.6, "alpha": 10.0},
        "solid": {"sigma": 0.03, "w": 0.6, "gate": 0.25, "alpha": 0.5, "beta": 0.3, "reliability": 0.01},
        "bent": {"sigma": 1.0, "w": 0.6, "gate": 0.1},
        "house": {"sigma": 1.0, "w": 0.4, "alpha": 0.5},
        "hotel": {"sigma": 1.0, "w": 0.6},
        "hotel-lost": {"sigma": 1.0, "gate": 0.1},
        "willow": {"sigma": 0.01, "w": 0.05},
    },
    "ransac": {
        "affine": {"start": "affine"},
        "projective": {"candidates": 2, "threshold": 0.08, "more": 1, "gate": 0.045},
        "solid": {"family": "epipolar", "candidates": 2, "gate": 0.1},
        "bent": {"threshold": 0.01, "gate": 0.25},
        "house": {"candidates": 2, "threshold": 0.08},
        "hotel": {"threshold": 0.04},
        "hotel-lost": {"family": "similarity", "gate": 0.25},
        "willow": {"family": "similarity", "candidates": 1},
    },
}


class Tally:
    """What a contender did in a row, over all trials."""

    def __init__(self):
        self.asked = self.claimed = self.right = self.calls = 0
        self.sure = [0, 0]
        self.seconds = 0.0
        self.errors = Counter()

    def add(self, task, run, settings):
        clock = time.perf_counter()
        try:
            answer = run(task, settings)
        # Whatever a peer raises is part of what it does.
        except Exception as error:
            self.errors[f"{type(error).__name__}: {error}"] += 1
            answer = np.full(len(task.source), -1)
        self.seconds += time.perf_counter() - clock
        self.calls += 1
        mapping, sure = answer if isinstance(answer, tuple) else (answer, None)
        claims = mapping >= 0
        claims[task.anchors[:, 0]] = False
        right = claims & (mapping == task.partner)
        self.asked += len(task.rest())
        self.claimed += int(claims.sum())
        self.right += int(right.sum())
        if sure is not None:
            self.sure[0] += int((right & sure).sum())
            self.sure[1] += int((claims & sure).sum())

    @property
    def f1(self):
        return 2.0 * self.right / max(1, self.asked + self.claimed)

    @property
    def recall(self):
        return self.right / max(1, self.asked)

    @property
    def precision(self):
        return self.right / max(1, self.claimed)

    def ahead_of(self, other):
        return self.recall > other.recall and self.precision > other.precision


def settings_of(method, kind, chosen=SETTINGS):
    settings = dict(FIRST.get(method, {}))
    if "family" in settings and kind in MAPS:
        settings["family"] = kind
    return {**settings, **chosen.get(method, {}).get(kind, {})}


def measured(name, method, settings, trials, seed, data):
    tally = Tally()
    for trial in range(trials):
        for task in drawn(name, trial, seed, data):
            tally.add(task, METHODS[method], settings)
    return tally


def tune(options, rows, data):
    """Prints SETTINGS: what differs from FIRST, by method and kind of row."""
    for method in options.methods:
        if method not in GRIDS:
            continue
        print(f'    "{method}": {{', flush=True)
        for kind in dict.fromkeys(ROWS[name].kind for name in rows):
            names = [name for name in rows if ROWS[name].kind == kind]
            trials = max(1, options.trials // len(names))

            def score(settings, names=names, method=method, trials=trials):
                tallies = [measured(name, method, settings, trials, options.seed, data) for name in names]
                return np.mean([tally.f1 for tally in tallies])

            chosen = settings_of(method, kind, {})
            most = score(chosen)
            for _ in range(2):
                before = chosen
                for key, values in GRIDS[method].items():
                    # Settings of the other branch change nothing.
                    if key == "nearness" and chosen["family"] != "epipolar":
                        continue
                    for value in values:
                        if value == chosen[key] or most > 0.995:
                            continue
                        reached = score({**chosen, key: value})
                        # Half a hundredth is less than the trials can tell.
                        if reached > most + 0.005:
                            most, chosen = reached, {**chosen, key: value}
                            print(f"{method}, {kind}: F1 {most:.3f}, {chosen}", file=sys.stderr)
                if chosen == before:
                    break
            first = settings_of(method, kind, {})
            changed = {key: value for key, value in chosen.items() if value != first[key]}
            print(f'        "{kind}": {changed},  # F1 {most:.3f}'.replace("'", '"'), flush=True)
        print("    },", flush=True)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default=",".join(ROWS), help="names, separated by commas")
    parser.add_argument("--methods", default=",".join(METHODS), help="names, separated by commas")
    parser.add_argument(
        "--trials", type=int, default=20, help="of each row; with --tune of each kind of row"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default=os.environ.get("ANCHORMATCH_DATA", ""))
    parser.add_argument(
        "--tune", action="store_true", help="choose the settings of the peers, and print them"
    )
    options = parser.parse_args()
    for given, known in (("rows", list(ROWS)), ("methods", list(METHODS))):
        names = getattr(options, given).split(",")
        unknown = [name for name in names if name not in known]
        if unknown:
            parser.error(f"--{given}: {', '.join(unknown)}: expected some of {', '.join(known)}")
        setattr(options, given, names)
    if options.trials < 1:
        parser.error("--trials: expected at least 1")
    return options


def number(share):
    return f"{share:.3f}".removeprefix("0")


def show(rows, methods, tallies):
    """The table, where `best` is behind, and what failed."""
    head = ["", *(f"`{method}`" for method in methods)]
    if "best" in methods:
        head.insert(head.index("`best`") + 1, "sure")
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for name in rows:
        most = max(round(tallies[name, method].f1, 3) for method in methods)
        line = [ROWS[name].title]
        for method in methods:
            tally = tallies[name, method]
            star = "*" if round(tally.f1, 3) == most else ""
            figures = f"{number(tally.recall)} / {number(tally.precision)}"
            line.append(f"{figures}{star}, {tally.seconds / tally.calls:.3f} s")
            if method == "best":
                right, of = tally.sure
                line.append(f"{number(right / of)} of {of}" if of else "–")
        print("| " + " | ".join(line) + " |")
    if "best" in methods:
        behind = [
            f"{ROWS[name].title} ({', '.join(ahead)})"
            for name in rows
            if (ahead := [m for m in methods if tallies[name, m].ahead_of(tallies[name, "best"])])
        ]
        print(f"\nAhead of `best` in recall and precision: {'; '.join(behind) or 'none'}.")
    failed = [
        f"`{method}` in {ROWS[name].title}: {count} of {tallies[name, method].calls} ({error})"
        for method in methods
        for name in rows
        for error, count in tallies[name, method].errors.items()
    ]
    print(f"\nCalls that failed, counted as no pairs: {'; '.join(failed) or 'none'}.")


def main():
    options = arguments()
    # Some peers warn of their own syntax, or of an iteration that did not converge.
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    data = {"hotel": hotel_frames(options.data), "willow": willow_images(options.data)}
    rows = [
        name
        for name in options.rows
        if not ROWS[name].data or data[ROWS[name].kind.split("-")[0]] is not None
    ]
    left_out = [ROWS[name].title for name in options.rows if name not in rows]
    if options.tune:
        tune(options, rows, data)
        return
    packages = ["anchormatch", "pycpd", "scikit-image", "scipy", "numpy"]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    print(f"{options.trials} trials, seed {options.seed}; {versions}.\n")
    tallies = {
        (name, method): measured(
            name, method, settings_of(method, ROWS[name].kind), options.trials, options.seed, data
        )
        for name in rows
        for method in options.methods
    }
    if rows:
        show(rows, options.methods, tallies)
    if left_out:
        print(f"\nNo data (give --data DIR), left out: {'; '.join(left_out)}.")


if __name__ == "__main__":
    main()
