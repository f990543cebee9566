"""Takes what users write out of an AMQP message, and leaves what the service adds."""

from __future__ import annotations

from typing import Final

_HEADER: Final = 0x70
_DELIVERY_ANNOTATIONS: Final = 0x71
_MESSAGE_ANNOTATIONS: Final = 0x72
_BODIES: Final = (0x75, 0x76, 0x77)
_DATA: Final = bytes.fromhex("005375b0")
# What the service writes. Other values come from users, such as the partition key, and so do other names.
_OF_SERVICE: Final = frozenset(
    {b"x-opt-sequence-number", b"x-opt-sequence-number-epoch", b"x-opt-offset", b"x-opt-enqueued-time"}
)
_NAMES_OF_SERVICE: Final = b"x-opt-"
_NULL: Final = 0x40
_MAP8: Final = 0xC1
_MAPS: Final = (_MAP8, 0xD1)
# Bytes of a value, by the first digit of its constructor.
_FIXED: Final = {0x4: 0, 0x5: 1, 0x6: 2, 0x7: 4, 0x8: 8, 0x9: 16}
_ONE_BYTE_OF_SIZE: Final = (0xA, 0xC, 0xE)
_DESCRIBED: Final = 3
# Texts, symbols and bytes.
_TEXTS: Final = (0xA, 0xB)
_SCALARS: Final = (*_FIXED, *_TEXTS)

_LARGEST: Final = (1 << 32) - 1


def masked(payload: bytes, *, is_first: bool) -> bytes:
    """The header and annotations of a message, and a body of as many `x`. What cannot be read is masked as a whole.

    Args:
        payload: of one transfer.
        is_first: whether a message begins in this transfer.
    """
    if not is_first:
        return b"x" * len(payload)
    kept, at = b"", 0
    try:
        while at < len(payload):
            code, end = payload[at + 2], _end(payload, at + _DESCRIBED)
            if payload[at : at + 2] != b"\x00\x53" or (end > len(payload) and code not in _BODIES):
                break
            if code == _HEADER:
                kept += payload[at:end]
            elif code in (_DELIVERY_ANNOTATIONS, _MESSAGE_ANNOTATIONS):
                kept += _annotations(payload[at:end])
            elif code in _BODIES:
                # Of a described value the constructor tells no size, and what is read as one may be anything.
                size, here = (max(0, until - at - _DESCRIBED) for until in (end, min(end, len(payload))))
                kept += _DATA + min(size, _LARGEST).to_bytes(4, "big") + b"x" * here
            at = end
    except IndexError:
        return kept
    return kept


def _annotations(section: bytes) -> bytes:
    """The map, with the names and values of the service. Others are as many `x` and zeros."""
    if section[_DESCRIBED] not in _MAPS:
        return b""
    found = bytearray(section)
    at = _DESCRIBED + (3 if section[_DESCRIBED] == _MAP8 else 9)
    while at < len(section):
        value = _end(section, at)
        end = _end(section, value)
        name = section[at + (2 if section[at] >> 4 in _ONE_BYTE_OF_SIZE else 5) : value]
        kept = [(at, value, is_name_of_service(name)), (value, end, name in _OF_SERVICE)]
        for begin, until, is_kept in kept:
            if section[begin] >> 4 not in _SCALARS:
                # A value of values: nothing tells what is in it.
                return b""
            if not is_kept:
                found[begin:until] = _blank(section[begin:until])
        at = end
    return bytes(found)


def is_name_of_service(name: bytes) -> bool:
    """Whether AMQP leaves the name of an annotation to the service."""
    return name.startswith(_NAMES_OF_SERVICE)


def _blank(value: bytes) -> bytes:
    """A value of the same type and size that says nothing."""
    kind = value[0] >> 4
    if kind in _TEXTS:
        begin = 2 if kind in _ONE_BYTE_OF_SIZE else 5
        return value[:begin] + b"x" * (len(value) - begin)
    # These have their value in their type: true, false and zeros.
    return bytes([value[0] if len(value) > 1 else _NULL]) + bytes(len(value) - 1)


def _end(content: bytes, at: int) -> int:
    """Where the value that begins here ends, as its constructor says."""
    kind = content[at] >> 4
    if kind in _FIXED:
        return at + 1 + _FIXED[kind]
    width = 1 if kind in _ONE_BYTE_OF_SIZE else 4
    if len(content) < at + 1 + width:
        raise IndexError
    return at + 1 + width + int.from_bytes(content[at + 1 : at + 1 + width], "big")
