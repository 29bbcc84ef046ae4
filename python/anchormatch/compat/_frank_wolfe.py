"""FAQ as the peers define it (Vogelstein et al. 2015; Fishkind et al. 2019; Pedigo et al. 2022).

Over doubly stochastic X between the nodes that no seed fixes, Frank-Wolfe follows

    f(X) = sum_k <A_k X B_k^T, X> + sum_k <AB_k X^T BA_k^T, X> + <C, X>,

C holding what the seeds give and the similarities. The image G(X), the gradient of the quadratic part,
is linear in X, and G of a permutation is a selection and one product; so an iteration costs one product
for symmetric matrices, two for directed ones, and a linear assignment by the compiled part.

``am.solve(..., "faq")`` climbs another relaxation of the same program: it drops the products of
assignments that exclude each other (matrices with a diagonal have some), which are zero on every
assignment but not in between. Here they stay, so that results are those of the peers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _native
from .._numbers import FloatArray, IndexArray, is_sparse
from .._resources import Limits

__all__ = [
    "Climb",
    "Program",
    "Transport",
    "balanced_random",
    "best_columns",
    "climb",
    "climb_small",
    "free_nodes",
    "has_repeats",
]

#: Exponents below this are as good as nothing.
_LEAST_EXPONENT = -700.0

#: Sweeps between two looks at the sums, as POT's ``sinkhorn`` takes them.
_SWEEPS_BETWEEN_CHECKS = 10

#: Below so many multiplications a product of matrices takes less time than the calls around it.
_SMALL = 2**18

#: More than any climb makes.
_MOST_ITERATIONS = 2**62

#: A linear assignment takes less memory than the arrays around it.
_LIMITS = Limits()


@dataclass(frozen=True)
class Transport:
    """Steps towards a transport plan instead of an assignment (GOAT, Saad-Eldin et al. 2021)."""

    regularizer: float
    tolerance: float
    max_iterations: int


@dataclass(frozen=True)
class Climb:
    """Where Frank-Wolfe came to."""

    #: The last X.
    soft: FloatArray
    #: Its nearest assignment.
    columns: IndexArray
    iterations: int
    converged: bool


class Program:
    """The quadratic program between the free nodes of one or more layers.

    Parameters
    ----------
    layers
        For each layer A, B, and either AB and BA or ``None`` twice; all square and of one size.
    linear
        An array over all nodes, or ``None``.
    seeds
        The fixed nodes of A and of B.
    free
        The other nodes of A and of B, in the order of X's rows and columns.
    """

    def __init__(
        self,
        layers: Sequence[tuple[Any, Any, Any, Any]],
        linear: Any,
        seeds: tuple[IndexArray, IndexArray],
        free: tuple[IndexArray, IndexArray],
    ) -> None:
        (fixed_a, fixed_b), (free_a, free_b) = seeds, free
        self.size = len(free_a)
        self.constant: FloatArray = np.zeros((self.size, self.size))
        if linear is not None:
            self.constant += _dense(_block(linear, free_a, free_b))
        # The image is the sum of left X right, and of left X^T right for those of `crossed`.
        self._straight: list[tuple[Any, Any]] = []
        self._crossed: list[tuple[Any, Any]] = []
        for a, b, ab, ba in layers:
            self._straight += _products(_block(a, free_a, free_a), _block(b, free_b, free_b))
            if len(fixed_a):
                self.constant += _dense(_block(a, free_a, fixed_a) @ _block(b, free_b, fixed_b).T)
                self.constant += _dense(_block(a, fixed_a, free_a).T @ _block(b, fixed_b, free_b))
            if ab is None or ba is None:
                continue
            left, right = _block(ab, free_a, free_b), _block(ba, free_b, free_a)
            self._crossed += [(left, _by_rows(right.T)), (right.T, left)]
            if len(fixed_a):
                self.constant += _dense(_block(ab, free_a, fixed_b) @ _block(ba, free_b, fixed_a).T)
                self.constant += _dense(_block(ba, fixed_b, free_a).T @ _block(ab, fixed_a, free_b))

    def image(self, x: FloatArray) -> FloatArray:
        """G(X)."""
        result: FloatArray = np.zeros((self.size, self.size))
        for left, right in self._straight:
            result += (left @ x) @ right
        for left, right in self._crossed:
            result += (left @ x.T) @ right
        return result

    def image_of_assignment(self, columns: IndexArray) -> FloatArray:
        """G of the permutation matrix with ones at ``columns``."""
        rows = np.empty(self.size, dtype=np.int64)
        rows[columns] = np.arange(self.size)
        parts = [left @ right[columns] for left, right in self._straight]
        parts += [left @ right[rows] for left, right in self._crossed]
        result = _dense(parts[0])
        for part in parts[1:]:
            result = result + _dense(part)
        return result


def climb(
    program: Program,
    start: FloatArray,
    *,
    maximize: bool,
    max_iterations: int,
    tolerance: float,
    transport: Transport | None = None,
    order: Callable[[], IndexArray] | None = None,
    watch: Callable[[int, float], None] | None = None,
) -> Climb:
    """Frank-Wolfe with exact line search.

    Parameters
    ----------
    program
        What to climb.
    start
        The first X.
    maximize
        Whether large values are wanted.
    max_iterations, tolerance
        It ends after so many iterations, or when X moves by less than tolerance times the root of its size.
    transport
        Whether and how to step towards transport plans.
    order
        Draws an order of the rows before every linear assignment, so that ties are broken at random.
    watch
        Told the number and the length of every step.
    """
    sign = 1.0 if maximize else -1.0
    x = np.array(start, dtype=np.float64)
    image = program.image(x)
    iterations, converged = 0, False
    while iterations < max_iterations and not converged:
        iterations += 1
        gradient = sign * (image + program.constant)
        end: FloatArray
        if transport is None:
            columns = best_columns(gradient, order)
            end = np.zeros_like(x)
            end[np.arange(len(columns)), columns] = 1.0
            end_image = program.image_of_assignment(columns)
        else:
            end = _plan(gradient, transport)
            end_image = program.image(end)
        way = end - x
        # f(X + step * way) = f(X) + slope * step + curvature * step^2, times the sign.
        slope = float(np.vdot(gradient, way))
        curvature = 0.5 * sign * float(np.vdot(end_image - image, way))
        step = _best_step(slope, curvature)
        moved = step * float(np.linalg.norm(way)) / np.sqrt(program.size)
        x += step * way
        image += step * (end_image - image)
        converged = bool(moved < tolerance)
        if watch is not None:
            watch(iterations, moved)
    return Climb(x, best_columns(x, order), iterations, converged)


def climb_small(
    matrices: tuple[FloatArray, FloatArray],
    seeds: tuple[IndexArray, IndexArray],
    free: tuple[IndexArray, IndexArray],
    start: FloatArray,
    *,
    maximize: bool,
    max_iterations: int,
    tolerance: float,
) -> Climb | None:
    """As :func:`climb` for one layer of dense matrices, compiled; ``None`` for larger ones.

    Calls of NumPy take longer than the arithmetic of small matrices, and less than that of large ones,
    which can be interrupted between them, too.
    """
    a, b = matrices
    if start.size * max(len(a), len(b)) >= _SMALL:
        return None
    most = min(max_iterations, _MOST_ITERATIONS)
    return Climb(*_native.frank_wolfe(a, b, None, seeds, free, start, maximize, most, tolerance))


def best_columns(scores: FloatArray, order: Callable[[], IndexArray] | None = None) -> IndexArray:
    """The columns of the assignment with the largest total."""
    if len(scores) == 0:
        return np.empty(0, dtype=np.int64)
    if order is None:
        return _native.linear_assignment(scores, True, _LIMITS)[0]
    rows = order()
    columns = np.empty(len(rows), dtype=np.int64)
    columns[rows] = _native.linear_assignment(scores[rows], True, _LIMITS)[0]
    return columns


def free_nodes(nodes: int, seeds: IndexArray) -> tuple[IndexArray, IndexArray]:
    """The nodes of either side that no pair holds, ascending."""
    free = np.ones((2, nodes), dtype=bool)
    free[0, seeds[:, 0]] = False
    free[1, seeds[:, 1]] = False
    return np.flatnonzero(free[0]), np.flatnonzero(free[1])


def has_repeats(pairs: IndexArray) -> bool:
    """Whether a node of either side is in two pairs."""
    return any(len(set(side)) < len(side) for side in pairs.T.tolist())


def balanced_random(rng: Any, size: int) -> FloatArray:
    """A random matrix whose rows and columns sum to 1 within a thousandth."""
    entries: FloatArray = rng.uniform(size=(size, size))
    # A row of zeros has no scaling; the chance to draw one is none unless the size is 1.
    entries = np.maximum(entries, np.finfo(float).tiny)
    balanced, rows = entries, np.ones(size)
    for _ in range(1000):
        columns = 1.0 / (rows @ entries)
        rows = 1.0 / (entries @ columns)
        balanced = rows[:, None] * entries * columns
        if np.abs(balanced.sum(axis=0) - 1).max(initial=0.0) < 1e-3:
            break
    return balanced


def _best_step(slope: float, curvature: float) -> float:
    """Where slope * s + curvature * s^2 is largest for s from 0 to 1."""
    if curvature < 0:
        return min(max(slope / (-2.0 * curvature), 0.0), 1.0)
    return 1.0 if slope + curvature >= 0 else 0.0


def _plan(gradient: FloatArray, transport: Transport) -> FloatArray:
    """exp(regularizer * gradient / max|gradient|), scaled until all rows and columns sum to 1."""
    largest = float(np.abs(gradient).max())
    factor = transport.regularizer / largest if largest > 0 else 0.0
    exponents = factor * (gradient - gradient.max())
    kernel = np.exp(np.maximum(exponents, _LEAST_EXPONENT))
    rows = np.ones(len(kernel))
    columns = np.ones(len(kernel))
    error = np.inf
    for sweep in range(transport.max_iterations):
        columns = 1.0 / (rows @ kernel)
        rows = 1.0 / (kernel @ columns)
        if sweep % _SWEEPS_BETWEEN_CHECKS == 0:
            error = float(np.linalg.norm((rows @ kernel) * columns - 1.0))
            if error < transport.tolerance:
                break
    else:
        warnings.warn(
            f"the transport plan's sums are off by {error:.3g} after {transport.max_iterations} sweeps, "
            f"more than transport_tol={transport.tolerance}; raise transport_max_iter or transport_tol",
            stacklevel=4,
        )
    plan: FloatArray = rows[:, None] * kernel * columns
    return plan


def _block(matrix: Any, rows: IndexArray, columns: IndexArray) -> Any:
    # As with numpy.ix_, which takes longer than the block of a small matrix.
    return matrix[rows[:, None], columns]


def _products(a: Any, b: Any) -> list[tuple[Any, Any]]:
    """Pairs whose left X right sum to A X B^T + A^T X B."""
    if _is_symmetric(a):
        return [(a, b + b.T)]
    if _is_symmetric(b):
        return [(a + a.T, b)]
    return [(a, _by_rows(b.T)), (a.T, b)]


def _by_rows(matrix: Any) -> Any:
    return matrix.tocsr() if is_sparse(matrix) else matrix


def _is_symmetric(matrix: Any) -> bool:
    if is_sparse(matrix):
        return bool((matrix != matrix.T).nnz == 0)
    return bool((matrix == matrix.T).all())


def _dense(matrix: Any) -> FloatArray:
    array: FloatArray = matrix.toarray() if is_sparse(matrix) else matrix
    return array
