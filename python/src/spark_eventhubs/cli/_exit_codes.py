"""How a command ends: 0 success, 1 failure, 2 wrong usage, 130 interrupted. Each failure is one line on stderr."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spark_eventhubs._conf.refusals import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED: Final = 130


class CommandGroup(click.Group):
    """Commands that end silently after Ctrl-C, and when nobody reads their output any more.

    Output that cannot be written, as on a full disk, is a failure.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the options, of which `--help` and `--version` print."""
        _replace_missing_streams()
        with _one_line_failures(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- as click declares it
        """Runs the command. click itself would print `Aborted!` and end with 1."""
        with _one_line_failures(ctx):
            result = super().invoke(ctx)
            # Python would report a failure of its last flush in lines of its own.
            sys.stdout.flush()
            return result


class WrongUsage(click.ClickException):
    """Wrong usage that is explained in one line, without click's lines about the usage of the command."""

    exit_code = 2


@contextmanager
def _one_line_failures(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        ctx.exit(INTERRUPTED)
    except BrokenPipeError:
        _discard_output()
        ctx.exit(0)
    except OutputError:
        _discard_output()
        raise
    except click.ClickException as failure:
        # A connection string may have been given as something else, such as the name of a hub.
        vars(failure)["message"] = without_secrets(failure.message)
        raise
    except OSError as failure:
        _discard_output()
        raise click.ClickException(_sentence(failure)) from None


class OutputError(click.ClickException):
    """The output cannot be written, such as on a full disk."""


def output(text: str) -> None:
    """Prints. A failure keeps its reason in a block that reports each OSError as one of something else."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as failure:
        raise OutputError(_sentence(failure)) from None


def _replace_missing_streams() -> None:
    """A process without a standard stream, as after `>&-`, reads nothing and writes to nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Open until the end of the process.
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _sentence(failure: OSError) -> str:
    if failure.errno is None:
        return str(failure)
    place = "cannot write the output" if failure.filename is None else failure.filename
    return f"{place}: {failure.strerror}"


def _discard_output() -> None:
    # Python flushes the stream at its end, and would report the closed pipe again.
    with suppress(OSError):  # a stream in memory
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
