"""Quadratic programs: from arrays and files to assignments."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._graph import Graph
from ._numbers import FloatArray, IndexArray, csr_arrays, float_array, is_sparse, passed
from ._progress import ProgressOption
from ._resources import limits, quick, seed_of

__all__ = ["Problem", "Solution", "SolverInfo", "read_problems", "solve", "solvers"]


class SolverInfo(NamedTuple):
    """What to know before picking a solver."""

    #: The name by which it is picked.
    name: str
    #: ``relaxation`` or ``search``.
    kind: str
    #: Authors, year, where.
    reference: str
    #: Time an iteration, with P the cost of one product with W.
    complexity: str
    #: The problems that it takes.
    accepts: str
    #: What it makes of listed candidates: ``listed`` works on the lists, in memory that follows them and
    #: the edges; ``filled`` keeps to them and fills up matrices of all pairs.
    candidates: str
    #: Its options with their defaults.
    options: dict[str, Any]


def solvers() -> list[SolverInfo]:
    """All solvers, with their options.

    Examples
    --------
    >>> import anchormatch as am
    >>> [s.name for s in am.solvers()][:3]
    ['rrwm', 'sm', 'smac']
    >>> next(s.options for s in am.solvers() if s.name == "faq")
    {'restarts': 0, 'max_iterations': 30, 'tolerance': 0.03}
    """
    return [SolverInfo(*info) for info in _native.solvers()]


@dataclass(frozen=True)
class Solution:
    """An assignment and how it was found."""

    #: The column of each row, −1 for none.
    assignment: IndexArray
    #: Its value, larger or smaller being better as the problem says.
    objective: float
    #: The relaxed solution, rows and columns summing to at most 1; ``None`` for pure searches, and where it
    #: is over listed candidates and a matrix of all pairs would not fit.
    soft: FloatArray | None = field(repr=False)
    #: Iterations made.
    iterations: int
    #: ``converged``, ``iteration_limit`` or ``time_limit``.
    status: str
    #: A relaxation's residual after each iteration, or a search's best objectives.
    convergence: FloatArray = field(repr=False)
    #: Seconds that the solver took.
    seconds: float

    @property
    def pairs(self) -> IndexArray:
        """Rows and their columns, an array of two columns."""
        rows = np.flatnonzero(self.assignment >= 0)
        return np.column_stack([rows, self.assignment[rows]])

    def matrix(self, columns: int | None = None) -> FloatArray:
        """The assignment as a matrix of zeros and ones.

        Parameters
        ----------
        columns
            The number of columns; by default that of :attr:`soft`, or the least that there can be.
        """
        if columns is None:
            columns = int(self.assignment.max(initial=-1)) + 1 if self.soft is None else self.soft.shape[1]
        result = np.zeros((len(self.assignment), columns))
        result[tuple(self.pairs.T)] = 1.0
        return result


class Problem:
    """A quadratic program over one-to-one assignments.

    Examples
    --------
    >>> import anchormatch as am
    >>> import numpy as np
    >>> flow = np.array([[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> distance = np.array([[0, 2, 5], [2, 0, 4], [5, 4, 0]])
    >>> problem = am.Problem.product(flow, distance, maximize=False)
    >>> problem
    Problem(3×3, minimize)
    >>> problem.objective([0, 1, 2])
    20.0
    >>> am.solve(problem, "2opt").objective
    20.0
    """

    def __init__(self, native: _native.Problem) -> None:
        self._native = native

    @classmethod
    def product(
        cls,
        a: Any,
        b: Any,
        *,
        linear: Any = None,
        seeds: Any = None,
        maximize: bool = True,
        max_memory: int | str | None = None,
    ) -> Problem:
        """Σ A[i, j] B[p(i), p(j)] + Σ linear[i, p(i)] over assignments p.

        Parameters
        ----------
        a, b
            Square matrices, dense or sparse, of any sizes; they need not be symmetric.
        linear
            An array of a row for each row of A and a column for each row of B.
        seeds
            Pairs (row of A, row of B) that are fixed, an array of two columns.
        maximize
            Whether large values are wanted.
        max_memory
            The most memory to use, in bytes or as ``"4G"``.
        """
        rows = None if linear is None else float_array(linear, "linear", 2)
        known = _seeds(seeds)
        size = quick(max_memory)
        return cls(
            _native.Problem.product(_square(a, "A"), _square(b, "B"), rows, known, bool(maximize), size)
        )

    @classmethod
    def explicit(
        cls,
        k: Any,
        shape: tuple[int, int] | None = None,
        *,
        order: str = "C",
        linear: Any = None,
        maximize: bool = True,
        max_memory: int | str | None = None,
    ) -> Problem:
        """xᵀKx over assignments x.

        Only the symmetric part of K matters, and entries between assignments that exclude each other
        do not.

        Parameters
        ----------
        k
            A square matrix with a row and a column for each assignment, dense or sparse.
        shape
            The numbers n₁ and n₂ of rows and columns that are assigned; by default they are equal.
        order : {"C", "F"}
            Whether the assignment (i, a) stands at i·n₂ + a, or at i + a·n₁.
        linear
            An array n₁×n₂ that is added to K's diagonal.
        maximize
            Whether large values are wanted.
        max_memory
            The most memory to use, in bytes or as ``"4G"``.
        """
        if order not in ("C", "F"):
            raise ValueError(f"order: found {order!r}, expected 'C' or 'F'")
        unary = None if linear is None else float_array(linear, "linear", 2)
        sparse = is_sparse(k)
        matrix = csr_arrays(k, "K") if sparse else float_array(k, "K", 2)
        sides = _shape(shape, len(matrix[0]) - 1 if sparse else len(matrix))
        make = _native.Problem.sparse if sparse else _native.Problem.explicit
        return cls(make(matrix, sides, order == "F", unary, bool(maximize), quick(max_memory)))  # type: ignore[arg-type]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self._native.shape

    @property
    def maximize(self) -> bool:
        """Whether large values are wanted."""
        return self._native.maximize

    @property
    def name(self) -> str | None:
        """What its file calls it."""
        return self._native.name

    def objective(self, assignment: Any) -> float:
        """The value of an assignment: the column of each row, −1 for none; seeds stay as they are."""
        return self._native.objective(_assignment(assignment))

    def __repr__(self) -> str:
        n, m = self.shape
        return f"Problem({n}×{m}, {'maximize' if self.maximize else 'minimize'})"


def read_problems(path: str | os.PathLike[str], *, max_memory: int | str | None = None) -> list[Problem]:
    """The problems of a ``.dd`` file, one of QAPLIB (``.dat``) or a saved one (``.json``)."""
    return [Problem(native) for native in _native.read_problems(os.fspath(path), quick(max_memory))]


def solve(
    problem: Any,
    solver: str = "rrwm",
    *,
    shape: tuple[int, int] | None = None,
    order: str = "C",
    linear: Any = None,
    seeds: Any = None,
    start: Any = None,
    maximize: bool | None = None,
    options: Mapping[str, Any] | None = None,
    seed: Any = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
) -> Solution:
    """Solve a quadratic program over one-to-one assignments.

    Parameters
    ----------
    problem
        A :class:`Problem`; a pair ``(A, B)`` of square matrices (or graphs), for Σ A[i, j] B[p(i), p(j)];
        or a matrix K, for xᵀKx. See :meth:`Problem.product` and :meth:`Problem.explicit`.
    solver
        One of :func:`solvers`.
    shape, order
        How the rows of K are assignments.
    linear
        A linear part, an array of rows by columns.
    seeds
        Pairs (row, column) that are fixed, for ``(A, B)``.
    start
        Where to start, for solvers that can: an assignment (one-dimensional, −1 for none) or a soft
        matrix, over all rows and columns or over those that no seed fixes.
    maximize
        Whether large values are wanted; true by default.
    options
        Options of the solver by name, which :func:`solvers` lists.
    seed
        The seed of everything random: an integer, or a generator of NumPy to draw one from.
    threads, time_limit, max_memory, progress
        As for :func:`match`.

    Returns
    -------
    Solution

    Examples
    --------
    Two graphs, the second a copy of the first in another order:

    >>> import anchormatch as am
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a = np.triu(rng.random((8, 8)), 1)
    >>> a = a + a.T
    >>> order = rng.permutation(8)
    >>> b = a[np.ix_(order, order)]
    >>> found = am.solve((a, b), "faq", options={"restarts": 10})
    >>> bool((order[found.assignment] == np.arange(8)).all())
    True
    """
    if isinstance(problem, Problem):
        given = {"shape": shape, "linear": linear, "seeds": seeds, "maximize": maximize}
        wrong = [name for name, value in given.items() if value is not None]
        if wrong:
            raise TypeError(
                f"{wrong[0]}: found beside a Problem, expected only what the Problem does not say"
            )
        program = problem
    elif isinstance(problem, (tuple, list)) and len(problem) == 2:
        if shape is not None:
            raise TypeError("shape: found beside (A, B), whose shapes say it, expected none")
        largest = True if maximize is None else maximize
        program = Problem.product(
            *problem, linear=linear, seeds=seeds, maximize=largest, max_memory=max_memory
        )
    else:
        if seeds is not None:
            raise ValueError("seeds: found beside K, expected (A, B); for K fold them into linear")
        if isinstance(problem, (str, bytes, os.PathLike)):
            raise TypeError(
                f"problem: found {problem!r}, expected arrays; files are read by am.read_problems"
            )
        largest = True if maximize is None else maximize
        program = Problem.explicit(
            problem, shape, order=order, linear=linear, maximize=largest, max_memory=max_memory
        )
    soft, assignment = _start(program, start)
    chosen = None if options is None else dict(options)
    with limits(threads, time_limit, max_memory, progress) as resources:
        result = program._native.solve(str(solver), chosen, soft, assignment, seed_of(seed), resources)
    result["soft"] = _whole(program, result["soft"], result["assignment"])
    return Solution(**result)


def _square(matrix: Any, name: str) -> Any:
    if isinstance(matrix, Graph):
        return matrix.adjacency()
    if is_sparse(matrix):
        return csr_arrays(matrix, name)
    networkx = passed("networkx")
    if networkx is not None and isinstance(matrix, networkx.Graph):
        return float_array(networkx.to_numpy_array(matrix), name, 2)
    array = float_array(matrix, name, 2)
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"{name}: found a {array.shape[0]}×{array.shape[1]} array, expected a square one")
    return array


def _shape(shape: Any, size: int) -> tuple[int, int]:
    if shape is None:
        side = math.isqrt(size)
        if side * side != size:
            raise ValueError(
                f"K: found {size} rows, which is no square number, expected shape=(n1, n2) to be given"
            )
        return side, side
    try:
        n, m = (int(side) for side in shape)
    except (TypeError, ValueError):
        raise TypeError(f"shape: found {shape!r}, expected two numbers (n1, n2)") from None
    if n < 0 or m < 0 or n * m != size:
        raise ValueError(f"shape: found {n}×{m}, expected n1·n2 = {size}, the rows of K")
    return n, m


def _seeds(seeds: Any) -> list[tuple[int, int]]:
    if seeds is None:
        return []
    array = np.asarray(seeds)
    if array.size == 0:
        return []
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError("seeds: expected pairs of integers (row, column), an array of two columns")
    if (array < 0).any():
        raise ValueError(f"seeds: found {int(array.min())}, expected 0 or more")
    return [(int(row), int(column)) for row, column in array]


def _assignment(values: Any) -> IndexArray:
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError("start: expected the column of each row as integers, -1 for none")
    return array.astype(np.int64, copy=False)


def _start(problem: Problem, start: Any) -> tuple[FloatArray | None, IndexArray | None]:
    """A soft matrix over what is free, or an assignment of all rows."""
    if start is None:
        return None, None
    if isinstance(start, Solution):
        return None, start.assignment
    if np.ndim(start) == 1:
        return None, _assignment(start)
    soft = float_array(start, "start", 2)
    rows, columns = problem._native.free()
    if soft.shape == problem.shape and soft.shape != (len(rows), len(columns)):
        soft = soft[np.ix_(rows, columns)]
    return soft, None


def _whole(problem: Problem, soft: FloatArray | None, assignment: IndexArray) -> FloatArray | None:
    """The soft matrix with the rows and columns of seeds."""
    if soft is None or soft.shape == problem.shape:
        return soft
    rows, columns = problem._native.free()
    whole = np.zeros(problem.shape)
    whole[np.ix_(rows, columns)] = soft
    fixed = np.setdiff1d(np.arange(problem.shape[0]), rows)
    whole[fixed, assignment[fixed]] = 1.0
    return whole
