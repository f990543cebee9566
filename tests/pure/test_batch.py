from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from azure.eventhub import EventData
from azure.eventhub.amqp import AmqpAnnotatedMessage
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSourceRegistration

from confs import from_earliest
from events import numbers_of, once, send_events, spread
from spark_eventhubs import EventHubsConf, EventPosition, read
from spark_eventhubs.errors import AuthenticationError, ConsumerGroupNotFoundError, HubNotFoundError, OptionError
from spark_eventhubs.pure import register

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_eventhubs import LocalEventHub


def read_python(spark: SparkSession, conf: EventHubsConf, **more: str) -> DataFrame:
    return spark.read.format("eventhubs_python").options(**{**conf, **more}).load()


def unusual_events() -> list[EventData]:
    """Events with each kind of value that the SDK encodes."""
    moment = datetime(2026, 1, 31, 12, 30, 15, 250_000, tzinfo=timezone.utc)
    values: dict[str | bytes, Any] = {
        "text": 'blue "quoted" äöü',
        "numbers": -7,
        "large": 2**30,
        "real": 2.5,
        "huge": 1.25e17,
        "tiny": 0.00001,
        "flag": True,
        "bytes": b"\x00\xff",
        "time": moment,
        "id": uuid.UUID(int=7),
        "none": None,
    }
    plain = EventData(b"\x00\xff")
    plain.properties = values
    plain.message_id, plain.correlation_id, plain.content_type = "m-1", "c-1", "application/x"
    header = {"durable": True, "priority": 3}
    sections = {"message_id": 7, "user_id": b"me", "subject": "s", "creation_time": 1_700_000_000_000}
    messages: list[Any] = [
        AmqpAnnotatedMessage(data_body=[b"one", b"two"], annotations={}, header=header, properties=sections),
        AmqpAnnotatedMessage(annotations={}, value_body={"a": [1, 2.0, "x", None, True], "b": {"c": b"\x01"}}),
        AmqpAnnotatedMessage(annotations={}, value_body="text"),
        AmqpAnnotatedMessage(sequence_body=[[1, "two"], [3.5]], annotations={"x-opt-own": 5}),
    ]
    return [plain, EventData(b""), *messages]


@pytest.mark.event_hub(partitions=1)
def test_both_engines_give_the_same_rows(both: SparkSession, event_hub: LocalEventHub) -> None:
    send_events(event_hub, unusual_events(), key="k")
    conf = from_earliest(event_hub).replace(include_event_hub=True)
    jar, python = read(both, conf), read_python(both, conf)

    assert python.schema == jar.schema
    assert [row.asDict() for row in python.collect()] == [row.asDict() for row in jar.collect()]
    assert python.count() == 6


def test_a_batch_reads_between_its_positions(both: SparkSession, event_hub: LocalEventHub) -> None:
    sent = spread(event_hub, range(400))
    starts = {0: EventPosition.sequence_number(10), 1: EventPosition.latest()}
    ends = {0: EventPosition.sequence_number(20), 2: EventPosition.sequence_number(5)}
    conf = from_earliest(event_hub).replace(starting_positions=starts, ending_positions=ends)

    assert numbers_of(read_python(both, conf)) == once(sent[0][10:20] + sent[2][:5] + sent[3])
    assert numbers_of(read_python(both, conf.replace(partitions=[2, 3]))) == once(sent[2][:5] + sent[3])


def test_a_batch_starts_at_an_offset_and_at_a_time(both: SparkSession, event_hub: LocalEventHub) -> None:
    sent = spread(event_hub, range(400))
    conf = from_earliest(event_hub).replace(partitions=[1])
    row = read_python(both, conf).where("sequenceNumber = 30").select("offset", "enqueuedTime").collect()[0]
    at, after = EventPosition.offset(row[0]), EventPosition.offset(row[0], inclusive=False)

    with event_hub.faults.inject("older-first", events=3):
        assert numbers_of(read_python(both, conf.replace(starting_positions={1: at}))) == once(sent[1][30:])
    assert numbers_of(read_python(both, conf.replace(starting_positions={1: after}))) == once(sent[1][31:])
    jar = numbers_of(read(both, conf.replace(starting_position=row[1].replace(tzinfo=timezone.utc))))
    assert numbers_of(read_python(both, conf.replace(starting_position=row[1].replace(tzinfo=timezone.utc)))) == jar
    later = datetime.now(timezone.utc) + timedelta(days=1)
    assert read_python(both, conf.replace(starting_position=later)).count() == 0


def test_a_lost_connection_in_the_middle_of_a_range_loses_nothing(both: SparkSession, event_hub: LocalEventHub) -> None:
    sent = spread(event_hub, range(4000))
    with (
        event_hub.faults.inject("drop", on="receive", skip=3, count=2),
        event_hub.faults.inject("detach", on="receive", skip=9, count=1),
    ):
        rows = read_python(both, from_earliest(event_hub)).selectExpr("partition", "int(string(body))").collect()
        assert event_hub.faults.active() == []

    for partition, numbers in sent.items():
        assert [row[1] for row in rows if row[0] == str(partition)] == numbers


def test_neither_a_plan_nor_an_error_shows_a_key(both: SparkSession, event_hub: LocalEventHub) -> None:
    spread(event_hub, range(4))
    conf = from_earliest(event_hub)
    key = conf["eventhubs.connectionString"].split("SharedAccessKey=")[1].split(";", maxsplit=1)[0]
    df = read_python(both, conf)
    df.write.format("noop").mode("append").save()
    df.select("body").write.format("eventhubs_python").options(**conf).mode("append").save()
    executions = both._jsparkSession.sharedState().statusStore().executionsList()  # noqa: SLF001
    ran = [executions.apply(i) for i in range(executions.size())]
    shown = [f"{each.description()} {each.details()} {each.physicalPlanDescription()}" for each in ran]

    assert any("eventhubs_python" in each for each in shown)
    assert [each for each in shown if key in each] == []
    assert key not in df._jdf.queryExecution().toString()  # noqa: SLF001


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("eventhubs.consumerGrup", "a", "did you mean 'eventhubs.consumerGroup'"),
        ("eventhubs.minPartitions", "4", "does not have this option: each partition of the hub is one task"),
        ("eventhubs.startingPosition", "yesterday", "EVENTHUBS_INVALID_OPTION"),
        ("eventhubs.startingPosition", "99", "EVENTHUBS_POSITION_BEYOND_END"),
        ("eventhubs.partitions", "0,9", "which has 0, 1"),
        ("eventhubs.name", "a,b", "EVENTHUBS_"),
        ("eventhubs.auth.type", "managedIdentity", "EVENTHUBS_CONFLICTING_OPTIONS"),
    ],
)
@pytest.mark.event_hub(partitions=2)
def test_a_mistake_is_refused_by_name(
    both: SparkSession, event_hub: LocalEventHub, option: str, value: str, words: str
) -> None:
    options = {**from_earliest(event_hub), option: value}
    with pytest.raises(OptionError) as refused:
        both.read.format("eventhubs_python").options(**options).load().collect()

    assert words.lower() in str(refused.value).lower()
    assert refused.value.condition is not None


def test_what_the_service_refuses_has_its_class(both: SparkSession, event_hub: LocalEventHub) -> None:
    conf = from_earliest(event_hub).replace(operation_timeout=timedelta(seconds=5))
    wrong = str(conf["eventhubs.connectionString"])
    key = wrong.split("SharedAccessKey=")[1].split(";", maxsplit=1)[0]
    spread(event_hub, range(4))

    with pytest.raises(AuthenticationError) as refused:
        read_python(both, EventHubsConf(connection_string=wrong.replace(key, "bm90IHRoZSBrZXk="))).collect()
    with pytest.raises(HubNotFoundError):
        read_python(both, EventHubsConf(connection_string=wrong.replace(event_hub.name, "no-such-hub"))).collect()
    with pytest.raises(ConsumerGroupNotFoundError):
        read_python(both, conf.replace(consumer_group="nobody")).collect()

    assert key not in str(refused.value)


def test_a_session_is_registered_once_also_over_another_object_as_foreach_batch_makes_it(
    both: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered: list[object] = []
    monkeypatch.setattr(DataSourceRegistration, "register", lambda _, source: registered.append(source))

    register(SparkSession(both.sparkContext, both._jsparkSession))  # noqa: SLF001 - as PySpark makes it

    assert registered == []
