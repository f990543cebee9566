"""`spark-eventhubs verify`: tries the connector on two event hubs of a namespace."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import click

from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._store import VARIABLE as STORAGE_VARIABLE
from spark_eventhubs.cli._target import VARIABLE, connector_option, consumer_group_option
from spark_eventhubs.cli.verify._connection import connection_stage
from spark_eventhubs.cli.verify._plan import plan
from spark_eventhubs.cli.verify._report import Form, Report, anonymous, hidden, line
from spark_eventhubs.cli.verify._setting import Setting
from spark_eventhubs.cli.verify._spark import spark_stages
from spark_eventhubs.cli.verify._stage import Stage, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs.cli.verify._answer import Answer


@click.command()
@click.argument("first")
@click.argument("second")
@click.option(
    "--connection-string",
    envvar=VARIABLE,
    show_envvar=True,
    help="Connection string of the namespace. Prefer the variable: `ps` does not show it.",
)
@connector_option
@consumer_group_option
@click.option("--load", is_flag=True, help="Also send as fast as possible for 30 seconds, until the service throttles.")
@click.option("--hours", type=click.FloatRange(min=0), default=0, help="Also leave links idle for this time.")
@click.option("--container", help="Also use this container of Azure Blob Storage: its URL, or its name.")
@click.option(
    "--storage-connection-string",
    "storage",
    envvar=STORAGE_VARIABLE,
    show_envvar=True,
    help="Connection string of the storage account. Prefer the variable.",
)
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="File for the report. [default: stdout]"
)
@click.option("--trace", type=click.Path(dir_okay=False, path_type=Path), help="File for the service's AMQP frames.")
@click.option("--show-namespace", is_flag=True, help="Leave the namespace's name in the report.")
def verify(
    *,
    form: str,
    output: Path | None,
    trace: Path | None,
    show_namespace: bool,
    consumer_group: str,
    options: tuple[str, ...],
    **given: Any,  # noqa: ANN401 -- the fields of a setting
) -> None:
    """Try the connector on the event hubs FIRST and SECOND of a namespace. Ends with 1 if a stage fails.

    It writes events to both hubs, and says before how many. Choose hubs that nothing else uses.
    """
    setting = Setting(run=f"verify-{uuid4().hex[:8]}", group=consumer_group, options=tuple(options), **given)
    if setting.first.lower() == setting.second.lower():
        raise WrongUsage(f"FIRST and SECOND are both '{setting.first}'; name two event hubs")
    target = setting.target(setting.first)
    setting.target(setting.second)
    click.echo(plan(setting), err=True)
    stages: list[Stage] = []
    for stage in _stages(setting):
        shown = stage if show_namespace else anonymous(stage, target.host)
        stages.append(shown)
        click.echo(line(shown), err=True)
    answers = [] if stages[0].status == "failed" else _answers(setting, trace)
    if not show_namespace:
        answers = [replace(each, seen=hidden(each.seen, target.host)) for each in answers]
    report = Report(stages=stages, answers=answers)
    with nullcontext(sys.stdout) if output is None else output.open("w", encoding="utf-8") as file:
        click.echo(report.text(cast("Form", form)), file=file)
    if not report.ok:
        sys.exit(1)


def _answers(setting: Setting, trace: Path | None) -> list[Answer]:
    if find_spec("azure") is None or find_spec("azure.eventhub") is None:
        return []
    from spark_eventhubs.cli.verify._probes import probes  # noqa: PLC0415 - the SDK is an optional dependency
    from spark_eventhubs.cli.verify._wire import recorded  # noqa: PLC0415 - as above

    target, answers = setting.target(setting.first), []
    with recorded() as wire:
        for answer in probes(target, setting.group, f"{setting.run}-probe", wire, setting.hours):
            click.echo(f"seen     {answer.question}", err=True)
            answers.append(answer)
    if trace is not None:
        trace.write_text("".join(f"{each}\n" for each in wire.lines(target.host)), encoding="utf-8")
    return answers


def _stages(setting: Setting) -> Iterator[Stage]:
    connection = connection_stage(setting)
    yield connection
    if connection.status == "failed":
        yield skipped("all other stages", "the stage 'connection' failed")
        return
    yield from spark_stages(setting)
