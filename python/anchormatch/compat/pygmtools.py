"""``sm``, ``rrwm``, ``ipfp``, ``sinkhorn`` and ``hungarian`` of pygmtools, for NumPy arrays.

Arguments, shapes and soft results are those of pygmtools' NumPy backend. The quadratic solvers maximise
vec(X)ᵀ K vec(X), with the column-wise vec of pygmtools: the assignment of node i to node a stands at row
a·n1max + i of K. K is taken as it is, entries between assignments that exclude each other included.
(``am.solve(K, order="F")`` leaves those out, needs no K at all when given two matrices, and returns an
assignment.)

All functions take one problem or a batch: a leading dimension on every array, and ``n1``, ``n2`` for the
sizes of problems that are padded to one shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._numbers import FloatArray, IndexArray, float_array, whole_number
from ._shared import batch_of, scores_alone, sizes

__all__ = ["hungarian", "ipfp", "rrwm", "set_backend", "sinkhorn", "sm"]

#: What arrays are made with; pygmtools has more of them.
BACKEND = "numpy"


def sm(
    K: Any,
    n1: Any = None,
    n2: Any = None,
    n1max: int | None = None,
    n2max: int | None = None,
    x0: Any = None,
    max_iter: int = 50,
    backend: str | None = None,
) -> Any:
    """Spectral matching (Leordeanu & Hebert 2005): the leading eigenvector of K, by power iteration.

    Parameters
    ----------
    K
        An array (n1·n2)×(n1·n2), or a batch of them.
    n1, n2
        The numbers of nodes, one for each problem of a batch.
    n1max, n2max
        What the problems of a batch are padded to; by default the largest of ``n1`` and ``n2``.
    x0
        Where to start, n1max×n2max; by default the same everywhere.
    max_iter
        Iterations at most.
    backend
        ``None`` or ``"numpy"``.

    Returns
    -------
    numpy.ndarray
        n1max×n2max, its squares summing to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from anchormatch.compat import pygmtools as pygm
    >>> K = np.diag([3.0, 1.0, 1.0, 3.0])
    >>> K[0, 3] = K[3, 0] = 2.0
    >>> pygm.hungarian(pygm.sm(K, 2, 2))
    array([[1., 0.],
           [0., 1.]])
    """
    problems = _Problems(K, n1, n2, n1max, n2max, x0, backend)
    iterations = whole_number("max_iter", max_iter)
    return problems.result(_native.leading_vectors(problems.arrays, iterations))


def rrwm(
    K: Any,
    n1: Any = None,
    n2: Any = None,
    n1max: int | None = None,
    n2max: int | None = None,
    x0: Any = None,
    max_iter: int = 50,
    sk_iter: int = 20,
    alpha: float = 0.2,
    beta: float = 30,
    backend: str | None = None,
) -> Any:
    """Reweighted random walks (Cho, Lee & Lee 2010).

    Parameters
    ----------
    K, n1, n2, n1max, n2max, x0, backend
        As for :func:`sm`.
    max_iter
        Iterations at most.
    sk_iter
        Normalisations of rows and columns, together, in each.
    alpha
        The weight of the reweighted jump, from 0 to 1.
    beta
        How strongly the jump favours large entries, more than 0. It is taken as it is given;
        ``am.solve(K, "rrwm")`` by default lets it grow with graphs of more than 30 nodes.

    Returns
    -------
    numpy.ndarray
        n1max×n2max, summing to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from anchormatch.compat import pygmtools as pygm
    >>> K = np.diag([3.0, 1.0, 1.0, 3.0])
    >>> K[0, 3] = K[3, 0] = 2.0
    >>> pygm.rrwm(K, 2, 2).round(3)
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha: found {alpha}, expected a number from 0 to 1")
    if not beta > 0:
        raise ValueError(f"beta: found {beta}, expected a number above 0")
    sweeps = whole_number("sk_iter", sk_iter)
    problems = _Problems(K, n1, n2, n1max, n2max, x0, backend)
    iterations = whole_number("max_iter", max_iter)
    return problems.result(
        _native.random_walks(problems.arrays, iterations, sweeps, float(alpha), float(beta))
    )


def ipfp(
    K: Any,
    n1: Any = None,
    n2: Any = None,
    n1max: int | None = None,
    n2max: int | None = None,
    x0: Any = None,
    max_iter: int = 50,
    backend: str | None = None,
) -> Any:
    """Integer projected fixed points (Leordeanu, Hebert & Sukthankar 2009).

    Two products with K an iteration: all objectives follow from them.

    Parameters
    ----------
    K, n1, n2, n1max, n2max, x0, backend
        As for :func:`sm`.
    max_iter
        Iterations at most.

    Returns
    -------
    numpy.ndarray
        n1max×n2max, zeros and ones: the best assignment met.

    Examples
    --------
    >>> import numpy as np
    >>> from anchormatch.compat import pygmtools as pygm
    >>> K = np.diag([3.0, 1.0, 1.0, 3.0])
    >>> pygm.ipfp(K, 2, 2)
    array([[1., 0.],
           [0., 1.]])
    """
    problems = _Problems(K, n1, n2, n1max, n2max, x0, backend)
    iterations = whole_number("max_iter", max_iter)
    return problems.result(_native.fixed_points(problems.arrays, iterations))


def sinkhorn(
    s: Any,
    n1: Any = None,
    n2: Any = None,
    unmatch1: Any = None,
    unmatch2: Any = None,
    dummy_row: bool = False,
    max_iter: int = 10,
    tau: float = 1.0,
    batched_operation: bool = False,
    backend: str | None = None,
) -> Any:
    """Normalise the rows and the columns of exp(s / tau) in turn.

    The longer side's nodes are the columns here, so that rows, which come first, can all sum to 1.

    Parameters
    ----------
    s
        Scores n1×n2, or a batch of them.
    n1, n2
        The numbers of nodes of each problem; what lies beyond them is padding, and zero in the result.
    unmatch1, unmatch2
        The scores of staying alone, for the nodes of either side.
    dummy_row
        Whether rows that are next to nothing fill the matrix up to a square.
    max_iter
        Normalisations of rows and of columns, counted together.
    tau
        The temperature, more than 0.
    batched_operation
        Makes no difference: problems of one size are always done together.
    backend
        ``None`` or ``"numpy"``.

    Returns
    -------
    numpy.ndarray
        As ``s``.

    Examples
    --------
    >>> import numpy as np
    >>> from anchormatch.compat import pygmtools as pygm
    >>> pygm.sinkhorn(np.log([[1.0, 2.0], [3.0, 1.0]]), max_iter=100).sum(axis=0).round(6)
    array([1., 1.])
    """
    scores, whole, kind = batch_of(s, "s", backend)
    if not tau > 0:
        raise ValueError(f"tau: found {tau}, expected a number above 0")
    arrays = _scores(scores, n1, n2, unmatch1, unmatch2, float(tau))
    result = _native.normalised(arrays, whole_number("max_iter", max_iter), bool(dummy_row))
    result = result.astype(kind, copy=False)
    return result if whole else result[0]


def hungarian(
    s: Any,
    n1: Any = None,
    n2: Any = None,
    unmatch1: Any = None,
    unmatch2: Any = None,
    nproc: int = 1,
    backend: str | None = None,
) -> Any:
    """The assignment with the largest total score.

    Parameters
    ----------
    s
        Scores n1×n2, or a batch of them; −∞ forbids an assignment.
    n1, n2
        The numbers of nodes of each problem.
    unmatch1, unmatch2
        The scores of staying alone, for the nodes of either side; without them the smaller side is matched.
    nproc
        Makes no difference: the compiled part is faster than a start of a process.
    backend
        ``None`` or ``"numpy"``.

    Returns
    -------
    numpy.ndarray
        Zeros and ones, as ``s``.

    Examples
    --------
    >>> from anchormatch.compat import pygmtools as pygm
    >>> pygm.hungarian([[1.0, 5.0], [4.0, 6.0]])
    array([[0., 1.],
           [1., 0.]])
    >>> pygm.hungarian([[1.0, 5.0], [-4.0, 6.0]], unmatch1=[0.0, 0.0], unmatch2=[0.0, 0.0])
    array([[1., 0.],
           [0., 1.]])
    """
    scores, whole, kind = batch_of(s, "s", backend, keep_integers=True)
    result = _native.assigned(_scores(scores, n1, n2, unmatch1, unmatch2)).astype(kind, copy=False)
    return result if whole else result[0]


def set_backend(backend: str) -> None:
    """Accept NumPy, the only library whose arrays these functions take.

    Parameters
    ----------
    backend
        ``"numpy"``.

    Examples
    --------
    >>> from anchormatch.compat import pygmtools as pygm
    >>> pygm.set_backend("numpy")
    """
    if backend != "numpy":
        raise ValueError(f"backend: found {backend!r}, expected 'numpy'")


def __getattr__(name: str) -> Any:
    """What else pygmtools has (``utils`` with ``build_aff_mat``, say) comes from pygmtools."""
    if not name.startswith("_"):
        try:
            import pygmtools
        except ImportError:
            raise AttributeError(
                f"anchormatch.compat.pygmtools has no {name}, and pygmtools, which may, is not installed"
            ) from None
        return getattr(pygmtools, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Problems:
    """A batch of affinity matrices, and X as the vectors that they multiply."""

    def __init__(self, k: Any, n1: Any, n2: Any, n1max: Any, n2max: Any, x0: Any, backend: Any) -> None:
        self._k, self._whole, self._kind = batch_of(k, "K", backend)
        batch, size, other = self._k.shape
        if size != other:
            raise ValueError(f"K: found {size}×{other} arrays, expected square ones")
        if n1 is None and n1max is None:
            raise ValueError("at least one of the following arguments are required: n1 and n1max.")
        if n2 is None and n2max is None:
            raise ValueError("at least one of the following arguments are required: n2 and n2max.")
        self._rows = _largest(n1, "n1") if n1max is None else whole_number("n1max", n1max)
        self._cols = _largest(n2, "n2") if n2max is None else whole_number("n2max", n2max)
        if self._rows * self._cols != size:
            raise ValueError(
                f"the input size of K does not match with n1max * n2max! Found {size} rows, expected "
                f"{self._rows} * {self._cols}."
            )
        self.n1 = sizes(n1, batch, self._rows, "n1")
        self.n2 = sizes(n2, batch, self._cols, "n2")
        if x0 is None and batch == 1:
            rows, cols = int(self.n1[0]), int(self.n2[0])
            soft = np.zeros((1, self._rows, self._cols))
            soft[0, :rows, :cols] = 1.0 / max(rows * cols, 1)
        elif x0 is None:
            soft = np.zeros((batch, self._rows, self._cols))
            for x, rows, cols in zip(soft, self.n1, self.n2, strict=True):
                x[:rows, :cols] = 1.0 / max(rows * cols, 1)
        else:
            soft = float_array(x0, "x0", np.ndim(x0))
            soft = soft[None] if soft.ndim == 2 else soft
            if soft.shape != (batch, self._rows, self._cols):
                raise ValueError(f"x0: found {soft.shape}, expected {(batch, self._rows, self._cols)}")
        start = soft.transpose(0, 2, 1).reshape(batch, -1)
        shape = (self._rows, self._cols)
        self.arrays = (np.ascontiguousarray(self._k), start, shape, _pairs(self.n1, self.n2))

    def result(self, v: FloatArray) -> Any:
        """What the caller gets: a matrix for a matrix, in K's precision."""
        x = v.reshape(len(v), self._cols, self._rows).transpose(0, 2, 1)
        x = np.ascontiguousarray(x).astype(self._kind, copy=False)
        return x if self._whole else x[0]


def _scores(
    scores: FloatArray, n1: Any, n2: Any, unmatch1: Any, unmatch2: Any, tau: float = 1.0
) -> tuple[FloatArray, list[tuple[int, int]], tuple[FloatArray, FloatArray] | None]:
    """Scores by their temperature, what of them counts, and what staying alone scores."""
    shape = scores.shape
    counts = _pairs(sizes(n1, shape[0], shape[1], "n1"), sizes(n2, shape[0], shape[2], "n2"))
    alone = scores_alone(unmatch1, unmatch2, shape)
    if alone is not None:
        alone = (alone[0] / tau, alone[1] / tau)
    return np.ascontiguousarray(scores / tau), counts, alone


def _pairs(n1: IndexArray, n2: IndexArray) -> list[tuple[int, int]]:
    return list(zip(n1.tolist(), n2.tolist(), strict=True))


def _largest(sizes: Any, name: str) -> int:
    if isinstance(sizes, int):
        return sizes
    array = np.asarray(sizes)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: found {sizes!r}, expected an integer for each problem")
    return int(array.max(initial=0))
