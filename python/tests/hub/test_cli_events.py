from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest
from azure.eventhub import EventData, EventHubProducerClient
from azure.eventhub.amqp import AmqpAnnotatedMessage
from click.testing import CliRunner, Result

from spark_eventhubs.cli import main
from spark_eventhubs.cli._schemas import _signature
from spark_eventhubs.cli._target import Target

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub, LocalHub


def run(hub: LocalEventHub, *arguments: str, stdin: str = "") -> Result:
    environment = {"EVENTHUBS_CONNECTION_STRING": hub.connection_string, "COLUMNS": "120"}
    return CliRunner().invoke(main, arguments, input=stdin, env=environment)


def test_tail_prints_the_lines_that_send_sent(event_hub: LocalEventHub) -> None:
    sent = run(event_hub, "send", "--partition-key", "blue", stdin="one\ntwo\nthree\n")
    assert (sent.exit_code, sent.stderr) == (0, "3 events sent\n")

    printed = run(event_hub, "tail", "--from", "earliest", "--count", "3", "--timeout", "60")

    events = [json.loads(line) for line in printed.stdout.splitlines()]
    assert [event["body"] for event in events] == ["one", "two", "three"]
    assert [event["sequenceNumber"] for event in events] == [0, 1, 2]
    assert {event["partitionKey"] for event in events} == {"blue"}


def test_tail_decodes_bodies_with_the_schemas_that_they_name(local_hub: LocalHub, event_hub: LocalEventHub) -> None:
    local_hub.create_schema_group("people")
    schema = json.dumps({"type": "record", "name": "User", "fields": [{"name": "name", "type": "string"}]})
    request = Request(
        f"http://localhost:{local_hub.amqp_port}/$schemaGroups/people/schemas/User?api-version=2022-10",
        data=schema.encode(),
        headers={
            "Authorization": _signature(Target.of(event_hub.connection_string, None)),
            "Content-Type": "application/json; serialization=Avro",
        },
        method="PUT",
    )
    with urlopen(request, timeout=60) as answer:  # noqa: S310 - as above
        registered = answer.headers["Schema-Id"]
    contents = {
        f"avro/binary+{registered}": b"\x06Ada",
        f"avro/binary+{'f' * 32}": b"\x06Ada",
        f"application/json;serialization=Json+{registered}": b'{"name": "Ben"}',
        "application/json": b"7",
    }
    events: list[EventData | AmqpAnnotatedMessage] = []
    for content_type, body in contents.items():
        event = EventData(body)
        event.content_type = content_type
        events.append(event)
    with EventHubProducerClient.from_connection_string(event_hub.connection_string) as producer:
        producer.send_batch(events, partition_id="0")

    printed = run(event_hub, "tail", "--from", "earliest", "--count", "4", "--timeout", "60")

    first, unknown, as_json, other = [json.loads(line) for line in printed.stdout.splitlines()]
    assert (first["schema"], first["decoded"]) == ("people/User, version 1", {"name": "Ada"})
    assert unknown["decodingError"] == f"the schema registry has no schema {'f' * 32}"
    assert as_json["decoded"] == {"name": "Ben"}
    assert not {"schema", "decoded", "decodingError"} & set(other)
    assert printed.stderr == ""


def test_send_splits_its_lines_into_several_batches(event_hub: LocalEventHub) -> None:
    lines = [f"{number} {'x' * 20_000}" for number in range(120)]

    sent = run(event_hub, "send", "--partition", "1", stdin="\n".join(lines))
    assert sent.exit_code == 0, sent.output

    printed = run(event_hub, "tail", "--from", "earliest", "--count", "120", "--timeout", "60")
    assert [json.loads(line)["body"] for line in printed.stdout.splitlines()] == lines


def test_send_says_how_many_events_it_sent_before_a_line_that_is_too_large(event_hub: LocalEventHub) -> None:
    sent = run(event_hub, "send", "--partition", "0", stdin="\n".join(["one", "two", "x" * 1_100_000, "four"]))

    assert sent.exit_code == 1
    assert sent.stderr == "Error: a line of 1,100,000 bytes is too large for an event (2 events were sent)\n"
    assert [event.text() for event in event_hub.events()] == ["one", "two"]


def test_send_repeats_what_a_busy_service_did_not_take(event_hub: LocalEventHub) -> None:
    event_hub.faults.inject("throttle", on="send", count=2)

    sent = run(event_hub, "send", "--partition", "0", stdin="one\ntwo\n")

    assert (sent.exit_code, sent.stderr) == (0, "2 events sent\n")
    assert [event.text() for event in event_hub.events()] == ["one", "two"]


def test_tail_escapes_what_the_encoding_of_its_output_lacks(event_hub: LocalEventHub) -> None:
    event_hub.send("Zähler ☃", b"\xff\x00\x1b[2J", partition=0)
    done = subprocess.run(
        [sys.executable, "-m", "spark_eventhubs", "tail", "--from", "earliest", "--count", "2", "--timeout", "60"],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "EVENTHUBS_CONNECTION_STRING": event_hub.connection_string,
            "PYTHONIOENCODING": "cp1252",
            "PYTHONUTF8": "0",
        },
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert [json.loads(line)["body"] for line in done.stdout.splitlines()] == ["Zähler ☃", "\ufffd\x00\x1b[2J"]


def test_tail_stops_after_its_timeout_without_events(event_hub: LocalEventHub) -> None:
    printed = run(event_hub, "tail", "--timeout", "1")

    assert (printed.exit_code, printed.stdout) == (0, "")


@pytest.mark.event_hub(partitions=1)
def test_tail_prints_bodies_of_every_kind(event_hub: LocalEventHub) -> None:
    bodies: list[EventData | AmqpAnnotatedMessage] = [
        EventData(b"\xffbytes"),
        EventData(b""),
        AmqpAnnotatedMessage(data_body=[b"two ", b"sections"]),
        AmqpAnnotatedMessage(value_body=b"\xfevalue"),
        AmqpAnnotatedMessage(value_body={"number": 7}),
        AmqpAnnotatedMessage(sequence_body=[[1, b"\xff"]]),
    ]
    with EventHubProducerClient.from_connection_string(event_hub.connection_string) as producer:
        producer.send_batch(bodies)

    printed = run(event_hub, "tail", "--from", "earliest", "--count", "6", "--timeout", "60")

    events = [json.loads(line) for line in printed.stdout.splitlines()]
    assert [event["sequenceNumber"] for event in events] == [0, 1, 2, 3, 4, 5]
    assert [event["body"] for event in events[:4]] == ["\ufffdbytes", "", "two sections", "\ufffdvalue"]
    assert events[4]["body"] == {"number": 7}
    assert events[5]["body"] == [[1, "\ufffd"]]


@pytest.mark.event_hub(partitions=1)
def test_tail_prints_properties_and_the_ids_of_a_message(event_hub: LocalEventHub) -> None:
    event = EventData(b"measured")
    event.properties = {"unit": "C", "count": 3, "raw": b"ab", "ok": True}
    event.message_id, event.content_type = "m-1", "text/plain"
    with EventHubProducerClient.from_connection_string(event_hub.connection_string) as producer:
        producer.send_batch([event])

    printed = run(event_hub, "tail", "--from", "earliest", "--count", "1", "--timeout", "60")

    shown = json.loads(printed.stdout)
    assert shown["properties"] == {"unit": "C", "count": 3, "raw": "ab", "ok": True}
    assert (shown["messageId"], shown["contentType"]) == ("m-1", "text/plain")
    assert "correlationId" not in shown


@pytest.mark.event_hub(partitions=2)
def test_tail_starts_at_a_sequence_number_where_a_partition_has_it(event_hub: LocalEventHub) -> None:
    run(event_hub, "send", "--partition", "0", stdin="a\nb\nc\n")
    run(event_hub, "send", "--partition", "1", stdin="x\n")

    printed = run(event_hub, "tail", "--from", "1", "--timeout", "1")

    assert [json.loads(line)["body"] for line in printed.stdout.splitlines()] == ["b", "c"]


@pytest.mark.event_hub(partitions=1)
def test_tail_starts_at_a_time(event_hub: LocalEventHub) -> None:
    run(event_hub, "send", stdin="old\n")
    run(event_hub, "send", stdin="new\n")
    all_events = run(event_hub, "tail", "--from", "10m", "--count", "2", "--timeout", "60").stdout.splitlines()
    second = json.loads(all_events[1])["enqueuedTime"]

    printed = run(event_hub, "tail", "--from", second, "--count", "1", "--timeout", "60")

    assert json.loads(printed.stdout)["body"] == "new"


@pytest.mark.event_hub(partitions=2)
def test_tail_reads_only_the_chosen_partition(event_hub: LocalEventHub) -> None:
    run(event_hub, "send", "--partition", "0", stdin="a\n")
    run(event_hub, "send", "--partition", "1", stdin="x\n")

    printed = run(event_hub, "tail", "--from", "earliest", "--partition", "1", "--timeout", "1")

    assert [json.loads(line)["body"] for line in printed.stdout.splitlines()] == ["x"]


def test_the_hub_may_be_an_option(event_hub: LocalEventHub, local_hub: LocalHub) -> None:
    namespace = replace(event_hub, connection_string=local_hub.connection_string())

    sent = run(namespace, "send", "--hub", event_hub.name, stdin="one\n")

    assert (sent.exit_code, sent.stderr) == (0, "1 event sent\n")


def test_send_rejects_a_partition_together_with_a_key(event_hub: LocalEventHub) -> None:
    sent = run(event_hub, "send", "--partition", "0", "--partition-key", "k", stdin="one\n")

    assert sent.exit_code == 2
    assert "not both" in sent.stderr


def test_send_names_the_partitions_where_the_given_one_is_missing(event_hub: LocalEventHub) -> None:
    sent = run(event_hub, "send", "--partition", "77", stdin="one\n")

    ids = ", ".join(map(str, range(event_hub.partitions)))
    assert (sent.exit_code, sent.stderr) == (
        2,
        f"Error: the hub '{event_hub.name}' has no partition '77'; it has {ids}\n",
    )


def test_send_rejects_a_line_that_is_too_large_for_an_event(event_hub: LocalEventHub) -> None:
    sent = run(event_hub, "send", stdin="x" * 1_100_000)

    assert sent.exit_code == 1
    assert "a line of 1,100,000 bytes is too large for an event" in sent.stderr
