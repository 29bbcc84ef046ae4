"""What a block answers when another one asks: slices, values of nodes, rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._native import blocks_rows

__all__ = ["NONE", "VIEWS", "arrays_of"]

#: No partner.
NONE = np.uint32(0xFFFFFFFF)

Held = dict[str, Any]


def arrays_of(block: Held) -> Any:
    """A block as the kernels take it."""
    return block["offsets"], block["columns"], block["weights"], block["ghosts"], block["degrees"]


def _ids(held: Held, low: Any, high: Any) -> Any:
    """Ids within two bounds, either of which may be none."""
    ids = held["ids"]
    begin = 0 if low is None else int(np.searchsorted(ids, low))
    end = len(ids) if high is None else int(np.searchsorted(ids, high))
    return ids[begin:end]


def _ranks(held: Held, ids: Any) -> Any:
    """The places of ids, −1 for those that are not there."""
    own = held["ids"]
    if not len(own):
        return np.full(len(ids), -1, dtype=np.int64)
    places = np.searchsorted(own, ids)
    inside = np.minimum(places, len(own) - 1)
    return np.where(own[inside] == ids, places, -1).astype(np.int64)


def _slice(held: Held, field: str, begin: int, end: int) -> Any:
    return held[field][begin:end]


def _arcs(held: Held, low: int, high: int) -> Any:
    """Arcs whose first end is within two bounds, and their weights."""
    arcs = held["arcs"]
    ends = [np.uint64(low) << np.uint64(32), np.uint64(high) << np.uint64(32)]
    begin, end = (int(x) for x in np.searchsorted(arcs, np.array(ends, dtype=np.uint64)))
    weights = held["weights"]
    return arcs[begin:end], None if weights is None else weights[begin:end]


def _take(held: Held, fields: tuple[str, ...], nodes: Any) -> Any:
    """Values of nodes, by their places in the block."""
    return tuple(held[field][nodes] for field in fields)


def _degrees(held: Held, nodes: Any) -> Any:
    offsets = held["offsets"]
    return (offsets[nodes + 1] - offsets[nodes]).astype(np.uint32)


def _rows(held: Held, nodes: Any) -> Any:
    return (*blocks_rows(arrays_of(held), nodes, None), _degrees(held, nodes.astype(np.int64)))


def _open_rows(held: Held, nodes: Any) -> Any:
    """Rows without the neighbours that have partners."""
    rows = blocks_rows(arrays_of(held), nodes, held["ghost"] == NONE)
    return (*rows, _degrees(held, nodes.astype(np.int64)))


def _new(held: Held, bound: float) -> Any:
    """Pairs that are settled at a bound: the nodes and their partners."""
    nodes = np.flatnonzero(held["level"] >= np.float32(bound))
    return (nodes + held["begin"]).astype(np.uint32), held["best"][nodes]


def _lists(held: Held, field: str, nodes: Any, least: float) -> Any:
    """Lists of nodes, with the entries that are at least so likely: lengths, nodes, values."""
    offsets, columns, values = held[field]
    begins, ends = offsets[nodes], offsets[nodes + 1]
    lengths = ends - begins
    places = np.repeat(begins - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths) + np.arange(
        int(lengths.sum())
    )
    columns, values = columns[places], values[places]
    keep = values >= np.float32(least)
    rows = np.repeat(np.arange(len(nodes)), lengths)[keep]
    return np.bincount(rows, minlength=len(nodes)).astype(np.uint32), columns[keep], values[keep]


def _entries(held: Held, field: str, low: int, high: int) -> Any:
    """Entries of lists whose node is within two bounds: rows, nodes, values."""
    offsets, columns, values = held[field]
    rows = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))
    keep = (columns >= low) & (columns < high)
    return (rows[keep] + np.uint32(held["begin"])), columns[keep], values[keep]


def _whole(held: Held, fields: tuple[str, ...]) -> Any:
    return tuple(held[field] for field in fields)


def _ranked(held: Held, ranks: Any) -> Any:
    """The nodes with these ranks: places in the question, and nodes."""
    own = held["ranks"]
    order = np.argsort(own, kind="stable")
    places = np.searchsorted(own[order], ranks)
    inside = np.minimum(places, max(len(own) - 1, 0))
    if not len(own):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint32)
    found = np.flatnonzero(own[order][inside] == ranks)
    return found, held["left"][order][inside[found]]


VIEWS: dict[str, Callable[..., Any]] = {
    "ids": _ids,
    "ranks": _ranks,
    "slice": _slice,
    "arcs": _arcs,
    "take": _take,
    "degrees": _degrees,
    "rows": _rows,
    "open_rows": _open_rows,
    "new": _new,
    "lists": _lists,
    "entries": _entries,
    "whole": _whole,
    "ranked": _ranked,
}
