"""A local hub in a process of its own, and the event hubs in it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from spark_eventhubs.local_hub._addresses import endpoint_host, http_host
from spark_eventhubs.local_hub._arguments import command_line, listed
from spark_eventhubs.local_hub._http import HubHttp
from spark_eventhubs.local_hub._hub_configs import hub_configs
from spark_eventhubs.local_hub._process import HubProcess
from spark_eventhubs.local_hub.config import Compaction, LocalEventHubConfig
from spark_eventhubs.local_hub.event_hub import LocalEventHub
from spark_eventhubs.local_hub.faults import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from types import TracebackType

    from typing_extensions import Self

# The values of the official emulator, not a secret.
_POLICY: Final = "RootManageSharedAccessKey"
_KEY: Final = "SAS_KEY_VALUE"


class LocalHub:
    """A namespace in a JVM of its own. The JVM ends with `close()`, with the `with` block, or with this process.

    Args:
        hubs: partition count or `LocalEventHubConfig` of each event hub, by its name.
        config_file: a Config.json of the official emulator, with further hubs.
        data_dir: a folder where events survive restarts. Default: events are in memory.
        fsync: with `data_dir`, events also survive a power loss, and an append waits for the disk.
        host: the address to listen on, which `http_url` and connection strings then have. Default: 127.0.0.1, this
            machine only.
        port: for AMQP; 0 is any free port.
        http_port: for the HTTP API and the Data Explorer; 0 is any free port.
        tls_port: for AMQP over TLS; 0 is any free port. The AMQP port then accepts TLS too. Default: no TLS.
        tls_keystore: a PKCS #12 file with certificate and key. Default: a generated certificate.
        tls_password_file: a file whose first line is the key store's password.
        policies: claims (`Listen`, `Send`, `Manage`) of further shared access policies, by their names. All policies
            have the same fixed key.
        schema_groups: format (`avro`, `json`, `custom`, `protobuf`) of each group of the schema registry, by its name.
        service: "strict" is a service in which everything that is not known of Azure's is against its clients.
        service_time_scale: shortens the service's long times; above 0, up to 1. With 0.01, 30 minutes are 18 seconds.
        max_message_bytes: largest event or batch, 1024 bytes to 20 MB. Default: 1 MB.
        management_limit: requests for hub and partition properties that are answered in a second. Default: no limit.
        management_max_age: how old an answer with partition properties may be. Default: every answer is current.
        unsettled_readers: whether a reader that asks for unsettled events gets unsettled events.
        start_timeout: longest wait until the hub is ready.

    Raises:
        SessionError: There is no Java 17 or newer.
        RuntimeError: The hub did not start, for example because a port is in use; the text has its output.
        TypeError: `hubs` has another form.
        ValueError: A setting of an event hub is wrong.
        TimeoutError: The hub was not ready after `start_timeout`.
    """

    def __init__(
        self,
        *,
        hubs: Mapping[str, int | LocalEventHubConfig] | None = None,
        config_file: str | PathLike[str] | None = None,
        data_dir: str | PathLike[str] | None = None,
        fsync: bool = False,
        host: str | None = None,
        port: int = 0,
        http_port: int = 0,
        tls_port: int | None = None,
        tls_keystore: str | PathLike[str] | None = None,
        tls_password_file: str | PathLike[str] | None = None,
        policies: Mapping[str, Sequence[str]] | None = None,
        schema_groups: Mapping[str, str] | None = None,
        service: Literal["strict"] | None = None,
        service_time_scale: float | None = None,
        max_message_bytes: int | None = None,
        management_limit: int | None = None,
        management_max_age: timedelta | None = None,
        unsettled_readers: bool = False,
        start_timeout: timedelta = timedelta(seconds=60),
    ) -> None:
        """Starts the hub and returns when it is ready."""
        configs = hub_configs(hubs)
        self._host = host
        arguments = command_line(
            {
                "--config": config_file,
                "--data-dir": data_dir,
                "--fsync": fsync,
                "--host": host,
                "--port": port,
                "--http-port": http_port,
                "--tls-port": tls_port,
                "--tls-keystore": tls_keystore,
                "--tls-password-file": tls_password_file,
                "--service": service,
                "--service-time-scale": service_time_scale,
                "--max-message-size": max_message_bytes,
                "--management-limit": management_limit,
                "--management-max-age": management_max_age,
                "--unsettled-readers": unsettled_readers,
            }
        )
        for name, claims in (policies or {}).items():
            arguments += ["--policy", f"{name}:{','.join(listed(f'policy {name!r}', claims))}"]
        for name, schema_format in (schema_groups or {}).items():
            arguments += ["--schema-group", f"{name}:{schema_format}"]
        self._process = HubProcess(arguments, start_timeout=start_timeout)
        try:
            for name, config in configs.items():
                self._put(name, config)
        except BaseException:
            self.close()
            raise

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
        """HTTP address for health, management, metrics and the Data Explorer."""
        return f"http://{http_host(self._host)}:{self._process.ports.http}"

    @property
    def pid(self) -> int:
        """Process id of the hub's JVM."""
        return self._process.pid

    @property
    def faults(self) -> Faults:
        """Injects faults into every event hub, or into the one that is named."""
        return Faults(self._http)

    def connection_string(self, hub: str | None = None, *, policy: str = _POLICY, tls: bool = False) -> str:
        """Connection string of an event hub or of the namespace. With TLS it has no development flag.

        Args:
            hub: name of an event hub; the namespace without one.
            policy: name of a policy of the local hub.
            tls: whether clients connect with TLS.

        Raises:
            ValueError: there is no such event hub, or no port with TLS.
        """
        if hub is not None:
            known = self.hub_names()
            if hub.lower() not in map(str.lower, known):
                there = ", ".join(f"'{name}'" for name in known) or "none"
                raise ValueError(f"there is no event hub '{hub}'; the local hub has {there}. Create it with create_hub")
        return self._connection_string(hub, policy=policy, tls=tls)

    def _connection_string(self, hub: str | None, *, policy: str = _POLICY, tls: bool = False) -> str:
        if tls and self.tls_port is None:
            raise ValueError("this local hub has no TLS; start it with LocalHub(tls_port=0)")
        port, flag = (self.tls_port, "") if tls else (self.amqp_port, ";UseDevelopmentEmulator=true")
        namespace = (
            f"Endpoint=sb://{endpoint_host(self._host)}:{port};"
            f"SharedAccessKeyName={policy};SharedAccessKey={_KEY}{flag}"
        )
        return namespace if hub is None else f"{namespace};EntityPath={hub}"

    def certificate_pem(self) -> str:
        """The server's certificate, which TLS clients must trust."""
        return self._http.text("GET", "certificate")

    def create_hub(
        self,
        name: str,
        *,
        partitions: int,
        consumer_groups: Sequence[str] = (),
        retention: timedelta | None = None,
        retention_bytes: int | None = None,
        throughput_units: int | None = None,
        compaction: Compaction | None = None,
        geo_replication: bool = False,
    ) -> LocalEventHub:
        """Creates a hub, or adds missing partitions, consumer groups and limits to a hub of this name.

        The arguments are those of `LocalEventHubConfig`.
        """
        config = LocalEventHubConfig(
            partitions=partitions,
            consumer_groups=consumer_groups,
            retention=retention,
            retention_bytes=retention_bytes,
            throughput_units=throughput_units,
            compaction=compaction,
            geo_replication=geo_replication,
        )
        return self._put(name, config)

    def hub_names(self) -> list[str]:
        """The names of all event hubs."""
        return [str(hub["name"]) for hub in self._http.json("GET", "hubs")["hubs"]]

    def event_hub(self, name: str) -> LocalEventHub:
        """The event hub of this name. A ValueError if there is none."""
        return self._event_hub(self._http.json("GET", "hubs", name))

    def delete_hub(self, name: str) -> None:
        """Deletes a hub with its events and disconnects its clients."""
        self._http.json("DELETE", "hubs", name)

    def create_schema_group(self, name: str, schema_format: str = "avro") -> None:
        """Creates a group of the schema registry, or finds it.

        Args:
            name: 1 to 50 characters.
            schema_format: `avro`, `json`, `custom` or `protobuf`.

        Raises:
            ValueError: the name or the format is wrong, or the group exists in another format.
        """
        self._http.json("PUT", "schema-groups", name, query={"format": schema_format})

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

    def _repr_html_(self) -> str:
        """The hubs with their partitions and links to the Data Explorer, for notebooks."""
        from spark_eventhubs._monitoring.html import local_hub_html  # noqa: PLC0415 - only notebooks need it

        try:
            found = self._http.json("GET", "hubs")["hubs"]
        except OSError:
            return local_hub_html(self.http_url, None)
        return local_hub_html(self.http_url, {each["name"]: each["partitionCount"] for each in found})

    @property
    def _http(self) -> HubHttp:
        return HubHttp(self.http_url, self._process.why_ended)

    def _put(self, name: str, config: LocalEventHubConfig) -> LocalEventHub:
        return self._event_hub(self._http.json("PUT", "hubs", name, query=config.query()))

    def _event_hub(self, shown: Mapping[str, Any]) -> LocalEventHub:
        name = str(shown["name"])
        return LocalEventHub(
            name=name,
            partitions=int(shown["partitionCount"]),
            connection_string=self._connection_string(name),
            _http=self._http,
        )
