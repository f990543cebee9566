"""The AMQP frames of the Azure SDK's connections, as they cross the wire."""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

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


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A frame of the service: its performative's fields, and its bytes without those of a message."""

    at: float
    channel: int
    code: int
    fields: list[Any]
    performative: bytes

    @property
    def name(self) -> str:
        """The performative."""
        return _NAMES.get(self.code, str(self.code))


@dataclass(kw_only=True)
class Wire:
    """The frames that the service sent since the beginning."""

    began: float = field(default_factory=time.monotonic)
    frames: list[Frame] = field(default_factory=list)

    def add(self, channel: int, payload: memoryview | None, decoded: tuple[int, list[Any]]) -> None:
        """Notes a frame that is not empty and not one of SASL."""
        code, fields = decoded
        if payload is None or code not in _NAMES:
            return
        content = bytes(payload)
        message = fields[-1] if code == TRANSFER else None
        # A message may have a secret or the user's data: tokens, bodies.
        kept = content[: len(content) - len(message)] if message is not None else content
        at = time.monotonic() - self.began
        self.frames.append(Frame(at=at, channel=channel, code=code, fields=list(fields), performative=kept))

    def since(self, position: int, code: int) -> list[Frame]:
        """The frames of a kind after the first ones."""
        return [frame for frame in self.frames[position:] if frame.code == code]

    def lines(self, host: str) -> Iterator[str]:
        """Each frame as JSON, with its performative in the hexadecimal digits that ServiceReplay sends.

        The namespace's name is replaced by as many other letters, so that all sizes stay right.
        """
        names = re.compile(b"|".join(re.escape(name.encode()) for name in names_of(host)), re.IGNORECASE)
        for frame in self.frames:
            content = names.sub(lambda found: b"n" * len(found[0]), frame.performative)
            yield json.dumps(
                {
                    "at": round(frame.at, 3),
                    "channel": frame.channel,
                    "performative": frame.name,
                    "frame": content.hex(),
                }
            )


@contextmanager
def recorded() -> Iterator[Wire]:
    """Notes what the service sends to clients of the SDK that are opened in this block."""
    from azure.eventhub._pyamqp import _transport  # noqa: PLC0415 - the SDK is an optional dependency

    transport: Any = _transport._AbstractTransport  # noqa: SLF001 - frames have no public API
    usual = transport.receive_frame
    wire = Wire()

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
            wire.add(channel, last[0][2], decoded)
        return channel, decoded

    transport.receive_frame = receive_frame
    try:
        yield wire
    finally:
        transport.receive_frame = usual
