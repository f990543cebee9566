"""Decompression of event bodies in Spark's Python workers."""

from __future__ import annotations

import sys
import zlib
from typing import TYPE_CHECKING, Final

from pyspark.cloudpickle import register_pickle_by_value

if TYPE_CHECKING:
    from collections.abc import Callable

# Workers need not have this package: its functions travel with the query.
register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call,unused-ignore]

_GZIP: Final = 16 + zlib.MAX_WBITS
_PIECE: Final = 4096


def decompressor(max_bytes: int, *, fails: bool) -> Callable[[bytes | None, str | None], bytes | None]:
    """A function of a body and its codec. A body that is broken or too large fails it, or becomes None."""

    def decompress(body: bytes | None, codec: str | None) -> bytes | None:
        if body is None:
            return None
        try:
            return _decompressed(bytes(body), codec, max_bytes)
        except ValueError:
            if fails:
                raise
            return None

    decompress.__annotations__.clear()  # PySpark would look for the kind of the UDF in them, and warn
    return decompress


def _decompressed(body: bytes, codec: str | None, max_bytes: int) -> bytes:
    """Decompresses at most one byte more than allowed."""
    try:
        if codec == "zstd":
            found = _from_zstd(body, max_bytes)
        elif codec == "deflate":
            found = _from_deflate(body, max_bytes)
        else:
            found = _inflated(body, _GZIP, max_bytes)
    except (EOFError, OSError, zlib.error) as broken:
        raise ValueError(f"The body of an event is no whole {codec} stream: {broken}") from broken
    if len(found) > max_bytes:
        raise ValueError(f"The {codec} body of an event is larger than max_bytes={max_bytes} when decompressed")
    return found


def _from_zstd(body: bytes, max_bytes: int) -> bytes:
    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415 - only this codec needs it

    with pa.CompressedInputStream(pa.BufferReader(body), "zstd") as stream:
        found: bytes = stream.read(max_bytes + 1)
    return found


def _from_deflate(body: bytes, max_bytes: int) -> bytes:
    try:
        return _inflated(body, zlib.MAX_WBITS, max_bytes)
    except zlib.error:  # some senders leave the header out
        return _inflated(body, -zlib.MAX_WBITS, max_bytes)


def _inflated(body: bytes, window_bits: int, max_bytes: int) -> bytes:
    found, start = bytearray(), 0
    while start < len(body) and len(found) <= max_bytes:  # a gzip body may have several members
        stream = zlib.decompressobj(window_bits)
        while not stream.eof and len(found) <= max_bytes:
            if start == len(body):
                raise EOFError("it is cut off")
            # In pieces: zlib copies what follows a member, which of many members would be the whole body each time.
            piece = body[start : start + _PIECE]
            found += stream.decompress(piece, max_bytes + 1 - len(found))
            start += len(piece) - len(stream.unused_data) - len(stream.unconsumed_tail)
    return bytes(found)
