"""Avro's binary encoding, as `tail` reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark_eventhubs.cli._avro import decoded

LIST = {
    "type": "record",
    "name": "a.Node",
    "fields": [
        {"name": "v", "type": {"type": "enum", "name": "Kind", "symbols": ["X", "Y"]}},
        {"name": "next", "type": ["null", "Node"]},
        {"name": "same", "type": ["null", "a.Kind"]},
    ],
}


@pytest.mark.parametrize(
    ("schema", "body", "value"),
    [
        ("long", b"\x7f", -64),
        ("int", b"\x80\x01", 64),
        ("long", b"\xfe" + b"\xff" * 8 + b"\x01", 2**63 - 1),
        ("float", b"\x00\x00\xc0\x3f", 1.5),
        ("double", b"\x00\x00\x00\x00\x00\x00\xf8\x7f", "nan"),
        ("boolean", b"\x01", True),
        ("string", b"\x06foo", "foo"),
        ("bytes", b"\x04\xff\x00", "/wA="),
        ({"type": "fixed", "name": "F", "size": 2}, b"\xff\x00", "/wA="),
        ({"type": "array", "items": "long"}, b"\x03\x04\x06\x36\x00", [3, 27]),
        ({"type": "map", "values": "int"}, b"\x02\x02a\x02\x00", {"a": 1}),
        (["null", {"type": "int", "logicalType": "date"}], b"\x02\x02", 1),
        (
            LIST,
            b"\x02\x02\x00\x00\x02\x02\x00",
            {"v": "Y", "next": {"v": "X", "next": None, "same": "Y"}, "same": None},
        ),
    ],
)
def test_a_value_is_decoded(schema: Any, body: bytes, value: object) -> None:  # noqa: ANN401 - any schema
    assert decoded(json.dumps(schema), body) == value


@pytest.mark.parametrize(
    ("schema", "body", "problem"),
    [
        ("string", b"\x06f", "ends before"),
        ("int", b"", "none of its schema"),
        ("int", b"\x02\x00", "1 bytes follow"),
        (["null"], b"\x04", "choice 2 of 1"),
        ({"type": "array", "items": "null"}, b"\x80\x80\x80\x80\x10", "more than 100000 values"),
        ({"type": "record", "name": "R", "fields": [{"name": "r", "type": "R"}]}, b"", "200 levels"),
        ("Unknown", b"\x00", "none of its schema"),
    ],
)
def test_a_body_of_another_schema_is_refused(schema: Any, body: bytes, problem: str) -> None:  # noqa: ANN401 - as above
    with pytest.raises(ValueError, match=problem):
        decoded(json.dumps(schema), body)


def test_a_number_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        decoded('"long"', b"\xff" * 100)
