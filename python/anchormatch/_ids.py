"""Ids of nodes, as the user gives them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from ._numbers import is_missing

__all__ = ["check_number", "checked_ids", "refuse_missing"]


def checked_ids(ids: Iterable[Hashable]) -> Sequence[Hashable]:
    if isinstance(ids, (str, bytes)):
        raise TypeError(f"ids: found {ids!r}, expected a list of ids")
    if isinstance(ids, np.ndarray) and ids.ndim != 1:
        raise TypeError(f"ids: found an array of {ids.ndim} dimensions, expected a list of ids")
    names = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
    seen: dict[Hashable, int] = {}
    for place, node in enumerate(names):
        refuse_missing(node)
        try:
            first = seen.setdefault(node, place)
        except TypeError:
            raise TypeError(f"ids: found {node!r}, expected something hashable") from None
        if first != place:
            raise ValueError(f"ids: found {node!r} twice, as node {first} and node {place}")
    return range(len(names)) if names == list(range(len(names))) else names


def check_number(ids: Sequence[Hashable], size: int) -> None:
    if len(ids) != size:
        raise ValueError(f"ids: found {len(ids)}, expected one for each of the {size} nodes")


def refuse_missing(node: Any) -> None:
    if is_missing(node):
        raise ValueError(f"graph: found {node!r} in the place of a node, expected an id")
