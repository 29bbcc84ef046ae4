"""Checkpoints: what is held after a round, as Parquet, and a manifest that names it, written last.

Each array is a row (name, type, bytes) of a Parquet file, each block a file. A manifest is replaced as
a whole, so
that a run that died goes on from the last one that was finished. Without an address the client keeps
the same in a
folder of its own, for workers that die.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from typing import Any

import numpy as np

from ._engine import Engine, Futures
from ._exchange import Reader

__all__ = ["Checkpoint"]


def _rows(name: str, value: Any) -> list[tuple[str, str, bytes]]:
    if value is None:
        return [(name, "none", b"")]
    if isinstance(value, tuple):
        found = [(name, f"tuple{len(value)}", b"")]
        for k, part in enumerate(value):
            found += _rows(f"{name}.{k}", part)
        return found
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return [(name, "json", json.dumps(value.tolist()).encode())]
        return [(name, value.dtype.str, np.ascontiguousarray(value).tobytes())]
    return [(name, "value", json.dumps(value).encode())]


def _value(rows: dict[str, tuple[str, bytes]], name: str) -> Any:
    kind, data = rows[name]
    if kind == "none":
        return None
    if kind.startswith("tuple"):
        return tuple(_value(rows, f"{name}.{k}") for k in range(int(kind[5:])))
    if kind == "json":
        return np.array(json.loads(data), dtype=object)
    if kind == "value":
        return json.loads(data)
    return np.frombuffer(data, dtype=np.dtype(kind)).copy()


def save(reader: Reader | None, held: dict[str, Any], address: str) -> dict[str, Any]:
    """Writes a block to a file."""
    import fsspec
    import pyarrow
    from pyarrow import parquet

    rows = [
        row
        for name, value in held.items()
        if name not in ("head", "moved_bytes")
        for row in _rows(name, value)
    ]
    names, kinds, data = zip(*rows)
    table = pyarrow.table(
        {"name": names, "type": kinds, "data": pyarrow.array(data, type=pyarrow.large_binary())}
    )
    with fsspec.open(address, "wb") as stream:
        parquet.write_table(table, stream, compression="zstd", use_dictionary=False)
    return {"head": None}


def load(reader: Reader | None, address: str) -> dict[str, Any]:
    """Reads it back."""
    import fsspec
    from pyarrow import parquet

    with fsspec.open(address, "rb") as stream:
        table = parquet.read_table(stream).to_pydict()
    rows = {name: (kind, data) for name, kind, data in zip(table["name"], table["type"], table["data"])}
    return {name: _value(rows, name) for name in rows if "." not in name}


class Checkpoint:
    """The folder of a run."""

    def __init__(self, engine: Engine, address: str | None, facts: dict[str, Any]) -> None:
        import fsspec

        self.engine = engine
        self.on_workers = address is not None
        self._own = tempfile.mkdtemp(prefix="anchormatch-") if address is None else None
        self.address = (address or str(self._own)).rstrip("/")
        self.files, self.root = fsspec.core.url_to_fs(self.address)
        self.files.makedirs(self.root, exist_ok=True)
        self.facts = facts
        self._old: list[str] = []
        self._count = 0

    def close(self) -> None:
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)

    def manifest(self) -> dict[str, Any] | None:
        """The last one, if it is of the same input and options."""
        path = f"{self.root}/manifest.json"
        if not self.files.exists(path):
            return None
        with self.files.open(path, "rb") as stream:
            found: dict[str, Any] = json.loads(stream.read())
        for name, value in json.loads(json.dumps(self.facts)).items():
            if found["facts"].get(name) != value:
                raise ValueError(
                    f"checkpoint: {self.address} is of another run: "
                    f"{name} was {found['facts'].get(name)!r} there "
                    f"and is {value!r} now; expected the same, or another folder"
                )
        self._count = int(found["count"])
        return found

    def write(
        self, at: dict[str, Any], held: dict[str, Futures], kept: dict[str, list[str]]
    ) -> dict[str, Any]:
        """Writes what is held; what is in ``kept`` was written before and stays."""
        self._count += 1
        written: dict[str, list[str]] = {}
        fresh: list[str] = []
        for name, futures in held.items():
            if name in kept:
                written[name] = kept[name]
                continue
            names = [f"{name}-{self._count}-{k}.parquet" for k in range(len(futures))]
            addresses = [f"{self.address}/{file}" for file in names]
            if self.on_workers:
                jobs = [(k, (future, addresses[k])) for k, future in enumerate(futures)]
                self.engine.step("checkpoint", "save", save, jobs)
            else:
                for future, address in zip(futures, addresses):
                    save(None, self.engine.gather([future])[0], address)
            written[name] = names
            fresh += names
        manifest = {"facts": self.facts, "at": at, "held": written, "count": self._count}
        draft = f"{self.root}/manifest-{self._count}.tmp"
        with self.files.open(draft, "wb") as stream:
            stream.write(json.dumps(manifest).encode())
        self.files.mv(draft, f"{self.root}/manifest.json")
        current = {file for names in written.values() for file in names}
        for file in self._old:
            if file not in current:
                self.files.rm(f"{self.root}/{file}")
        self._old = sorted(current)
        return manifest

    def read(self, manifest: dict[str, Any]) -> dict[str, Futures]:
        """What was held, on the workers that are there now."""
        held: dict[str, Futures] = {}
        for name, files in manifest["held"].items():
            addresses = [f"{self.address}/{file}" for file in files]
            if self.on_workers:
                jobs = [(k, (address,)) for k, address in enumerate(addresses)]
                held[name], _ = self.engine.step("checkpoint", "load", load, jobs)
                continue
            held[name] = [
                self.engine.client.scatter(
                    [load(None, address)], workers=[self.engine.worker(k)], hash=False
                )[0]
                for k, address in enumerate(addresses)
            ]
        self._old = sorted(file for files in manifest["held"].values() for file in files)
        return held
