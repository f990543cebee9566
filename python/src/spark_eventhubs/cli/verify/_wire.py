"""The AMQP frames of the Azure SDK's connections, as they cross the wire."""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from spark_eventhubs.cli.verify._mask import masked
from spark_eventhubs.cli.verify._names import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTACH: Final = 0x12
FLOW: Final = 0x13
TRANSFER: Final = 0x14
DETACH: Final = 0x16
CLOSE: Final = 0x18

_NAMES: Final = {
    0x10: "open",
    0x11: "begin",
    ATTACH: "attach",
    FLOW: "flow",
    TRANSFER: "transfer",
    0x15: "disposition",
    DETACH: "detach",
    0x17: "end",
    CLOSE: "close",
}

# Where fields stand in their performatives.
_HANDLE: Final = {ATTACH: 1, TRANSFER: 0}
_SOURCE: Final = 5
_DELIVERY_ID: Final = 1


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A frame of the service: its performative's fields and bytes, and the bytes of a message."""

    at: float
    connection: int
    channel: int
    code: int
    fields: list[Any]
    performative: bytes
    payload: bytes = b""

    @property
    def name(self) -> str:
        """The performative."""
        return _NAMES.get(self.code, str(self.code))


@dataclass(kw_only=True)
class Wire:
    """The frames that the service sent since the beginning."""

    began: float = field(default_factory=time.monotonic)
    frames: list[Frame] = field(default_factory=list)

    def add(self, connection: int, channel: int, payload: memoryview | None, decoded: tuple[int, list[Any]]) -> None:
        """Notes a frame that is not empty and not one of SASL."""
        code, fields = decoded
        if payload is None or code not in _NAMES:
            return
        content = bytes(payload)
        message = fields[-1] if code == TRANSFER else None
        of_message = b"" if message is None else bytes(message)
        self.frames.append(
            Frame(
                at=time.monotonic() - self.began,
                connection=connection,
                channel=channel,
                code=code,
                fields=list(fields),
                performative=content[: len(content) - len(of_message)],
                payload=of_message,
            )
        )

    def since(self, position: int, code: int) -> list[Frame]:
        """The frames of a kind after the first ones."""
        return [frame for frame in self.frames[position:] if frame.code == code]

    def lines(self, host: str) -> Iterator[str]:
        """Each frame as JSON, with its performative and message in the hexadecimal digits that ServiceReplay sends.

        Of an event, what users write is masked: it may be anything. The namespace's name is replaced by as many other
        letters, so that all sizes stay right.
        """
        names = re.compile(b"|".join(re.escape(name.encode()) for name in names_of(host)), re.IGNORECASE)

        def replaced(content: bytes) -> str:
            return names.sub(lambda found: b"n" * len(found[0]), content).hex()

        nodes: set[tuple[int, int, int]] = set()
        for frame in self.frames:
            handle = frame.fields[_HANDLE[frame.code]] if frame.code in _HANDLE else -1
            link = (frame.connection, frame.channel, handle)
            if frame.code == ATTACH:
                (nodes.add if _is_node(frame) else nodes.discard)(link)
            shown: dict[str, Any] = {
                "at": round(frame.at, 3),
                "connection": frame.connection,
                "channel": frame.channel,
                "performative": frame.name,
                "frame": replaced(frame.performative),
            }
            if frame.code == TRANSFER:
                # The answers of nodes are the service's own.
                is_first = frame.fields[_DELIVERY_ID] is not None
                message = frame.payload if link in nodes else masked(frame.payload, is_first=is_first)
                shown["message"] = replaced(message)
            yield json.dumps(shown)


def _is_node(attach: Frame) -> bool:
    """Whether the service sends answers to requests over the link."""
    source = attach.fields[_SOURCE]
    address = source[0] if source else None
    return isinstance(address, bytes) and address in (b"$cbs", b"$management")


@contextmanager
def recorded() -> Iterator[Wire]:
    """Notes what the service sends to clients of the SDK that are opened in this block."""
    from azure.eventhub._pyamqp import _transport  # noqa: PLC0415 - the SDK is an optional dependency

    transport: Any = _transport._AbstractTransport  # noqa: SLF001 - frames have no public API
    usual = transport.receive_frame
    wire = Wire()
    connections: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def receive_frame(self: Any, **options: Any) -> tuple[int | None, Any]:  # noqa: ANN401 -- as the SDK has it
        last: list[Any] = []
        read = type(self).read

        def noted(**more: Any) -> Any:  # noqa: ANN401 -- as the SDK has it
            last[:] = [read(self, **more)]
            return last[0]

        self.read = noted
        try:
            channel, decoded = usual(self, **options)
        finally:
            del self.read
        if decoded is not None and last:
            number = connections.setdefault(self, len(connections) + 1)
            wire.add(number, channel, last[0][2], decoded)
        return channel, decoded

    transport.receive_frame = receive_frame
    try:
        yield wire
    finally:
        transport.receive_frame = usual
