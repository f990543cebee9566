"""Notices that nobody reads standard output any more, as after `tail | head`, while there is nothing to print."""

from __future__ import annotations

import select
import sys


def require_reader() -> None:
    """Raises BrokenPipeError when standard output is a pipe that its reader has closed."""
    if not hasattr(select, "poll"):  # Windows
        return
    try:
        output = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):  # closed before the start, or a test's stream in memory
        return
    poll = select.poll()
    poll.register(output, 0)
    if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
        raise BrokenPipeError
