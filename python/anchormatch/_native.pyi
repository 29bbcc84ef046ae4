"""The compiled part of anchormatch."""

from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

from ._resources import Limits

_Floats: TypeAlias = npt.NDArray[np.float64]
_Indices: TypeAlias = npt.NDArray[np.int64]
_Compressed: TypeAlias = tuple[_Indices, _Indices, _Floats]
_Side: TypeAlias = tuple[str, Graph, _Floats | None]
_Made: TypeAlias = tuple[_Floats, _Floats, _Indices, _Floats | None, _Floats | None, list[str]]

__all__ = [
    "Graph",
    "Problem",
    "__version__",
    "block_model",
    "drawing",
    "fixed_points",
    "frank_wolfe",
    "heat_kernel",
    "house",
    "linear_assignment",
    "match_graphs",
    "matchers",
    "power_iteration",
    "random_anchors",
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
        matrix: _Floats | _Compressed, labels: list[str] | None, duplicates: str, limits: Limits
    ) -> Graph: ...
    @staticmethod
    def from_edges(
        nodes: int,
        ends: tuple[_Indices, _Indices],
        weights: _Floats,
        labels: list[str] | None,
        duplicates: str,
    ) -> Graph: ...
    @staticmethod
    def from_points(points: _Floats, labels: list[str] | None, limits: Limits) -> Graph: ...
    @property
    def nodes(self) -> int: ...
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

def match_graphs(
    source: Graph,
    target: Graph,
    anchors: tuple[_Indices, _Indices, _Floats],
    node_similarity: _Floats | None,
    preset: str,
    settings: dict[str, Any],
    limits: Limits,
) -> dict[str, Any]: ...
def matchers() -> list[tuple[str, str, dict[str, Any], list[str]]]: ...
def suggest(record: dict[str, Any], count: int, limits: Limits) -> list[tuple[int, float]]: ...
def report(
    title: str,
    run_name: str,
    sides: tuple[_Side, _Side],
    record: dict[str, Any],
    truth: list[tuple[int, int]] | None,
) -> str: ...
def drawing(sides: tuple[_Side, _Side], record: dict[str, Any]) -> dict[str, tuple[_Floats, _Indices]]: ...
def hints() -> list[tuple[str, str | None]]: ...
def solvers() -> list[tuple[str, str, str, str, str, dict[str, Any]]]: ...
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
def frank_wolfe(
    a: _Floats,
    b: _Floats,
    linear: _Floats | None,
    fixed: tuple[_Indices, _Indices],
    free: tuple[_Indices, _Indices],
    start: _Floats,
    maximize: bool,
    max_iterations: int,
    tolerance: float,
) -> tuple[_Floats, _Indices, int, bool]: ...
def power_iteration(matrices: _Floats, start: _Floats, max_iterations: int, still: float) -> _Floats: ...
def fixed_points(
    matrices: _Floats,
    start: _Floats,
    shape: tuple[int, int],
    sizes: list[tuple[int, int]],
    max_iterations: int,
    same: float,
) -> _Floats | None: ...
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
