"""An HTTP proxy that loses the service's answers and resets the connection."""

from __future__ import annotations

import select
import socket
import struct
import time
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing_extensions import Self

_STALL_SECONDS: Final = 1.0
_TICK_SECONDS: Final = 0.1
_RESET: Final = struct.pack("ii", 1, 0)


class ResettingProxy:
    """A proxy for CONNECT on this machine. TLS goes through it unread.

    When a client has sent `after` bytes over a connection, the proxy holds the service's answers, passes the client's
    bytes on for a second, and then resets both sides. It does so `times` times.
    """

    def __init__(self, *, after: int, times: int) -> None:
        """Starts to listen."""
        self._after = after
        self._left = times
        self._lock = Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.resets = 0
        self.tunnels = 0
        Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        """Returns the proxy itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stops listening."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                part = client.recv(4096)
                if not part:
                    return
                head += part
            host, _, port = head.split(b" ")[1].decode().rpartition(":")
            with socket.create_connection((host.strip("[]"), int(port)), timeout=30) as server:
                server.settimeout(None)
                self.tunnels += 1
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self._pass(client, server)

    def _pass(self, client: socket.socket, server: socket.socket) -> None:
        holds = Event()
        down = Thread(target=_answers, args=(server, client, holds), daemon=True)
        down.start()
        sent = 0
        reset_at: float | None = None
        while reset_at is None or time.monotonic() < reset_at:
            ready, _, _ = select.select([client], [], [], _TICK_SECONDS)
            if ready:
                data = client.recv(65536)
                if not data:
                    break
                sent += len(data)
                if reset_at is None and sent >= self._after and self._may_reset():
                    # Before the service can answer.
                    holds.set()
                    reset_at = time.monotonic() + _STALL_SECONDS
                server.sendall(data)
            if reset_at is None and not down.is_alive():
                break
        holds.set()
        down.join()
        if reset_at is None:
            return
        for end in (client, server):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.resets += 1

    def _may_reset(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left >= 0


def _answers(server: socket.socket, client: socket.socket, holds: Event) -> None:
    """Passes the service's bytes on, until they are held. A thread of its own: a client that sends may not read."""
    with suppress(OSError):
        while not holds.is_set():
            if select.select([server], [], [], _TICK_SECONDS)[0] and not holds.is_set():
                data = server.recv(65536)
                if not data:
                    return
                client.sendall(data)
