"""`spark-eventhubs verify`: tries the connector on two event hubs of a namespace."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import uuid4

import click

from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._store import VARIABLE as STORAGE_VARIABLE
from spark_eventhubs.cli._target import VARIABLE, connector_option, consumer_group_option
from spark_eventhubs.cli.verify._connection import connection_stage
from spark_eventhubs.cli.verify._create import create_stage
from spark_eventhubs.cli.verify._plan import plan
from spark_eventhubs.cli.verify._report import Form, Report, line, shown_answer, shown_stage
from spark_eventhubs.cli.verify._setting import Setting
from spark_eventhubs.cli.verify._spark import missing_sdk, spark_stages
from spark_eventhubs.cli.verify._stage import RIGHTS, Stage, lacking, skipped

CONTAINER_VARIABLE: Final = "EVENTHUBS_VERIFY_CONTAINER"
_QUESTIONS: Final = "questions"
_OTHERS: Final = "all other stages"

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs.cli.verify._answer import Answer
    from spark_eventhubs.cli.verify._wire import Wire


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
@click.option("--create", is_flag=True, help="Create those of the two event hubs that do not exist. It needs Manage.")
@click.option("--load", is_flag=True, help="Also send as fast as possible for 30 seconds, until the service throttles.")
@click.option("--hours", type=click.FloatRange(min=0), default=0, help="Also leave links idle for this time.")
@click.option(
    "--container",
    envvar=CONTAINER_VARIABLE,
    show_envvar=True,
    help="Also use this container of Azure Blob Storage: its URL, its name, or @FILE with one of them. `ps` shows the "
    "SAS token of a URL, so prefer the variable or a file.",
)
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
    container: str | None,
    options: tuple[str, ...],
    **given: Any,  # noqa: ANN401 -- the fields of a setting
) -> None:
    """Try the connector on the event hubs FIRST and SECOND of a namespace. Ends with 1 if a stage fails.

    It writes events to both hubs, and says before how many. Choose hubs that nothing else uses.
    """
    for path in filter(None, (output, trace)):
        _require_writable(path)
    run = f"verify-{uuid4().hex[:8]}"
    place = of_file(container)
    setting = Setting(run=run, group=consumer_group, options=tuple(options), container=place, **given)
    if setting.first.lower() == setting.second.lower():
        raise WrongUsage(f"FIRST and SECOND are both '{setting.first}'; name two event hubs")
    target = setting.target(setting.first)
    setting.target(setting.second)
    secret_host = None if show_namespace else target.host
    click.echo(plan(setting), err=True)
    stages: list[Stage] = []
    for stage in _stages(setting):
        stages.append(shown_stage(stage, secret_host))
        click.echo(line(stages[-1]), err=True)
    answers: list[Answer] = []
    wire: Wire | None = None
    if stages[-1].name != _OTHERS and not any(each.name == RIGHTS and each.status == "failed" for each in stages):
        reason = missing_sdk()
        if reason is None:
            answers, wire = _answers(setting)
        else:
            stages.append(lacking(_QUESTIONS, reason))
            click.echo(line(stages[-1]), err=True)
    report = Report(stages=stages, answers=[shown_answer(each, secret_host) for each in answers])
    with nullcontext(sys.stdout) if output is None else output.open("w", encoding="utf-8") as file:
        click.echo(report.text(cast("Form", form)), file=file)
    if trace is not None:
        frames = () if wire is None else wire.lines(target.host)
        trace.write_text("".join(f"{each}\n" for each in frames), encoding="utf-8")
    if not report.ok:
        sys.exit(1)


def _require_writable(file: Path) -> None:
    """The report is written at the end, after minutes."""
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise WrongUsage(f"'{file}' cannot be written; name one that may be written, in a folder that exists")


def of_file(container: str | None) -> str | None:
    """The container's URL or name, which may be kept in a file."""
    if container is None or not container.startswith("@"):
        return container
    return Path(container[1:]).read_text(encoding="utf-8").strip()


def _answers(setting: Setting) -> tuple[list[Answer], Wire]:
    """The answers, and the frames that brought them."""
    from spark_eventhubs.cli.verify._probes import probes  # noqa: PLC0415 - the SDK is an optional dependency
    from spark_eventhubs.cli.verify._wire import recorded  # noqa: PLC0415 - as above

    target, answers = setting.target(setting.first), []
    with recorded() as wire:
        for answer in probes(target, setting.group, f"{setting.run}-probe", wire, setting.hours):
            click.echo(f"seen     {answer.question}", err=True)
            answers.append(answer)
    return answers, wire


def _stages(setting: Setting) -> Iterator[Stage]:
    connection = connection_stage(setting)
    yield connection
    if connection.status == "failed":
        yield skipped(_OTHERS, "the stage 'connection' failed")
        return
    if setting.create:
        created = create_stage(setting)
        yield created
        if created.status == "failed":
            yield skipped(_OTHERS, f"the stage '{created.name}' failed")
            return
    yield from spark_stages(setting)
