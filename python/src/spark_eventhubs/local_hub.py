"""Event Hubs on this machine for tests, demos and development. Official SDKs connect to it over real AMQP."""

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

# The values of the official emulator, not a secret.
_POLICY: Final = "RootManageSharedAccessKey"
_KEY: Final = "SAS_KEY_VALUE"
_HTTP_SECONDS: Final = 30


@dataclass(frozen=True, kw_only=True)
class LocalEventHub:
    """One event hub of a `LocalHub`, with its connection string."""

    name: str
    partitions: int
    connection_string: str


class LocalHub:
    """A namespace in a JVM of its own. The JVM ends with `close()`, with the `with` block, or with this process.

    `hubs` maps names to partition counts. Events are in memory, or in `data_dir`, where they survive restarts.
    Port 0 means any free port. With a `tls_port`, every port also accepts TLS. `policies` maps names of additional
    shared access policies to their claims (`Listen`, `Send`, `Manage`). All policies have the same fixed key.
    """

    def __init__(
        self,
        *,
        hubs: Mapping[str, int] | None = None,
        data_dir: str | PathLike[str] | None = None,
        port: int = 0,
        http_port: int = 0,
        tls_port: int | None = None,
        policies: Mapping[str, Sequence[str]] | None = None,
        start_timeout: timedelta = timedelta(seconds=60),
    ) -> None:
        """Starts the hub and returns when it is ready."""
        arguments = [part for name, count in (hubs or {}).items() for part in ("--hub", f"{name}:{count}")]
        arguments += ["--port", str(port), "--http-port", str(http_port)]
        arguments += [] if tls_port is None else ["--tls-port", str(tls_port)]
        for name, claims in (policies or {}).items():
            arguments += ["--policy", f"{name}:{','.join(claims)}"]
        arguments += [] if data_dir is None else ["--data-dir", str(data_dir)]
        self._process = HubProcess(arguments, start_timeout=start_timeout)

    @property
    def amqp_port(self) -> int:
        """Port for AMQP."""
        return self._process.ports.amqp

    @property
    def tls_port(self) -> int | None:
        """Port for AMQP over TLS, or None without TLS."""
        return self._process.ports.tls

    @property
    def http_url(self) -> str:
        """HTTP address for health, management and metrics."""
        return f"http://127.0.0.1:{self._process.ports.http}"

    @property
    def pid(self) -> int:
        """Process id of the hub's JVM."""
        return self._process.pid

    def connection_string(self, hub: str | None = None, *, policy: str = _POLICY, tls: bool = False) -> str:
        """Connection string of one hub or of the namespace. With TLS it has no development flag."""
        if tls and self.tls_port is None:
            raise ValueError("this local hub has no TLS; start it with LocalHub(tls_port=0)")
        port, flag = (self.tls_port, "") if tls else (self.amqp_port, ";UseDevelopmentEmulator=true")
        namespace = f"Endpoint=sb://localhost:{port};SharedAccessKeyName={policy};SharedAccessKey={_KEY}{flag}"
        return namespace if hub is None else f"{namespace};EntityPath={hub}"

    def certificate_pem(self) -> str:
        """The server's certificate, which TLS clients must trust."""
        return self._request("GET", "/certificate")

    def create_hub(self, name: str, *, partitions: int, consumer_groups: Sequence[str] = ()) -> LocalEventHub:
        """Creates a hub, or adds missing partitions and consumer groups to a hub of this name."""
        query = urlencode({"partitions": partitions, "consumerGroups": ",".join(consumer_groups)}, safe="$,")
        self._request("PUT", f"/hubs/{quote(name, safe='')}?{query}")
        return LocalEventHub(name=name, partitions=partitions, connection_string=self.connection_string(name))

    def delete_hub(self, name: str) -> None:
        """Deletes a hub with its events and disconnects its clients."""
        self._request("DELETE", f"/hubs/{quote(name, safe='')}")

    def close(self) -> None:
        """Ends the hub. May be called more than once."""
        self._process.close()

    def __enter__(self) -> Self:
        """Returns the hub, which is already running."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the hub."""
        self.close()

    def _request(self, method: str, path: str) -> str:
        request = Request(f"{self.http_url}{path}", method=method)  # noqa: S310 - our own http address
        try:
            with urlopen(request, timeout=_HTTP_SECONDS) as answer:  # noqa: S310 - as above
                return str(answer.read().decode())
        except HTTPError as refused:
            body = refused.read().decode(errors="replace")
            raise ValueError(_reason(body) or f"the local hub answered {refused.code} to {method} {path}") from None


def _reason(answer: str) -> str | None:
    try:
        return str(json.loads(answer)["error"])
    except (ValueError, KeyError, TypeError):
        return None
