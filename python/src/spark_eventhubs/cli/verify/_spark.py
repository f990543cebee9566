"""Starts the stages that need Spark in a process of its own, and passes on what they found."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from spark_eventhubs._conf.refusals import without_secrets
from spark_eventhubs._install import install
from spark_eventhubs.cli.verify._spark_run import MARK
from spark_eventhubs.cli.verify._stage import WITH_SPARK, Stage, lacking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs.cli.verify._setting import Setting

_NAME: Final = "Spark"


def missing(extra: str, package: str) -> str | None:
    """Why a stage cannot run without a package; None if it is there."""
    parents = [package.rpartition(".")[0], package]
    if all(find_spec(each) is not None for each in parents if each):
        return None
    return f"{package} is not installed: {install(extra)}"


def missing_sdk() -> str | None:
    """Why a stage cannot run without the Azure SDK; None if it is there."""
    return missing("sdk", "azure.eventhub")


def spark_stages(setting: Setting) -> Iterator[Stage]:
    """The stages in their order, each when it has ended."""
    reason = missing("spark", "pyspark") or missing_sdk()
    if reason is not None:
        yield from (lacking(name, reason) for name in WITH_SPARK)
        return
    missing_stages = set(WITH_SPARK)
    program = [sys.executable, "-m", "spark_eventhubs.cli.verify._spark_run"]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8", errors="replace"
        ) as process,
    ):
        try:
            if process.stdin is not None:
                process.stdin.write(json.dumps(asdict(setting)))
                process.stdin.close()
            for line in process.stdout or ():
                stage = _stage_in(line)
                if stage is not None:
                    missing_stages.discard(stage.name)
                    yield stage
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0:
            errors.seek(0)
            last = (errors.read().strip().splitlines() or ["it printed nothing"])[-1]
            last = without_secrets(setting.target(setting.first).hide_secrets(last))
            yield Stage(name=_NAME, status="failed", found=f"the session ended: {last}")
        elif missing_stages:
            named = ", ".join(name for name in WITH_SPARK if name in missing_stages)
            yield Stage(name=_NAME, status="failed", found=f"the session did not say how these ended: {named}")


def _stage_in(line: str) -> Stage | None:
    """The stage of a line; None for other lines, and for one that something else has written into."""
    if not line.startswith(MARK):
        return None
    try:
        return Stage(**json.loads(line.removeprefix(MARK)))
    except (ValueError, TypeError):
        return None
