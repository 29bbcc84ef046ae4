"""Tasks of the expansion, and of the counts that the model is fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._native import (
    blocks_classes,
    blocks_count_source,
    blocks_count_target,
    blocks_looks,
    blocks_missed,
    blocks_samples,
    blocks_sums,
    blocks_touched,
)
from ._exchange import Reader, Ref
from ._halo import ask, degrees_of, gathered_rows, lists_of, offsets_of, settled_or_closed, values_of
from ._views import NONE, arrays_of

Held = dict[str, Any]

__all__ = ["begin", "count", "cross", "judge", "looks", "rumours", "settle", "tentative"]


def begin(reader: Reader, common: Held, side: int, block: Held, first: Held, ghosts: list[Ref]) -> Held:
    """The state of a block whose nodes have these partners."""
    nodes = len(block["offsets"]) - 1
    (ghost,) = values_of(reader, ghosts, common["size"], block["ghosts"], ("partner",))
    return _state(
        common,
        side,
        block,
        first["partner"],
        ghost,
        None,
        np.full(nodes, NONE),
        np.zeros(nodes, np.float32),
        None,
    )


def _state(
    common: Held,
    side: int,
    block: Held,
    partner: Any,
    ghost: Any,
    lists: Any,
    best: Any,
    posterior: Any,
    touched: Any,
) -> Held:
    arrays = arrays_of(block)
    settled = blocks_sums(arrays, (ghost != NONE).astype(np.float32))
    is_open = partner == NONE
    if touched is None:
        touched = settled > 0
        soft = common["soft"][side].astype(np.int64) - block["begin"]
        touched[soft[(soft >= 0) & (soft < len(partner))]] = True
    touched = touched & is_open & ~block["alone"]
    missing = common["missing"][side]
    return {
        "begin": block["begin"],
        "partner": partner,
        "ghost": ghost,
        "lists": lists,
        "best": best,
        "posterior": posterior,
        "own_settled": settled,
        "settled": settled_or_closed(settled, is_open & ~block["alone"]),
        "degree": block["degree"],
        "touched": np.flatnonzero(touched).astype(np.uint32),
        "head": {
            "missed": blocks_missed(settled, is_open, missing),
            "matched": int(np.count_nonzero(~is_open)),
            "touched": int(np.count_nonzero(touched)),
        },
    }


def judge(
    reader: Reader, common: Held, side: int, block: Held, state: Held, rows: list[Ref], others: float
) -> Held:
    """The best partners of the nodes that were touched."""
    best, posterior = state["best"].copy(), state["posterior"].copy()
    nodes = state["touched"]
    if len(nodes):
        lengths, columns, values = ask(
            reader,
            common,
            side,
            block,
            nodes,
            state["ghost"],
            state["lists"],
            state["own_settled"],
            (rows, "open_rows"),
            rows,
            others,
            "best",
        )
        best[nodes], posterior[nodes] = NONE, 0.0
        hit = nodes[lengths > 0]
        best[hit], posterior[hit] = columns, values
    return {"begin": block["begin"], "partner": state["partner"], "best": best, "posterior": posterior}


def cross(reader: Reader, common: Held, judged: Held, others: list[Ref], bounds: list[float]) -> Held:
    """How sure pairs are that find each other the best, and nodes whose best partner is taken."""
    best, posterior = judged["best"], judged["posterior"]
    open_nodes = np.flatnonzero((judged["partner"] == NONE) & (best != NONE))
    order = np.argsort(best[open_nodes], kind="stable")
    nodes = open_nodes[order]
    fields = ("best", "posterior", "partner")
    back, sure, taken = values_of(reader, others, common["size"], best[nodes], fields)
    level = np.full(len(best), -1, dtype=np.float32)
    stale = np.zeros(len(best), dtype=bool)
    if len(nodes):
        mutual = (back == nodes + judged["begin"]) & (taken == NONE)
        level[nodes[mutual]] = np.minimum(posterior[nodes], sure)[mutual]
        stale[nodes[taken != NONE]] = True
    counts = [int(np.count_nonzero(level >= np.float32(bound))) for bound in bounds]
    head = {"counts": counts, "stale": int(np.count_nonzero(stale))}
    return {**judged, "level": level, "stale": stale, "head": head}


def settle(
    reader: Reader,
    common: Held,
    side: int,
    block: Held,
    state: Held,
    crossed: Held,
    all_crossed: list[Ref],
    bound: float | None,
    which: str,
) -> Held:
    """The state after pairs above a bound were settled, or with the stale nodes (or none) touched."""
    partner, ghost = state["partner"], state["ghost"]
    if bound is None:
        touched = crossed["stale"] if which == "stale" else np.zeros(len(partner), dtype=bool)
    else:
        partner, ghost = partner.copy(), ghost.copy()
        mine = crossed["level"] >= np.float32(bound)
        partner[mine] = crossed["best"][mine]
        new = np.zeros(len(ghost), dtype=bool)
        # One owner after the other: no more than one block's pairs are held at a time.
        for ref in all_crossed:
            ((nodes, partners),) = reader.read([(ref, "new", (bound,))])
            places = np.searchsorted(block["ghosts"], nodes)
            inside = np.minimum(places, max(len(ghost) - 1, 0))
            hit = block["ghosts"][inside] == nodes if len(ghost) else np.zeros(len(nodes), dtype=bool)
            ghost[places[hit]] = partners[hit]
            new[places[hit]] = True
        touched = blocks_touched(arrays_of(block), new)
    return _state(
        common, side, block, partner, ghost, state["lists"], crossed["best"], crossed["posterior"], touched
    )


def tentative(
    reader: Reader, common: Held, side: int, block: Held, state: Held, rows: list[Ref], others: float
) -> Held:
    """The likeliest partners of all open nodes."""
    nodes = np.flatnonzero((state["partner"] == NONE) & ~block["alone"]).astype(np.uint32)
    lengths, columns, values = ask(
        reader,
        common,
        side,
        block,
        nodes,
        state["ghost"],
        None,
        state["own_settled"],
        (rows, "open_rows"),
        rows,
        others,
        "likeliest",
    )
    full = np.zeros(len(state["partner"]), dtype=np.int64)
    full[nodes] = lengths
    return {"begin": block["begin"], "own_lists": (offsets_of(full), columns, values)}


def rumours(reader: Reader, common: Held, side: int, block: Held, state: Held, lists: list[Ref]) -> Held:
    """The state in which the ghosts' candidates are known, and all open nodes are touched."""
    ghost_lists = lists_of(reader, lists, common["size"], block["ghosts"], "own_lists", 0.0)
    touched = np.ones(len(state["partner"]), dtype=bool)
    fields = (state["partner"], state["ghost"], ghost_lists, state["best"], state["posterior"])
    return _state(common, side, block, *fields, touched)


def count(
    reader: Reader,
    common: Held,
    side: int,
    block: Held,
    own: Held,
    ghosts: list[Ref],
    other_blocks: list[Ref],
    least: float,
) -> Held:
    """The counts of the pairs that are at least so sure, in parts, and samples for the closeness of
    rivals.
    """
    size = common["size"]
    partner, ghost = own["partner"], own.get("ghost")
    if least > 0 or ghost is None:
        partner = _sure(own["partner"], own.get("share"), least)
        fields = ("partner",) if least <= 0 else ("partner", "share")
        found = values_of(reader, ghosts, size, block["ghosts"], fields)
        ghost = _sure(found[0], found[1] if least > 0 else None, least)
    arrays = arrays_of(block)
    if side == 1:
        return {"head": {"counts": blocks_count_target(arrays, partner, ghost)}}
    matched = partner[partner != NONE]
    reached = np.unique(matched)
    lengths, columns, weights, _ = gathered_rows(reader, other_blocks, size, reached, "rows")
    rows = (lengths, columns, weights if block["weights"] is not None else None)
    counts, parts = blocks_count_source(common["setting"], arrays, partner, ghost, reached, rows)
    degrees = degrees_of(reader, other_blocks, size, reached)
    classes = blocks_classes(block["degree"][partner != NONE]).astype(np.int64) * 256
    classes += blocks_classes(degrees[np.searchsorted(reached, matched)])
    kinds, often = np.unique(classes, return_counts=True)
    samples = blocks_samples(arrays, block["begin"], common["nodes"][0], partner, ghost)
    head = {
        "counts": counts,
        "common": parts,
        "classes": (kinds, often),
        "pairs": len(matched),
        "looks": looks(reader, common, samples, other_blocks),
    }
    return {"head": head}


def _sure(partner: Any, share: Any, least: float) -> Any:
    if share is None or least <= 0:
        return partner
    return np.where(share >= least, partner, NONE).astype(np.uint32)


def looks(reader: Reader, common: Held, samples: Any, blocks: list[Ref]) -> Any:
    """What is found for samples."""
    size = common["size"]
    reached = np.unique(samples.reshape(-1, 3)[:, 1:])
    lengths, columns, _, degrees = gathered_rows(reader, blocks, size, reached, "rows")
    seen = np.unique(columns)
    seen_degrees = degrees_of(reader, blocks, size, seen)
    none = np.empty(0, dtype=np.float32)
    halo = (
        reached,
        degrees,
        offsets_of(lengths),
        columns,
        None,
        seen,
        seen_degrees,
        none,
        np.empty(0, dtype=bool),
    )
    return blocks_looks(common["setting"], samples, halo)
