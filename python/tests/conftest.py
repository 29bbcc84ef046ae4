"""Graphs that many tests use."""

from __future__ import annotations

import sys
import types

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")


class Pair:
    """A weighted graph, a copy of it in another order, and the truth between them."""

    def __init__(self, nodes: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        upper = np.triu(rng.integers(1, 30, (nodes, nodes)) * (rng.random((nodes, nodes)) < 0.7), 1)
        self.source = (upper + upper.T).astype(float)
        order = rng.permutation(nodes)
        self.target = self.source[np.ix_(order, order)]
        #: The place of each source node in the target.
        self.partner = np.argsort(order)
        self.truth = np.column_stack([np.arange(nodes), self.partner])
        self.anchors = self.truth[:2]


@pytest.fixture(scope="session")
def pair() -> Pair:
    return Pair(10, 1)


@pytest.fixture
def notebook(monkeypatch) -> list[str]:
    """What a cell of a notebook shows, one after the other."""
    shown: list[str] = []

    class Handle:
        def update(self, what: object) -> None:
            shown.append(what.data)

    class HTML:
        def __init__(self, data: str) -> None:
            self.data = data

    class ZMQInteractiveShell:
        pass

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: ZMQInteractiveShell()
    display = types.ModuleType("IPython.display")
    display.HTML = HTML
    display.display = lambda *_, display_id: Handle()
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown
