"""An HTTP proxy that opens tunnels, and may ask for a user name and a password."""

from __future__ import annotations

import socket
from base64 import b64encode
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class ConnectProxy:
    """A proxy on 127.0.0.1. `tunnels` are the hosts, with ports, to which it has opened one."""

    def __init__(self, username: str | None = None, password: str | None = None) -> None:
        """Starts to listen."""
        self.tunnels: list[str] = []
        self._expected = None if username is None else b64encode(f"{username}:{password}".encode()).decode()
        self._listener = socket.create_server(("127.0.0.1", 0))
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
                Thread(target=self._open, args=(client,), daemon=True).start()

    def _open(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError):
            request = b""
            while b"\r\n\r\n" not in request:
                request += client.recv(4096) or b"\r\n\r\n"
            method, target, _ = request.decode().split(" ", 2)
            if method != "CONNECT" or (self._expected and f"Basic {self._expected}" not in request.decode()):
                client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                client.close()
                return
            host, _, port = target.rpartition(":")
            server = socket.create_connection((host, int(port)))
            self.tunnels.append(target)
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            Thread(target=_copy, args=(server, client), daemon=True).start()
            _copy(client, server)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
