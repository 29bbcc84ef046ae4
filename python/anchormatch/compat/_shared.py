"""What the drop-in functions share: pairs of nodes, random starts, batches of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._numbers import FloatArray, IndexArray, float_array

__all__ = ["balanced_random", "batch_of", "free_nodes", "has_repeats", "scores_alone", "sizes"]


def free_nodes(nodes: int, seeds: IndexArray) -> tuple[IndexArray, IndexArray]:
    """The nodes of either side that no pair holds, ascending."""
    free = np.ones((2, nodes), dtype=bool)
    free[0, seeds[:, 0]] = False
    free[1, seeds[:, 1]] = False
    return np.flatnonzero(free[0]), np.flatnonzero(free[1])


def has_repeats(pairs: IndexArray) -> bool:
    """Whether a node of either side is in two pairs."""
    return any(len(set(side)) < len(side) for side in pairs.T.tolist())


def balanced_random(rng: Any, size: int) -> FloatArray:
    """A random matrix whose rows and columns sum to 1 within a thousandth."""
    return _native.doubly_stochastic(rng.uniform(size=(size, size)))


def batch_of(
    values: Any, name: str, backend: str | None, keep_integers: bool = False
) -> tuple[FloatArray, bool, np.dtype[Any]]:
    """A batch of matrices, whether it was given as one, and the type that results have."""
    if backend not in (None, "numpy"):
        raise ValueError(f"backend: found {backend!r}, expected None or 'numpy'")
    dimensions = np.ndim(values)
    if dimensions not in (2, 3):
        raise ValueError(
            f"the input argument {name} is expected to be 2-dimensional or 3-dimensional, got "
            f"{name}:{dimensions}dims!"
        )
    array = float_array(values, name, dimensions)
    kind = np.asarray(values).dtype
    if kind.kind != "f" and not (keep_integers and kind.kind in "iu"):
        kind = np.dtype(np.float64)
    return (array if dimensions == 3 else array[None]), dimensions == 3, kind


def sizes(n: Any, batch: int, most: int, name: str) -> IndexArray:
    """The size of each problem, all ``most`` when none are given."""
    if n is None:
        return np.full(batch, most, dtype=np.int64)
    if type(n) is int and 0 <= n <= most:
        return np.full(batch, n, dtype=np.int64)
    array = np.atleast_1d(np.asarray(n))
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise TypeError(f"{name}: found {n!r}, expected an integer for each problem")
    if len(array) == 1:
        array = np.repeat(array, batch)
    if len(array) != batch:
        raise ValueError(f"{name}: found {len(array)} numbers, expected {batch}, one for each problem")
    if (array < 0).any() or (array > most).any():
        raise ValueError(f"{name}: found {array.tolist()}, expected numbers from 0 to {most}")
    return array.astype(np.int64, copy=False)


def scores_alone(
    unmatch1: Any, unmatch2: Any, shape: tuple[int, ...]
) -> tuple[FloatArray, FloatArray] | None:
    """The scores of staying alone, of both sides or of none."""
    if unmatch1 is None and unmatch2 is None:
        return None
    if unmatch1 is None or unmatch2 is None:
        raise ValueError("The arguments unmatch1 and unmatch2 must be specified together.")
    sides = []
    for name, values, nodes in (("unmatch1", unmatch1, shape[1]), ("unmatch2", unmatch2, shape[2])):
        array = float_array(values, name, np.ndim(values))
        array = array[None] if array.ndim == 1 else array
        if array.shape != (shape[0], nodes):
            raise ValueError(f"{name}: found {array.shape}, expected {(shape[0], nodes)}")
        sides.append(array)
    return sides[0], sides[1]
