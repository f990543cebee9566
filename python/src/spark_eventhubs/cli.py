"""The console script `spark-eventhubs`."""

from __future__ import annotations

import signal
import subprocess
import sys

import click

from spark_eventhubs import cli_events
from spark_eventhubs._hub_process import hub_command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="spark-eventhubs")
def main() -> None:
    """Azure Event Hubs for Apache Spark: tools beside the connector."""


@main.command("hub")
@click.option(
    "--hub", "hubs", multiple=True, metavar="NAME:N[:GROUP,..]", help="An event hub with N partitions. Repeatable."
)
@click.option("--port", type=int, default=5672, show_default=True, help="AMQP port; 0 is any free one.")
@click.option("--http-port", type=int, default=5300, show_default=True, help="HTTP port; 0 is any free one.")
@click.option("--data-dir", type=click.Path(file_okay=False), help="Keeps events here; otherwise they live in memory.")
def hub_command_line(hubs: tuple[str, ...], port: int, http_port: int, data_dir: str | None) -> None:
    """Run a local hub until Ctrl-C, and print its connection strings."""
    arguments = [part for hub in hubs for part in ("--hub", hub)]
    arguments += ["--port", str(port), "--http-port", str(http_port)]
    arguments += [] if data_dir is None else ["--data-dir", data_dir]
    try:
        command = hub_command([*arguments, "--exit-with-stdin"])
    except FileNotFoundError as missing:
        raise click.ClickException(str(missing)) from None
    sys.exit(_run(command))


main.add_command(cli_events.send)
main.add_command(cli_events.tail)
main.add_command(cli_events.lag)


def _run(command: list[str]) -> int:
    # The pipe ends the JVM when this process is killed; our own stdin may be closed, as in a service.
    with subprocess.Popen(command, stdin=subprocess.PIPE) as jvm:
        # The terminal's Ctrl-C reaches the JVM as well; it says goodbye, and we wait for that.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return jvm.wait()
