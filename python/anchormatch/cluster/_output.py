"""The result: a dask DataFrame, and Parquet by partitions, whole or not at all."""

from __future__ import annotations

import uuid
from typing import Any

__all__ = ["check_output", "write"]


def check_output(output: str | None) -> None:
    """Refuses a folder that is there already."""
    if output is None:
        return
    import fsspec

    files, root = fsspec.core.url_to_fs(str(output))
    if files.exists(root):
        raise FileExistsError(f"output: {output} is there already, expected a folder that is not")


def _frame(held: dict[str, Any]) -> Any:
    return held["frame"]


def _write(held: dict[str, Any], address: str) -> int:
    import fsspec

    with fsspec.open(address, "wb") as stream:
        held["frame"].to_parquet(stream, index=False)
    return len(held["frame"])


def write(client: Any, futures: Any, output: str | None, types: Any) -> Any:
    """The pairs of all blocks."""
    import dask
    import dask.dataframe as dataframe
    import pandas

    if output is not None:
        import fsspec

        files, root = fsspec.core.url_to_fs(str(output))
        draft = f"{root.rstrip('/')}.{uuid.uuid4().hex[:8]}.part"
        files.makedirs(draft, exist_ok=True)
        try:
            names = [files.unstrip_protocol(f"{draft}/part.{k:05d}.parquet") for k in range(len(futures))]
            client.gather([client.submit(_write, f, n, pure=False) for f, n in zip(futures, names)])
            files.mv(draft, root, recursive=True)
        except BaseException:
            files.rm(draft, recursive=True)
            raise
        pairs = dataframe.read_parquet(str(output))
    else:
        kinds = {name: _empty(kind) for name, kind in zip(("source", "target"), types)}
        meta = pandas.DataFrame({**kinds, "confidence": pandas.Series([], dtype="float64")})
        frames = [client.submit(_frame, future, pure=False) for future in futures]
        # Objects are ids as they were given, and no strings.
        with dask.config.set({"dataframe.convert-string": False}):
            pairs = dataframe.from_delayed(frames, meta=meta, verify_meta=False)
    return pairs


def _empty(kind: str | None) -> Any:
    import pandas

    if kind in ("integers", "unsigned integers"):
        return pandas.Series([], dtype="int64" if kind == "integers" else "uint64")
    return pandas.Series([], dtype="str" if kind == "str" else "object")
