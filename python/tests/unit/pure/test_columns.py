"""Encoded messages become columns. tests/pure compares all kinds of values with the jar's rows."""

from __future__ import annotations

import struct

import pytest

from spark_eventhubs.pure._amqp_values import MalformedMessageError, decoded, end_of, text_of
from spark_eventhubs.pure._columns import Columns


def short(code: int, content: bytes) -> bytes:
    return bytes([code, len(content)]) + content


def symbol(text: str) -> bytes:
    return short(0xA3, text.encode())


def map_of(*items: bytes) -> bytes:
    content = b"".join(items)
    return bytes([0xC1, len(content) + 1, len(items)]) + content


def long(number: int) -> bytes:
    return b"\x81" + struct.pack(">q", number)


def section(code: int, value: bytes) -> bytes:
    return bytes([0x00, 0x53, code]) + value


def annotated(number: int, *more: bytes) -> bytes:
    time = b"\x83" + struct.pack(">q", 1_700_000_000_123)
    return section(
        0x72,
        map_of(
            *(symbol("x-opt-sequence-number"), long(number)),
            *(symbol("x-opt-offset"), short(0xA1, b"4711")),
            *(symbol("x-opt-enqueued-time"), time),
            *more,
        ),
    )


def message(number: int, body: bytes = b"abc") -> bytes:
    return annotated(number) + section(0x75, short(0xA0, body))


def rows(*messages: bytes, event_hub: str | None = None) -> list[dict[str, object]]:
    columns = Columns(3, event_hub)
    for number, each in enumerate(messages):
        assert columns.add(each, number) == number
    found: list[dict[str, object]] = columns.batch().to_pylist()
    return found


def test_an_event_fills_each_column() -> None:
    key = (symbol("x-opt-partition-key"), short(0xA1, b"k"))
    own = (symbol("x-own"), b"\x54\xff")
    properties = section(0x73, b"\xc0\x07\x02" + short(0xA1, b"m-1") + b"\x40")
    application = section(0x74, map_of(short(0xA1, b"n"), b"\x54\x07", short(0xA1, b"none"), b"\x40"))

    row = rows(annotated(0, *key, *own) + properties + application + section(0x75, short(0xA0, b"\x00\xff")))[0]

    assert row["body"] == b"\x00\xff"
    assert (row["partition"], row["offset"], row["sequenceNumber"]) == ("3", "4711", 0)
    assert str(row["enqueuedTime"]) == "2023-11-14 22:13:20.123000+00:00"
    assert (row["publisher"], row["partitionKey"]) == (None, "k")
    assert row["properties"] == [("n", "7"), ("none", None)]
    assert row["systemProperties"] == [("x-opt-partition-key", "k"), ("x-own", "-1"), ("message-id", "m-1")]
    assert "eventHub" not in row


def test_of_two_values_of_a_property_the_last_one_counts() -> None:
    values = [(b"a", b"\x54\x01"), (b"b", b"\x54\x02"), (b"a", b"\x54\x03")]
    twice = section(0x74, map_of(*(part for name, value in values for part in (short(0xA1, name), value))))

    found = rows(annotated(0) + twice + section(0x75, short(0xA0, b"x")), message(1))

    assert [row["properties"] for row in found] == [[("a", "3"), ("b", "2")], []]


def test_only_the_expected_number_is_added() -> None:
    columns = Columns(0, None)

    assert columns.add(message(7), 5) == 7
    assert len(columns) == 0
    assert columns.add(annotated(5, symbol("x-own"), b"\x41"), 5) == 5
    assert columns.batch().to_pylist()[0]["systemProperties"] == [("x-own", "true")]
    assert len(columns) == 0


def test_a_body_may_have_several_parts_or_none() -> None:
    two = annotated(0) + section(0x75, short(0xA0, b"one")) + section(0x75, b"\xb0\x00\x00\x00\x03two")
    value = annotated(1) + section(0x77, short(0xA1, "ä".encode()))
    sequences = annotated(2) + section(0x76, b"\xc0\x03\x01\x54\x01") + section(0x76, b"\xc0\x02\x01\x41")

    found = rows(two, value, sequences, annotated(3), annotated(4) + section(0x77, b"\x40"))

    assert [row["body"] for row in found] == [b"onetwo", "ä".encode(), b"[1,true]", None, None]


def test_the_hub_is_the_tenth_column() -> None:
    assert rows(message(0), event_hub="orders")[0]["eventHub"] == "orders"


@pytest.mark.parametrize("cut", [1, 4, 30, 60, 100])
def test_a_message_that_is_cut_off_is_malformed(cut: int) -> None:
    with pytest.raises(MalformedMessageError):
        Columns(0, None).add(message(0, b"x" * 100)[:-cut], 0)


def test_other_bytes_are_malformed() -> None:
    for bad in (b"\x01", b"\x00\x53\x75\x01\x02", section(0x75, short(0xA0, b"no annotations"))):
        with pytest.raises(MalformedMessageError):
            Columns(0, None).add(bad, 0)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(b"\x83" + struct.pack(">q", 2**63 - 1), id="a time far after the year 9999"),
        pytest.param(b"\xe0\x05\x01\x00\x00" + b"\x00" * 2, id="an array without a constructor"),
        pytest.param(b"\xf0" + struct.pack(">II", 5, 2**31) + b"\x41", id="an array of countless items without bytes"),
        pytest.param(b"\xf0" + struct.pack(">II", 6, 9) + b"\x54\x01", id="an array that has fewer items than it says"),
    ],
)
def test_a_value_that_cannot_be_a_column_is_malformed(value: bytes) -> None:
    application = section(0x74, map_of(short(0xA1, b"n"), value))
    with pytest.raises(MalformedMessageError):
        Columns(0, None).add(annotated(0) + application + section(0x75, short(0xA0, b"")), 0)


def test_a_body_that_is_nested_too_deeply_is_malformed() -> None:
    body = b"\x45"
    for _ in range(3000):
        body = b"\xd0" + struct.pack(">II", len(body) + 4, 1) + body
    with pytest.raises(MalformedMessageError, match="nested"):
        Columns(0, None).add(annotated(0) + section(0x77, body), 0)


@pytest.mark.parametrize(
    ("encoded", "text"),
    [
        (b"\x40", None),
        (b"\x41", "true"),
        (b"\x56\x00", "false"),
        (b"\x50\xff", "255"),
        (b"\x51\xff", "-1"),
        (b"\x60\xff\xff", "65535"),
        (b"\x70\xff\xff\xff\xff", "4294967295"),
        (b"\x80" + b"\xff" * 8, "18446744073709551615"),
        (b"\x72" + struct.pack(">f", 1.5), "1.5"),
        (b"\x82" + struct.pack(">d", 2.0), "2.0"),
        (b"\x82" + struct.pack(">d", 1.25e17), "1.25E17"),
        (b"\x82" + struct.pack(">d", -12345678.0), "-1.2345678E7"),
        (b"\x82" + struct.pack(">d", 0.00001), "1.0E-5"),
        (b"\x82" + struct.pack(">d", float("nan")), "null"),
        (b"\x82" + struct.pack(">d", float("inf")), '"Infinity"'),
        (b"\x73\x00\x00\x00A", "A"),
        (b"\x83" + struct.pack(">q", 0), '"1970-01-01T00:00:00.000Z"'),
        (b"\x98" + bytes(15) + b"\x07", "00000000-0000-0000-0000-000000000007"),
        (b"\xa0\x02\x00\xff", "[0,-1]"),
        (b"\xa1\x01\xff", "\ufffd"),
        (b"\xb1\x00\x00\x00\x02hi", "hi"),
        (b"\x45", "[]"),
        (b"\xc0\x06\x03\xa1\x01x\x40\x41", '["x",null,true]'),
        (b"\xe0\x04\x02\x54\x01\x02", "[1,2]"),
        (b"\xe0\x07\x02\xa1\x02hi\x01x", '["hi","x"]'),
        (b"\xe0\x02\x03\x41", "[true,true,true]"),
        (b"\xc1\x07\x02\xa1\x01a\xc0\x01\x00", '{"a":[]}'),
        (b"\x00\xa3\x01d\x54\x05", "5"),
    ],
)
def test_a_value_has_the_text_of_the_jar(encoded: bytes, text: str | None) -> None:
    assert text_of(encoded, 0) == text
    assert end_of(encoded, 0) == len(encoded)
    decoded(encoded, 0)
