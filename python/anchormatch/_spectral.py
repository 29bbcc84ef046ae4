"""Signatures, heat kernels, linear assignment and balancing, on arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._inputs import as_graph
from ._numbers import FloatArray, IndexArray, float_array, whole_number
from ._resources import limits

__all__ = ["LinearAssignment", "heat_kernel", "linear_assignment", "signature", "sinkhorn"]


def signature(
    graph: Any,
    kind: str = "heat",
    *,
    times: Any = None,
    count: int | None = None,
    anchors: Iterable[Any] | None = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
) -> FloatArray:
    """Node signatures, those of the Laplacian family among them, a row for each node.

    Parameters
    ----------
    graph
        A graph in any form that :func:`match` takes. Laplacians know no directions: of a directed graph,
        the stronger of the two edges between nodes is the one that counts.
    kind : {"heat", "wave", "wavelet", "anchored", "random-walk", "node", "neighbourhood", "topological"}
        Heat that stays (Sun et al. 2009); presence of a wave of log-energy t (Aubry et al. 2011); a
        band-pass at scale t (Hammond et al. 2011); or heat that comes from each of ``anchors``, which
        needs no eigenvectors and has one column per anchor for each time. Beside this family, visits of a
        random walk of damping t (Gori et al. 2005); the degree and the t-th largest edge weight (Jouili and
        Tabbone 2009); nodes t steps away (Wong et al. 2006); eigenvalue sums of the parts below, by rank t
        (Shokoufandeh and Dickinson 2001).
    times
        The values of t; by default they cover the spectrum.
    count
        How many values of t to take by default; 100 for ``wave`` and 16 for the others.
    anchors
        The ids of the nodes that heat comes from, for ``anchored``.
    threads, max_memory
        As for :func:`match`.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    The ends of a path look alike:

    >>> import anchormatch as am
    >>> s = am.signature([(0, 1), (1, 2)], times=[0.5])
    >>> bool(abs(s[0, 0] - s[2, 0]) < 1e-12), bool(s[1, 0] < s[0, 0])
    (True, True)
    """
    network = as_graph(graph, max_memory)
    nodes = [] if anchors is None else [network.find(node, "anchors") for node in anchors]
    if (kind == "anchored") != (anchors is not None) or (kind == "anchored" and not nodes):
        expected = "at least one id" if kind == "anchored" else "none, or kind='anchored'"
        raise ValueError(
            f"anchors: found {'some' if nodes else 'none'} with kind={kind!r}, expected {expected}"
        )
    values = None if times is None else float_array(np.atleast_1d(times), "times", 1).tolist()
    columns = (100 if kind == "wave" else 16) if count is None else int(count)
    if columns < 1:
        raise ValueError(f"count: found {count}, expected 1 or more")
    with limits(threads, None, max_memory) as resources:
        return _native.signature(network._native, str(kind), values, columns, nodes, resources)[0]


def heat_kernel(
    graph: Any,
    time: float | None = None,
    *,
    tau: float = 1.0,
    columns: Iterable[Any] | None = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
) -> FloatArray:
    """The heat kernel exp(−t L) of a graph's Laplacian.

    Parameters
    ----------
    graph
        A graph in any form that :func:`match` takes. Laplacians know no directions: of a directed graph,
        the stronger of the two edges between nodes is the one that counts.
    time
        The diffusion time t; by default ``tau`` over the mean nonzero eigenvalue, with which the kernel
        does not depend on the scale of the weights.
    tau
        See ``time``.
    columns
        Ids of nodes: only their columns are computed, without eigenvectors, which suits large sparse
        graphs. By default all.
    threads, max_memory
        As for :func:`match`.

    Returns
    -------
    numpy.ndarray
        n×n, or n×(number of columns).

    Examples
    --------
    >>> import anchormatch as am
    >>> k = am.heat_kernel([("a", "b")], time=100.0)
    >>> k.round(6)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    network = as_graph(graph, max_memory)
    nodes = None if columns is None else [network.find(node, "columns") for node in columns]
    with limits(threads, None, max_memory) as resources:
        return _native.heat_kernel(
            network._native, None if time is None else float(time), float(tau), nodes, resources
        )


class LinearAssignment(NamedTuple):
    """An optimal assignment with the dual variables that prove it."""

    #: The rows that have a column.
    rows: IndexArray
    #: Their columns.
    columns: IndexArray
    #: The sum of the chosen entries.
    value: float
    #: The dual variable of each row.
    row_duals: FloatArray
    #: The dual variable of each column.
    column_duals: FloatArray


def linear_assignment(
    costs: Any,
    maximize: bool = False,
    *,
    max_memory: int | str | None = None,
) -> LinearAssignment:
    """The assignment of least (or greatest) total that matches every node of the smaller side.

    Parameters
    ----------
    costs
        A matrix of finite numbers, of any shape.
    maximize
        Whether the greatest total is wanted.
    max_memory
        The most memory to use, in bytes or as ``"4G"``.

    Returns
    -------
    LinearAssignment

    Examples
    --------
    >>> import anchormatch as am
    >>> best = am.linear_assignment([[4, 1, 3], [2, 0, 5]])
    >>> best.columns.tolist(), best.value
    ([1, 0], 3.0)
    """
    array = float_array(costs, "costs", 2)
    with limits(None, None, max_memory) as resources:
        partner, value, rows, columns = _native.linear_assignment(array, bool(maximize), resources)
    matched = np.flatnonzero(partner >= 0)
    return LinearAssignment(matched, partner[matched], value, rows, columns)


def sinkhorn(
    matrix: Any,
    *,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    max_memory: int | str | None = None,
) -> FloatArray:
    """Scale the rows and columns of a positive matrix until all of them sum to 1.

    A matrix that is not square gets slack: sums over the smaller side are 1, those over the larger
    side at most 1.

    Parameters
    ----------
    matrix
        Finite numbers above 0.
    tolerance
        How far from 1 a sum may be.
    max_iterations
        Sweeps over the matrix at most.
    max_memory
        The most memory to use, in bytes or as ``"4G"``.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> import anchormatch as am
    >>> am.sinkhorn([[1.0, 2.0], [3.0, 1.0]]).sum(axis=0).round(4)
    array([1., 1.])
    """
    array = float_array(matrix, "matrix", 2)
    most = whole_number("max_iterations", max_iterations)
    with limits(None, None, max_memory) as resources:
        return _native.sinkhorn(array, float(tolerance), most, resources)[0]
