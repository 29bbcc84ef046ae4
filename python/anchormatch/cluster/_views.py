"""What a block answers when another one asks: slices, values of nodes, rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._native import blocks_lists, blocks_rows
from ._ids import place

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
    begin = 0 if low is None else place(ids, low)
    end = len(ids) if high is None else place(ids, high)
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
    return held["degree"][nodes]


def _rows(held: Held, nodes: Any) -> Any:
    return (*blocks_rows(arrays_of(held), nodes, None), _degrees(held, nodes))


def _open_rows(held: Held, nodes: Any) -> Any:
    """Rows without the neighbours that have partners."""
    return (*blocks_rows(arrays_of(held), nodes, held["ghost"]), _degrees(held, nodes))


def _new(held: Held, bound: float) -> Any:
    """Pairs that are settled at a bound: the nodes and their partners."""
    nodes = np.flatnonzero(held["level"] >= np.float32(bound))
    return (nodes + held["begin"]).astype(np.uint32), held["best"][nodes]


def _lists(held: Held, field: str, nodes: Any, least: float) -> Any:
    """Lists of nodes, with the entries that are at least so likely: lengths, nodes, values."""
    return blocks_lists(held[field], nodes, least)


def _entries(held: Held, field: str, low: int, high: int) -> Any:
    """Entries of lists whose node is within two bounds: rows, nodes, values."""
    offsets, columns, values = held[field]
    rows = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))
    keep = (columns >= low) & (columns < high)
    return (rows[keep] + np.uint32(held["begin"])), columns[keep], values[keep]


def _wanted(held: Held, low: int, high: int) -> Any:
    """The same of lists that have places among the nodes they want."""
    offsets, local, values = held["lists"]
    begin, end = np.searchsorted(held["wanted"], np.array([low, high], dtype=np.int64))
    rows = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))
    keep = (local >= begin) & (local < end)
    return (rows[keep] + np.uint32(held["begin"])), held["wanted"][local[keep]], values[keep]


def _chosen(held: Held, low: int, high: int) -> Any:
    """Nodes within two bounds that were chosen in the last round."""
    columns = held["chosen_columns"]
    return columns[(columns >= low) & (columns < high)]


def _partners(held: Held, low: int, high: int) -> Any:
    """Pairs whose partner is within two bounds: nodes, partners, probabilities."""
    partner = held["partner"]
    rows = np.flatnonzero((partner >= low) & (partner < high))
    return (rows + held["begin"]).astype(np.uint32), partner[rows], held["share"][rows]


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
    "wanted": _wanted,
    "chosen": _chosen,
    "partners": _partners,
    "whole": _whole,
    "ranked": _ranked,
}
