"""Bodies of gzip with many members."""

from __future__ import annotations

import gzip
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from spark_eventhubs._bodies import codecs

if TYPE_CHECKING:
    import pytest

MEMBERS = 2000


def test_a_gzip_body_of_many_members_is_whole_and_is_not_copied_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    body = gzip.compress(b"") * MEMBERS + gzip.compress(b"end") * 2
    fed: list[int] = []

    class Counted:
        def __init__(self, bits: int) -> None:
            self._stream: Any = zlib.decompressobj(bits)

        def decompress(self, data: bytes, most: int) -> bytes:
            fed.append(len(data))
            found: bytes = self._stream.decompress(data, most)
            return found

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of zlib
            return getattr(self._stream, name)

    counted = SimpleNamespace(decompressobj=Counted, MAX_WBITS=zlib.MAX_WBITS, error=zlib.error)
    monkeypatch.setattr(codecs, "zlib", counted)

    assert codecs.decompressor(1000, fails=True)(body, "gzip") == b"endend"
    assert max(fed) <= 4096
