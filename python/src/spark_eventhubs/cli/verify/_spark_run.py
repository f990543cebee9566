"""The program that `verify` starts: it runs the stages on a local Spark session, and prints each as a line of JSON.

Its input is the setting, not its arguments, which other users of the machine can see.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Final

from spark_eventhubs._conf.refusals import without_secrets
from spark_eventhubs.cli.verify import _stage as names
from spark_eventhubs.cli.verify._setting import Setting
from spark_eventhubs.cli.verify._stage import DifferenceError, NotSeenError, Stage, skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_eventhubs.cli.verify._run import Run
    from spark_eventhubs.cli.verify._stage import Status

MARK: Final = "spark-eventhubs verify: "


def main() -> None:
    """Runs all stages. Without the rights, the others are skipped."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - PySpark is optional

    from spark_eventhubs._session import configure_spark_with_eventhubs  # noqa: PLC0415 - as above
    from spark_eventhubs.cli.verify._run import Run  # noqa: PLC0415 - as above

    given = json.loads(sys.stdin.read())
    setting = Setting(**given | {"options": tuple(given["options"])})
    builder = SparkSession.builder.master("local[2]").appName("spark-eventhubs verify")
    builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
    spark = configure_spark_with_eventhubs(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for stage in _stages(Run(spark, setting, folder)):
            # Whatever prints to the same output may have begun a line.
            print(f"\n{MARK}{json.dumps(stage.to_dict())}", flush=True)  # noqa: T201 -- the output of a program
    spark.stop()


def _stages(run: Run) -> Iterator[Stage]:
    from spark_eventhubs.cli.verify.stages._exactly_once import check_exactly_once  # noqa: PLC0415 - PySpark
    from spark_eventhubs.cli.verify.stages._idle import check_idle  # noqa: PLC0415 - as above
    from spark_eventhubs.cli.verify.stages._load import check_load  # noqa: PLC0415 - as above
    from spark_eventhubs.cli.verify.stages._read import check_read  # noqa: PLC0415 - as above
    from spark_eventhubs.cli.verify.stages._rights import check_rights  # noqa: PLC0415 - as above
    from spark_eventhubs.cli.verify.stages._store import check_store  # noqa: PLC0415 - as above
    from spark_eventhubs.cli.verify.stages._stream import check_stream  # noqa: PLC0415 - as above
    from spark_eventhubs.cli.verify.stages._write import check_write  # noqa: PLC0415 - as above

    setting = run.setting
    rights = _stage(names.RIGHTS, check_rights, run)
    yield rights
    stages: list[tuple[str, Callable[[Run], str], str | None]] = [
        (names.WRITE, check_write, None),
        (names.READ, check_read, None),
        (names.STREAM, check_stream, None),
        (
            names.EXACTLY_ONCE,
            check_exactly_once,
            "the connector reaches the namespace another way" if setting.is_indirect else None,
        ),
        (names.THROTTLING, check_load, None if setting.load else "it needs --load"),
        (names.STORE, check_store, None if setting.container else "it needs --container"),
        (names.IDLE, check_idle, None if setting.hours else "it needs --hours"),
    ]
    for name, check, reason in stages:
        lacking = f"the stage '{names.RIGHTS}' failed" if rights.status == "failed" else reason
        yield _stage(name, check, run) if lacking is None else skipped(name, lacking)


def _stage(name: str, check: Callable[[Run], str], run: Run) -> Stage:
    from spark_eventhubs.errors import EventHubsError  # noqa: PLC0415 - it loads PySpark's errors

    began = time.monotonic()

    def ended(status: Status, found: str, condition: str | None = None) -> Stage:
        seconds = round(time.monotonic() - began, 1)
        text = without_secrets(run.setting.target(run.setting.first).hide_secrets(found))
        return Stage(name=name, status=status, found=text, condition=condition, seconds=seconds)

    try:
        return ended("passed", check(run))
    except NotSeenError as reason:
        return ended("skipped", str(reason))
    except DifferenceError as difference:
        return ended("failed", str(difference))
    except EventHubsError as failure:
        return ended("failed", str(failure), failure.condition)
    except Exception as failure:  # noqa: BLE001 - whatever it is, it is the result
        first = next((line for line in str(failure).splitlines() if line.strip()), "")
        return ended("failed", f"{type(failure).__name__}: {first}")


if __name__ == "__main__":
    main()
