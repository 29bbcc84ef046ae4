"""Ids that are objects: how they lie in arrays, and as JSON."""

from __future__ import annotations

import bisect
import datetime
import decimal
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["is_known", "objects", "place", "plain", "restored"]


def _timestamp(value: Any) -> Any:
    return [value.isoformat(), value.unit, None if value.tz is None else str(value.tz)]


def _to_timestamp(value: Any) -> Any:
    import pandas

    text, unit, zone = value
    moment = pandas.Timestamp(text)
    return (moment if zone is None else moment.tz_convert(zone)).as_unit(unit)


def _timedelta(value: Any) -> Any:
    return [int(value.value), value.unit]


def _to_timedelta(value: Any) -> Any:
    import pandas

    return pandas.Timedelta(value[0], unit="ns").as_unit(value[1])


#: Types by name: what JSON writes of them, and back. The names are those of pandas and of Python.
_KINDS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "str": (str, str),
    "int": (int, int),
    "float": (float, float),
    "bool": (bool, bool),
    "bytes": (lambda value: value.hex(), bytes.fromhex),
    "UUID": (lambda value: value.hex, uuid.UUID),
    "Decimal": (str, decimal.Decimal),
    "date": (lambda value: value.isoformat(), datetime.date.fromisoformat),
    "datetime": (lambda value: value.isoformat(), datetime.datetime.fromisoformat),
    "time": (lambda value: value.isoformat(), datetime.time.fromisoformat),
    "Timestamp": (_timestamp, _to_timestamp),
    "Timedelta": (_timedelta, _to_timedelta),
    "tuple": (lambda value: [plain(part) for part in value], lambda value: tuple(map(restored, value))),
}


def is_known(kind: type) -> bool:
    return kind.__name__ in _KINDS


def plain(value: Any) -> Any:
    """An id as JSON has it, with its type."""
    name = type(value).__name__
    if name not in _KINDS:
        raise ValueError(f"ids: found {value!r} of type {name}, expected one of {', '.join(_KINDS)}")
    return [name, _KINDS[name][0](value)]


def restored(value: Any) -> Any:
    """It once more."""
    return _KINDS[value[0]][1](value[1])


def objects(values: list[Any]) -> Any:
    """An array of objects as they are, tuples among them."""
    return np.fromiter(values, dtype=object, count=len(values))


def place(ids: Any, one: Any) -> int:
    """Where an id stands among ascending ones; numpy would take a tuple for several."""
    return bisect.bisect_left(ids, one) if ids.dtype == object else int(np.searchsorted(ids, one))
