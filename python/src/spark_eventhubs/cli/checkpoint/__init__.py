"""`spark-eventhubs checkpoint`: shows and changes where a query continues."""

from __future__ import annotations

import click

from spark_eventhubs.cli.checkpoint.export import export
from spark_eventhubs.cli.checkpoint.import_ import import_
from spark_eventhubs.cli.checkpoint.reset import reset
from spark_eventhubs.cli.checkpoint.show import show


@click.group()
def checkpoint() -> None:
    """Show, export and change the positions in the checkpoint of a query.

    CHECKPOINT is the folder of `checkpointLocation`, or its URL such as abfss://... (read through Spark).
    """


for command in (show, export, import_, reset):
    checkpoint.add_command(command)
