"""Names and values that are nearly right: each fails at the call, in one sentence that says what to write."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, cast

import pytest

from spark_eventhubs import OPTIONS, EventHubsConf, EventPosition
from spark_eventhubs._conf.option_values import find_option, setting
from spark_eventhubs._options import KAFKA_OPTIONS

if TYPE_CHECKING:
    from spark_eventhubs._conf.option_values import OptionValue

HUB = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t;EntityPath=telemetry"
COMMON = {"name", "partition", "topic"}
NOON = datetime(2024, 1, 31, 12, tzinfo=timezone.utc)


def conf() -> EventHubsConf:
    return EventHubsConf.from_connection_string(HUB)


def refusal(options: dict[str, OptionValue | None]) -> str:
    with pytest.raises((ValueError, TypeError)) as refused:
        EventHubsConf.from_options(options)
    return str(refused.value)


def changed(key: str, value: Any) -> EventHubsConf:  # noqa: ANN401
    spec = find_option(key)
    if spec is None or spec.keyword is None:
        return EventHubsConf.from_options({key: value})
    keywords: dict[str, Any] = {spec.keyword: value}
    return conf().replace(**keywords)


NEARLY = [
    ("eventhubs.prefechCount", "eventhubs.prefetchCount"),
    ("eventhubs.consumergroups", "eventhubs.consumerGroup"),
    ("eventhub.consumerGroup", "eventhubs.consumerGroup"),
    ("event_hubs.consumerGroup", "eventhubs.consumerGroup"),
    ("spark.eventhubs.connectionString", "eventhubs.connectionString"),
    ("eventHubName", "eventhubs.name"),
    ("maxEventPerTrigger", "eventhubs.maxEventsPerTrigger"),
    ("startingPosition", "eventhubs.startingPosition"),
    ("CONSUMERGROUP", "eventhubs.consumerGroup"),
]


@pytest.mark.parametrize(("key", "nearest"), NEARLY)
def test_a_name_that_is_nearly_an_option_is_rejected_with_the_right_one(key: str, nearest: str) -> None:
    expected = f"'{key}' is not an option of the connector; did you mean '{nearest}'?"

    assert refusal({key: "1"}) == expected
    with pytest.raises(ValueError, match="did you mean") as refused:
        setting(key, "1")
    assert str(refused.value) == expected


KEYWORDS = [spec.keyword for spec in OPTIONS if spec.keyword]


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_every_keyword_of_the_constructor_is_an_option_or_rejected_with_its_key(keyword: str) -> None:
    assert "did you mean 'eventhubs." in refusal({keyword: "1"})


@pytest.mark.parametrize("spec", OPTIONS, ids=lambda spec: spec.key)
def test_every_option_without_its_prefix_is_an_option_or_rejected_with_its_key(spec: object) -> None:
    key = cast("str", getattr(spec, "key"))  # noqa: B009
    short = key.removeprefix("eventhubs.")
    if short in getattr(spec, "aliases") or short in COMMON:  # noqa: B009
        return

    assert refusal({short: "1"}) == f"'{short}' is not an option of the connector; did you mean '{key}'?"


@pytest.mark.parametrize(
    "key", [*sorted(KAFKA_OPTIONS.keys() - COMMON), "startingOffset", "kafka.ssl.truststore.location"]
)
def test_an_option_of_the_kafka_source_is_rejected_with_what_to_do_here(key: str) -> None:
    assert refusal({key: "1"}).startswith(f"'{key}' is not an option of the connector; Spark's Kafka connector has it.")


@pytest.mark.parametrize("key", sorted(COMMON))
def test_a_name_that_many_sources_have_passes_in_shared_options_and_is_refused_where_it_is_set_alone(key: str) -> None:
    assert EventHubsConf.from_options({"eventhubs.connectionString": HUB, key: "1"})[key] == "1"
    with pytest.raises(ValueError, match=f"'{key}' is not an option of the connector"):
        setting(key, "1")


def test_options_of_spark_and_names_of_the_user_pass() -> None:
    names = ["path", "header", "checkpointLocation", "inferSchema", "maxFilesPerTrigger", "queryName", "ehName", "team"]

    assert list(EventHubsConf.from_options(dict.fromkeys(names, "1"))) == names


def test_one_option_in_two_spellings_has_one_value() -> None:
    both: dict[str, OptionValue | None] = {"maxEventsPerTrigger": 5, "eventhubs.maxEventsPerTrigger": "5"}

    assert dict(EventHubsConf.from_options(both)) == {"eventhubs.maxEventsPerTrigger": "5"}
    assert refusal(both | {"maxEventsPerTrigger": 6}) == (
        "'maxEventsPerTrigger' is '6' and 'eventhubs.maxEventsPerTrigger', another name of it, is '5'; "
        "set 'eventhubs.maxEventsPerTrigger' only"
    )


def test_two_values_of_a_secret_are_rejected_without_showing_them() -> None:
    text = refusal({"eventhubs.auth.sasToken": "s3cr3t-one", "EVENTHUBS.AUTH.SASTOKEN": "s3cr3t-two"})

    assert "s3cr3t" not in text
    assert "set 'eventhubs.auth.sasToken' only" in text


WRONG_TYPES = [
    ("eventhubs.prefetchCount", 1.5, "'eventhubs.prefetchCount' is 1.5; expected a whole number from 1 to 8000"),
    (
        "eventhubs.name",
        5,
        "'eventhubs.name' (eventhub_name) is 5; expected the name of an event hub, or a list of names",
    ),
    (
        "eventhubs.retry.maxRetries",
        1.5,
        "'eventhubs.retry.maxRetries' (max_retries) is 1.5; expected a whole number from 0 to 100",
    ),
    ("eventhubs.consumerGroup", 5, "'eventhubs.consumerGroup' is 5; expected some text"),
    ("eventhubs.consumerGroup", True, "'eventhubs.consumerGroup' is True; expected some text"),
    ("eventhubs.failOnDataLoss", 2.0, "'eventhubs.failOnDataLoss' is 2.0; expected true or false"),
    (
        "eventhubs.receiverTimeout",
        30,
        (
            "'eventhubs.receiverTimeout' is 30; "
            "expected a timedelta above zero, or a duration as text such as PT30S or 30s"
        ),
    ),
    ("eventhubs.partitions", [1.5], "'eventhubs.partitions' is [1.5]; expected partition ids with commas, such as 0,2"),
    ("eventhubs.auth.sasToken", b"s3cr3t", "'eventhubs.auth.sasToken' is a bytes; expected some text"),
    (5, "x", "5 is not the key of an option; expected text such as 'eventhubs.consumerGroup'"),
    (
        "eventhubs.startingPosition",
        date(2024, 1, 31),
        (
            "'eventhubs.startingPosition': datetime.date(2024, 1, 31) has no time of day; expected a datetime with its "
            "time zone"
        ),
    ),
    (
        "eventhubs.startingPosition",
        True,
        (
            "'eventhubs.startingPosition': True is not a position; expected 'earliest', 'latest', a sequence number, a "
            "datetime with its time zone, or an EventPosition"
        ),
    ),
    (
        "eventhubs.startingPositions",
        [1, 2],
        "'eventhubs.startingPositions': [1, 2] is not a dict; expected one such as {0: EventPosition.latest()}",
    ),
    (
        "eventhubs.startingPositions",
        {1.5: 0},
        (
            "'eventhubs.startingPositions': 1.5 is not a partition; expected its id, such as 0 or '0', or a "
            "NameAndPartition"
        ),
    ),
]


@pytest.mark.parametrize(("key", "value", "expected"), WRONG_TYPES)
def test_a_value_of_a_wrong_type_is_rejected_at_the_call(key: str, value: object, expected: str) -> None:
    with pytest.raises(TypeError) as refused:
        changed(key, value)

    assert str(refused.value) == expected


WRONG_VALUES = [
    ("eventhubs.prefetchCount", "many", "'eventhubs.prefetchCount' is 'many'; expected a whole number from 1 to 8000"),
    ("eventhubs.prefetchCount", 0, "'eventhubs.prefetchCount' is '0'; expected a whole number from 1 to 8000"),
    ("eventhubs.prefetchCount", True, "'eventhubs.prefetchCount' is 'true'; expected a whole number from 1 to 8000"),
    ("eventhubs.failOnDataLoss", "maybe", "'eventhubs.failOnDataLoss' is 'maybe'; expected true or false"),
    (
        "eventhubs.operationTimeout",
        "soon",
        "is 'soon'; expected a timedelta above zero, or a duration as text such as PT30S or 30s",
    ),
    (
        "eventhubs.operationTimeout",
        timedelta(),
        "is 'PT0S'; expected a timedelta above zero, or a duration as text such as PT30S or 30s",
    ),
    ("eventhubs.transport", "pigeon", "'eventhubs.transport' is 'pigeon'; expected one of amqp, amqpWebSockets"),
    ("eventhubs.partitions", [], "'eventhubs.partitions' is ''; expected partition ids with commas, such as 0,2"),
    ("eventhubs.consumerGroup", " ", "'eventhubs.consumerGroup' is ' '; expected some text"),
    ("eventhubs.startingPosition", "beginning", "'beginning' is not a position; expected 'earliest', 'latest'"),
    ("eventhubs.startingPosition", "2024-01-31T12:00:00", "'2024-01-31T12:00:00' is not a position"),
    ("eventhubs.startingPosition", datetime(2024, 1, 31), "has no time zone; expected one such as datetime("),  # noqa: DTZ001
    ("eventhubs.startingPosition", -5, "sequence number -5 is negative"),
    ("eventhubs.startingPosition", {"sequenceNumber": 5}, "'sequenceNumber' is not a field of a position; expected"),
    ("eventhubs.startingPosition", "2024-13-31T12:00:00Z", "'2024-13-31T12:00:00Z' is not a position"),
    ("eventhubs.startingPosition", '"beginning"', "'beginning' is not a position"),
    ("eventhubs.startingPosition", {"seqNo": "many"}, "the field 'seqNo' of a position is 'many'"),
    ("eventhubs.startingPosition", '{"enqueuedTime": "noon"}', "'noon' is not a position"),
    ("eventhubs.startingPosition", {"seqNo": 5, "isInclusive": "no"}, "'isInclusive' of a position is 'no'"),
    ("eventhubs.startingPosition", {"seqNo": -1}, "a position has no field; expected one of offset, seqNo"),
    ("eventhubs.startingPosition", "{'seqNo': 5}", "is not valid JSON; expected JSON as json.dumps writes it"),
    ("eventhubs.startingPositions", {"p0": 5}, "'p0' is not a partition; expected its id, such as 0 or '0'"),
    ("eventhubs.startingPositions", {0: "noon"}, "'noon' is not a position"),
]


@pytest.mark.parametrize(("key", "value", "expected"), WRONG_VALUES)
def test_a_value_of_a_wrong_form_is_rejected_at_the_call(key: str, value: OptionValue, expected: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the text is checked below, without a pattern
        changed(key, value)

    assert expected in str(refused.value)


POSITIONS = [
    ("earliest", '"earliest"'),
    ("Latest", '"Latest"'),
    (7, EventPosition.sequence_number(7).to_json()),
    (NOON, EventPosition.enqueued_time(NOON).to_json()),
    (EventPosition.offset("4711"), EventPosition.offset("4711").to_json()),
    ({"offset": "-1", "seqNo": -1, "enqueuedTime": None}, '{"offset": "-1", "seqNo": -1, "enqueuedTime": null}'),
    ({"SeqNo": 5, "isInclusive": False}, '{"seqNo": 5, "isInclusive": false}'),
    ({"enqueuedTime": NOON}, '{"enqueuedTime": "2024-01-31T12:00:00.000Z"}'),
]


@pytest.mark.parametrize(("position", "text"), POSITIONS)
def test_a_position_has_many_forms(position: OptionValue, text: str) -> None:
    expected = text.strip('"') if isinstance(position, str) else text

    assert changed("eventhubs.startingPosition", position)["eventhubs.startingPosition"] == expected
    assert EventHubsConf.from_options({"eventhubs.startingPosition": position}) == EventHubsConf.from_options(
        {"eventhubs.startingPosition": expected}
    )
    by_partition = EventHubsConf.from_options({"eventhubs.startingPositions": cast("OptionValue", {"3": position})})
    assert by_partition["eventhubs.startingPositions"] == f'{{"3": {text}}}'


@pytest.mark.parametrize(
    "text", ["12", "-1", "@latest", "2024-01-31T12:00:00Z", "2024-01-31 12:00:00.123456+0000", '{"seqNo": 5}']
)
def test_positions_that_are_text_stay_as_they_are(text: str) -> None:
    assert changed("eventhubs.startingPosition", text)["eventhubs.startingPosition"] == text


def test_partitions_are_numbers_digits_or_the_json_of_the_legacy_connector() -> None:
    options = [
        changed("eventhubs.startingPositions", positions)["eventhubs.startingPositions"]
        for positions in ({0: 5}, {"0": 5}, {'{"ehName": "telemetry", "partitionId": 0}': 5})
    ]

    assert len(set(options)) == 1
    assert "telemetry" in options[0]
