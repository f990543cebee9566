# ruff: noqa: SLF001 - the SDK has no public way to several questions over one connection
"""Connections of the Azure SDK, over which a hub is asked.

What this package uses of the SDK's internals is here, in `_links` and in `_frames`; test_sdk_internals.py guards it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._sdk_calls import within
from spark_eventhubs.pure._errors import failure, of_sdk
from spark_eventhubs.pure._frames import Frames
from spark_eventhubs.pure._pace import pace_of
from spark_eventhubs.pure._partitions import Bounds, HubInfo
from spark_eventhubs.pure._signing_in.clients import consumer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TypeVar

    from typing_extensions import Self

    from spark_eventhubs.pure._signing_in.address import HubAddress

    _T = TypeVar("_T")

_HUB: Final = "com.microsoft:eventhub"
_PARTITION: Final = "com.microsoft:partition"
_OK: Final = 300
_BUSY: Final = 503
_CONDITIONS: Final = {404: "EVENTHUBS_NOT_FOUND", _BUSY: "EVENTHUBS_THROTTLED"}
_CLOSE_SECONDS: Final = 3
_TOKEN_CHECK_SECONDS: Final = 30


class HubConnection:
    """One AMQP connection, over which a hub is asked. It opens with the first question. For one thread."""

    def __init__(self, address: HubAddress, group: str = "$Default") -> None:
        """Does not connect yet."""
        self.address = address
        self._client = consumer(address, group)
        # One token for the whole hub: links and questions share a connection.
        self._client._auth_uri = self._client._eventhub_auth_uri
        self._amqp: Any = None
        self._frames: Any = None
        self._token_checked = time.monotonic()
        self._pace = pace_of(address)

    def __enter__(self) -> Self:
        """The connection, which is closed at the end."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def hub(self) -> HubInfo:
        """When the hub was created, and its partitions.

        Raises:
            EventHubsError: the service refuses the question, or does not answer.
        """
        found = self._ask("asking for the hub's properties", _HUB, {"name": self.address.hub})
        ids = tuple(sorted(int(each) for each in found[b"partition_ids"]))
        return HubInfo(int(found[b"created_at"]), ids)

    def bounds(self, partition: int) -> Bounds:
        """What a partition retains.

        Raises:
            EventHubsError: the service refuses the question, or does not answer.
        """
        asked = {"name": self.address.hub, "partition": str(partition)}
        found = self._ask(f"asking for partition {partition}", _PARTITION, asked)
        begin, last = int(found[b"begin_sequence_number"]), int(found[b"last_enqueued_sequence_number"])
        return Bounds(
            earliest=last + 1 if found[b"is_partition_empty"] else begin,
            latest=last + 1,
            last_offset=found[b"last_enqueued_offset"].decode(),
            last_millis=int(found[b"last_enqueued_time_utc"]),
        )

    def close(self) -> None:
        """Ends the connection, or leaves it after three seconds."""
        amqp, self._amqp, self._frames = self._amqp, None, None
        if amqp is not None:
            with suppress(Exception):
                within(_CLOSE_SECONDS, amqp.close)

    def _guarded(self, doing: str, call: Callable[[], _T]) -> _T:
        """The result of a call, or the connector's error for what the SDK raised."""
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - the SDK raises many classes
            self.close()
            raise of_sdk(error, self.address, doing) from None

    def _ask(self, doing: str, kind: str, properties: dict[str, str]) -> dict[bytes, Any]:
        """The answer to a question, which a busy service gets again, until the operation timeout."""

        def asked() -> dict[bytes, Any]:
            self._connect()
            time.sleep(self._pace.turn())
            end = time.monotonic() + self.address.timeout
            while True:
                status, said, answer = self._answer(kind, properties)
                if status < _OK:
                    return dict(answer.value)
                if status != _BUSY:
                    raise self._refusal(status, said, doing)
                self._pace.refused()
                wait = self._pace.turn()
                if time.monotonic() + wait > end:
                    raise self._refusal(status, said, doing)
                time.sleep(wait)

        return self._guarded(doing, asked)

    def _answer(self, kind: str, properties: dict[str, str]) -> tuple[int, str, Any]:
        """Status, description and message."""
        timeout = self.address.timeout
        self._frames.deadline = time.monotonic() + timeout
        self._renew()
        token = self._amqp._auth.get_token().token
        status, description, answer = self._amqp.mgmt_request(
            self._client._amqp_transport.build_message(application_properties={**properties, "security_token": token}),
            operation="READ",
            operation_type=kind,
            status_code_field=b"status-code",
            description_fields=b"status-description",
            timeout=timeout,
        )
        said = description.decode() if isinstance(description, bytes) else description
        return int(status), str(said or f"status {status}"), answer

    def _refusal(self, status: int, said: str, doing: str) -> Exception:
        condition = _CONDITIONS.get(status)
        if condition is not None:
            return failure(condition, hub=self.address.hub, namespace=self.address.host, doing=doing, said=said)
        found: Exception = self._client._amqp_transport.get_error(status, said)
        return found

    def _connect(self) -> None:
        if self._frames is None:
            within(self.address.timeout, self._open)

    def _open(self) -> None:
        client = self._client
        self._amqp = client._amqp_transport.create_mgmt_client(client._address, client._create_auth(), client._config)
        self._amqp.open()
        self._wait_until(self._amqp.client_ready)
        self._frames = Frames(self._amqp._connection)

    def _renew(self) -> None:
        """Signs in again before the token of the connection expires."""
        now = time.monotonic()
        if now - self._token_checked > _TOKEN_CHECK_SECONDS:
            self._token_checked = now
            self._wait_until(self._amqp.auth_complete)

    def _wait_until(self, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + self.address.timeout
        while not ready():
            if time.monotonic() > end:
                raise TimeoutError(f"the connection was not ready in {self.address.timeout:g} s")
