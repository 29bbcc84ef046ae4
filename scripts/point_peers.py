"""`best` and its peers for points, with their settings; `bench_points.py` says how these were chosen."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import anchormatch as am

SURE = 0.99
ICP_ROUNDS, REFITS = 40, 3
#: Far from any cost, and small enough to leave the rest its digits.
FORBIDDEN = 1e6


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
