"""Graphs from files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike, fspath
from typing import Any, Literal

from . import _native
from ._graph import Graph
from ._points import Points
from ._resources import quick

__all__ = ["Duplicates", "file_name", "read"]

#: What to do with an edge that is given twice with different weights.
Duplicates = Literal["error", "sum", "mean", "max", "first"]


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    points: bool = False,
    columns: Iterable[str] | None = None,
    weight: str | None = None,
    kinds: str | None = None,
    node_id: str | None = None,
    variable: str | None = None,
    header: bool | None = None,
    duplicates: Duplicates = "error",
    directed: bool | None = None,
    max_memory: int | str | None = None,
) -> Graph:
    """Read a graph from a file, as the command line does.

    Parameters
    ----------
    path
        The file: an edge list (``.csv``, ``.tsv``, ``.txt``), GraphML, GML, Pajek, Matrix Market, NumPy,
        MATLAB and others, by the extension; each of them perhaps gzipped.
    format
        The format by its name, such as ``"edges"`` or ``"graphml"``, where the extension does not say it.
    points
        Read a table of points, ``[id,]x,y[,z]``.
    columns
        The columns of x, y and perhaps z in a table of points, by their names or their numbers from 1.
    weight
        The edge attribute or column that holds the weight; ``weight`` by default.
    kinds
        The edge attribute or column that holds the kinds of the edges, their layers or relations, by its
        name or, in an edge list, by its number from 1, as a text.
    node_id
        The node attribute that holds the ids in GraphML and GML.
    variable
        The matrix to read from a file that holds several.
    header
        Whether the first row of an edge list is a header; by default it goes by its names.
    duplicates : {"error", "sum", "mean", "max", "first"}
        What to do with an edge that stands twice with different weights.
    directed
        ``True`` reads the rows of edge lists as arcs, ``False`` sets all directions aside.
    max_memory
        The most memory to use, in bytes or as ``"4G"``; by default what the machine has free.

    Returns
    -------
    Graph
        Ids are texts, or integers where the file numbers its nodes and has no names.

    Examples
    --------
    >>> import anchormatch as am
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "friends.csv"
    >>> _ = path.write_text("source,target,weight\\nann,bob,2\\nbob,eve,1\\n")
    >>> am.read(path).edges()
    [('ann', 'bob', 2.0), ('bob', 'eve', 1.0)]
    """
    if isinstance(columns, str):
        columns = columns.split(",")
    reading = {
        "format": format,
        "points": bool(points),
        "columns": None if columns is None else [str(column) for column in columns],
        "weight": weight,
        "node_id": node_id,
        "variable": variable,
        "header": header,
        "duplicates": duplicates,
        "directed": directed,
        "kinds": None if kinds is None else str(kinds),
    }
    found = _native.read_graph(file_name(path, "path"), reading, quick(max_memory))
    first = found["first"]
    names: list[str] = found["ids"]
    ids: Sequence[Hashable] = names if first is None else range(first, first + len(names))
    if first == 1:
        ids = list(ids)
    made = _made(found, ids, max_memory)
    made._columns = dict(found["columns"])
    made._kinds, made._kind_name = found["kinds"], reading["kinds"]  # type: ignore[assignment]
    made._remarks = found["notes"]
    return made


def file_name(path: str | PathLike[str], option: str) -> str:
    """The name of a file as text."""
    name = fspath(path)
    if not isinstance(name, str) or "\0" in name:
        raise ValueError(f"{option}: found {name!r}, expected the name of a file")
    return name


def _made(found: dict[str, Any], ids: Sequence[Hashable], max_memory: int | str | None) -> Graph:
    if found["points"]:
        return Points(found["positions"], ids, max_memory)
    return Graph(found["graph"], ids, found["positions"])
