from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from azure.eventhub import EventData, EventHubProducerClient
from azure.eventhub.amqp import AmqpAnnotatedMessage
from click.testing import CliRunner, Result

from spark_eventhubs.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from spark_eventhubs import LocalEventHub


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


def test_send_splits_its_lines_into_several_batches(event_hub: LocalEventHub) -> None:
    lines = [f"{number} {'x' * 20_000}" for number in range(120)]

    sent = run(event_hub, "send", "--partition-id", "1", stdin="\n".join(lines))
    assert sent.exit_code == 0, sent.output

    printed = run(event_hub, "tail", "--from", "earliest", "--count", "120", "--timeout", "60")
    assert [json.loads(line)["body"] for line in printed.stdout.splitlines()] == lines


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
    assert "7" in events[4]["body"]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("SharedAccessKey=SAS_KEY_VALUE", "SharedAccessKey=d3Jvbmc="), ("EntityPath=", "EntityPath=no-")],
)
def test_tail_fails_when_the_hub_rejects_it(event_hub: LocalEventHub, right: str, wrong: str) -> None:
    refused = replace(event_hub, connection_string=event_hub.connection_string.replace(right, wrong))

    printed = run(refused, "tail")

    assert (printed.exit_code, printed.stdout) == (1, "")
    assert printed.stderr.startswith("Error: ")
    assert "d3Jvbmc=" not in printed.stderr


def test_tail_stops_after_its_timeout_when_the_server_does_not_answer(event_hub: LocalEventHub) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = f"localhost:{silent.getsockname()[1]}"
        unanswered = replace(event_hub, connection_string=re.sub(r"localhost:\d+", port, event_hub.connection_string))
        printed = run(unanswered, "tail", "--timeout", "1")

    assert (printed.exit_code, printed.stdout) == (0, "")


@pytest.mark.event_hub(partitions=2)
def test_lag_compares_a_checkpoint_with_the_hub(event_hub: LocalEventHub, tmp_path: Path) -> None:
    run(event_hub, "send", "--partition-id", "0", stdin="a\nb\nc\n")
    for folder in ("commits", "offsets"):
        (tmp_path / folder).mkdir()
    (tmp_path / "commits/0").write_text("v1\n{}\n")
    (tmp_path / "offsets/0").write_text(f'v1\n{{"batchWatermarkMs":0}}\n{{"{event_hub.name}":{{"0":1,"1":0}}}}')
    (tmp_path / "offsets/1").write_text(f'v1\n{{"batchWatermarkMs":0}}\n{{"{event_hub.name}":{{"0":3,"1":0}}}}')

    shown = run(event_hub, "lag", str(tmp_path))

    cells = [line.replace("│", " ").split() for line in shown.stdout.splitlines() if line.startswith("│")]
    assert cells == [["0", "1", "3", "2"], ["1", "0", "0", "0"]]


def test_lag_fails_for_a_folder_that_is_not_a_checkpoint(event_hub: LocalEventHub, tmp_path: Path) -> None:
    shown = run(event_hub, "lag", str(tmp_path))

    assert shown.exit_code == 1
    assert "has no committed batch" in shown.stderr


def test_send_rejects_a_partition_together_with_a_key(event_hub: LocalEventHub) -> None:
    sent = run(event_hub, "send", "--partition-id", "0", "--partition-key", "k", stdin="one\n")

    assert sent.exit_code == 2
    assert "not both" in sent.stderr


def test_send_rejects_a_line_that_is_too_large_for_an_event(event_hub: LocalEventHub) -> None:
    sent = run(event_hub, "send", stdin="x" * 1_100_000)

    assert sent.exit_code == 1
    assert "a line of 1,100,000 characters is too large for an event" in sent.stderr
