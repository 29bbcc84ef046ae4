"""What is looked at before any heavy work."""

from __future__ import annotations

import hashlib
import importlib.util
from typing import Any

from .._native import __version__
from ._halo import REACH

__all__ = ["check_client", "check_memory", "check_packages", "check_workers", "fingerprint", "needed"]

#: Bytes a worker needs beside its share: the interpreter with its libraries.
_BASE = 200 << 20
#: Bytes of an arc and of a node in blocks, states and lists, by the peaks of workers at 100 000 and
#: 1 000 000 nodes.
_ARC, _NODE = 16, 260
#: Bytes of an arc in the rows that one task gathers.
_GATHERED = 24


def check_packages() -> None:
    """Says which of the optional packages are not there."""
    missing = [
        name
        for name in ("dask", "distributed", "pandas", "pyarrow")
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise ImportError(
            f"anchormatch.cluster needs {', '.join(missing)}: pip install 'anchormatch[dask]'"
        )


def check_client(client: Any) -> None:
    from distributed import Client

    if not isinstance(client, Client):
        raise TypeError(
            f"client: found an object of type {type(client).__name__}, expected a client of "
            "dask.distributed"
        )
    if client.asynchronous:
        raise TypeError("client: found an asynchronous client of Dask, expected one that waits")


def _probe() -> Any:
    """A function that travels as it is, since our package may not be there to look it up."""
    text = "def probe():\n    try:\n        import anchormatch\n        return anchormatch.__version__\n"
    text += "    except Exception as error:\n        return repr(error)\n"
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(text, scope)
    return scope["probe"]


def check_workers(client: Any) -> None:
    """Whether every worker has our package, in this version."""
    client.wait_for_workers(1)
    for worker, found in sorted(client.run(_probe(), on_error="return").items()):
        if isinstance(found, OSError):
            # A worker that dies just now is none of those that will be asked.
            continue
        if found != __version__:
            what = f"anchormatch {found}" if found[:1].isdigit() else f"no anchormatch ({found})"
            raise RuntimeError(
                f"client: the worker {worker} has {what}, expected anchormatch "
                f"{__version__} on every worker"
            )


def needed(nodes: list[int], arcs: list[float], workers: int) -> int:
    """The bytes that each worker needs: its share, what a task gathers, and the interpreter.

    Of graphs whose nodes are not counted yet it is less than that.
    """
    share = sum(_ARC * a + _NODE * n for n, a in zip(nodes, arcs)) / max(workers, 1)
    rows = max((a * min(1.0, REACH / n) for n, a in zip(nodes, arcs) if n), default=0.0)
    return int(share + _GATHERED * rows) + _BASE


def check_memory(workers: dict[str, Any], nodes: list[int], arcs: list[float], blocks: int) -> None:
    """Refuses a run that these workers cannot hold."""
    import dask

    limits = [info["memory_limit"] for info in workers.values() if info.get("memory_limit")]
    if not limits:
        return
    bytes_needed = needed(nodes, arcs, min(len(workers), blocks))
    # Above this share of its memory a worker is ended.
    share = dask.config.get("distributed.worker.memory.terminate", 0.95) or 1.0
    if bytes_needed > share * min(limits):
        counted = f"{nodes[0]} and {nodes[1]} nodes with " if any(nodes) else ""
        raise MemoryError(
            f"client: {counted}{int(arcs[0]) // 2} and {int(arcs[1]) // 2} edges at least need "
            f"{bytes_needed / 2**20:.0f} MiB on each of {len(workers)} workers, and the smallest has "
            f"{min(limits) / 2**20:.0f} MiB, of which it may use {share:.0%}: "
            "more workers, or more memory for each"
        )


def fingerprint(value: Any, parts: Any) -> str:
    """What tells one input from another."""
    import pandas

    digest = hashlib.sha256()
    if isinstance(value, pandas.DataFrame):
        digest.update(repr(list(value.columns)).encode())
        digest.update(pandas.util.hash_pandas_object(value, index=False).to_numpy().tobytes())
    elif parts and parts[0][0] == "parquet":
        import fsspec

        for address in sorted({what[0] for _, what in parts}):
            files, path = fsspec.core.url_to_fs(address)
            info = files.info(path)
            stamp = info.get("mtime") or info.get("ETag") or info.get("LastModified")
            digest.update(repr((address, info.get("size"), str(stamp))).encode())
    elif parts:
        digest.update(" ".join(str(part.key) for _, part in parts).encode())
    else:
        digest.update(repr(value).encode())
    return digest.hexdigest()[:16]
