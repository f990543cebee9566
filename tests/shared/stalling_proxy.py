"""A TCP proxy that holds what a client sends over one of its connections, and delivers it later."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class StallingProxy:
    """A proxy on 127.0.0.1. What it has read from a client it delivers, whatever becomes of the client meanwhile."""

    def __init__(self, port: int) -> None:
        """Starts to listen, for a service on this port of this machine."""
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = Lock()
        self._gates: dict[Event, int] = {}
        Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """The port for clients."""
        return int(self._listener.getsockname()[1])

    def stall(self) -> Event:
        """Holds the bytes of the connection over which clients have sent most, until the returned event is set."""
        with self._lock:
            gate = max(self._gates, key=self._gates.__getitem__)
            gate.clear()
        return gate

    def __enter__(self) -> Self:
        """Returns the proxy itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Delivers everything and stops listening."""
        self._listener.close()
        with self._lock:
            for gate in self._gates:
                gate.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = self._connected()
                if server is None:
                    client.close()
                    continue
                gate = Event()
                gate.set()
                with self._lock:
                    self._gates[gate] = 0
                Thread(target=self._up, args=(client, server, gate), daemon=True).start()
                Thread(target=self._down, args=(server, client), daemon=True).start()

    def _connected(self) -> socket.socket | None:
        """None while the service is down."""
        try:
            return socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            return None

    def _up(self, client: socket.socket, server: socket.socket, gate: Event) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                with self._lock:
                    self._gates[gate] += len(data)
                gate.wait()
                server.sendall(data)
        with self._lock:
            del self._gates[gate]
        for end in (client, server):
            end.close()

    def _down(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
