"""Event Hubs on this machine, for tests, demos and development: real AMQP that the official SDKs use as they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from spark_eventhubs._hub_process import HubProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from types import TracebackType

    from typing_extensions import Self

# The words of the official emulator: not a secret.
_POLICY: Final = (
    "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true"
)
_HTTP_SECONDS: Final = 30


@dataclass(frozen=True, kw_only=True)
class LocalEventHub:
    """One event hub of a `LocalHub`, and how to connect to it."""

    name: str
    partitions: int
    connection_string: str


class LocalHub:
    """A namespace in a JVM of its own, which ends with `close()`, with the `with` block, or with this process.

    `hubs` maps names to partition counts. Events live in memory, or in `data_dir` over restarts.
    Port 0 is any free one.
    """

    def __init__(
        self,
        *,
        hubs: Mapping[str, int] | None = None,
        data_dir: str | PathLike[str] | None = None,
        port: int = 0,
        http_port: int = 0,
        start_timeout: timedelta = timedelta(seconds=60),
    ) -> None:
        """Starts the hub and returns when it can be used."""
        arguments = [part for name, count in (hubs or {}).items() for part in ("--hub", f"{name}:{count}")]
        arguments += ["--port", str(port), "--http-port", str(http_port)]
        arguments += [] if data_dir is None else ["--data-dir", str(data_dir)]
        self._process = HubProcess(arguments, start_timeout=start_timeout)

    @property
    def amqp_port(self) -> int:
        """Port of the AMQP side."""
        return self._process.ports.amqp

    @property
    def http_url(self) -> str:
        """Address of the HTTP side: health, management, metrics."""
        return f"http://127.0.0.1:{self._process.ports.http}"

    @property
    def pid(self) -> int:
        """Process id of the hub's JVM."""
        return self._process.pid

    def connection_string(self, hub: str | None = None) -> str:
        """For one hub, or for the namespace."""
        namespace = f"Endpoint=sb://localhost:{self.amqp_port};{_POLICY}"
        return namespace if hub is None else f"{namespace};EntityPath={hub}"

    def create_hub(self, name: str, *, partitions: int, consumer_groups: Sequence[str] = ()) -> LocalEventHub:
        """Creates a hub, or makes sure that the one of this name is so."""
        query = urlencode({"partitions": partitions, "consumerGroups": ",".join(consumer_groups)}, safe="$,")
        self._request("PUT", f"/hubs/{quote(name, safe='')}?{query}")
        return LocalEventHub(name=name, partitions=partitions, connection_string=self.connection_string(name))

    def delete_hub(self, name: str) -> None:
        """Deletes a hub with its events; its clients are disconnected."""
        self._request("DELETE", f"/hubs/{quote(name, safe='')}")

    def close(self) -> None:
        """Ends the hub; doing it twice is fine."""
        self._process.close()

    def __enter__(self) -> Self:
        """The hub, which runs already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the hub."""
        self.close()

    def _request(self, method: str, path: str) -> None:
        request = Request(f"{self.http_url}{path}", method=method)  # noqa: S310 - our own http address
        try:
            with urlopen(request, timeout=_HTTP_SECONDS):  # noqa: S310 - as above
                pass
        except HTTPError as refused:
            answer = refused.read().decode(errors="replace")
            raise ValueError(_reason(answer) or f"the local hub answered {refused.code} to {method} {path}") from None


def _reason(answer: str) -> str | None:
    try:
        return str(json.loads(answer)["error"])
    except (ValueError, KeyError, TypeError):
        return None
