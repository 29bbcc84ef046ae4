"""The balancing where it takes more than one sweep: only of columns that several rows want.

A column that one row lists has no price after the first sweep, and never gets one. What is left is
most often small
enough for one worker, which then sweeps alone; the numbers are those of sweeps over all blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._native import blocks_duals
from ._exchange import Reader, Ref
from ._halo import offsets_of, values_of

__all__ = ["contested", "involved", "sweep", "take_duals"]

Held = dict[str, Any]


def contested(reader: Reader, turned: Held) -> Held:
    """Which columns several rows want."""
    flags = np.diff(turned["lists"][0]) > 1
    return {"contested": flags, "head": int(np.count_nonzero(flags))}


def involved(reader: Reader, common: Held, lists: Held, columns: list[Ref]) -> Held:
    """The rows that want such columns, whole."""
    flags, duals = values_of(reader, columns, common["size"], lists["wanted"], ("contested", "duals"))
    offsets, local, values = lists["lists"]
    count = len(offsets) - 1
    each = np.repeat(np.arange(count), np.diff(offsets))
    mine = np.zeros(count, dtype=bool)
    mine[each[flags[local].astype(bool)]] = True
    keep = mine[each]
    wanted = lists["wanted"][local[keep]]
    rows = np.flatnonzero(mine)
    return {
        "row": np.diff(offsets)[rows],
        "column": wanted,
        "value": values[keep],
        "rest": lists["rest"][rows],
        "flag": flags[local[keep]].astype(bool),
        "dual": duals[local[keep]].astype(np.float64),
        "head": len(wanted),
    }


def sweep(reader: Reader, parts: list[Ref], most: int, still: float) -> Held:
    """The duals of contested columns, after so many sweeps at most."""
    fields = ("row", "column", "value", "rest", "flag", "dual")
    found = reader.read([(ref, "whole", (fields,)) for ref in parts])
    lengths, column, value, rest, flag, dual = (
        np.concatenate([part[k] for part in found]) for k in range(6)
    )
    ids, first, where = np.unique(column, return_index=True, return_inverse=True)
    local: Any = where.astype(np.uint32).reshape(-1)
    duals, flags = dual[first], flag[first]
    rows = (offsets_of(lengths), local, value)
    # The contested columns, with their rows in order.
    each = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    order = np.argsort(local, kind="stable")
    order = order[flags[local[order]]]
    numbers = np.cumsum(flags) - 1
    turned = (
        offsets_of(np.bincount(numbers[local[order]], minlength=int(flags.sum()))),
        each[order],
        value[order],
    )
    for _ in range(most):
        new = blocks_duals(turned, blocks_duals(rows, duals, rest), None)
        moved = np.max(np.abs(new - duals[flags]), initial=0.0)
        duals[flags] = new
        if moved < still:
            break
    return {"columns": ids[flags], "duals": duals[flags]}


def take_duals(reader: Reader, block: Held, column: Held, solved: list[Ref]) -> Held:
    """The duals of a block's columns with those that were found."""
    ((columns, found),) = reader.read([(solved[0], "whole", (("columns", "duals"),))])
    duals = column["duals"].copy()
    at = columns.astype(np.int64) - block["begin"]
    mine = (at >= 0) & (at < len(duals))
    duals[at[mine]] = found[mine]
    return {"duals": duals}
