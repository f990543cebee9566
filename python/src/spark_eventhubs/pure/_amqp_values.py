# ruff: noqa: PLR2004 - the codes of AMQP's types
"""AMQP values of a message as the texts of the columns `properties` and `systemProperties`.

The rules are those of the connector's `AmqpText`.
"""

from __future__ import annotations

import json
import math
import struct
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
# Java writes numbers outside of these bounds with an exponent.
_SMALLEST_PLAIN: Final = 1e-3
_LARGEST_PLAIN: Final = 1e7
_SIZED: Final = {0xA: (1, ">B"), 0xC: (1, ">B"), 0xE: (1, ">B"), 0xB: (4, ">I"), 0xD: (4, ">I"), 0xF: (4, ">I")}
_WIDTHS: Final = {0x4: 0, 0x5: 1, 0x6: 2, 0x7: 4, 0x8: 8, 0x9: 16}


class MalformedMessageError(Exception):
    """The service delivered something that is not an event hub's AMQP message."""


@dataclass(frozen=True)
class _Plain:
    """A value whose text is the same alone and in JSON: a number or a time."""

    text: str


def end_of(message: bytes, at: int) -> int:
    """The position after the value that starts at `at`."""
    code = message[at]
    if code == 0:
        return end_of(message, end_of(message, at + 1))
    kind = code >> 4
    if kind in _WIDTHS:
        end = at + 1 + _WIDTHS[kind]
    elif kind in _SIZED:
        width, form = _SIZED[kind]
        end = at + 1 + width + struct.unpack_from(form, message, at + 1)[0]
    else:
        raise malformed(message, at)
    if end > len(message):
        raise malformed(message, at)
    return end


def malformed(message: bytes, at: int) -> MalformedMessageError:
    """The failure for a byte that starts no value."""
    return MalformedMessageError(f"byte {at + 1} of its {len(message)} bytes does not start the expected AMQP value")


def text_of(message: bytes, at: int) -> str | None:
    """The text of a value; None for AMQP's null."""
    if message[at] in _SHORT_TEXTS:
        end = at + 2 + message[at + 1]
        if end > len(message):
            raise malformed(message, at)
        return message[at + 2 : end].decode(errors="replace")
    value = decoded(message, at)
    return None if value is None else _text(value)


def millis_text_of(message: bytes, at: int) -> str | None:
    """The text of a time as the number of its milliseconds, as the legacy connector shows two properties."""
    return None if message[at] == 0x40 else str(integer(message, at))


def integer(message: bytes, at: int) -> int:
    """An integer, or a timestamp, of any width."""
    read = _INTEGERS.get(message[at])
    if read is None:
        raise malformed(message, at)
    return read(message, at + 1)


def body_of_value(message: bytes, at: int) -> bytes | None:
    """A body that is a value: a binary one stays binary, others become their text."""
    value = decoded(message, at)
    return value if value is None or isinstance(value, bytes) else _text(value).encode()


def items_text(message: bytes, sections: list[int]) -> bytes:
    """A body of sequences, as one JSON array of all items."""
    items = [item for at in sections for item in _list(message, at)]
    return f"[{','.join(map(_nested, items))}]".encode()


def entries(message: bytes, at: int) -> list[tuple[int, int]]:
    """The positions of the keys and values of a map; none for AMQP's null."""
    positions = _items(message, at)
    return list(zip(positions[::2], positions[1::2], strict=False))


def fields(message: bytes, at: int) -> list[int]:
    """The positions of the items of a list."""
    return _items(message, at)


def decoded(message: bytes, at: int) -> object:  # noqa: PLR0911 - one for each kind
    """A value in Python's types, where these suffice for its text."""
    code = message[at]
    if code == 0:
        return decoded(message, end_of(message, at + 1))
    kind = code >> 4
    if code in _INTEGERS:
        number = integer(message, at)
        return _time(number) if code == 0x83 else _Plain(str(number))
    if code in _CONSTANTS:
        return _CONSTANTS[code]
    if kind in {0xA, 0xB}:
        width = 1 if kind == 0xA else 4
        content = message[at + 1 + width : end_of(message, at)]
        return content if code in {0xA0, 0xB0} else content.decode(errors="replace")
    if code in {0xC1, 0xD1}:
        return {_key(message, key): decoded(message, value) for key, value in entries(message, at)}
    if code in {0x45, 0xC0, 0xD0}:
        return _list(message, at)
    if code in {0xE0, 0xF0}:
        return _array(message, at)
    return _fixed(message, at)


def _fixed(message: bytes, at: int) -> object:
    code, content = message[at], message[at + 1 : end_of(message, at)]
    if code == 0x56:
        return content != b"\x00"
    if code in {0x72, 0x82}:
        return float(struct.unpack(">f" if code == 0x72 else ">d", content)[0])
    if code == 0x73:
        return content.decode("utf-32-be", errors="replace")
    if code == 0x98:
        return str(uuid.UUID(bytes=content))
    if code in {0x74, 0x84}:
        return _Plain(str(int.from_bytes(content, "big", signed=True)))
    return content


def _text(value: object) -> str:
    """The text of a value that is no part of another one."""
    return value if isinstance(value, str) else _json(value)


def _nested(value: object) -> str:
    return _quoted(value) if isinstance(value, str) else _json(value)


def _json(value: object) -> str:  # noqa: PLR0911 - as above
    if isinstance(value, bytes):
        return f"[{','.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _floating(value)
    if isinstance(value, _Plain):
        return value.text
    if isinstance(value, dict):
        return f"{{{','.join(f'{_quoted(key)}:{_nested(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_nested, value))}]"
    return "null" if value is None else str(value)


def _floating(number: float) -> str:
    """The text that Java writes for a double."""
    if math.isnan(number):
        return "null"
    if math.isinf(number):
        return '"Infinity"' if number > 0 else '"-Infinity"'
    if number == 0 or _SMALLEST_PLAIN <= abs(number) < _LARGEST_PLAIN:
        return repr(number)
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{len(text) - 1 + int(exponent)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _time(millis: int) -> _Plain:
    moment = _EPOCH + timedelta(milliseconds=millis)
    return _Plain(f'"{moment.replace(tzinfo=None).isoformat(timespec="milliseconds")}Z"')


def _key(message: bytes, at: int) -> str:
    return str(text_of(message, at))


def item_count(message: bytes, at: int) -> int:
    """The number of items of a map or list, two for each entry of a map; 0 for AMQP's null."""
    kind = message[at] >> 4
    if kind == 0x4:
        return 0
    if kind == 0xC:
        return message[at + 2]
    if kind == 0xD:
        return int(struct.unpack_from(">I", message, at + 5)[0])
    raise malformed(message, at)


def first_item(message: bytes, at: int) -> int:
    """The position of the first item."""
    return at + 3 if message[at] >> 4 == 0xC else at + 9


def _items(message: bytes, at: int) -> list[int]:
    position = first_item(message, at)
    found = []
    for _ in range(item_count(message, at)):
        found.append(position)
        position = end_of(message, position)
    return found


def _list(message: bytes, at: int) -> list[object]:
    return [decoded(message, item) for item in _items(message, at)]


def _array(message: bytes, at: int) -> list[object]:
    """The items have one constructor together, so each is read as if it stood behind its own."""
    small = message[at] == 0xE0
    count = message[at + 2] if small else struct.unpack_from(">I", message, at + 5)[0]
    start = at + (3 if small else 9)
    constructor_end = start + 1 if message[start] else end_of(message, start + 1) + 1
    code, rest = message[constructor_end - 1 : constructor_end], message[constructor_end : end_of(message, at)]
    if _WIDTHS.get(code[0] >> 4) == 0:
        # Its items take no bytes, so the message does not bound their number.
        if count > len(message):
            raise malformed(message, at)
        return [decoded(code, 0)] * count
    found: list[object] = []
    begin = 0
    for _ in range(count):
        end = begin + _length(code, rest, begin)
        found.append(decoded(code + rest[begin:end], 0))
        begin = end
    return found


def _length(constructor: bytes, items: bytes, at: int) -> int:
    """The bytes of an array's item without its constructor."""
    kind = constructor[0] >> 4
    if kind in _WIDTHS:
        return _WIDTHS[kind]
    if kind not in _SIZED:
        raise malformed(items, at)
    width, form = _SIZED[kind]
    return width + int(struct.unpack_from(form, items, at)[0])


def _reader(form: str) -> Callable[[bytes, int], int]:
    unpack = struct.Struct(form).unpack_from
    return lambda message, at: int(unpack(message, at)[0])


_SHORT_TEXTS: Final = (0xA1, 0xA3)
_CONSTANTS: Final[dict[int, object]] = {0x40: None, 0x41: True, 0x42: False}
_INTEGERS: Final[dict[int, Callable[[bytes, int], int]]] = {
    0x43: lambda _message, _at: 0,
    0x44: lambda _message, _at: 0,
    **{code: _reader(">B") for code in (0x50, 0x52, 0x53)},
    **{code: _reader(">b") for code in (0x51, 0x54, 0x55)},
    0x60: _reader(">H"),
    0x61: _reader(">h"),
    0x70: _reader(">I"),
    0x71: _reader(">i"),
    0x80: _reader(">Q"),
    0x81: _reader(">q"),
    0x83: _reader(">q"),
}
