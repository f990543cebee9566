"""Reads lines while others are sent."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from functools import partial
from typing import IO, TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LINES: Final = 500
_LINGER_SECONDS: Final = 0.5
_BLOCK_BYTES: Final = 1 << 16
# How often a wait looks for Ctrl-C: a signal does not end it.
_TICK_SECONDS: Final = 0.1


class LineReader:
    """The lines of a file, a pipe or a terminal, without their ends. A thread of its own reads them."""

    def __init__(self, source: IO[bytes], interrupted: threading.Event) -> None:
        """Starts to read. After `interrupted` it begins no further read."""
        self._source = source
        self._interrupted = interrupted
        self._linger = 0.0 if source.isatty() else _LINGER_SECONDS
        self._read_block = _block_reader(source)
        # The end is None, or the failure of reading.
        self._lines: queue.Queue[bytes | BaseException | None] = queue.Queue(_LINES)
        self._waits_for_source = False
        self._has_ended = False
        threading.Thread(target=self._run, daemon=True).start()

    def chunks(self) -> Iterator[list[bytes]]:
        """Up to 500 lines each. A line waits 0.5 seconds for further ones, and in a terminal not at all.

        After an interrupt, they are the lines that were read already.

        Raises:
            ClickException: the source cannot be read. The lines before are in the chunks.
        """
        while not self._has_ended:
            chunk = self._chunk()
            if chunk:
                yield chunk
            elif self._interrupted.is_set():
                return

    def _chunk(self) -> list[bytes]:
        chunk: list[bytes] = []
        deadline = float("inf")
        while len(chunk) < _LINES:
            left = deadline - time.monotonic()
            try:
                line = self._lines.get(timeout=max(0.0, min(left, _TICK_SECONDS)))
            except queue.Empty:
                if left <= 0 or (self._interrupted.is_set() and self._waits_for_source):
                    break
                continue
            if not isinstance(line, bytes):
                self._end(line, chunk)
                break
            if not chunk:
                deadline = time.monotonic() + self._linger
            chunk.append(line)
        return chunk

    def _end(self, failure: BaseException | None, chunk: list[bytes]) -> None:
        if failure is None:
            self._has_ended = True
        elif chunk:
            # Once the lines before it are sent.
            self._lines.put(failure)
        elif not isinstance(failure, OSError):
            raise failure
        else:
            name = getattr(self._source, "name", "-")
            raise click.ClickException(f"cannot read {name}: {failure.strerror or failure}")

    def _run(self) -> None:
        try:
            for line in _split(self._next_block):
                self._lines.put(line)
        except BaseException as failure:  # noqa: BLE001 - the other thread waits for an end, whatever it is
            self._lines.put(failure)
        else:
            self._lines.put(None)

    def _next_block(self) -> bytes | None:
        if self._interrupted.is_set():
            return None
        self._waits_for_source = True
        try:
            block = self._read_block()
        finally:
            self._waits_for_source = False
        # Ctrl-C also ends the program before the pipe, perhaps in the middle of a line.
        return block if block or not self._interrupted.is_set() else None


def _block_reader(source: IO[bytes]) -> Callable[[], bytes]:
    # A Windows console gives UTF-8 to its own stream only.
    raw = getattr(source, "raw", None)
    if sys.platform == "win32" and raw is not None and source.isatty():
        return partial(raw.read, _BLOCK_BYTES)
    try:
        # Not through Python's buffer: a thread that waits in it is a fatal error at the end of the process.
        return partial(os.read, source.fileno(), _BLOCK_BYTES)
    except OSError:  # in memory
        return partial(source.read, _BLOCK_BYTES)


def _split(next_block: Callable[[], bytes | None]) -> Iterator[bytes]:
    """The lines, which end with LF or CR LF, until an empty block. None ends them too, without the begun line."""
    begun: list[bytes] = []
    while block := next_block():
        first, *others = block.split(b"\n")
        begun.append(first)
        for line in others:
            yield b"".join(begun).removesuffix(b"\r")
            begun = [line]
    rest = b"".join(begun)
    if rest and block is not None:
        yield rest
