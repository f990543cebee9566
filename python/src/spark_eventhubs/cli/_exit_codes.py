"""How a command ends: 0 success, 1 failure, 2 wrong usage, 130 interrupted. Each failure is one line on stderr."""

from __future__ import annotations

import os
import sys
from typing import Any, Final

import click

INTERRUPTED: Final = 130


class CommandGroup(click.Group):
    """Commands that end silently after Ctrl-C, and when nobody reads their output any more."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- as click declares it
        """Runs the command. click itself would print `Aborted!` and end with 1."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            _discard_output()
            ctx.exit(0)


class WrongUsage(click.ClickException):
    """Wrong usage that is explained in one line, without click's lines about the usage of the command."""

    exit_code = 2


def _discard_output() -> None:
    # Python flushes the stream at its end, and would report the closed pipe again.
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
