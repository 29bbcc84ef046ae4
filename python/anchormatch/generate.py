"""Pairs of graphs whose matching is known, made from a seed.

The nodes of the second graph are in random order, so that nothing gives the answer away. The same
arguments and seed give the same arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._numbers import FloatArray, IndexArray, float_array, whole_number
from ._resources import limits, seed_of

__all__ = ["Instance", "block_model", "house", "synthetic"]


@dataclass(frozen=True, repr=False)
class Instance:
    """Two graphs and their matching; unpacks as ``source, target, truth``."""

    #: The weights of the first graph.
    source: FloatArray
    #: The weights of the second graph.
    target: FloatArray
    #: The right pairs (source node, target node), two columns; outliers have none.
    truth: IndexArray
    #: Where the nodes lie, when they are points.
    source_points: FloatArray | None = None
    target_points: FloatArray | None = None
    #: What the source nodes are called.
    names: tuple[str, ...] = ()

    def anchors(self, count: int, seed: Any = 0) -> IndexArray:
        """Some pairs of the truth, drawn at random, to serve as anchors.

        Parameters
        ----------
        count
            How many.
        seed
            The seed of the draw.

        Returns
        -------
        numpy.ndarray
            Two columns.
        """
        chosen = _native.random_anchors(len(self.truth), whole_number("count", count), seed_of(seed))
        return self.truth[np.array(chosen, dtype=np.int64)]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.source, self.target, self.truth))

    def __repr__(self) -> str:
        return f"Instance({len(self.source)} and {len(self.target)} nodes, {len(self.truth)} pairs)"


def synthetic(
    inliers: int = 20,
    *,
    source_outliers: int = 0,
    target_outliers: int = 0,
    density: float = 1.0,
    noise: float = 0.0,
    noisy_outliers: bool = False,
    seed: Any = 0,
    max_memory: int | str | None = None,
) -> Instance:
    """Random graphs after Cho, Lee & Lee (ECCV 2010).

    Parameters
    ----------
    inliers
        Nodes that both graphs share, with their edges; weights are uniform in [0, 1].
    source_outliers, target_outliers
        Nodes without a partner.
    density
        The probability that two nodes are joined, above 0 and at most 1.
    noise
        The standard deviation of the noise on the target's weights.
    noisy_outliers
        Whether the edges at the target's outliers are perturbed too.
    seed
        The seed of everything random.
    max_memory
        The most memory to use, in bytes or as ``"4G"``.

    Returns
    -------
    Instance

    Examples
    --------
    >>> import anchormatch as am
    >>> am.generate.synthetic(20, target_outliers=5, noise=0.1, seed=7)
    Instance(20 and 25 nodes, 20 pairs)
    """
    with limits(None, None, max_memory) as resources:
        made = _native.synthetic(
            whole_number("inliers", inliers),
            whole_number("source_outliers", source_outliers),
            whole_number("target_outliers", target_outliers),
            float(density),
            float(noise),
            bool(noisy_outliers),
            seed_of(seed),
            resources,
        )
    return _instance(made)


def block_model(
    sizes: Sequence[int] = (100, 100, 100),
    probabilities: Any = ((0.7, 0.3, 0.4), (0.3, 0.7, 0.3), (0.4, 0.3, 0.7)),
    correlation: float = 0.6,
    *,
    seed: Any = 0,
    max_memory: int | str | None = None,
) -> Instance:
    """Correlated stochastic block models, without weights.

    Parameters
    ----------
    sizes
        How many nodes each block has.
    probabilities
        The probability of an edge between two blocks, a symmetric matrix.
    correlation
        The correlation between the two graphs' edges, from 0 to 1.
    seed
        The seed of everything random.
    max_memory
        The most memory to use, in bytes or as ``"4G"``.

    Returns
    -------
    Instance

    Examples
    --------
    >>> import anchormatch as am
    >>> a, b, truth = am.generate.block_model([10, 10], [[0.8, 0.2], [0.2, 0.8]], 0.9)
    >>> a.shape, b.shape, truth.shape
    ((20, 20), (20, 20), (20, 2))
    """
    blocks = [whole_number("sizes", size) for size in sizes]
    matrix = float_array(probabilities, "probabilities", 2)
    with limits(None, None, max_memory) as resources:
        return _instance(_native.block_model(blocks, matrix, float(correlation), seed_of(seed), resources))


def house(
    from_view: tuple[float, float] = (0.0, 0.0),
    to_view: tuple[float, float] = (20.0, 10.0),
    *,
    jitter: float = 1.0,
    seed: Any = 0,
) -> Instance:
    """Two views of a house with 51 named landmarks, as complete graphs on distances in the image.

    Parameters
    ----------
    from_view, to_view
        Pan and tilt of the views, in degrees; the wider the angle between them, the harder the pair.
    jitter
        The standard deviation of the noise on every coordinate, in pixels of a 640×480 image.
    seed
        The seed of everything random.

    Returns
    -------
    Instance

    Examples
    --------
    >>> import anchormatch as am
    >>> made = am.generate.house()
    >>> made.source_points.shape, made.names[18]
    ((51, 2), 'door knob')
    """
    views = []
    for name, view in (("from_view", from_view), ("to_view", to_view)):
        try:
            pan, tilt = (float(angle) for angle in view)
        except (TypeError, ValueError):
            raise TypeError(f"{name}: found {view!r}, expected two angles (pan, tilt)") from None
        views.append((pan, tilt))
    with limits() as resources:
        return _instance(_native.house(views[0], views[1], float(jitter), seed_of(seed), resources))


def _instance(made: tuple[Any, ...]) -> Instance:
    source, target, truth, source_points, target_points, names = made
    return Instance(source, target, truth, source_points, target_points, tuple(names))
