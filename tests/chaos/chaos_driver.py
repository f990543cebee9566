"""The Spark application of a chaos run: four queries that copy the source, started again whenever they fail.

Its only argument is a JSON object: `master`, `folder` for checkpoints, `source`, the connection strings of `sinks` by
their roles, and `files`, where one query writes Parquet files. It prints one JSON object a line: `{"ready": true}` when
Spark runs, `{"failed": query, "condition": ..., "text": ...}` for each query that fails, `{"drained": true}` at the
end. It reads JSON objects: `{"do": "run", "options": {...}}` starts the queries, or stops and starts them again with
these options; `{"do": "drain"}` copies what is left and ends.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import SparkSession

from chaos_schedule import BATCHES, LEAST, ONCE
from spark_eventhubs import (
    EventHubsConf,
    EventPosition,
    WriteOnce,
    configure_spark_with_eventhubs,
    read_stream,
    write,
    write_stream,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

FILES: Final = "files"
QUERIES: Final = (ONCE, LEAST, BATCHES, FILES)

# As in test_exactly_once_kills.py: a connection that stalls is noticed after 2 seconds, and what it holds arrives
# within 10 seconds.
PATIENCE: Final = {
    "eventhubs.operationTimeout": "8s",
    "eventhubs.settleDelay": "2s",
    "eventhubs.settleDelayAfterTimeout": "10s",
}
READ_OPTIONS: Final = ("eventhubs.maxEventsPerTrigger", "eventhubs.useV1Source", "eventhubs.prefetchCount")
COLUMNS: Final = (
    "concat(partition, ':', sequenceNumber, ':', cast(body as string)) as body",
    "cast(partition as string) as partitionKey",
)
_CONDITION: Final = re.compile(r"EVENTHUBS_[A-Z_]+(?:\.[A-Z_]+)?")
_PAUSE_SECONDS: Final = 0.2


def say(**words: object) -> None:
    """Prints one message."""
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def condition_of(failure: str) -> str:
    """The error condition in a failure's text; an empty text without one."""
    found = _CONDITION.search(failure)
    return found.group() if found else ""


@dataclass
class Copies:
    """The queries of this application."""

    spark: SparkSession
    setting: dict[str, Any]

    def start(self, name: str, options: dict[str, Any], *, drain: bool) -> StreamingQuery:
        """Starts a query. With `drain` it ends when it has copied what is there."""
        texts = {key: str(value).lower() for key, value in options.items()}
        reading = {key: value for key, value in texts.items() if key in READ_OPTIONS}
        writing = {key: value for key, value in texts.items() if key not in READ_OPTIONS}
        source = self._conf(self.setting["source"], reading).replace(starting_position=EventPosition.earliest())
        rows = read_stream(self.spark, source).selectExpr(*COLUMNS)
        writer = self._writer(name, rows, writing).queryName(name)
        return (writer.trigger(availableNow=True) if drain else writer).start()

    def _writer(self, name: str, rows: DataFrame, options: dict[str, str]) -> DataStreamWriter:
        checkpoint = str(Path(self.setting["folder"], name))
        if name == FILES:
            files = rows.select("body").writeStream.format("parquet").option("path", self.setting["files"])
            return files.option("checkpointLocation", checkpoint)
        sink = self.setting["sinks"][name]
        if name == BATCHES:
            conf = self._conf(sink, {key: value for key, value in options.items() if key != "eventhubs.useV1Sink"})
            once = conf.replace(delivery_guarantee="exactly-once")
            log = f"{checkpoint}-log"
            return rows.writeStream.foreachBatch(
                lambda batch, number: write(
                    batch, once, once=WriteOnce(write_id="chaos", version=number, log_location=log)
                )
            ).option("checkpointLocation", checkpoint)
        guarantee = "exactly-once" if name == ONCE else "at-least-once"
        conf = self._conf(sink, options | {"eventhubs.deliveryGuarantee": guarantee})
        return write_stream(rows, conf, checkpoint_location=checkpoint)

    def _conf(self, connection_string: str, options: dict[str, str]) -> EventHubsConf:
        return EventHubsConf.from_options({"eventhubs.connectionString": connection_string, **PATIENCE, **options})


class Application:
    """Keeps the queries running."""

    def __init__(self, copies: Copies) -> None:
        """Starts nothing."""
        self._copies = copies
        self._options: dict[str, Any] = {}
        self._running: dict[str, StreamingQuery] = {}
        self._drain = False

    def obey(self, command: dict[str, Any]) -> None:
        """Stops all queries, and starts them as the command says."""
        for name, query in self._running.items():
            self._note(name, query)
            query.stop()
        self._options = command.get("options", self._options)
        self._drain = command["do"] == "drain"
        self._running = {}
        for name in QUERIES:
            self._start(name)

    def look(self) -> bool:
        """Starts what has failed again. True when everything is drained."""
        for name, query in list(self._running.items()):
            if not query.isActive and self._note(name, query):
                self._start(name)
        return self._drain and not any(query.isActive for query in self._running.values())

    def _note(self, name: str, query: StreamingQuery) -> bool:
        """Whether the query has failed. Says so."""
        failure = query.exception()
        if failure is None:
            return False
        text = str(failure)
        say(failed=name, condition=condition_of(text), text=text[:3000])
        return True

    def _start(self, name: str) -> None:
        """As an operator does: again and again while the query cannot start."""
        while not self._has_started(name):
            time.sleep(_PAUSE_SECONDS)

    def _has_started(self, name: str) -> bool:
        try:
            self._running[name] = self._copies.start(name, self._options, drain=self._drain)
        except Exception as failure:  # noqa: BLE001 - of any kind, and said
            say(failed=name, condition=condition_of(str(failure)), text=str(failure)[:3000])
            return False
        return True


def main(text: str) -> None:
    """Runs until it is killed, or until everything is drained."""
    setting = json.loads(text)
    spark = (
        configure_spark_with_eventhubs(SparkSession.builder.master(setting["master"]))
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "512m")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(1).collect()
    commands: Queue[dict[str, Any]] = Queue()

    def listen() -> None:
        for line in sys.stdin:
            commands.put(json.loads(line))

    threading.Thread(target=listen, daemon=True).start()
    say(ready=True)
    application = Application(Copies(spark, setting))
    application.obey(commands.get())
    while not application.look():
        with suppress(Empty):
            application.obey(commands.get(timeout=_PAUSE_SECONDS))
    say(drained=True)


if __name__ == "__main__":
    main(sys.argv[1])
