"""The compiled part of anchormatch."""

from collections.abc import Callable
from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

from ._resources import Limits

_Floats: TypeAlias = npt.NDArray[np.float64]
_Indices: TypeAlias = npt.NDArray[np.int64]
_Compressed: TypeAlias = tuple[_Indices, _Indices, _Floats]
_Side: TypeAlias = tuple[str, Graph, _Floats | None, bool, tuple[str, bytes] | None]
_Panel: TypeAlias = tuple[_Floats, _Indices, list[float] | None]
_Sides: TypeAlias = tuple[_Indices, _Indices]
_Affinities: TypeAlias = tuple[_Floats, _Floats, tuple[int, int], list[tuple[int, int]]]
_Scores: TypeAlias = tuple[_Floats, list[tuple[int, int]], tuple[_Floats, _Floats] | None]
_Kinds: TypeAlias = tuple[list[str], _Indices, _Indices, _Indices, _Floats]
_Made: TypeAlias = tuple[_Floats, _Floats, _Indices, _Floats | None, _Floats | None, list[str]]

__all__ = [
    "Graph",
    "LayeredProgram",
    "Problem",
    "__version__",
    "assigned",
    "block_model",
    "doubly_stochastic",
    "drawing",
    "fixed_points",
    "heat_kernel",
    "hints",
    "house",
    "leading_vectors",
    "linear_assignment",
    "match_graphs",
    "matchers",
    "normalised",
    "random_anchors",
    "random_walks",
    "read_graph",
    "read_nodes",
    "read_problems",
    "report",
    "signature",
    "sinkhorn",
    "solvers",
    "suggest",
    "synthetic",
]
__version__: str

@final
class Graph:
    @staticmethod
    def from_matrix(
        matrix: _Floats | _Compressed,
        labels: list[str] | None,
        duplicates: str,
        directed: bool,
        limits: Limits,
    ) -> Graph: ...
    @staticmethod
    def from_edges(
        nodes: int,
        ends: tuple[_Indices, _Indices],
        weights: _Floats,
        labels: list[str] | None,
        duplicates: str,
        directed: bool,
    ) -> Graph: ...
    @staticmethod
    def with_kinds(
        nodes: int,
        ends: tuple[_Indices, _Indices],
        weights: _Floats,
        kinds: list[str],
        labels: list[str] | None,
        duplicates: str,
        directed: bool,
    ) -> tuple[Graph, _Kinds]: ...
    @staticmethod
    def from_points(points: _Floats, labels: list[str] | None, limits: Limits) -> Graph: ...
    @staticmethod
    def of_points(points: _Floats, labels: list[str] | None) -> Graph: ...
    @property
    def nodes(self) -> int: ...
    @property
    def directed(self) -> bool: ...
    @property
    def edges(self) -> int: ...
    def edge_arrays(self) -> tuple[_Indices, _Indices, _Floats]: ...
    def adjacency(self, limits: Limits) -> _Floats: ...
    def cleaning(self) -> tuple[int, int, int]: ...

@final
class Problem:
    @staticmethod
    def product(
        a: _Floats | _Compressed,
        b: _Floats | _Compressed,
        linear: _Floats | None,
        seeds: list[tuple[int, int]],
        maximize: bool,
        limits: Limits,
    ) -> Problem: ...
    @staticmethod
    def explicit(
        matrix: _Floats,
        shape: tuple[int, int],
        columns_first: bool,
        linear: _Floats | None,
        maximize: bool,
        limits: Limits,
    ) -> Problem: ...
    @staticmethod
    def sparse(
        matrix: _Compressed,
        shape: tuple[int, int],
        columns_first: bool,
        linear: _Floats | None,
        maximize: bool,
        limits: Limits,
    ) -> Problem: ...
    @property
    def name(self) -> str | None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def maximize(self) -> bool: ...
    @property
    def partial(self) -> bool: ...
    def free(self) -> tuple[_Indices, _Indices]: ...
    def objective(self, assignment: _Indices) -> float: ...
    def solve(
        self,
        solver: str,
        solver_options: dict[str, Any] | None,
        soft: _Floats | None,
        assignment: _Indices | None,
        seed: int,
        limits: Limits,
    ) -> dict[str, Any]: ...

@final
class LayeredProgram:
    def __new__(
        cls,
        layers: list[tuple[Any, Any, Any, Any]],
        linear: _Floats | None,
        fixed: _Sides,
        free: _Sides,
    ) -> LayeredProgram: ...
    def value(self, columns: _Indices) -> float: ...
    def climb(
        self,
        start: _Floats,
        maximize: bool,
        max_iterations: int,
        tolerance: float,
        *,
        as_scipy: bool = False,
        transport: tuple[float, float, int] | None = None,
        order: Callable[[], _Indices] | None = None,
        watch: Callable[[int, float], None] | None = None,
    ) -> tuple[_Floats, _Indices, int, bool, float | None]: ...

def match_graphs(
    source: Graph,
    target: Graph,
    anchors: tuple[_Indices, _Indices, _Floats],
    node_similarity: _Floats | None,
    known: dict[str, Any],
    points: tuple[_Floats, _Floats] | None,
    preset: str,
    settings: dict[str, Any],
    limits: Limits,
) -> dict[str, Any]: ...
def read_graph(path: str, reading: dict[str, Any], limits: Limits) -> dict[str, Any]: ...
def read_nodes(path: str) -> tuple[list[str], list[tuple[str, list[str | None]]]]: ...
def matchers() -> list[tuple[str, str, dict[str, Any], list[str]]]: ...
def suggest(record: dict[str, Any], count: int, limits: Limits) -> list[tuple[int, float]]: ...
def report(
    title: str,
    run_name: str,
    sides: tuple[_Side, _Side],
    record: dict[str, Any],
    truth: list[tuple[int, int]] | None,
) -> str: ...
def drawing(sides: tuple[_Side, _Side], record: dict[str, Any]) -> dict[str, _Panel]: ...
def hints() -> list[tuple[str, str | None]]: ...
def solvers() -> list[tuple[str, str, str, str, str, str, dict[str, Any]]]: ...
def read_problems(path: str, limits: Limits) -> list[Problem]: ...
def signature(
    graph: Graph,
    kind: str,
    times: list[float] | None,
    count: int,
    anchors: list[int],
    limits: Limits,
) -> tuple[_Floats, _Floats]: ...
def heat_kernel(
    graph: Graph, time: float | None, tau: float, columns: list[int] | None, limits: Limits
) -> _Floats: ...
def linear_assignment(
    costs: _Floats, maximize: bool, limits: Limits
) -> tuple[_Indices, float, _Floats, _Floats]: ...
def doubly_stochastic(entries: _Floats) -> _Floats: ...
def leading_vectors(affinities: _Affinities, max_iterations: int) -> _Floats: ...
def random_walks(
    affinities: _Affinities, max_iterations: int, sweeps: int, alpha: float, beta: float
) -> _Floats: ...
def fixed_points(affinities: _Affinities, max_iterations: int) -> _Floats: ...
def normalised(scores: _Scores, sweeps: int, dummy_rows: bool) -> _Floats: ...
def assigned(scores: _Scores) -> _Floats: ...
def sinkhorn(
    matrix: _Floats, tolerance: float, max_sweeps: int, limits: Limits
) -> tuple[_Floats, int, float]: ...
def synthetic(
    inliers: int,
    source_outliers: int,
    target_outliers: int,
    density: float,
    noise: float,
    noisy_outliers: bool,
    seed: int,
    limits: Limits,
) -> _Made: ...
def block_model(
    sizes: list[int], probabilities: _Floats, correlation: float, seed: int, limits: Limits
) -> _Made: ...
def house(
    from_view: tuple[float, float], to_view: tuple[float, float], jitter: float, seed: int, limits: Limits
) -> _Made: ...
def random_anchors(pairs: int, count: int, seed: int) -> list[int]: ...
