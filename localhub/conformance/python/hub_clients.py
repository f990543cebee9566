"""Clients of the official SDK over plain AMQP, TLS and WebSockets, closed after the test."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import queue
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from urllib.request import Request, urlopen

import websocket
from azure.eventhub import EventData, EventHubConsumerClient, EventHubProducerClient, TransportType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from typing_extensions import Self

    from spark_eventhubs import LocalHub

TRANSPORTS: Final = ("plain", "TLS", "WebSockets")
EARLIEST: Final = "-1"
TIMEOUT: Final = 60.0

_connect = websocket.create_connection


def _connect_with_timeout(*arguments: Any, **options: Any) -> websocket.WebSocket:
    # The SDK's time-out of one second is for reading, but it also applies to TLS and the upgrade.
    connected = _connect(*arguments, **options | {"timeout": TIMEOUT})
    connected.settimeout(options["timeout"])
    return connected


# The SDK imports this function on every connect.
websocket.create_connection = _connect_with_timeout


def signature(resource: str, expiry: int) -> str:
    """A shared access signature of the root policy, valid until `expiry` (seconds since 1970)."""
    encoded = quote(resource, safe="")
    digest = hmac.new(b"SAS_KEY_VALUE", f"{encoded}\n{expiry}".encode(), hashlib.sha256).digest()
    signed = quote(base64.b64encode(digest), safe="")
    return f"SharedAccessSignature sr={encoded}&sig={signed}&se={expiry}&skn=RootManageSharedAccessKey"


def wait_until(what: str, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, f"not true within {TIMEOUT} s: {what}"
        time.sleep(0.02)


class Clients:
    """Creates producers and consumers of one event hub over one transport."""

    def __init__(self, hub: LocalHub, name: str, transport: str, certificate: Path) -> None:
        self.hub, self.name, self.transport = hub, name, transport
        self.certificate = certificate
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def connection_string(self, name: str | None = None, policy: str = "RootManageSharedAccessKey") -> str:
        namespace = self.hub.connection_string(policy=policy, tls=self.transport != "plain")
        return f"{namespace};EntityPath={name or self.name}"

    @property
    def options(self) -> dict[str, Any]:
        """Client options to reach the hub, without retries."""
        common: dict[str, Any] = {"retry_total": 0, "connection_verify": str(self.certificate)}
        if self.transport == "plain":
            return common
        # With TLS the SDK reads the port only from here.
        kind = TransportType.Amqp if self.transport == "TLS" else TransportType.AmqpOverWebsocket
        endpoint = f"sb://localhost:{self.hub.tls_port}"
        return common | {"transport_type": kind, "custom_endpoint_address": endpoint}

    def producer(self, connection: str | None = None, **options: Any) -> EventHubProducerClient:
        text = connection or self.connection_string()
        return self._open.enter_context(EventHubProducerClient.from_connection_string(text, **self.options | options))

    def consumer(
        self, connection: str | None = None, group: str = "$Default", **options: Any
    ) -> EventHubConsumerClient:
        text = connection or self.connection_string()
        return self._open.enter_context(
            EventHubConsumerClient.from_connection_string(text, group, **self.options | options)
        )

    def consumer_with(self, credential: Any) -> EventHubConsumerClient:
        """A consumer that gets its tokens from `credential` instead of a key."""
        host = self.connection_string().split("//")[1].split(";")[0]
        # Without a connection string the SDK must be told that there is no TLS.
        plain = {"use_tls": False} if self.transport == "plain" else {}
        made = EventHubConsumerClient(host, self.name, "$Default", credential, **self.options | plain)
        return self._open.enter_context(made)

    def send(self, *bodies: str | bytes, partition: str = "0") -> None:
        self.producer().send_batch([EventData(body) for body in bodies], partition_id=partition)

    def reader(self, partition: str = "0", client: EventHubConsumerClient | None = None, **receive: Any) -> Reader:
        return Reader(client or self.consumer(), partition, {"starting_position": EARLIEST} | receive)

    def read(self, count: int, partition: str = "0", **receive: Any) -> list[EventData]:
        return self.reader(partition, **receive).take(count)

    def readers(self) -> list[dict[str, Any]]:
        """The connected readers of this event hub."""
        found = self.call("GET", "/readers")["readers"]
        return [each for each in found if each["hub"] == self.name]

    def inject(self, **fault: Any) -> dict[str, Any]:
        """Injects a fault; see docs/local-hub/http-api.md, Faults."""
        return self.call("POST", "/faults", {"hub": self.name} | fault)

    def inject_now(self, **fault: Any) -> None:
        """Injects a fault that happens at once; fails if it hits nothing."""
        assert self.inject(**fault)["hits"] > 0, f"the fault hit nothing: {fault}"

    def active_faults(self) -> list[dict[str, Any]]:
        """The faults that can still happen to this event hub."""
        return [each for each in self.call("GET", "/faults")["faults"] if each["hub"] == self.name]

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.hub.http_url}{path}", data=data, method=method)  # noqa: S310 -- a local address
        with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 -- as above
            found: dict[str, Any] = json.loads(answer.read() or b"{}")
            return found


class Reader:
    """Receives from one partition in a thread, because the SDK's call blocks; ends when its client is closed."""

    def __init__(self, client: EventHubConsumerClient, partition: str, receive: dict[str, Any]) -> None:
        self._received: queue.Queue[EventData | Exception] = queue.Queue()
        self._client, self._partition, self._receive = client, partition, receive
        threading.Thread(target=self._run, daemon=True).start()

    def take(self, count: int) -> list[EventData]:
        """The next `count` events; raises an error that arrives instead."""
        taken: list[EventData] = []
        while len(taken) < count:
            received = self._received.get(timeout=TIMEOUT)
            if isinstance(received, Exception):
                raise received
            taken.append(received)
        return taken

    def error(self) -> Exception:
        """The next error; skips events before it."""
        while True:
            received = self._received.get(timeout=TIMEOUT)
            if isinstance(received, Exception):
                return received

    def is_empty(self) -> bool:
        return self._received.empty()

    def _run(self) -> None:
        def on_events(_: object, events: Sequence[EventData]) -> None:
            for event in events:
                self._received.put(event)

        try:
            self._client.receive_batch(
                on_events,
                partition_id=self._partition,
                on_error=lambda _, error: self._received.put(error),
                max_wait_time=0.2,
                **self._receive,
            )
        except Exception as failure:  # noqa: BLE001 -- the test gets it from the queue
            self._received.put(failure)


def bodies(events: Sequence[EventData]) -> list[str]:
    return [event.body_as_str() for event in events]
