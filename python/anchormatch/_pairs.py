"""Pairs of nodes: anchors and truths, in whatever form the user has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._graph import Graph
from ._numbers import FloatArray, IndexArray, is_missing, passed

__all__ = ["Alone", "anchor_arrays", "truth_pairs"]

#: Source and target nodes without a partner.
Alone = tuple[list[int], list[int]]

_EXPECTED = "pairs (source, target) or (source, target, weight), a dictionary, an array or a Series"


def anchor_arrays(
    anchors: Any, source: Graph, target: Graph
) -> tuple[tuple[IndexArray, IndexArray, FloatArray], Alone]:
    """Node numbers and weights of anchors, and the nodes that have no partner."""
    pairs: list[tuple[int, int]] = []
    weights: list[float] = []
    alone: Alone = ([], [])
    for left, right, weight in _rows(anchors, "anchors"):
        value = 1.0 if weight is None else _weight(weight, left, right)
        if left is not None and right is not None:
            pairs.append((source.find(left, "anchors", "source"), target.find(right, "anchors", "target")))
            weights.append(value)
            continue
        if left is None and right is None:
            raise ValueError(f"anchors: found ({left!r}, {right!r}), expected one node at least")
        if value != 1.0:
            raise ValueError(
                f"anchors: ({left!r}, {right!r}) has the weight {weight!r}, expected 1 or none: that a "
                "node has no partner is certain"
            )
        if right is None:
            alone[0].append(source.find(left, "anchors", "source"))
        else:
            alone[1].append(target.find(right, "anchors", "target"))
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return (ends[:, 0].copy(), ends[:, 1].copy(), np.array(weights, dtype=np.float64)), alone


def _weight(weight: Any, left: Any, right: Any) -> float:
    try:
        return float(weight)
    except (TypeError, ValueError):
        raise TypeError(
            f"anchors: pair ({left!r}, {right!r}) has the weight {weight!r}, expected a number "
            "above 0 and at most 1"
        ) from None


def truth_pairs(truth: Any, source: Graph, target: Graph) -> list[tuple[int, int]]:
    """Node numbers of the right pairs.

    A one-dimensional array has the number of the partner of each source node, −1 for none; in the other
    forms ``None`` stands for no partner.
    """
    if isinstance(truth, np.ndarray) and truth.ndim == 1 and truth.dtype.kind in "iu":
        if len(truth) != source.n_nodes:
            raise ValueError(
                f"truth: found {len(truth)} partners, expected one, or -1 for none, for each of the "
                f"{source.n_nodes} source nodes"
            )
        outside = truth[truth >= target.n_nodes]
        if len(outside):
            raise ValueError(f"truth: found {outside[0]}, expected numbers below {target.n_nodes}")
        return [(k, int(partner)) for k, partner in enumerate(truth) if partner >= 0]
    partner: dict[int, int] = {}
    for left, right, _ in _rows(truth, "truth"):
        if (left is None) != (right is None):
            continue
        i, a = source.find(left, "truth", "source"), target.find(right, "truth", "target")
        if partner.setdefault(i, a) != a:
            other = target.ids[partner[i]]
            raise ValueError(f"truth: {left!r} has two partners, {other!r} and {right!r}")
    return list(partner.items())


def _rows(pairs: Any, name: str) -> Iterable[tuple[Any, Any, Any]]:
    """Source, target and weight (or ``None``) of every pair."""
    if pairs is None:
        return []
    if isinstance(pairs, Mapping):
        return [(left, right, None) for left, right in pairs.items()]
    pandas = passed("pandas")
    if pandas is not None and isinstance(pairs, pandas.Series):
        return [(left, _partner(right), None) for left, right in pairs.items()]
    if pandas is not None and isinstance(pairs, pandas.DataFrame):
        columns = pairs.columns.tolist()
        if {"source", "target"} <= set(columns):
            columns = ["source", "target"] + (["weight"] if "weight" in columns else [])
        if len(columns) not in (2, 3):
            raise ValueError(
                f"{name}: found a table with the columns {columns}, expected source, target[, weight]"
            )
        values = [pairs[column].tolist() for column in columns]
        weights = values[2] if len(values) == 3 else [None] * len(pairs)
        return [
            # Who has no partner has no weight either.
            (left, right, None if None in (left, right) and is_missing(weight) else weight)
            for left, right, weight in zip(map(_partner, values[0]), map(_partner, values[1]), weights)
        ]
    if isinstance(pairs, np.ndarray):
        if pairs.size == 0:
            return []
        if pairs.ndim != 2 or pairs.shape[1] not in (2, 3):
            shape = "×".join(map(str, pairs.shape))
            raise ValueError(f"{name}: found an array of {shape} entries, expected one of k×2 or k×3")
        return [_row(row, name) for row in pairs.tolist()]
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise TypeError(f"{name}: found an object of type {type(pairs).__name__}, expected {_EXPECTED}")
    return [_row(row, name) for row in pairs]


def _partner(node: Any) -> Any:
    """A node of a pandas table, which has other words for ``None``."""
    return None if is_missing(node) else node


def _row(row: Any, name: str) -> tuple[Any, Any, Any]:
    try:
        size = 0 if isinstance(row, (str, bytes)) else len(row)
    except TypeError:
        size = 0
    if size == 2:
        return row[0], row[1], None
    if size == 3 and name == "anchors":
        return row[0], row[1], row[2]
    expected = _EXPECTED if name == "anchors" else "pairs (source, target)"
    raise ValueError(f"{name}: found {row!r}, expected {expected}")
