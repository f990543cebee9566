"""What the trace of `spark-eventhubs verify` keeps of a namespace and of the events in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from azure.eventhub._pyamqp._decode import decode_payload
from azure.eventhub._pyamqp._encode import encode_payload
from azure.eventhub._pyamqp.message import Message, Properties

from spark_eventhubs.cli.verify._mask import masked
from spark_eventhubs.cli.verify._wire import ATTACH, CLOSE, DETACH, Wire


@pytest.mark.parametrize("host", ["Contoso.servicebus.windows.net", "contoso.servicebus.windows.net:5671"])
def test_the_trace_has_no_name_of_the_namespace_in_any_form(host: str) -> None:
    """The service's errors have the bare name, and frames have texts of the service in any case."""
    texts = [
        b"The messaging entity 'contoso:eventhub:one~1' could not be found. SystemTracker:CONTOSO",
        b"contoso.servicebus.windows.net",
        b"sb://contoso.servicebus.windows.net:5671/one",
        b"contoso_G12",
    ]
    wire = Wire()
    for code, text in zip((DETACH, ATTACH, CLOSE, 0x10), texts, strict=True):
        wire.add(1, 0, memoryview(text), (code, [None] * 6))

    frames = [bytes.fromhex(json.loads(line)["frame"]) for line in wire.lines(host)]

    assert [len(frame) for frame in frames] == [len(text) for text in texts]
    assert frames[0].startswith(b"The messaging entity 'nnnnnnn:eventhub:one~1'")
    assert b"contoso" not in b"".join(frames).lower()


def test_what_users_write_into_an_event_is_masked_and_what_the_service_adds_is_not() -> None:
    annotations: dict[str | bytes, Any] = {
        b"x-opt-sequence-number": 7,
        b"x-opt-offset": b"4711",
        b"x-opt-partition-key": b"key-of-the-user",
    }
    event = Message(
        message_annotations=annotations,
        properties=Properties(message_id="id-of-the-user"),
        application_properties={"name-of-the-user": "value-of-the-user"},
        data=[b"body-of-the-user"],
    )
    payload = bytes(encode_payload(bytearray(), event))

    kept = masked(payload, is_first=True)

    found = decode_payload(memoryview(kept))
    assert found.message_annotations == annotations | {b"x-opt-partition-key": b"x" * 15}
    assert found.data == [b"x" * (16 + 2)]
    # Also where a frame ends in the middle of the message, and in the frames behind it.
    for end in range(1, len(payload)):
        assert b"-of-" not in masked(payload[:end], is_first=True)
        assert masked(payload[end:], is_first=False) == b"x" * (len(payload) - end)


def test_names_and_numbers_of_users_in_the_annotations_are_masked_and_keep_their_size() -> None:
    annotations: dict[str | bytes, Any] = {
        b"x-opt-sequence-number": 7,
        b"x-opt-enqueued-time": 1600000000,
        b"x-opt-new-of-the-service": 4711,
        b"card-of-the-user": 4711,
        b"is-of-the-user": True,
        b"share-of-the-user": 0.25,
    }
    payload = bytes(encode_payload(bytearray(), Message(message_annotations=annotations, data=[b""])))

    kept = masked(payload, is_first=True)

    found: dict[Any, Any] = {**(decode_payload(memoryview(kept)).message_annotations or {})}
    assert (found[b"x-opt-sequence-number"], found[b"x-opt-enqueued-time"]) == (7, 1600000000)
    assert found[b"x-opt-new-of-the-service"] == 0
    assert b"-of-the-user" not in kept
    assert (4711).to_bytes(2, "big") not in kept
    others = {name: value for name, value in found.items() if not name.startswith(b"x-opt-")}
    assert {(name, bool(value)) for name, value in others.items()} == {(b"x" * n, False) for n in (14, 16, 17)}
    body = b"\x00\x53\x75"
    assert len(kept.partition(body)[0]) == len(payload.partition(body)[0])


def test_a_body_whose_size_nothing_tells_is_masked_and_fails_nothing() -> None:
    described = b"\x00\x53\x77\x00\xff\xff\xff\xff\xff"

    assert b"\xff\xff\xff\xff\xff" not in masked(described, is_first=True)
