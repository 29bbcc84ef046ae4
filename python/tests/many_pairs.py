"""Pairs that the tests of many pairs share; also imported by the processes that they start."""

from __future__ import annotations

import os
from typing import Any

import anchormatch as am


def some_pairs(count: int, nodes: int = 12) -> list[tuple[Any, Any, Any]]:
    """Pairs that take some time and are not quite clear, so that results could differ."""
    made = [am.generate.synthetic(nodes, noise=0.3, seed=seed) for seed in range(count)]
    return [(one.source, one.target, one.anchors(2)) for one in made]


def assert_same(found: Any, expected: Any) -> None:
    """The same to the last bit, but for the time that it took."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert isinstance(one, am.Matching), one
        assert one.pairs == other.pairs and one.confidence.tobytes() == other.confidence.tobytes()
        assert one.objective == other.objective and one.iterations == other.iterations
        assert one.anchor_report == other.anchor_report and one.suggest() == other.suggest()
        assert one.source.edges() == other.source.edges() and one.target.edges() == other.target.edges()


class _Killer:
    """Anchors that end the process which reads them."""

    def __iter__(self) -> Any:
        os._exit(3)


def killer(pair: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    return pair[0], pair[1], _Killer()
