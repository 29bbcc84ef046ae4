"""Points, matched by where they lie."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from . import _native
from ._graph import Graph, counted, labels
from ._ids import check_number, checked_ids
from ._native import Graph as NativeGraph
from ._numbers import FloatArray, aligned, float_array, passed
from ._resources import quick

__all__ = ["Points", "points"]

#: Points whose neighbours are joined in pictures, at most.
_MOST_JOINED = 500


class Points(Graph):
    """Points with ids: matched by where they lie.

    Made by :func:`points`. Who asks for edges gets those of the complete graph of distances, made then.

    Examples
    --------
    >>> import anchormatch as am
    >>> am.points([[0, 0], [3, 4]])
    Points(2 points in the plane)
    """

    def __init__(
        self, xy: FloatArray, ids: Sequence[Hashable], max_memory: int | str | None = None
    ) -> None:
        super().__init__(_native.Graph.of_points(xy, labels(ids)), ids, xy)
        self._max_memory = max_memory
        self._complete: NativeGraph | None = None

    @property
    def _native(self) -> NativeGraph:
        if self._complete is None:
            assert self._positions is not None
            limits = quick(self._max_memory)
            self._complete = _native.Graph.from_points(self._positions, labels(self._ids), limits)
        return self._complete

    @property
    def _drawn(self) -> NativeGraph:
        # Near points are joined where that shows a shape, and not where it would be ink.
        return self._native if self.n_nodes <= _MOST_JOINED else self._own

    def __repr__(self) -> str:
        assert self._positions is not None
        where = "the plane" if self._positions.shape[1] == 2 else "space"
        return f"Points({counted(self.n_nodes, 'point')} in {where})"

    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[Any, ...]]:
        return _rebuild_points, (self._positions, self._ids, self._max_memory)


def _rebuild_points(xy: FloatArray, ids: Sequence[Hashable], max_memory: int | str | None) -> Points:
    return Points(aligned(xy), ids, max_memory)


def points(
    xy: Any,
    *,
    ids: Iterable[Hashable] | None = None,
    max_memory: int | str | None = None,
) -> Graph:
    """Points, to be matched by where they lie.

    Two sets of points in the plane or in space are matched by the map between them: turned and scaled,
    affine, perspective, two views of a solid object, smoothly deformed. Whatever needs a graph gets the
    complete graph of their distances.

    Parameters
    ----------
    xy
        One point a row, any number of coordinates; with more than three only distances are looked at. The
        index of a pandas table gives the ids.
    ids
        The ids of the points; by default 0, 1, ….
    max_memory
        The most memory that the graph of distances may use, in bytes or as ``"4G"``; by default what the
        machine has free.

    Returns
    -------
    Points

    Examples
    --------
    >>> import anchormatch as am
    >>> am.points([[0, 0], [3, 4]]).edges()
    [(0, 1, 5.0)]
    """
    pandas = passed("pandas")
    if ids is None and pandas is not None and isinstance(xy, pandas.DataFrame):
        ids = xy.index.tolist()
    array = float_array(xy, "points", 2)
    names: Sequence[Hashable] = range(array.shape[0]) if ids is None else checked_ids(ids)
    check_number(names, array.shape[0])
    if array.shape[1] in (2, 3):
        return Points(array, names, max_memory)
    return Graph(_native.Graph.from_points(array, labels(names), quick(max_memory)), names)
