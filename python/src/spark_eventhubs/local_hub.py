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
_POLICY: Final = "RootManageSharedAccessKey"
_KEY: Final = "SAS_KEY_VALUE"
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
    Port 0 is any free one. With a `tls_port` every port speaks TLS too. `policies` maps names of further shared access
    policies to their claims (`Listen`, `Send`, `Manage`); their key is that of the root policy, a fixed word.
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
        """Starts the hub and returns when it can be used."""
        arguments = [part for name, count in (hubs or {}).items() for part in ("--hub", f"{name}:{count}")]
        arguments += ["--port", str(port), "--http-port", str(http_port)]
        arguments += [] if tls_port is None else ["--tls-port", str(tls_port)]
        for name, claims in (policies or {}).items():
            arguments += ["--policy", f"{name}:{','.join(claims)}"]
        arguments += [] if data_dir is None else ["--data-dir", str(data_dir)]
        self._process = HubProcess(arguments, start_timeout=start_timeout)

    @property
    def amqp_port(self) -> int:
        """Port of the AMQP side."""
        return self._process.ports.amqp

    @property
    def tls_port(self) -> int | None:
        """Port of AMQP over TLS; None without TLS."""
        return self._process.ports.tls

    @property
    def http_url(self) -> str:
        """Address of the HTTP side: health, management, metrics."""
        return f"http://127.0.0.1:{self._process.ports.http}"

    @property
    def pid(self) -> int:
        """Process id of the hub's JVM."""
        return self._process.pid

    def connection_string(self, hub: str | None = None, *, policy: str = _POLICY, tls: bool = False) -> str:
        """For one hub, or for the namespace; over TLS it is without the development flag."""
        if tls and self.tls_port is None:
            raise ValueError("this local hub has no TLS; start it with LocalHub(tls_port=0)")
        port, flag = (self.tls_port, "") if tls else (self.amqp_port, ";UseDevelopmentEmulator=true")
        namespace = f"Endpoint=sb://localhost:{port};SharedAccessKeyName={policy};SharedAccessKey={_KEY}{flag}"
        return namespace if hub is None else f"{namespace};EntityPath={hub}"

    def certificate_pem(self) -> str:
        """The server's certificate, for clients that are to trust it."""
        return self._request("GET", "/certificate")

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

    def _request(self, method: str, path: str) -> str:
        request = Request(f"{self.http_url}{path}", method=method)  # noqa: S310 - our own http address
        try:
            with urlopen(request, timeout=_HTTP_SECONDS) as answer:  # noqa: S310 - as above
                return str(answer.read().decode())
        except HTTPError as refused:
            said = refused.read().decode(errors="replace")
            raise ValueError(_reason(said) or f"the local hub answered {refused.code} to {method} {path}") from None


def _reason(answer: str) -> str | None:
    try:
        return str(json.loads(answer)["error"])
    except (ValueError, KeyError, TypeError):
        return None
