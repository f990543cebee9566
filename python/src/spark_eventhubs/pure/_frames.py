# ruff: noqa: PLR2004 - the codes of AMQP's types
"""Reads the frames of one AMQP connection, and takes the messages of one link out of them.

The SDK reads each frame with two calls of the socket, decodes all its fields, and then the whole message. This module
reads what the socket has, and keeps a message as it is. All other frames go to the SDK.
"""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING, Any, Final

from azure.eventhub._pyamqp._decode import decode_frame
from azure.eventhub._pyamqp._transport import WebSocketTransport

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 1 << 18
_HEADER: Final = struct.Struct(">IBBH").unpack_from
_SIZE: Final = struct.Struct(">I").unpack_from
_TRANSFER: Final = 0x14
_EMPTY_FRAME: Final = (1, b"EMPTY")


class Frames:
    """Takes the place of `receive_frame` of a connection's transport."""

    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - a class of the SDK that is not public
        """Begins with what the transport has read of the next frame."""
        self.messages: list[bytes] = []
        self.deadline = float("inf")
        self._connection = connection
        socket = connection._transport.sock  # noqa: SLF001 - no public way to the frames
        is_web = isinstance(connection._transport, WebSocketTransport)  # noqa: SLF001 - as above
        self._receive: Callable[[int], bytes] = _of_web_socket(socket) if is_web else socket.recv
        self._buffer: bytes = connection._transport._read_buffer.read()  # noqa: SLF001 - as above
        self._at = 0
        self._link: Any = None
        self._channel = self._handle = -1
        self._partial = b""
        connection._transport.receive_frame = self.receive_frame  # noqa: SLF001 - as above

    def take_from(self, link: Any) -> None:  # noqa: ANN401 - as above
        """Keeps the messages of this link, which is attached."""
        self._link, self._handle = link, link.remote_handle
        endpoints = self._connection._incoming_endpoints  # noqa: SLF001 - as above
        self._channel = next(number for number, session in endpoints.items() if session is link._session)  # noqa: SLF001

    def taken(self) -> list[bytes]:
        """The messages since the last call."""
        messages, self.messages = self.messages, []
        return messages

    def receive_frame(self, **_: object) -> tuple[int | None, Any]:
        """The next frame that is not a message. None when messages came, or nothing did for a short while.

        Raises:
            TimeoutError: it is later than the deadline.
        """
        count, transfers = len(self.messages), 0
        try:
            while True:
                frame = self._next_frame()
                if frame is None:
                    if len(self.messages) > count or not self._read():
                        return None, None
                elif frame[1] != _TRANSFER or not self._is_message(*frame):
                    return self._decoded(*frame)
                else:
                    transfers += 1
        finally:
            if transfers:
                self._account(transfers, len(self.messages) - count)

    def _next_frame(self) -> tuple[int, int, int, int] | None:
        """Channel, performative, start and end of the next whole frame in the buffer."""
        at, buffer = self._at, self._buffer
        if len(buffer) - at < 8:
            return None
        size, offset, _, channel = _HEADER(buffer, at)
        end = at + size
        if end > len(buffer):
            return None
        self._at = end
        start = at + 4 * offset
        return channel, buffer[start + 2] if start < end else -1, start, end

    def _read(self) -> bool:
        """Reads more. False if nothing came for a short while."""
        if time.monotonic() > self.deadline:
            raise TimeoutError("no answer in time")
        rest = self._buffer[self._at :]
        # A frame that is larger than a chunk would be copied once for each chunk.
        wanted = _SIZE(rest)[0] - len(rest) if len(rest) >= 4 else 0
        try:
            pieces = [rest]
            while True:
                piece = self._receive(max(_CHUNK, wanted))
                if not piece:
                    raise OSError("Server unexpectedly closed connection")
                pieces.append(piece)
                wanted -= len(piece)
                if wanted <= 0:
                    return True
        except TimeoutError:
            return len(pieces) > 1
        finally:
            self._buffer, self._at = b"".join(pieces), 0

    def _decoded(self, channel: int, performative: int, start: int, end: int) -> tuple[int, Any]:
        if performative < 0:
            return channel, _EMPTY_FRAME
        return channel, decode_frame(memoryview(self._buffer)[start:end])

    def _is_message(self, channel: int, _: int, start: int, end: int) -> bool:
        """Keeps the message, or the part of it, in a transfer of the link."""
        if channel != self._channel:
            return False
        buffer = self._buffer
        if buffer[start + 3] == 0xC0:
            payload, count, at = start + 5 + buffer[start + 4], buffer[start + 5], start + 6
        else:
            payload, count, at = start + 8 + _SIZE(buffer, start + 4)[0], _SIZE(buffer, start + 8)[0], start + 12
        handle, at = _uint(buffer, at)
        if handle != self._handle:
            return False
        more = aborted = False
        for field in range(1, min(count, 10)):
            code = buffer[at]
            if field in (5, 9):
                is_true = code == 0x41 or (code == 0x56 and buffer[at + 1] == 1)
                more, aborted = (is_true, aborted) if field == 5 else (more, is_true)
            elif code == 0:
                break  # The state of a delivery, which only its receiver sends.
            at += _WIDTHS.get(code) or 2 + buffer[at + 1]
        if aborted:
            self._partial = b""
            return True
        content = buffer[payload:end]
        if more or self._partial:
            self._partial += content
            if not more:
                self.messages.append(self._partial)
                self._partial = b""
        else:
            self.messages.append(content)
        return True

    def _account(self, transfers: int, messages: int) -> None:
        """What the SDK counts for each transfer."""
        link = self._link
        session = link._session  # noqa: SLF001 - as above
        link.current_link_credit -= messages
        link.delivery_count += messages
        session.next_incoming_id += transfers
        session.remote_outgoing_window -= transfers
        session.incoming_window -= transfers
        self._connection._last_frame_received_time = time.time()  # noqa: SLF001 - as above
        if session.incoming_window < session.target_incoming_window // 2:
            session.incoming_window = session.target_incoming_window
            session._outgoing_flow()  # noqa: SLF001 - as above


def _of_web_socket(socket: Any) -> Callable[[int], bytes]:  # noqa: ANN401 - of an optional package
    """Receives a message, which has one frame of AMQP or several, or a part of one."""
    from websocket import (  # noqa: PLC0415 - optional
        WebSocketConnectionClosedException,
        WebSocketTimeoutException,
    )

    def receive(_: int) -> bytes:
        try:
            received: bytes = socket.recv()
        except WebSocketTimeoutException as late:
            raise TimeoutError(str(late)) from None
        except WebSocketConnectionClosedException as ended:
            raise ConnectionError(f"the WebSocket ended: {ended}") from None
        return received

    return receive


def _uint(buffer: bytes, at: int) -> tuple[int, int]:
    code = buffer[at]
    if code == 0x43:
        return 0, at + 1
    return (buffer[at + 1], at + 2) if code == 0x52 else (_SIZE(buffer, at + 1)[0], at + 5)


# The widths of the types of a transfer's first fields; others have their size in the next byte.
_WIDTHS: Final = {0x40: 1, 0x41: 1, 0x42: 1, 0x43: 1, 0x50: 2, 0x52: 2, 0x56: 2, 0x70: 5}
