"""Checkpoints: what is held after a round, as Parquet, and a manifest that names it, written last.

Each array is a row (name, type, bytes) of a Parquet file, each block a file. A manifest is replaced as
a whole, so that a run that died goes on from the last one that was finished. Without an address the
client keeps the same in a folder of its own, for workers that die.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._engine import Engine, Futures
from ._exchange import Reader
from ._ids import objects, plain, restored

__all__ = ["LAYOUT", "Checkpoint"]

#: What the files hold; those of another layout are not read.
LAYOUT = 2


def _rows(name: str, value: Any) -> Iterator[tuple[str, str, Any]]:
    if value is None:
        yield name, "none", b""
    elif isinstance(value, tuple):
        yield name, f"tuple{len(value)}", b""
        for k, part in enumerate(value):
            yield from _rows(f"{name}.{k}", part)
    elif isinstance(value, np.ndarray) and value.dtype == object:
        if all(type(one) is str for one in value):
            yield name, "json", json.dumps(value.tolist()).encode()
        else:
            yield name, "ids", json.dumps([plain(one) for one in value]).encode()
    elif isinstance(value, np.ndarray):
        yield name, value.dtype.str, np.ascontiguousarray(value)
    else:
        yield name, "value", json.dumps(value).encode()


def _value(rows: dict[str, tuple[str, Any]], name: str) -> Any:
    kind, data = rows[name]
    if kind == "none":
        return None
    if kind.startswith("tuple"):
        return tuple(_value(rows, f"{name}.{k}") for k in range(int(kind[5:])))
    if kind == "ids":
        return objects([restored(one) for one in json.loads(data)])
    if kind == "json":
        return objects(json.loads(data))
    if kind == "value":
        return json.loads(data)
    return data


def save(reader: Reader | None, held: dict[str, Any], address: str) -> dict[str, Any]:
    """Writes a block to a file, one array at a time and without a copy of it."""
    import fsspec
    import pyarrow
    from pyarrow import parquet

    fields = [("name", pyarrow.string()), ("type", pyarrow.string()), ("data", pyarrow.large_binary())]
    schema = pyarrow.schema(fields)
    options: Any = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    with fsspec.open(address, "wb") as stream, parquet.ParquetWriter(stream, schema, **options) as writer:
        for name, value in held.items():
            if name in ("head", "moved_bytes"):
                continue
            for row, kind, data in _rows(name, value):
                buffer = pyarrow.py_buffer(data)
                ends = pyarrow.py_buffer(np.array([0, buffer.size], dtype=np.int64))
                bytes_of = pyarrow.LargeBinaryArray.from_buffers(schema.types[2], 1, [None, ends, buffer])
                writer.write_table(pyarrow.table([[row], [kind], bytes_of], schema=schema))
    return {"head": None}


def load(reader: Reader | None, address: str) -> dict[str, Any]:
    """Reads it back."""
    import fsspec
    from pyarrow import parquet

    rows: dict[str, tuple[str, Any]] = {}
    with fsspec.open(address, "rb") as stream:
        file = parquet.ParquetFile(stream)
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            kind, data = table["type"][0].as_py(), table["data"][0].as_buffer()
            if kind[0] in "<>|=":
                rows[table["name"][0].as_py()] = kind, np.frombuffer(data, dtype=np.dtype(kind)).copy()
            else:
                rows[table["name"][0].as_py()] = kind, bytes(data)
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
        #: The keys of what was written or read last, with their files.
        self._kept: dict[str, tuple[list[str], list[str]]] = {}
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

    def write(self, at: dict[str, Any], held: dict[str, Futures]) -> dict[str, Any]:
        """Writes what is held; what was written before and is the same stays."""
        self._count += 1
        written: dict[str, list[str]] = {}
        fresh: list[str] = []
        for name, futures in held.items():
            keys = [future.key for future in futures]
            if self._kept.get(name, ([], []))[0] == keys:
                written[name] = self._kept[name][1]
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
        # A copy: the run goes on changing what it stands at.
        at = json.loads(json.dumps(at))
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
        self._kept = {name: ([f.key for f in held[name]], written[name]) for name in held}
        return manifest

    def read(self, manifest: dict[str, Any]) -> dict[str, Futures]:
        """What was held, on the workers that are there now."""
        held: dict[str, Futures] = {}
        self._kept = {}
        for name, files in manifest["held"].items():
            addresses = [f"{self.address}/{file}" for file in files]
            if self.on_workers:
                jobs = [(k, (address,)) for k, address in enumerate(addresses)]
                held[name], _ = self.engine.step("checkpoint", "load", load, jobs)
                self._kept[name] = [future.key for future in held[name]], files
                continue
            held[name] = [self.engine.place(load(None, address), k) for k, address in enumerate(addresses)]
            self._kept[name] = [future.key for future in held[name]], files
        self._old = sorted(file for files in manifest["held"].values() for file in files)
        return held
