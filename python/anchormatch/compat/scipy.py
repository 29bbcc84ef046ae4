"""``scipy.optimize.quadratic_assignment``, with our solvers beside its own methods."""

from __future__ import annotations

import numbers
import operator
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _native
from .._numbers import FloatArray, IndexArray, float_array, whole_number
from .._resources import seed_of
from .._solve import Problem, solve, solvers
from ._shared import balanced_random, free_nodes, has_repeats

__all__ = ["quadratic_assignment"]

#: Options of every method of our own, beside those of the solver.
_COMMON = (
    "maximize",
    "partial_match",
    "partial_guess",
    "rng",
    "threads",
    "time_limit",
    "max_memory",
    "progress",
)


class _Result(dict[str, Any]):
    """A dictionary with attributes, where SciPy is not installed."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        width = max((len(key) for key in self), default=0)
        return "\n".join(f"{key:>{width}}: {value!r}" for key, value in self.items())


def quadratic_assignment(
    A: Any,
    B: Any,
    method: str = "faq",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Find a permutation p with a small (or large) Σ A[i, j] B[p(i), p(j)].

    ``faq`` and ``2opt`` do what SciPy's methods of these names do, from the same random numbers: where no
    linear assignment on the way is tied, ``faq`` returns the same permutation after the same number of
    iterations, and ``2opt`` tries the same exchanges in the same order. Any name that
    :func:`anchormatch.solvers` lists picks one of our solvers instead, ``tabu`` or ``portfolio`` for
    instance, which find better permutations.

    Parameters
    ----------
    A, B
        Square arrays of one size.
    method
        ``faq``, ``2opt``, or a solver of our own.
    options
        For all methods: ``maximize`` (default: False), ``partial_match`` (an array of two columns: pairs
        that are fixed) and ``rng`` (a ``numpy.random.Generator``).
        For ``faq``: ``P0`` (``"barycenter"``, ``"randomized"`` or a doubly stochastic array between the
        nodes that are not fixed), ``shuffle_input``, ``maxiter``, ``tol``.
        For ``2opt``: ``partial_guess`` (pairs to begin with).
        For our own: ``partial_guess``, ``threads``, ``time_limit``, ``max_memory``, ``progress``, and the
        solver's options.

    Returns
    -------
    scipy.optimize.OptimizeResult
        With ``col_ind`` (p), ``fun`` and ``nit``; our own solvers add ``status``. Without SciPy a
        dictionary whose entries are attributes, too.

    Examples
    --------
    >>> import numpy as np
    >>> from anchormatch.compat.scipy import quadratic_assignment
    >>> flow = np.array([[0, 5, 8, 6], [5, 0, 5, 1], [8, 5, 0, 2], [6, 1, 2, 0]])
    >>> distance = np.array([[0, 1, 8, 4], [1, 0, 5, 2], [8, 5, 0, 5], [4, 2, 5, 0]])
    >>> found = quadratic_assignment(flow, distance)
    >>> int(found.fun), found.col_ind.tolist()
    (178, [1, 0, 3, 2])
    >>> int(quadratic_assignment(flow, distance, "tabu", {"rng": np.random.default_rng(0)}).fun)
    176
    """
    chosen = dict(options or {})
    name = str(method).lower()
    _warn_of_old_generators(chosen.get("rng"))
    if name == "faq":
        return _faq(A, B, chosen)
    if name == "2opt":
        return _two_opt(A, B, chosen)
    ours = {solver.name: solver.options for solver in solvers()}
    if name not in ours:
        raise ValueError(f"method {name} must be in {sorted(ours)}.")
    return _own(A, B, name, chosen, set(ours[name]))


def _faq(a: Any, b: Any, options: dict[str, Any]) -> Any:
    known = {"maximize", "partial_match", "rng", "P0", "shuffle_input", "maxiter", "tol"}
    _warn_of_unknown(options, known)
    most = operator.index(options.get("maxiter", 30))
    tolerance = options.get("tol", 0.03)
    a, b, seeds = _checked(a, b, options.get("partial_match"))
    start = options.get("P0", "barycenter")
    if isinstance(start, str) and start not in ("barycenter", "randomized"):
        raise ValueError("Invalid 'P0' parameter string")
    if most <= 0:
        raise ValueError("'maxiter' must be a positive integer")
    if tolerance <= 0:
        raise ValueError("'tol' must be a positive float")
    rng = _generator(options.get("rng"))
    free_a, free_b = free_nodes(len(a), seeds)
    soft = _faq_start(start, len(free_a), rng)
    columns = np.empty(len(a), dtype=np.int64)
    columns[seeds[:, 0]] = seeds[:, 1]
    if len(free_a) == 0:
        return _result(a, b, columns, 0)
    if options.get("shuffle_input", False):
        free_b = rng.permutation(free_b)
    layer = (_floats(a, "A"), _floats(b, "B"), None, None)
    program = _native.LayeredProgram([layer], None, (seeds[:, 0], seeds[:, 1]), (free_a, free_b))
    _, found, iterations, _, _ = program.climb(
        soft,
        bool(options.get("maximize", False)),
        whole_number("maxiter", most),
        float(tolerance),
        as_scipy=True,
    )
    columns[free_a] = free_b[found]
    return _result(a, b, columns, iterations)


def _faq_start(start: Any, size: int, rng: Any) -> FloatArray:
    middle: FloatArray = np.full((size, size), 1.0 / max(size, 1))
    if isinstance(start, str):
        return middle if start == "barycenter" else 0.5 * (middle + balanced_random(rng, size))
    soft: FloatArray = np.atleast_2d(float_array(start, "P0", np.ndim(start)))
    if soft.shape != (size, size):
        raise ValueError("`P0` matrix must have shape m' x m', where m'=n-m")
    sums = np.concatenate([soft.sum(axis=0), soft.sum(axis=1)])
    if (soft < 0).any() or not np.allclose(sums, 1):
        raise ValueError("`P0` matrix must be doubly stochastic")
    return soft


def _two_opt(a: Any, b: Any, options: dict[str, Any]) -> Any:
    _warn_of_unknown(options, {"maximize", "partial_match", "partial_guess", "rng"})
    rng = _generator(options.get("rng"))
    a, b, seeds = _checked(a, b, options.get("partial_match"))
    if len(seeds) == len(a):
        columns = np.empty(len(a), dtype=np.int64)
        columns[seeds[:, 0]] = seeds[:, 1]
        return _result(a, b, columns, 0)
    guess = _pairs(options.get("partial_guess"), len(a), "partial_guess", "entries")
    start = _completed(len(a), seeds, guess, rng)
    problem = Problem.product(
        _floats(a, "A"), _floats(b, "B"), seeds=seeds, maximize=bool(options.get("maximize", False))
    )
    found = solve(problem, "2opt", start=start, options={"first_improvement": True})
    return _result(a, b, found.assignment, found.iterations)


def _own(a: Any, b: Any, method: str, options: dict[str, Any], known: set[str]) -> Any:
    _warn_of_unknown(options, known.union(_COMMON))
    a, b, seeds = _checked(a, b, options.get("partial_match"))
    guess = options.get("partial_guess")
    rng = _generator(options.get("rng"))
    start = None
    if guess is not None:
        start = _completed(len(a), seeds, _pairs(guess, len(a), "partial_guess", "entries"), rng)
    problem = Problem.product(
        _floats(a, "A"), _floats(b, "B"), seeds=seeds, maximize=bool(options.get("maximize", False))
    )
    found = solve(
        problem,
        method,
        start=start,
        options={key: value for key, value in options.items() if key in known},
        seed=seed_of(rng),
        **{key: options[key] for key in _COMMON[4:] if key in options},
    )
    result = _result(a, b, found.assignment, found.iterations)
    result["status"] = found.status
    return result


def _checked(a: Any, b: Any, partial_match: Any) -> tuple[Any, Any, IndexArray]:
    """A, B and the seeds; refusals are in SciPy's words, which programs may look for."""
    a, b = np.atleast_2d(a), np.atleast_2d(b)
    if a.shape[0] != a.shape[1]:
        raise ValueError("`A` must be square")
    if b.shape[0] != b.shape[1]:
        raise ValueError("`B` must be square")
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("`A` and `B` must have exactly two dimensions")
    if a.shape != b.shape:
        raise ValueError("`A` and `B` matrices must be of equal size")
    return a, b, _pairs(partial_match, len(a), "partial_match", "seeds")


def _pairs(pairs: Any, nodes: int, name: str, noun: str) -> IndexArray:
    if pairs is None:
        return np.empty((0, 2), dtype=np.int64)
    array = np.atleast_2d(pairs)
    if array.size == 0 and array.ndim == 2:
        return np.empty((0, 2), dtype=np.int64)
    try:
        array = array.astype(np.int64)
    except OverflowError:
        raise ValueError(f"`{name}` entries must be less than number of nodes") from None
    if array.shape[0] > nodes:
        raise ValueError(f"`{name}` can have only as many {noun} as there are nodes")
    if array.shape[1] != 2:
        raise ValueError(f"`{name}` must have two columns")
    if array.ndim != 2:
        raise ValueError(f"`{name}` must have exactly two dimensions")
    if (array < 0).any():
        raise ValueError(f"`{name}` must contain only positive indices")
    if (array >= nodes).any():
        raise ValueError(f"`{name}` entries must be less than number of nodes")
    if has_repeats(array):
        raise ValueError(f"`{name}` column entries must be unique")
    return array


def _completed(nodes: int, seeds: IndexArray, guess: IndexArray, rng: Any) -> IndexArray:
    """Seeds, what of the guess they leave room for, and the rest at random."""
    columns = np.full(nodes, -1, dtype=np.int64)
    columns[seeds[:, 0]] = seeds[:, 1]
    fits = ~(np.isin(guess[:, 0], seeds[:, 0]) | np.isin(guess[:, 1], seeds[:, 1]))
    columns[guess[fits, 0]] = guess[fits, 1]
    alone = columns < 0
    columns[alone] = rng.permutation(np.setdiff1d(np.arange(nodes), columns[~alone]))
    return columns


def _result(a: Any, b: Any, columns: IndexArray, iterations: int) -> Any:
    try:
        from scipy.optimize import OptimizeResult as Result
    except ImportError:
        Result = _Result
    columns = columns.astype(int, copy=False)
    # In the numbers that came in: the value of integers is an integer.
    value = (a * b[columns[:, None], columns]).sum()
    return Result({"col_ind": columns, "fun": value, "nit": iterations})


def _floats(matrix: Any, name: str) -> FloatArray:
    if matrix.dtype.kind not in "biufO":
        raise TypeError(f"{name}: found an array of {matrix.dtype}, expected real numbers")
    array = float_array(matrix, name, 2)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: found infinite or undefined entries, expected finite numbers")
    return array


def _warn_of_unknown(options: Mapping[str, Any], known: set[str]) -> None:
    unknown = [str(name) for name in options if name not in known]
    if unknown:
        try:
            from scipy.optimize import OptimizeWarning as Category
        except ImportError:
            Category = UserWarning
        warnings.warn(f"Unknown solver options: {', '.join(unknown)}", Category, stacklevel=4)


def _generator(rng: Any) -> Any:
    """What random numbers are drawn from: SciPy's rules, so that its seeds give its numbers."""
    if rng is None or rng is np.random:
        return np.random.mtrand._rand
    if isinstance(rng, (np.random.Generator, np.random.RandomState)):
        return rng
    if isinstance(rng, numbers.Integral):
        return np.random.RandomState(int(rng))
    raise ValueError(f"{rng!r} cannot be used to seed a numpy.random.RandomState instance")


def _warn_of_old_generators(rng: Any) -> None:
    """SciPy is leaving NumPy's old generators, and says so."""
    if isinstance(rng, np.random.RandomState):
        text = "Use of `RandomState` is deprecated; give rng=numpy.random.default_rng(seed)"
        warnings.warn(text, DeprecationWarning, stacklevel=3)
    elif isinstance(rng, numbers.Integral):
        text = "The behavior when the rng option is an integer will change as SciPy's does"
        warnings.warn(text, FutureWarning, stacklevel=3)
    elif (rng is None or rng is np.random) and _global_generator_was_seeded():
        text = "The NumPy global RNG was seeded by calling `np.random.seed`; it is used, better give an rng"
        warnings.warn(text, FutureWarning, stacklevel=3)


def _global_generator_was_seeded() -> bool:
    # numpy.random.seed leaves the generator without the sequence that it was born with.
    generator = np.random.mtrand._rand._bit_generator
    return getattr(generator, "_seed_seq", generator) is None
