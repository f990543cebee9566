"""`spark-eventhubs hub`: runs the local hub."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Final

import click

from spark_eventhubs.errors import SessionError
from spark_eventhubs.local_hub._process import hub_command

_EXIT_WITH_STDIN: Final = "--exit-with-stdin"


# The hub parses its own options, including --help, so that they are defined once.
@click.command(add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def hub(options: tuple[str, ...]) -> None:
    """Run a local hub until Ctrl-C. `spark-eventhubs hub --help` lists its options."""
    own_stdin = _EXIT_WITH_STDIN in options
    try:
        command = hub_command(options if own_stdin else [*options, _EXIT_WITH_STDIN])
    except SessionError as missing:
        raise click.ClickException(str(missing)) from None
    sys.exit(_run(command, None if own_stdin else subprocess.PIPE))


def _run(command: list[str], stdin: int | None) -> int:
    # The end of the pipe ends the JVM when this process is killed. Our own stdin may be closed, as in a service.
    with subprocess.Popen(command, stdin=stdin) as jvm:
        # Ctrl-C in the terminal also reaches the JVM. Wait for its orderly end.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return jvm.wait()
