"""Images under points: files as they are, arrays of pixels as PNG."""

from __future__ import annotations

import struct
import zlib
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["image_file", "pixels"]

#: The report refuses larger files; one byte more is enough for it to see that.
_MOST_BYTES = 32 << 20
#: The kinds of pixels that PNG knows, by their number of channels.
_COLOURS = {1: 0, 3: 2, 4: 6}

_Pixels = npt.NDArray[np.uint8]


def image_file(name: str, image: Any) -> tuple[str, bytes] | None:
    """The name and the bytes of a PNG or JPEG file; ``name`` is what errors call an array."""
    if image is None:
        return None
    if isinstance(image, (str, PathLike)):
        path = fspath(image)
        with open(path, "rb") as file:
            return str(path), file.read(_MOST_BYTES + 1)
    return name, _png(_checked(name, image))


def pixels(name: str, image: Any) -> Any:
    """The pixels of an image as matplotlib shows them: a file is turned as its camera noted."""
    if isinstance(image, (str, PathLike)):
        # matplotlib itself needs Pillow.
        from PIL import Image, ImageOps

        with Image.open(fspath(image)) as opened:
            return np.asarray(ImageOps.exif_transpose(opened).convert("RGBA"))
    shown = _checked(name, image)
    return np.repeat(shown, 3, axis=2) if shown.shape[2] == 1 else shown


def _checked(name: str, image: Any) -> _Pixels:
    """Height × width × channels of bytes."""
    array = np.asarray(image)
    shape = array.shape
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in _COLOURS or array.size == 0:
        raise ValueError(
            f"{name}: found an array of shape {shape}, expected height × width, perhaps × 3 or 4, or a file"
        )
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if not np.issubdtype(array.dtype, np.integer) and not np.issubdtype(array.dtype, np.floating):
        raise TypeError(f"{name}: found an array of {array.dtype}, expected pixels as numbers")
    whole = np.issubdtype(array.dtype, np.integer)
    most = 255 if whole else 1
    low, high = array.min(), array.max()
    if not (low >= 0 and high <= most):
        kind = "integers from 0 to 255" if whole else "numbers from 0 to 1"
        raise ValueError(f"{name}: found pixels from {low} to {high}, expected {kind}")
    return np.asarray(array if whole else np.rint(array * 255)).astype(np.uint8)


def _png(array: _Pixels) -> bytes:
    """The smallest PNG file that holds these pixels as they are (ISO 15948)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, channels = array.shape
    # Every row begins with the number of its filter, 0 for none.
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = array.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOURS[channels], 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts
