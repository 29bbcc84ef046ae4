"""What a call may use: threads, time, memory, and how it shows progress."""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._progress import ProgressCallback, ProgressOption, reporter

__all__ = ["Limits", "limits", "quick", "seed_of"]

_UNITS = {"": 1, "B": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


@dataclass(frozen=True)
class Limits:
    """The attributes that the compiled part reads."""

    threads: int | None = None
    time_limit: float | None = None
    max_memory: int | None = None
    progress: ProgressCallback | None = None


@contextmanager
def limits(
    threads: int | None = None,
    time_limit: float | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
) -> Iterator[Limits]:
    """Checked limits for one call; a bar is closed at the end."""
    count = None if threads is None else _integer("threads", threads)
    if count is not None and not 1 <= count <= 1024:
        raise ValueError(f"threads: found {threads}, expected 1 to 1024")
    seconds = None if time_limit is None else _number("time_limit", time_limit)
    if seconds is not None and not seconds >= 0:
        raise ValueError(f"time_limit: found {time_limit}, expected seconds, 0 or more")
    memory = _bytes(max_memory)
    with reporter(progress) as callback:
        yield Limits(count, seconds, memory, callback)


def quick(max_memory: int | str | None = None) -> Limits:
    """Limits for work that is done at once."""
    return Limits(max_memory=_bytes(max_memory))


def seed_of(seed: Any) -> int:
    """A seed of 64 bits from an integer or a random generator."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**31))
    value = _integer("seed", seed)
    if not 0 <= value < 2**64:
        raise ValueError(f"seed: found {seed}, expected 0 to 2**64 - 1")
    return value


def _integer(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: found {value!r}, expected an integer") from None


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: found {value!r}, expected a number") from None


def _bytes(size: int | str | None) -> int | None:
    """A size in bytes; without one, what the machine has free."""
    if size is None:
        return _available()
    if isinstance(size, str):
        parts = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([KMGT]?)(?:i?B)?\s*", size, re.IGNORECASE)
        if parts is None:
            raise ValueError(f"max_memory: found {size!r}, expected bytes, or a size such as '1.5G'")
        return int(float(parts[1]) * _UNITS[parts[2].upper()])
    number = _number("max_memory", size)
    if math.isnan(number) or number < 0:
        raise ValueError(f"max_memory: found {size}, expected bytes, 0 or more")
    return min(int(number), 2**63) if math.isfinite(number) else 2**63


def _available() -> int | None:
    """Bytes that can be had without swapping, where the system says so.

    In a container the control group's limit may be lower than what the machine has.
    """
    free: list[int] = []
    text = _read("/proc/meminfo")
    line = re.search(r"^MemAvailable:\s*(\d+) kB", text, re.MULTILINE)
    if line is not None:
        free.append(int(line[1]) * 1024)
    most, used = _read("/sys/fs/cgroup/memory.max"), _read("/sys/fs/cgroup/memory.current")
    if most.strip().isdigit() and used.strip().isdigit():
        free.append(max(0, int(most) - int(used)))
    if not free:
        try:
            free.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        except (AttributeError, OSError, ValueError):
            return None
    return min(free)


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""
