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
_U8: TypeAlias = npt.NDArray[np.uint8]
_U32: TypeAlias = npt.NDArray[np.uint32]
_F32: TypeAlias = npt.NDArray[np.float32]
_Flags: TypeAlias = npt.NDArray[np.bool_]
_Block: TypeAlias = tuple[_Indices, _U32, _F32 | None, _U32, _U32]
_Lists: TypeAlias = tuple[_Indices, _U32, _F32]
_Setting: TypeAlias = tuple[list[float], list[float], list[float]]
_Halo: TypeAlias = tuple[_U32, _U32, _Indices, _U32, _F32 | None, _U32, _U32, _F32, _Flags]
_Rows: TypeAlias = tuple[_U32, _U32, _F32 | None]
_Course: TypeAlias = list[int]
_PairSet: TypeAlias = tuple[list[float], float, float, list[tuple[int, int, float]], int]
_Made: TypeAlias = tuple[_Floats, _Floats, _Indices, _Floats | None, _Floats | None, list[str]]

__all__ = [
    "Graph",
    "LayeredProgram",
    "Problem",
    "Studio",
    "__version__",
    "assigned",
    "block_model",
    "blocks_ask",
    "blocks_balanced",
    "blocks_bounds",
    "blocks_choose",
    "blocks_classes",
    "blocks_compare",
    "blocks_constants",
    "blocks_count_source",
    "blocks_count_target",
    "blocks_course",
    "blocks_duals",
    "blocks_expected_alone",
    "blocks_fit",
    "blocks_graph_numbers",
    "blocks_is_near",
    "blocks_left_over",
    "blocks_lists",
    "blocks_looks",
    "blocks_missed",
    "blocks_missing",
    "blocks_part",
    "blocks_reach",
    "blocks_rests",
    "blocks_rows",
    "blocks_samples",
    "blocks_scores",
    "blocks_settled",
    "blocks_share_alone",
    "blocks_stuck",
    "blocks_sums",
    "blocks_sums_are_old",
    "blocks_touched",
    "blocks_weigh",
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
    "read_features",
    "read_graph",
    "read_nodes",
    "read_problems",
    "report",
    "same_note",
    "signature",
    "sinkhorn",
    "solvers",
    "studio",
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
    def loop_arrays(self) -> tuple[_Indices, _Floats]: ...
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
def read_features(path: str) -> list[tuple[str, str, float]]: ...
def same_note(name: str, source: list[str | None], target: list[str | None]) -> str | None: ...
def matchers() -> list[tuple[str, str, dict[str, Any], list[str]]]: ...
def suggest(record: dict[str, Any], count: int, limits: Limits) -> list[tuple[int, float]]: ...
def report(
    title: str,
    run_name: str,
    sides: tuple[_Side, _Side],
    record: dict[str, Any],
    truth: list[tuple[int, int]] | None,
    around: list[int],
) -> str: ...
def drawing(sides: tuple[_Side, _Side], record: dict[str, Any]) -> dict[str, _Panel]: ...

@final
class Studio:
    @property
    def url(self) -> str: ...
    @property
    def file(self) -> str: ...
    def stop(self) -> None: ...
    def anchors(self) -> tuple[list[tuple[int, int, float]], list[int], list[int]] | None: ...

def studio(
    title: str,
    sides: tuple[_Side, _Side],
    anchors: tuple[_Indices, _Indices, _Floats],
    node_similarity: _Floats | None,
    known: dict[str, Any],
    preset: str,
    settings: dict[str, Any],
    file: str,
    port: int,
    random: bytes,
) -> Studio: ...
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
def blocks_ask(
    numbers: _Setting,
    from_side: int,
    block: _Block,
    nodes: _U32,
    partners: _U32 | None,
    lists: _Lists | None,
    settled: _F32,
    halo: _Halo,
    soft: tuple[list[tuple[int, int, float]], float],
    others: float,
    question: str,
) -> _Rows: ...
def blocks_balanced(lists: _Lists, rows: _Floats, columns: _Floats) -> _F32: ...
def blocks_bounds(course: _Course) -> list[float]: ...
def blocks_choose(lists: _Lists, columns: int, slack: float) -> _U32: ...
def blocks_classes(degrees: _U32) -> _U8: ...
def blocks_compare(before: _Lists, after: _Lists) -> tuple[_Flags, int, _Floats]: ...
def blocks_constants(fast: bool) -> dict[str, float]: ...
def blocks_count_source(
    numbers: _Setting, block: _Block, own: _U32, ghosts: _U32, partners: _U32, rows: _Rows
) -> tuple[_Floats, _Floats]: ...
def blocks_count_target(block: _Block, own: _U32, ghosts: _U32) -> _Floats: ...
def blocks_course(nodes: int, matched: int) -> _Course: ...
def blocks_duals(lists: _Lists, duals: _Floats, rest: _Floats | None) -> _Floats: ...
def blocks_expected_alone(occupancy: _Lists, rest: _Floats, alone: _Floats) -> _Floats: ...
def blocks_fit(counts: _Floats, looks: _Floats) -> list[float]: ...
def blocks_graph_numbers(degrees: list[int], counts: list[int]) -> list[float]: ...
def blocks_is_near(one: list[float], other: list[float]) -> bool: ...
def blocks_left_over(masses: _F32, settled: _F32, missing: float) -> _Floats: ...
def blocks_lists(lists: _Lists, rows: _U32, least: float) -> _Rows: ...
def blocks_looks(numbers: _Setting, samples: _U32, halo: _Halo) -> _Floats: ...
def blocks_missed(settled: _F32, open: _Flags, missing: float) -> _Floats: ...
def blocks_missing(numbers: _Setting) -> tuple[float, float]: ...
def blocks_part(block: _Block, nodes: _U32) -> tuple[_Indices, _U32, _F32 | None, _U32]: ...
def blocks_reach(block: _Block, nodes: _U32, partners: _U32 | None, lists: _Lists | None) -> _U32: ...
def blocks_rests(
    numbers: _Setting, settled: _F32, open: _Flags, left: tuple[float, float], share: float
) -> tuple[_Floats, _Floats]: ...
def blocks_rows(block: _Block, nodes: _U32, partners: _U32 | None) -> _Rows: ...
def blocks_samples(block: _Block, begin: int, nodes: int, own: _U32, ghosts: _U32) -> _U32: ...
def blocks_scores(shares: _Floats) -> _F32: ...
def blocks_settled(course: _Course) -> _Course: ...
def blocks_share_alone(numbers: _Setting, expected: float) -> float: ...
def blocks_stuck(course: _Course, matched: int) -> tuple[_Course, str]: ...
def blocks_sums(block: _Block, values: _F32) -> _F32: ...
def blocks_sums_are_old(matched: int, at_sums: int) -> bool: ...
def blocks_touched(block: _Block, flags: _Flags) -> _Flags: ...
def blocks_weigh(numbers: _Setting, anchors: int, sets: list[_PairSet]) -> tuple[float, float]: ...
