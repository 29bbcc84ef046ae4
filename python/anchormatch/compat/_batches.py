"""Linear programs by the batch: assignments, and rows and columns that are normalised in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._numbers import FloatArray, IndexArray, float_array
from .._resources import Limits

__all__ = ["assign", "balance", "batch_of", "scores_alone", "sizes"]

#: The logarithm of what an entry of a dummy row is.
_DUMMY = -100.0

#: A linear assignment takes less memory than the arrays around it.
_LIMITS = Limits()


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


def assign(
    scores: FloatArray, n1: IndexArray, n2: IndexArray, alone: tuple[FloatArray, FloatArray] | None = None
) -> FloatArray:
    """The best assignment of each problem."""
    result = np.zeros(scores.shape)
    for number, (rows, cols) in enumerate(zip(n1, n2, strict=True)):
        block = scores[number, :rows, :cols]
        if alone is not None:
            # A pair counts for what it has over the two staying alone, and only when that is something.
            block = block - alone[0][number, :rows, None] - alone[1][number, None, :cols]
            gains = np.where(block > 0, block, 0.0)
        else:
            gains = _finite(block)
        columns = _native.linear_assignment(np.ascontiguousarray(gains), True, _LIMITS)[0]
        matched = np.flatnonzero(columns >= 0)
        chosen = columns[matched]
        if alone is not None:
            worth = block[matched, chosen] > 0
            matched, chosen = matched[worth], chosen[worth]
        elif np.isneginf(block[matched, chosen]).any():
            raise ValueError(
                "s: found so many entries of -inf that not all nodes of the smaller side can be matched"
            )
        result[number, matched, chosen] = 1.0
    return result


def balance(
    scores: FloatArray,
    n1: IndexArray,
    n2: IndexArray,
    sweeps: int,
    alone: tuple[FloatArray, FloatArray] | None = None,
    dummy_row: bool = False,
) -> FloatArray:
    """exp(scores) with rows and columns normalised in turn, zero beyond n1 and n2."""
    result = np.zeros(scores.shape)
    wide = scores.shape[1] <= scores.shape[2]
    # Problems of one size are done together.
    for rows, cols in {(int(rows), int(cols)) for rows, cols in zip(n1, n2, strict=True)}:
        which = np.flatnonzero((n1 == rows) & (n2 == cols))
        if rows == 0 or cols == 0:
            continue
        # Rows are the shorter side; of equal ones, what the shape of the batch makes it.
        turn = cols < rows or (cols == rows and not wide)
        logs = scores[which, :rows, :cols]
        sides = None if alone is None else (alone[0][which], alone[1][which])
        if turn:
            logs = logs.transpose(0, 2, 1)
            sides = None if sides is None else (sides[1], sides[0])
        if sides is not None:
            # Dummy rows take what stands in the padding, as far as the arrays of the batch go.
            sides = (sides[0][:, : min(scores.shape[1:])], sides[1][:, : max(rows, cols)])
        balanced = np.exp(_normalised(logs, sweeps, sides, dummy_row))
        result[which, :rows, :cols] = balanced.transpose(0, 2, 1) if turn else balanced
    return result


def _finite(block: FloatArray) -> FloatArray:
    """Scores with −∞ replaced by so little that it is never taken where it can be avoided."""
    forbidden = np.isneginf(block)
    if not forbidden.any():
        return block
    allowed = block[~forbidden]
    low, high = (float(allowed.min()), float(allowed.max())) if allowed.size else (0.0, 0.0)
    return np.where(forbidden, low - (high - low + 1.0) * (min(block.shape) + 1), block)


def _normalised(
    logs: FloatArray, sweeps: int, alone: tuple[FloatArray, FloatArray] | None, dummy_row: bool
) -> FloatArray:
    """The logarithms of balanced matrices with no more rows than columns."""
    batch, rows, cols = logs.shape
    square = cols if dummy_row else rows
    extra = 0 if alone is None else 1
    table = np.full((batch, square + extra, cols + extra), -np.inf)
    table[:, :rows, :cols] = logs
    table[:, rows:square, :cols] = _DUMMY
    if alone is not None:
        known = min(square, alone[0].shape[1])
        table[:, :known, cols] = alone[0][:, :known]
        table[:, square, :cols] = alone[1]
    # Who stays alone is not bound to sum to 1.
    bound_rows, bound_cols = table[:, :square, :], table[:, :, :cols]
    for sweep in range(sweeps):
        if sweep % 2 == 0:
            bound_rows -= _log_sums(bound_rows, 2)
        else:
            bound_cols -= _log_sums(bound_cols, 1)
    return table[:, :rows, :cols]


def _log_sums(logs: FloatArray, axis: int) -> FloatArray:
    """Log Σ exp over an axis; 0 where there is nothing to sum."""
    highest = logs.max(axis=axis, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        sums: FloatArray = np.log(np.exp(logs - highest).sum(axis=axis, keepdims=True))
    return np.where(np.isfinite(sums), sums + highest, 0.0)
