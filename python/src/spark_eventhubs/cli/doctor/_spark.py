"""Starts a Spark session in a process of its own, and checks what it sees."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs.cli.doctor._check import Check, fail, ok, warn
from spark_eventhubs.cli.doctor._sign_in import sign_in_checks
from spark_eventhubs.cli.doctor._spark_probe import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS: Final = 180
_LONGEST: Final = 200


def spark_checks(options: dict[str, str] | None) -> Iterator[Check]:
    """The session, the connector's jars that it sees, and whether it hides secrets. Nothing without PySpark.

    With options of the connector, also their sign-in.
    """
    if find_spec("pyspark") is None:
        return
    try:
        done = subprocess.run(
            [sys.executable, "-m", "spark_eventhubs.cli.doctor._spark_probe"],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            # Not as arguments, which other users of the machine can see.
            input="" if options is None else json.dumps(options),
        )
    except subprocess.TimeoutExpired:
        yield fail("spark", f"no session started in {_SECONDS} s", "Start one by hand and look at its output")
        return
    report = next((line for line in done.stdout.splitlines() if line.startswith(MARK)), None)
    if report is None:
        reason = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        yield fail("spark", f"no session starts: {reason[:_LONGEST]}", "Start one by hand and look at its output")
        return
    yield from _reported(json.loads(report.removeprefix(MARK)))


def _reported(report: dict[str, Any]) -> Iterator[Check]:
    yield ok(
        "spark", f"a session of Spark {report['spark']} with Scala {report['scala']} and Java {report['java']} starts"
    )
    providers = report["providers"]
    if not providers:
        yield fail("connector", "the session does not find it", "Look for a warning about the jar in Spark's output")
    elif len(providers) > 1:
        yield fail("connector", f"the session has {len(providers)}: {', '.join(providers)}", "Keep one of these jars")
    else:
        yield ok("connector", f"the session has it from {providers[0]}")
    if report["shown"]:
        last = sorted({key.rpartition(".")[2] for key in report["shown"]})
        yield warn(
            "redaction",
            f"Spark shows the values of {', '.join(report['shown'])} in its UI and logs",
            f"Set spark.sql.redaction.options.regex to (?i)url|{'|'.join(last)}",
        )
    else:
        yield ok("redaction", "Spark hides the secrets of the connector's options")
    if "sign_in" in report:
        yield from sign_in_checks(report["sign_in"])
