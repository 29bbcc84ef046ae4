"""What a task gathers of other blocks before it calls a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._native import blocks_ask, blocks_part, blocks_reach
from ._exchange import Reader, Ref
from ._views import NONE, arrays_of

__all__ = [
    "CHUNK",
    "REACH",
    "Spoken",
    "ask",
    "by_owner",
    "distinct",
    "gathered_rows",
    "offsets_of",
    "part_of",
    "values_of",
]

#: Nodes of a block that are asked about at once, and nodes of the other graph whose rows that may take:
#: what bounds the memory of a task. Fewer nodes than the least are not asked about.
CHUNK, REACH, _LEAST = 1 << 15, 1 << 18, 1 << 10

#: Where lists of candidates lie, their field, and the least probability that counts.
Spoken = tuple[list[Ref], str, float]


def by_owner(nodes: Any, size: int) -> list[tuple[int, Any]]:
    """Ascending numbers of nodes cut by the blocks that own them: (block, places there)."""
    if not len(nodes):
        return []
    first, last = int(nodes[0]) // size, int(nodes[-1]) // size
    bounds = np.searchsorted(nodes, np.arange(first, last + 2, dtype=np.int64) * size)
    cut = []
    for k, block in enumerate(range(first, last + 1)):
        mine = nodes[bounds[k] : bounds[k + 1]]
        if len(mine):
            cut.append((block, (mine.astype(np.int64) - block * size).astype(np.uint32)))
    return cut


def offsets_of(lengths: Any) -> Any:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def distinct(values: Any) -> Any:
    """Numbers in ascending order, each once: ``numpy.unique`` without its table, which costs a hundred
    times as much as sorting once it is larger than a cache.
    """
    values = np.sort(values, axis=None)
    first = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return values[first]


def _joined(parts: list[Any], dtype: Any) -> Any:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)


def values_of(reader: Reader, refs: list[Ref], size: int, nodes: Any, fields: Sequence[str]) -> list[Any]:
    """Values of ascending nodes, one array a field."""
    cut = by_owner(nodes, size)
    parts = reader.read([(refs[block], "take", (tuple(fields), mine)) for block, mine in cut])
    return [_joined([part[k] for part in parts], np.uint32) for k in range(len(fields))]


def degrees_of(reader: Reader, refs: list[Ref], size: int, nodes: Any) -> Any:
    cut = by_owner(nodes, size)
    parts = reader.read([(refs[block], "degrees", (mine,)) for block, mine in cut])
    return _joined(parts, np.uint32)


def gathered_rows(reader: Reader, refs: list[Ref], size: int, nodes: Any, view: str) -> Any:
    """Lengths, neighbours, weights and degrees of ascending nodes."""
    cut = by_owner(nodes, size)
    parts = reader.read([(refs[block], view, (mine,)) for block, mine in cut])
    weights = None
    if parts and parts[0][2] is not None:
        weights = np.concatenate([part[2] for part in parts])
    lengths, columns, degrees = (_joined([part[k] for part in parts], np.uint32) for k in (0, 1, 3))
    return lengths, columns, weights, degrees


def part_of(block: dict[str, Any], nodes: Any) -> tuple[Any, Any]:
    """Some nodes of a block as a block with the ghosts that they lead to, and the places of these.

    What is done for a few nodes takes no longer in a block of many.
    """
    offsets, columns, weights, places = blocks_part(arrays_of(block), nodes)
    return (offsets, columns, weights, block["ghosts"][places], block["degrees"][places]), places


def lists_of(reader: Reader, spoken: Spoken, size: int, ghosts: Any, partners: Any) -> Any:
    """Lists of ghosts, as the kernels take them: where one has a partner, nobody looks at its list."""
    refs, field, least = spoken
    is_open = np.ones(len(ghosts), dtype=bool) if partners is None else partners == NONE
    cut = by_owner(ghosts[is_open], size)
    parts = reader.read([(refs[owner], "lists", (field, mine, least)) for owner, mine in cut])
    lengths = np.zeros(len(ghosts), dtype=np.uint32)
    lengths[is_open] = _joined([part[0] for part in parts], np.uint32)
    columns = _joined([part[1] for part in parts], np.uint32)
    return offsets_of(lengths), columns, _joined([part[2] for part in parts], np.float32)


def ask(
    reader: Reader,
    common: dict[str, Any],
    side: int,
    block: dict[str, Any],
    nodes: Any,
    partners: Any,
    spoken: Spoken | None,
    settled: Any,
    rows_from: tuple[list[Ref], str],
    nodes_from: list[Ref],
    others: float,
    question: str,
) -> Any:
    """Who could be the partners of some nodes: lengths, nodes and values."""
    size = common["size"]
    found = []
    begin, chunk = 0, CHUNK
    while begin < len(nodes):
        some = nodes[begin : begin + chunk]
        arrays, places = part_of(block, some)
        own = np.arange(len(some), dtype=np.uint32)
        known = None if partners is None else partners[places]
        lists = None if spoken is None else lists_of(reader, spoken, size, arrays[3], known)
        reached = blocks_reach(arrays, own, known, lists)
        if len(reached) > REACH and len(some) > _LEAST:
            # The nodes that follow are mostly like these: their lists are not read in vain again.
            chunk = len(some) // 2
            continue
        begin += len(some)
        if 2 * len(reached) <= REACH:
            chunk = min(2 * chunk, CHUNK)
        lengths, columns, weights, degrees = gathered_rows(
            reader, rows_from[0], size, reached, rows_from[1]
        )
        if block["weights"] is None:
            weights = None
        soft = _soft(common, side, block["begin"], some)
        seen = distinct(columns)
        if soft:
            seen = distinct(np.concatenate((seen, np.array([a for _, a, _ in soft], dtype=np.uint32))))
        state, own_degrees = values_of(reader, nodes_from, size, seen, ("settled", "degree"))
        if not len(seen):
            state = np.empty(0, dtype=np.float32)
        # Closed nodes have no number of settled neighbours.
        is_open = ~np.isnan(state)
        halo = (
            reached,
            degrees,
            offsets_of(lengths),
            columns,
            weights,
            seen,
            own_degrees,
            np.where(is_open, state, np.float32(0)).astype(np.float32),
            is_open,
        )
        soft_ones = (soft, common["most"])
        about = (side, arrays, own, known, lists, settled[some], halo, soft_ones, others)
        found.append(blocks_ask(common["setting"], *about, question))
    lengths = _joined([part[0] for part in found], np.uint32)
    columns = _joined([part[1] for part in found], np.uint32)
    return lengths, columns, _joined([part[2] for part in found], np.float32)


def _soft(common: dict[str, Any], side: int, begin: int, nodes: Any) -> list[tuple[int, int, float]]:
    """The soft anchors of some nodes: (place among them, node of the other side, nats)."""
    table = common["soft"]
    if not len(table[0]):
        return []
    own, other = (table[0], table[1]) if side == 0 else (table[1], table[0])
    places = np.searchsorted(nodes, own.astype(np.int64) - begin)
    inside = np.minimum(places, max(len(nodes) - 1, 0))
    hit = (nodes[inside].astype(np.int64) + begin == own) if len(nodes) else np.zeros(len(own), dtype=bool)
    return [(int(places[k]), int(other[k]), float(table[2][k])) for k in np.flatnonzero(hit)]


def settled_or_closed(settled: Any, is_open: Any) -> Any:
    """The settled neighbours of nodes that can be chosen, NaN of the others."""
    return np.where(is_open, settled, np.float32(np.nan)).astype(np.float32)
