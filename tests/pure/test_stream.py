from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import StreamingQueryException

from confs import conf_of, from_earliest
from events import once, send, spread
from pure_versions import HAS_STREAMS
from spark_eventhubs import EventPosition, read_stream
from spark_eventhubs.errors import DataLossError
from streams import Target, forget_commit, run_available

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from spark_eventhubs import EventHubsConf, LocalEventHub, LocalHub

QUICK = timedelta(seconds=10)

pytestmark = pytest.mark.skipif(not HAS_STREAMS, reason="streams of this engine need Spark 4.2")


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path)


def stream_python(spark: SparkSession, conf: EventHubsConf) -> DataFrame:
    return spark.readStream.format("eventhubs_python").options(**conf).load()


def read_available(spark: SparkSession, conf: EventHubsConf, target: Target) -> StreamingQuery:
    return run_available(target.writer(stream_python(spark, conf)))


def test_a_stream_reads_every_event_once_also_after_a_restart(
    both: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(1000))
    conf = from_earliest(event_hub).replace(max_events_per_trigger=400)

    query = read_available(both, conf, target)
    spread(event_hub, range(1000, 1200))
    running = target.writer(stream_python(both, conf)).start()
    try:
        running.processAllAvailable()
        spread(event_hub, range(1200, 1500))
        running.processAllAvailable()
    finally:
        running.stop()

    sizes = [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"] > 0]
    assert max(sizes) <= 400
    assert len(sizes) >= 3
    assert target.numbers(both) == once(range(1500))


def test_one_checkpoint_goes_from_engine_to_engine(
    both: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    conf = from_earliest(event_hub)
    for turn in range(4):
        spread(event_hub, range(100 * turn, 100 * turn + 100))
        stream = read_stream(both, conf) if turn % 2 else stream_python(both, conf)
        run_available(target.writer(stream))

    assert target.numbers(both) == once(range(400))
    last = max((target.folder / "checkpoint" / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    offset = json.loads(last.read_text(encoding="utf-8").splitlines()[-1])
    assert offset == {event_hub.name: {"0": 100, "1": 100, "2": 100, "3": 100}}


def test_a_new_query_keeps_the_position_latest_when_its_first_batch_is_repeated(
    both: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(40))
    read_available(both, conf_of(event_hub), target)
    spread(event_hub, range(40, 80))
    forget_commit(target.folder / "checkpoint", 0)

    read_available(both, conf_of(event_hub), target)

    assert target.numbers(both) == once(range(40, 80))


def test_a_stream_starts_at_positions_and_reads_chosen_partitions(
    both: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    sent = spread(event_hub, range(400))
    positions = {0: EventPosition.sequence_number(90), 1: EventPosition.latest()}
    conf = from_earliest(event_hub).replace(starting_positions=positions, partitions=[0, 1, 2])

    read_available(both, conf, target)

    assert target.numbers(both) == once(sent[0][90:] + sent[2])


@pytest.mark.event_hub(partitions=2)
def test_a_new_partition_is_read_from_its_first_event(
    both: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, target: Target
) -> None:
    spread(event_hub, range(100))
    read_available(both, conf_of(event_hub), target)
    local_hub.create_hub(event_hub.name, partitions=3)
    send(event_hub, range(100, 120), partition=2)

    read_available(both, conf_of(event_hub), target)

    assert target.numbers(both) == once(range(100, 120))


@pytest.mark.event_hub(partitions=1)
def test_expired_events_stop_the_query_or_are_passed(
    both: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    send(event_hub, range(10), partition=0)
    read_available(both, from_earliest(event_hub), target)
    send(event_hub, range(10, 50), partition=0)
    event_hub.expire(partition=0, before=30)

    with pytest.raises(DataLossError, match="sequence numbers 10 until 30") as lost:
        read_available(both, from_earliest(event_hub), target)
    read_available(both, from_earliest(event_hub).replace(fail_on_data_loss=False), target)

    assert lost.value.condition == "EVENTHUBS_DATA_LOSS.EXPIRED"
    assert isinstance(lost.value, StreamingQueryException)
    assert target.numbers(both) == once([*range(10), *range(30, 50)])


def test_an_answer_that_lags_behind_is_not_believed(
    both: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(100))
    read_available(both, from_earliest(event_hub), target)

    with event_hub.faults.inject("lag", events=5, count=6):
        read_available(both, from_earliest(event_hub).replace(operation_timeout=timedelta(seconds=20)), target)
    spread(event_hub, range(100, 200))
    read_available(both, from_earliest(event_hub), target)

    assert target.numbers(both) == once(range(200))


def test_a_recreated_hub_stops_the_query_by_name(both: SparkSession, event_hub: LocalEventHub, target: Target) -> None:
    conf = from_earliest(event_hub).replace(operation_timeout=QUICK)
    spread(event_hub, range(400))
    running = target.writer(stream_python(both, conf)).start()
    try:
        running.processAllAvailable()
        event_hub.recreate()
        spread(event_hub, range(1000, 1800))
        with pytest.raises(DataLossError) as lost:
            running.processAllAvailable()
    finally:
        running.stop()

    assert lost.value.condition == "EVENTHUBS_DATA_LOSS.RECREATED"
    assert target.numbers(both) == once(range(400))


def test_a_hub_that_was_recreated_between_runs_is_shorter(
    both: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    conf = from_earliest(event_hub).replace(operation_timeout=QUICK)
    spread(event_hub, range(400))
    read_available(both, conf, target)
    event_hub.recreate()
    spread(event_hub, range(1000, 1040))

    with pytest.raises(DataLossError, match="RECREATED"):
        read_available(both, conf, target)
    read_available(both, conf.replace(fail_on_data_loss=False), target)
    spread(event_hub, range(1040, 1100))
    read_available(both, conf, target)

    assert target.numbers(both) == once([*range(400), *range(1000, 1100)])
