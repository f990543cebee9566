"""The report of a run. It has no secret, and the name of the namespace only if it was asked for."""

from __future__ import annotations

import json
import platform
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final, Literal

from spark_eventhubs.cli.verify._names import names_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs.cli.verify._answer import Answer
    from spark_eventhubs.cli.verify._stage import Stage

Form = Literal["text", "json", "markdown"]
# Not in angle brackets, which Markdown takes for HTML.
_NAMESPACE: Final = "(namespace)"
_LONGEST: Final = 600
_PACKAGES: Final = ("spark-eventhubs", "pyspark", "azure-eventhub")


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was found, with the versions that found it."""

    stages: Sequence[Stage]
    answers: Sequence[Answer] = ()

    @property
    def ok(self) -> bool:
        """Whether no stage failed, and none was left out because something is not installed."""
        return all(stage.status != "failed" and not stage.lacks for stage in self.stages)

    def text(self, form: Form) -> str:
        """The report in a form."""
        if form == "json":
            return json.dumps(self.to_dict(), indent=2)
        return _markdown(self) if form == "markdown" else _plain(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "ok": self.ok,
            "versions": _versions(),
            "stages": [stage.to_dict() for stage in self.stages],
            "answers": [answer.to_dict() for answer in self.answers],
        }


def shown_stage(stage: Stage, host: str | None) -> Stage:
    """The stage as people read it. Without the names of a host that is given."""
    return replace(stage, found=_shown(stage.found, host))


def shown_answer(answer: Answer, host: str | None) -> Answer:
    """The answer as people read it. Without the names of a host that is given."""
    return replace(answer, seen=_shown(answer.seen, host))


def _shown(text: str, host: str | None) -> str:
    """One line. It is cut at the end: of a name that was cut, nothing would be found here."""
    return " ".join((text if host is None else hidden(text, host)).split())[:_LONGEST]


def hidden(text: str, host: str) -> str:
    """The text without the namespace's name and address."""
    pattern = "|".join(map(re.escape, names_of(host)))
    return re.sub(pattern, _NAMESPACE, text, flags=re.IGNORECASE)


def line(stage: Stage) -> str:
    """One line of text."""
    condition = f" [{stage.condition}]" if stage.condition and stage.condition not in stage.found else ""
    return f"{stage.status:<7}  {stage.name} ({stage.seconds:.1f} s):{condition} {stage.found}"


def _plain(report: Report) -> str:
    answers = [
        text
        for each in report.answers
        for text in (
            "",
            each.question,
            f"  assumed: {each.assumed}",
            f"  seen: {each.seen}",
            f"  matters: {each.matters}",
        )
    ]
    return "\n".join([_summary(report), *map(line, report.stages), *answers])


def _markdown(report: Report) -> str:
    rows = [
        f"| {stage.name} | {stage.status} | {stage.condition or ''} | {_cell(stage.found)} | {stage.seconds:.1f} s |"
        for stage in report.stages
    ]
    head = ["", "| Stage | | Condition | Found | Took |", "|---|---|---|---|--:|"]
    answers = [
        f"| {_cell(each.question)} | {_cell(each.assumed)} | {_cell(each.seen)} | {_cell(each.matters)} |"
        for each in report.answers
    ]
    if answers:
        answers[:0] = ["", "| Question | Assumed | Seen | Does it matter? |", "|---|---|---|---|"]
    return "\n".join([_summary(report), *head, *rows, *answers])


def _summary(report: Report) -> str:
    counts = [f"{sum(stage.status == each for stage in report.stages)} {each}" for each in ("passed", "failed")]
    left_out = sum(stage.status == "skipped" for stage in report.stages)
    shown = ", ".join(f"{name} {found}" for name, found in _versions().items())
    day = datetime.now(timezone.utc).date().isoformat()
    return f"spark-eventhubs verify, {day}: {', '.join(counts)}, {left_out} skipped ({shown})"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
