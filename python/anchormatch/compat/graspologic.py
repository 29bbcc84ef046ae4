"""``graspologic.match.graph_match``."""

from __future__ import annotations

import numbers
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from .. import _native
from .._numbers import FloatArray, IndexArray, check_sparse, csr_arrays, float_array, is_sparse
from ._shared import balanced_random, free_nodes, has_repeats

__all__ = ["MatchResult", "graph_match"]


class MatchResult(NamedTuple):
    """A matching, its value, and what every initialisation came to."""

    #: The nodes of A that have a partner, ascending.
    indices_A: IndexArray
    #: Their partners in B.
    indices_B: IndexArray
    #: The value of the matching.
    score: float
    #: For each initialisation ``score``, ``n_iter``, ``convex_solution`` and ``converged``.
    misc: list[dict[str, Any]]


def graph_match(
    A: Any,
    B: Any,
    AB: Any = None,
    BA: Any = None,
    S: Any = None,
    partial_match: Any = None,
    init: Any = None,
    init_perturbation: float = 0.0,
    n_init: int = 1,
    shuffle_input: bool = True,
    maximize: bool = True,
    padding: str = "naive",
    n_jobs: int | None = None,
    max_iter: int = 30,
    tol: float = 0.01,
    verbose: int = 0,
    rng: Any = None,
    transport: bool = False,
    transport_regularizer: float = 100,
    transport_tol: float = 5e-2,
    transport_max_iter: int = 1000,
    fast: bool = True,
) -> MatchResult:
    """Match the nodes of two graphs, of one or more layers, by FAQ or GOAT.

    The value of a matching p is Σ A[i, j] B[p(i), p(j)] + Σ AB[i, p(j)] BA[p(i), j], both over all pairs
    and layers, and Σ S[i, p(i)].

    Parameters
    ----------
    A, B
        Square arrays, dense or sparse, or lists of as many layers each. They may differ in size.
    AB, BA
        Edges from A's nodes to B's and back, one array or as many layers; for bisected matching.
    S
        Similarities of A's nodes to B's.
    partial_match
        Known pairs: an array of two columns, or a tuple of two sequences.
    init
        Where to start, a doubly stochastic array between the nodes without a known partner (those that
        padding adds included); by default the middle of all such arrays.
    init_perturbation
        The share of a random array in the start, from 0 to 1.
    n_init
        Initialisations; the best result is returned.
    shuffle_input
        Whether ties are broken at random instead of by the order of nodes.
    maximize
        Whether large values are wanted.
    padding : {"naive", "adopted"}
        How the smaller graph is filled up: with isolated nodes, or with nodes about which nothing is known
        (between its own nodes edges then count 1 and missing edges −1).
    n_jobs
        Initialisations that run at a time, in threads; −1 for as many as there are cores.
    max_iter, tol
        An initialisation ends after so many iterations, or when its solution moves by less.
    verbose
        1 prints a line for every initialisation, 2 one for every iteration.
    rng
        An integer or a ``numpy.random.Generator``.
    transport
        Whether steps are taken towards transport plans, which is GOAT.
    transport_regularizer, transport_tol, transport_max_iter
        How sharp the plans are, how far from 1 the norm of their sums may be, and sweeps at most.
    fast
        Makes no difference: the shortcuts need no memory of note.

    Returns
    -------
    MatchResult
        Its ``score`` counts S once, however many layers there are.

    Examples
    --------
    >>> import numpy as np
    >>> from anchormatch.compat.graspologic import graph_match
    >>> rng = np.random.default_rng(1)
    >>> a = np.triu(rng.random((8, 8)), 1)
    >>> a = a + a.T
    >>> order = rng.permutation(8)
    >>> found = graph_match(a, a[np.ix_(order, order)], partial_match=[(order[0], 0)], rng=0)
    >>> bool((order[found.indices_B] == found.indices_A).all())
    True
    """
    _check_scalars(init_perturbation, n_init, max_iter, tol, transport_tol, transport_max_iter)
    switches = {"shuffle_input": shuffle_input, "maximize": maximize, "transport": transport, "fast": fast}
    for name, value in switches.items():
        # Words, "no" among them, would all be true.
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name}: found {value!r}, expected True or False")
    if padding not in ("naive", "adopted"):
        raise ValueError(f"padding: found {padding!r}, expected 'naive' or 'adopted'")
    problem = _Layers(A, B, AB, BA, S, padding)
    seeds = _seeds(partial_match, problem.sizes)
    free = free_nodes(problem.nodes, seeds)
    size = len(free[0])
    program = problem.program((seeds[:, 0], seeds[:, 1]), free)
    middle = _middle(init, size)
    plans = (float(transport_regularizer), float(transport_tol), int(transport_max_iter))

    def run(generator: np.random.Generator) -> tuple[IndexArray, dict[str, Any]]:
        start = middle
        if init_perturbation > 0:
            start = (1 - init_perturbation) * middle + init_perturbation * balanced_random(generator, size)
        soft, found, iterations, converged, unbalanced = program.climb(
            start,
            bool(maximize),
            int(max_iter),
            float(tol),
            transport=plans if transport else None,
            order=(lambda: generator.permutation(size)) if shuffle_input else None,
            watch=_watch if verbose >= 2 else None,
        )
        if unbalanced is not None:
            warnings.warn(
                f"the transport plan's sums are off by {unbalanced:.3g} after {transport_max_iter} sweeps, "
                f"more than transport_tol={transport_tol}; raise transport_max_iter or transport_tol",
                stacklevel=3,
            )
        columns = np.empty(problem.nodes, dtype=np.int64)
        columns[seeds[:, 0]] = seeds[:, 1]
        columns[free[0]] = free[1][found]
        score = program.value(columns)
        if verbose >= 1:
            print(f"score {score:.6g} after {iterations} iterations")
        info = {"score": score, "n_iter": iterations, "convex_solution": soft, "converged": converged}
        return columns, info

    generators = _generator(rng).spawn(int(n_init))
    threads = _threads(n_jobs)
    if threads == 1 or n_init == 1:
        runs = [run(generator) for generator in generators]
    else:
        with ThreadPoolExecutor(threads) as pool:
            runs = list(pool.map(run, generators))
    choose = max if maximize else min
    columns, best = choose(runs, key=lambda found: found[1]["score"])
    rows = np.arange(problem.sizes[0])
    rows = rows[columns[rows] < problem.sizes[1]]
    return MatchResult(rows, columns[rows], best["score"], [info for _, info in runs])


class _Layers:
    """All matrices, filled up to one size."""

    def __init__(self, a: Any, b: Any, ab: Any, ba: Any, s: Any, padding: str) -> None:
        layers_a, layers_b = _layers(a, "A"), _layers(b, "B")
        count = len(layers_a)
        n, m = layers_a[0].shape[0], layers_b[0].shape[0]
        self.sizes = (n, m)
        self.nodes = max(n, m)
        cross: list[list[Any]] = []
        for name, given in (("AB", ab), ("BA", ba)):
            cross.append([None] * count if given is None else _layers(given, name))
        shapes = {"A": (n, n), "B": (m, m), "AB": (n, m), "BA": (m, n)}
        for (name, shape), matrices in zip(shapes.items(), (layers_a, layers_b, *cross), strict=True):
            if len(matrices) != count:
                raise ValueError(
                    f"{name}: found {len(matrices)} layers, expected {count}: "
                    "A, B, AB and BA must have the same number of layers"
                )
            for matrix in matrices:
                if matrix is not None and matrix.shape != shape:
                    raise ValueError(f"{name}: found an array of shape {matrix.shape}, expected {shape}")
        adopted = padding == "adopted" and n != m
        groups = zip(layers_a, layers_b, *cross, strict=True)
        self.layers = [tuple(_padded(matrix, self.nodes, adopted) for matrix in group) for group in groups]
        self.similarities = None
        if s is not None:
            similarities = _layers(s, "S")[0]
            if similarities.shape != (n, m):
                raise ValueError(f"S: found an array of shape {similarities.shape}, expected {(n, m)}")
            self.similarities = _padded(similarities, self.nodes, False)

    def program(
        self, fixed: tuple[IndexArray, IndexArray], free: tuple[IndexArray, IndexArray]
    ) -> _native.LayeredProgram:
        """The program with the pairs ``fixed`` known."""
        names = ("A", "B", "AB", "BA")

        def plain(layer: tuple[Any, ...]) -> tuple[Any, ...]:
            named = zip(layer, names, strict=True)
            return tuple(csr_arrays(m, name) if is_sparse(m) else m for m, name in named)

        linear: Any = self.similarities
        if is_sparse(linear):
            linear = linear.toarray()
        return _native.LayeredProgram([plain(layer) for layer in self.layers], linear, fixed, free)


def _layers(matrices: Any, name: str) -> list[Any]:
    """A list of arrays of two dimensions, dense or compressed by rows."""
    if is_sparse(matrices) or (not isinstance(matrices, (list, tuple)) and np.ndim(matrices) == 2):
        matrices = [matrices]
    elif isinstance(matrices, (list, tuple)) and matrices and np.ndim(matrices[0]) == 1:
        matrices = [np.asarray(matrices)]
    result: list[Any] = []
    for matrix in matrices:
        if is_sparse(matrix):
            check_sparse(matrix, name)
            result.append(_row_array(matrix))
        else:
            result.append(float_array(matrix, name, 2))
        values = result[-1].data if is_sparse(result[-1]) else result[-1]
        if result[-1].ndim != 2 or not np.isfinite(values).all():
            raise ValueError(f"{name}: expected arrays of two dimensions and finite numbers")
    if not result:
        raise ValueError(f"{name}: found no layers, expected one or more")
    return result


def _row_array(matrix: Any) -> Any:
    """A sparse array (not matrix: ``*`` is by elements) compressed by rows."""
    from scipy.sparse import csr_array

    return csr_array(matrix, dtype=np.float64)


def _padded(matrix: Any, nodes: int, adopted: bool) -> Any:
    if matrix is None or matrix.shape == (nodes, nodes):
        return matrix
    if adopted:
        matrix = 2.0 * (matrix.toarray() if is_sparse(matrix) else matrix) - 1.0
    if is_sparse(matrix):
        wider = matrix.copy()
        wider.resize((nodes, nodes))
        return wider
    result = np.zeros((nodes, nodes))
    result[: matrix.shape[0], : matrix.shape[1]] = matrix
    return result


def _seeds(partial_match: Any, sizes: tuple[int, int]) -> IndexArray:
    """Pairs, ascending; refusals are in graspologic's words, which programs may look for."""
    if partial_match is None:
        return np.empty((0, 2), dtype=np.int64)
    pairs = (
        np.column_stack(partial_match) if isinstance(partial_match, tuple) else np.asarray(partial_match)
    )
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    pairs = np.atleast_2d(pairs)
    if pairs.dtype.kind not in "iuf" or (pairs != pairs.astype(np.int64)).any():
        raise TypeError("partial_match: expected integers, the indices of nodes")
    pairs = pairs.astype(np.int64)
    if pairs.shape[0] > min(sizes):
        raise ValueError("`partial_match` can have only as many seeds as there are nodes")
    if pairs.shape[1] != 2:
        raise ValueError("`partial_match` must have two columns")
    if pairs.ndim != 2:
        raise ValueError("`partial_match` must have exactly two dimensions")
    if (pairs < 0).any():
        raise ValueError("`partial_match` must contain only positive indices")
    if (pairs >= sizes).any():
        raise ValueError("`partial_match` entries must be less than number of nodes")
    if has_repeats(pairs):
        raise ValueError("`partial_match` column entries must be unique")
    return pairs[np.argsort(pairs[:, 0])]


def _middle(init: Any, size: int) -> FloatArray:
    if init is None:
        return np.full((size, size), 1.0 / max(size, 1))
    if np.ndim(init) != 2:
        raise ValueError("`init` matrix must be 2d")
    start = float_array(init, "init", 2)
    if start.shape != (size, size):
        raise ValueError("`init` matrix must be n x n, where n is the number of non-seeded nodes")
    sums = np.concatenate([start.sum(axis=0), start.sum(axis=1)])
    if (start < 0).any() or not np.isclose(sums, 1, atol=1e-3).all():
        raise ValueError("`init` matrix must be doubly stochastic")
    return start


def _check_scalars(
    init_perturbation: Any,
    n_init: Any,
    max_iter: Any,
    tol: Any,
    transport_tol: Any,
    transport_max_iter: Any,
) -> None:
    whole = {"n_init": n_init, "max_iter": max_iter, "transport_max_iter": transport_max_iter}
    for name, value in whole.items():
        if not isinstance(value, numbers.Integral) or isinstance(value, bool):
            raise TypeError(f"{name}: found {value!r}, expected an integer")
        if not 1 <= int(value) < 2**31:
            raise ValueError(f"{name}: found {value}, expected 1 or more, and less than 2**31")
    for name, value in {
        "init_perturbation": init_perturbation,
        "tol": tol,
        "transport_tol": transport_tol,
    }.items():
        if not isinstance(value, numbers.Real):
            raise TypeError(f"{name}: found {value!r}, expected a number")
        if not float(value) >= 0:
            raise ValueError(f"{name}: found {value}, expected 0 or more")
    if init_perturbation > 1:
        raise ValueError(f"init_perturbation: found {init_perturbation}, expected at most 1")


def _generator(rng: Any) -> np.random.Generator:
    if isinstance(rng, numbers.Integral) and not 0 <= int(rng) < 2**32:
        raise ValueError(f"rng: found {rng}, expected 0 to 2**32 - 1")
    if rng is not None and not isinstance(rng, (numbers.Integral, np.random.Generator)):
        raise TypeError(f"rng: found {rng!r}, expected an integer or a numpy.random.Generator")
    return np.random.default_rng(rng)  # type: ignore[arg-type]


def _threads(n_jobs: int | None) -> int:
    import os

    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs: found {n_jobs!r}, expected an integer")
    if n_jobs == 0:
        raise ValueError("n_jobs: found 0, expected a number of threads, or -1 for one on each core")
    cores = os.cpu_count() or 1
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


def _watch(iteration: int, moved: float) -> None:
    print(f"iteration {iteration}: moved {moved:.3g}")
