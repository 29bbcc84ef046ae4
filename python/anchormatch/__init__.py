"""Match the nodes of two weighted graphs when a few correspondences ("anchors") are already known.

>>> import anchormatch as am
>>> made = am.generate.house((0, 0), (5, 0))
>>> m = am.match(am.points(made.source_points), am.points(made.target_points), made.anchors(2))
>>> m.accuracy(made.truth) > 0.9
True

Graphs are NumPy arrays, SciPy sparse matrices, graphs of networkx, igraph or rustworkx, tables or
lists of edges, ``am.points(xy)``, or files; ids come back as they went in. ``m.pairs``, ``m.mapping`` and
``m.confidence`` hold the result, ``m.plot()`` and ``m.to_html(path)`` show it.
"""

from __future__ import annotations

from . import compat, generate
from ._graph import Graph
from ._inputs import graph
from ._many import Failure, Matchings, PairError, match_iter, match_many
from ._match import match
from ._matching import AnchorCheck, Matching, Suggestion
from ._native import __version__
from ._points import Points, points
from ._presets import Best, Fast, Paper
from ._read import read
from ._solve import Problem, Solution, SolverInfo, read_problems, solve, solvers
from ._spectral import LinearAssignment, heat_kernel, linear_assignment, signature, sinkhorn
from ._studio import Studio

__all__ = [
    "AnchorCheck",
    "Best",
    "Failure",
    "Fast",
    "Graph",
    "LinearAssignment",
    "Matching",
    "Matchings",
    "PairError",
    "Paper",
    "Points",
    "Problem",
    "Solution",
    "SolverInfo",
    "Studio",
    "Suggestion",
    "__version__",
    "compat",
    "generate",
    "graph",
    "heat_kernel",
    "linear_assignment",
    "match",
    "match_iter",
    "match_many",
    "points",
    "read",
    "read_problems",
    "signature",
    "sinkhorn",
    "solve",
    "solvers",
]
