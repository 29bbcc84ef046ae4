"""The pairs of point sets that `best` and its peers are compared on; `bench_points.py` describes them."""

import csv
import os
from typing import NamedTuple

import numpy as np

import anchormatch as am

WIDTH, HEIGHT, DEPTH = 640.0, 480.0, 400.0
COMMON, SOURCE_EXTRA, TARGET_EXTRA, NOISE = 30, 10, 25, 1.5
HOTEL_KEPT = 25
WILLOW = ("duck", "winebottle")
#: Ten points an image are few: a trial of Willow is so many pairs of images.
WILLOW_PAIRS = 5


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
