"""Pairs on their way to a worker and back.

A task and its outcome travel as plain bytes: a scheduler hands them on without looking inside, and arrays
arrive as they should lie in memory. What several pairs share travels once to each worker.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from ._executors import Outcome, Task, match_remote
from ._graph import Graph

__all__ = ["Packer", "Parcel", "match_parcel", "unpacked"]

#: From this size on, in bytes, a graph that several pairs share is sent by itself.
_LEAST = 1 << 16
#: Graphs that are remembered; one against many others is the common case.
_KEPT = 8


class Parcel(NamedTuple):
    """One pair, ready to be sent."""

    #: The task, without what was sent before.
    task: bytes
    #: What stands for the graphs that were sent before, by the name of their field.
    ahead: dict[str, Any]


class Packer:
    """Makes parcels; a graph that a second pair comes with is sent by itself.

    The graphs are remembered, not only their addresses, as another may come to live at the same address.
    """

    def __init__(self, dumps: Callable[[Any], bytes], send: Callable[[bytes], Any]) -> None:
        self._dumps = dumps
        self._send = send
        self._seen: OrderedDict[int, Any] = OrderedDict()
        self._sent: dict[int, Any] = {}

    def pack(self, task: Task, whole: bool = False) -> Parcel:
        """A parcel for ``task``; ``whole`` puts everything in, should what was sent be lost."""
        ahead: dict[str, Any] = {}
        for name in () if whole else ("source", "target"):
            sent = self._ahead(getattr(task, name))
            if sent is not None:
                ahead[name] = sent
        nothing: dict[str, Any] = dict.fromkeys(ahead)
        return Parcel(self._dumps(replace(task, **nothing)), ahead)

    def _ahead(self, graph: Any) -> Any:
        key = id(graph)
        if key in self._seen:
            self._seen.move_to_end(key)
            if key not in self._sent:
                self._sent[key] = self._send(self._dumps(graph))
            return self._sent[key]
        if _bytes(graph) >= _LEAST:
            self._seen[key] = graph
            if len(self._seen) > _KEPT:
                old, _ = self._seen.popitem(last=False)
                self._sent.pop(old, None)
        return None


def match_parcel(task: bytes, **ahead: bytes) -> bytes:
    """Matches the pair of a parcel, on a worker."""
    graphs = {name: pickle.loads(graph) for name, graph in ahead.items()}
    return pickle.dumps(match_remote(replace(pickle.loads(task), **graphs)))


def unpacked(answer: bytes) -> Outcome:
    """What :func:`match_parcel` answered."""
    outcome: Outcome = pickle.loads(answer)
    return outcome


def _bytes(graph: Any) -> int:
    """About how much there is to send."""
    if isinstance(graph, Graph):
        return 24 * graph.n_edges
    for owner in (graph, getattr(graph, "data", None)):
        size = getattr(owner, "nbytes", None)
        if isinstance(size, int):
            return size
    try:
        return 24 * len(graph)
    except TypeError:
        return 0
