# ruff: noqa: PLR2004 - the codes of AMQP's types
"""Encoded messages of one partition as the columns of Arrow batches. Nothing is decoded that has no column."""

from __future__ import annotations

import struct
from typing import Final

import pyarrow as pa

from spark_eventhubs.pure._amqp_values import (
    MalformedMessageError,
    body_of_value,
    end_of,
    entries,
    fields,
    first_item,
    integer,
    item_count,
    items_text,
    malformed,
    millis_text_of,
    text_of,
)

_TEXTS: Final = pa.map_(pa.string(), pa.string())
_TIME: Final = pa.timestamp("us", tz="UTC")
SCHEMA: Final = pa.schema(
    [
        ("body", pa.binary()),
        ("partition", pa.string()),
        ("offset", pa.string()),
        ("sequenceNumber", pa.int64()),
        ("enqueuedTime", _TIME),
        ("publisher", pa.string()),
        ("partitionKey", pa.string()),
        ("properties", _TEXTS),
        ("systemProperties", _TEXTS),
    ]
)
"""The columns of a read, as the jar has them."""
DDL: Final = (
    "body BINARY, partition STRING, offset STRING, sequenceNumber BIGINT, enqueuedTime TIMESTAMP, publisher STRING, "
    "partitionKey STRING, properties MAP<STRING, STRING>, systemProperties MAP<STRING, STRING>"
)
"""The columns of a read, in the language of Spark's schemas."""

_ANNOTATIONS, _PROPERTIES, _APPLICATION = 0x72, 0x73, 0x74
_DATA, _SEQUENCE, _VALUE = 0x75, 0x76, 0x77
_BY_NAME: Final = {
    "amqp:message-annotations:map": _ANNOTATIONS,
    "amqp:properties:list": _PROPERTIES,
    "amqp:application-properties:map": _APPLICATION,
    "amqp:data:binary": _DATA,
    "amqp:amqp-sequence:list": _SEQUENCE,
    "amqp:amqp-value:*": _VALUE,
}
# The fields of the AMQP properties section, in its order.
_FIELDS: Final = (
    *("message-id", "user-id", "to", "subject", "reply-to", "correlation-id", "content-type", "content-encoding"),
    *("absolute-expiry-time", "creation-time", "group-id", "group-sequence", "reply-to-group-id"),
)
_TIMES: Final = frozenset({"absolute-expiry-time", "creation-time"})
_SIZE: Final = struct.Struct(">I").unpack_from
_LONG: Final = struct.Struct(">q").unpack_from


class Columns:
    """The columns of the events since the last batch."""

    def __init__(self, partition: int, event_hub: str | None) -> None:
        """For the events of one partition. With the hub's name, rows have it in a tenth column."""
        self._partition = str(partition)
        self._event_hub = event_hub
        self._schema = SCHEMA if event_hub is None else SCHEMA.append(pa.field("eventHub", pa.string()))
        self._start()

    def _start(self) -> None:
        self.size = 0
        self._bodies: list[bytes | None] = []
        self._offsets: list[str | None] = []
        self._numbers: list[int] = []
        self._times: list[int] = []
        self._publishers: list[str | None] = []
        self._keys: list[str | None] = []
        self._properties = _Maps()
        self._system = _Maps()

    def __len__(self) -> int:
        """The number of events."""
        return len(self._numbers)

    def add(self, message: bytes, expected: int) -> int:
        """Adds an event if its sequence number is the expected one. Returns the number that it has.

        Raises:
            MalformedMessageError: it is not a message of an event hub.
        """
        try:
            return self._add(message, expected)
        except (IndexError, struct.error):
            raise MalformedMessageError(f"a value extends beyond the end of its {len(message)} bytes") from None
        except (OverflowError, ValueError):
            raise MalformedMessageError("it has a value outside the range of its type in Python") from None
        except RecursionError:
            raise MalformedMessageError("its values are nested too deeply") from None

    def _add(self, message: bytes, expected: int) -> int:  # noqa: C901, PLR0912, PLR0915 - runs for each event
        annotations = properties = application = -1
        body: bytes | None = None
        others: list[tuple[int, int]] = []
        at, end, found_data = 0, len(message), False
        while at < end:
            if message[at]:
                raise malformed(message, at)
            if message[at + 1] == 0x53:
                code, at = message[at + 2], at + 3
            else:
                code, at = _descriptor(message, at), end_of(message, at + 1)
            constructor = message[at]
            if code == _DATA:
                if constructor == 0xB0:
                    start = at + 5
                    at = start + _SIZE(message, at + 1)[0]
                elif constructor == 0xA0:
                    start = at + 2
                    at = start + message[at + 1]
                else:
                    at, found_data = end_of(message, at), True
                    continue
                if at > end:
                    raise malformed(message, start - 1)
                content = message[start:at]
                body, found_data = content if body is None else body + content, True
                continue
            if code == _ANNOTATIONS:
                annotations = at
            elif code == _PROPERTIES:
                properties = at
            elif code == _APPLICATION:
                application = at
            elif code in (_SEQUENCE, _VALUE):
                others.append((code, at))
            at = end_of(message, at)
        if others and not found_data:
            body = _other(message, others)
        number, time, offset, publisher, key = self._annotated(message, annotations)
        if number != expected or time < 0:
            if number < 0 or time < 0:
                missing = "x-opt-sequence-number" if number < 0 else "x-opt-enqueued-time"
                raise MalformedMessageError(f"it has no annotation {missing}")
            self._system.drop()
            return number
        if properties >= 0:
            self._put_fields(message, properties)
        if application >= 0:
            for name_at, value_at in entries(message, application):
                self._properties.put(str(text_of(message, name_at)), text_of(message, value_at))
        self._system.end()
        self._properties.end()
        self._bodies.append(body)
        self._offsets.append(offset)
        self._numbers.append(number)
        self._times.append(time)
        self._publishers.append(publisher)
        self._keys.append(key)
        self.size += end
        return number

    def _annotated(self, message: bytes, annotations: int) -> tuple[int, int, str | None, str | None, str | None]:
        """Sequence number, time, offset, publisher and key. What is not the service's goes to the system properties."""
        number = time = -1
        offset = publisher = key = None
        if annotations < 0:
            return number, time, offset, publisher, key
        left, at = item_count(message, annotations), first_item(message, annotations)
        while left > 1:
            left -= 2
            if message[at] == 0xA3:
                value = at + 2 + message[at + 1]
                name = message[at + 2 : value]
            else:
                value = end_of(message, at)
                name = str(text_of(message, at)).encode()
            code = message[value]
            # The usual encodings need no call to find their end.
            if code in (0x81, 0x83):
                found, at = _LONG(message, value + 1)[0], value + 9
            else:
                found, at = -1, value + 2 + message[value + 1] if code == 0xA1 else end_of(message, value)
            if name == b"x-opt-sequence-number":
                number = found if code == 0x81 else integer(message, value)
            elif name == b"x-opt-enqueued-time":
                time = found if code == 0x83 else integer(message, value)
            elif name == b"x-opt-offset":
                offset = text_of(message, value)
            else:
                text = text_of(message, value)
                if name == b"x-opt-partition-key":
                    key = text
                elif name == b"x-opt-publisher":
                    publisher = text
                self._system.put(name.decode(errors="replace"), text)
        return number, time, offset, publisher, key

    def _put_fields(self, message: bytes, properties: int) -> None:
        for name, at in zip(_FIELDS, fields(message, properties), strict=False):
            text = millis_text_of(message, at) if name in _TIMES else text_of(message, at)
            if text is not None:
                self._system.put(name, text)

    def batch(self) -> pa.RecordBatch:
        """The events as a batch. The next event starts another one."""
        count = len(self._numbers)
        columns = [
            pa.array(self._bodies, pa.binary()),
            pa.repeat(pa.scalar(self._partition, pa.string()), count),
            pa.array(self._offsets, pa.string()),
            pa.array(self._numbers, pa.int64()),
            pa.array(self._times, pa.timestamp("ms", tz="UTC")).cast(_TIME),
            pa.array(self._publishers, pa.string()),
            pa.array(self._keys, pa.string()),
            self._properties.array(),
            self._system.array(),
        ]
        if self._event_hub is not None:
            columns.append(pa.repeat(pa.scalar(self._event_hub, pa.string()), count))
        self._start()
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)


class _Maps:
    """A column of maps from text to text."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.items: list[str | None] = []
        self.starts = [0]

    def put(self, key: str, text: str | None) -> None:
        self.keys.append(key)
        self.items.append(text)

    def end(self) -> None:
        """Ends the map of a row. Of two values of a key, the last one counts, as for the jar."""
        start = self.starts[-1]
        if len(set(self.keys[start:])) < len(self.keys) - start:
            last = dict(zip(self.keys[start:], self.items[start:], strict=True))
            self.keys[start:], self.items[start:] = last.keys(), last.values()
        self.starts.append(len(self.keys))

    def drop(self) -> None:
        """Forgets the map that was not ended."""
        del self.keys[self.starts[-1] :], self.items[self.starts[-1] :]

    def array(self) -> pa.MapArray:
        keys, items = pa.array(self.keys, pa.string()), pa.array(self.items, pa.string())
        return pa.MapArray.from_arrays(pa.array(self.starts, pa.int32()), keys, items)


def _descriptor(message: bytes, at: int) -> int:
    """The code of a section whose descriptor is not a small number; -1 for an unknown one."""
    if message[at + 1] == 0x80:
        return int(_LONG(message, at + 2)[0])
    return _BY_NAME.get(str(text_of(message, at + 1)), -1)


def _other(message: bytes, sections: list[tuple[int, int]]) -> bytes | None:
    """A body that is a value, or consists of sequences."""
    code, first = sections[0]
    if code == _VALUE:
        return body_of_value(message, first)
    return items_text(message, [at for kind, at in sections if kind == _SEQUENCE])
