"""`watch` on real queries: what it prints, when it returns, and that it never changes a query."""

from __future__ import annotations

import fcntl
import io
import os
import re
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest

from confs import from_earliest
from events import spread
from processes import SPARK_ENVIRONMENT, wait_until
from spark_eventhubs import progress, read, read_stream, start_watch, watch
from streams import Target, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub, LocalHub


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path)


def test_a_log_has_a_line_for_each_batch_of_an_available_now_query_with_the_part_that_is_done(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(1000))
    conf = from_earliest(event_hub).replace(max_events_per_trigger=400)
    query = target.writer(read_stream(spark, conf)).queryName("numbers").trigger(availableNow=True).start()
    log = io.StringIO()

    watch(query, file=log)

    assert not query.isActive
    lines = log.getvalue().splitlines()
    assert len(lines) >= 4
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ numbers ", line) for line in lines)
    assert re.search(r"batch 2: 200 rows in .* 0 events behind, 100% done, 0 s left$", lines[-2])
    assert lines[-1].endswith(" numbers ended")


def test_the_events_left_of_an_available_now_query_do_not_grow_with_later_events(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(1000))
    conf = from_earliest(event_hub).replace(max_events_per_trigger=300)

    def send_more(_rows: object, batch: int) -> None:
        if batch == 0:
            spread(event_hub, range(1000, 1400))

    rows = read_stream(spark, conf).writeStream.foreachBatch(send_more)
    query = rows.option("checkpointLocation", str(target.folder)).trigger(availableNow=True).start()
    query.awaitTermination(120)

    metrics = [each["sources"][0]["metrics"] for each in query.recentProgress]
    assert [each["eventsLeft"] for each in metrics if each] == ["700", "400", "100", "0"]
    assert metrics[-1]["eventsBehind"] == "400"


def test_the_end_of_a_failed_query_is_shown_in_one_sentence(
    spark: SparkSession, another_hub: Callable[..., LocalEventHub], local_hub: LocalHub, target: Target
) -> None:
    hub = another_hub()
    spread(hub, range(100))
    log = io.StringIO()
    with running(spark, from_earliest(hub), target) as query:
        query.processAllAvailable()
        with start_watch(query, file=log):
            wait_until("a line", lambda: "batch 0" in log.getvalue())
        local_hub.delete_hub(hub.name)
        wait_until("the query has failed", lambda: not query.isActive)

        watch(query, file=log)
    local_hub.create_hub(hub.name, partitions=2)

    last = log.getvalue().splitlines()[-1]
    assert re.search(r" failed: \[EVENTHUBS_\w+\] .*" + hub.name, last)
    assert "stacktrace" not in log.getvalue()


def test_all_queries_of_a_session_have_a_row(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    other = another_hub()
    spread(event_hub, range(100))
    spread(other, range(200))
    screen = io.StringIO()
    queries = [
        Target(tmp_path / name).writer(read_stream(spark, from_earliest(hub))).queryName(name).start()
        for name, hub in (("first", event_hub), ("second", other))
    ]
    try:
        for query in queries:
            query.processAllAvailable()
        start_watch(spark, file=screen, output="terminal").stop()
    finally:
        for query in queries:
            query.stop()

    text = screen.getvalue()
    assert re.search(r"query +batch +input +processed +behind +time behind +state", text)
    assert re.search(r"first +0 +\S+ +\S+ +0 +0 s +running", text)
    assert re.search(r"second +0 +\S+ +\S+ +0 +0 s +running", text)


def test_a_session_without_a_query_is_not_watched(spark: SparkSession) -> None:
    log = io.StringIO()
    watch(spark, file=log)
    assert log.getvalue().endswith("no streaming query is active\n")


PROGRAM = """
import sys
from pyspark.sql import SparkSession
from spark_eventhubs import EventHubsConf, configure_spark_with_eventhubs, read_stream, watch
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = configure_spark_with_eventhubs(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
conf = EventHubsConf(connection_string=sys.argv[1], starting_position="earliest", max_events_per_trigger=50)

def slowly(rows, batch):
    pause = 0 if batch == 0 else 0.05
    rows.foreach(lambda row: __import__("time").sleep(pause))

query = read_stream(spark, conf).writeStream.queryName("numbers").foreachBatch(slowly)
query = query.option("checkpointLocation", sys.argv[2]).start()
watch(query)
query.processAllAvailable()
print("still active:", query.isActive, "rows:", sum(each["numInputRows"] for each in query.recentProgress))
query.stop()
"""


@pytest.mark.timeout(600)
def test_ctrl_c_in_a_terminal_ends_the_view_but_not_the_query_or_its_running_job(
    event_hub: LocalEventHub, tmp_path: Path
) -> None:
    spread(event_hub, range(200))
    master, slave = os.openpty()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program), event_hub.connection_string, str(tmp_path / "checkpoint")]
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        env={**SPARK_ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 -- no threads before exec
    )
    os.close(slave)
    screen = b""
    try:
        while b"batch 0" not in screen:
            screen += os.read(master, 65536)
        os.write(master, b"\x03")
        while b"still active" not in screen or not screen.endswith(b"\n"):
            screen += os.read(master, 65536)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(master)

    text = screen.decode()
    assert "numbers" in text
    assert "\x1b[2K" in text, "the view is updated in place"
    assert "stopped watching; the query continues" in text
    assert "still active: True rows: 200" in text


def test_a_batch_read_has_a_bar_for_its_stage_and_other_jobs_have_none(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    spread(event_hub, range(100))
    screen = io.StringIO()

    with progress(spark, file=screen):
        read(spark, from_earliest(event_hub)).select("body").foreach(lambda _: None)
    shown = screen.getvalue()
    read(spark, from_earliest(event_hub)).select("body").foreach(lambda _: None)

    assert re.findall(r"stage \d+ .* (\d+/\d+) +tasks", shown) == ["4/4"]
    assert screen.getvalue() == shown
    assert not any("spark-eventhubs" in tag for tag in spark.sparkContext.getJobTags())
