"""One pair of graphs on a cluster of Dask.

>>> import anchormatch.cluster  # doctest: +SKIP
>>> from distributed import Client
>>> pairs = anchormatch.cluster.match("a.parquet", "b.parquet", anchors, client=Client())  # doctest: +SKIP

``docs/cluster.md`` has the way from a laptop to many machines.
"""

from __future__ import annotations

from ._match import match

__all__ = ["match"]
