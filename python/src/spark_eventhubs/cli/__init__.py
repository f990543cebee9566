"""The console script `spark-eventhubs`. docs/cli.md describes its commands and exit codes."""

from __future__ import annotations

import click

from spark_eventhubs import __version__
from spark_eventhubs.cli._exit_codes import CommandGroup
from spark_eventhubs.cli.checkpoint import checkpoint
from spark_eventhubs.cli.doctor import doctor
from spark_eventhubs.cli.hub import hub
from spark_eventhubs.cli.lag import lag
from spark_eventhubs.cli.send import send
from spark_eventhubs.cli.tail import tail
from spark_eventhubs.cli.verify import verify


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Azure Event Hubs for Apache Spark: command line tools."""


for command in (hub, send, tail, lag, checkpoint, doctor, verify):
    main.add_command(command)
