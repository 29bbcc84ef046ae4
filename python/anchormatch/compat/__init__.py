"""Functions that take the arguments of other libraries and return what those return.

A program switches by changing an import:

>>> from anchormatch.compat.scipy import quadratic_assignment
>>> from anchormatch.compat.graspologic import graph_match
>>> from anchormatch.compat import pygmtools as pygm

None of the libraries has to be installed; where SciPy is, its ``OptimizeResult`` is used.
"""

from __future__ import annotations

from . import graspologic, pygmtools, scipy

__all__ = ["graspologic", "pygmtools", "scipy"]
