"""Ctrl-C as a wish, so that a command can finish what it has begun."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """Set by the first Ctrl-C in the block. A second one raises KeyboardInterrupt, as always."""
    interrupted = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    # Python's own handler is missing in a thread other than the main one, and where Ctrl-C is ignored, as after nohup.
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield interrupted
        return

    def remember(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        interrupted.set()

    signal.signal(signal.SIGINT, remember)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
