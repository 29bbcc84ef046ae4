"""Arrays as the compiled part takes them: 64-bit floats, native order, any strides."""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "FloatArray",
    "IndexArray",
    "aligned",
    "check_sparse",
    "csr_arrays",
    "float_array",
    "is_missing",
    "is_sparse",
    "passed",
    "whole_number",
]

#: As good as without end.
_MOST = 2**62

FloatArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]


def passed(name: str) -> Any:
    """A module that is loaded already, as it is when the user has an object of it; else ``None``."""
    return sys.modules.get(name)


def is_missing(value: Any) -> bool:
    """Whether ``value`` stands for none: ``None``, NaN, or what pandas has in its place."""
    return (
        value is None
        or (isinstance(value, float) and value != value)
        or type(value).__name__ in ("NAType", "NaTType")
    )


def float_array(values: Any, name: str, dimensions: int) -> FloatArray:
    """``values`` as an array of numbers, without a copy where none is needed."""
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            raise ValueError(
                f"{name}: found masked entries, expected numbers; fill them, with 0 for instance"
            )
        values = values.data
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: found {_kind(values)}, expected an array of numbers ({error})") from None
    _check_kind(array.dtype, name)
    if array.ndim != dimensions:
        raise ValueError(f"{name}: found an array of {array.ndim} dimensions, expected {dimensions}")
    # What is not aligned (a field of a record, say) cannot be read in place.
    result: FloatArray = aligned(array if array.dtype == np.float64 else _as_floats(array, name))
    return result


def aligned(array: Any) -> Any:
    """``array`` itself, or a copy where its numbers do not lie as the compiled part reads them.

    Libraries that send pickles with their buffers apart, as Dask does, give arrays back at any address.
    """
    # NumPy calls an array without entries aligned wherever it lies.
    return array if array.flags.aligned and array.size else array.copy()


def whole_number(name: str, value: Any, least: int = 0) -> int:
    """An integer, as one or as a float without fraction; too large for the compiled part counts as most."""
    try:
        number = operator.index(value)
    except TypeError:
        if not isinstance(value, (float, np.floating)):
            raise TypeError(f"{name}: found {_kind(value)}, expected an integer") from None
        if not float(value).is_integer():
            raise ValueError(f"{name}: found {value}, expected an integer") from None
        number = int(value)
    if number < least:
        raise ValueError(f"{name}: found {value}, expected an integer, {least} or more")
    return min(number, _MOST)


def is_sparse(values: Any) -> bool:
    """Whether this is one of SciPy's sparse arrays or matrices."""
    sparse = passed("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(values))


def check_sparse(matrix: Any, name: str) -> None:
    """Refuses a sparse matrix with other entries than real numbers, or with entries outside.

    SciPy believes in the indices of its matrices, and writes where they say.
    """
    _check_kind(matrix.dtype, name)
    if hasattr(matrix, "check_format"):
        try:
            matrix.check_format(full_check=True)
        except (ValueError, TypeError, IndexError) as error:
            raise ValueError(f"{name}: found a sparse matrix that is none ({error})") from None


def csr_arrays(matrix: Any, name: str) -> tuple[IndexArray, IndexArray, FloatArray]:
    """Row pointers, ascending columns and values of a square sparse matrix."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = "×".join(map(str, matrix.shape))
        raise ValueError(f"{name}: found a {shape} sparse matrix, expected a square one")
    check_sparse(matrix, name)
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return (
        aligned(np.ascontiguousarray(rows.indptr, dtype=np.int64)),
        aligned(np.ascontiguousarray(rows.indices, dtype=np.int64)),
        aligned(np.ascontiguousarray(rows.data, dtype=np.float64)),
    )


def _as_floats(array: Any, name: str) -> FloatArray:
    try:
        with np.errstate(over="ignore"):
            result: FloatArray = array.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: found an array of {array.dtype} that holds no numbers, expected numbers"
        ) from None
    except OverflowError:
        raise ValueError(f"{name}: found an integer beyond the range of floating-point numbers") from None
    return result


def _check_kind(dtype: np.dtype[Any], name: str) -> None:
    if dtype.kind == "c":
        raise TypeError(
            f"{name}: found complex numbers, expected real ones; take .real or numpy.abs of them"
        )
    if dtype.kind not in "biufO":
        raise TypeError(f"{name}: found an array of {dtype}, expected numbers")


def _kind(values: Any) -> str:
    return f"an object of type {type(values).__name__}"
