"""A container of Azure Blob Storage with the checkpoints of the Event Hubs SDKs' processors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._target import VARIABLE as HUB_VARIABLE
from spark_eventhubs.cli._target import Target

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

_Command = TypeVar("_Command", bound=Callable[..., Any])

VARIABLE: Final = "AZURE_STORAGE_CONNECTION_STRING"

_NO_LIBRARY: Final = "a checkpoint store needs Azure's storage library: pip install 'spark-eventhubs[blob]'"


@dataclass(frozen=True, kw_only=True)
class StoredCheckpoint:
    """The last event of a partition that a processor has handled."""

    sequence_number: int
    offset: str


@dataclass(frozen=True, kw_only=True)
class CheckpointStore:
    """The checkpoints of one consumer group."""

    client: ContainerClient
    prefix: str

    @classmethod
    def open(cls, container: str, connection_string: str | None, target: Target, group: str) -> CheckpointStore:
        """The container of a URL, with or without a SAS token, or of a name with a connection string."""
        host, _ = target.address
        prefix = f"{host}/{target.hub}/{group}/checkpoint/".lower()
        return cls(client=_client(container, connection_string), prefix=prefix)

    def read(self) -> dict[int, StoredCheckpoint]:
        """By partition. A partition that no processor has handled is missing."""
        try:
            blobs = list(self.client.list_blobs(name_starts_with=self.prefix, include=["metadata"]))
        except Exception as failure:  # noqa: BLE001 - the library also raises errors that are not its own
            raise click.ClickException(self._failed(failure)) from None
        return dict(self._parsed(blob.name, blob.metadata or {}) for blob in blobs)

    def next_sequence_numbers(self) -> dict[int, int]:
        """By partition, the first event that no processor has handled."""
        return {partition: found.sequence_number + 1 for partition, found in self.read().items()}

    def write(self, partition: int, checkpoint: StoredCheckpoint) -> None:
        """Replaces the checkpoint of a partition."""
        metadata = {"sequencenumber": str(checkpoint.sequence_number), "offset": checkpoint.offset}
        try:
            self.client.upload_blob(f"{self.prefix}{partition}", b"", metadata=metadata, overwrite=True)
        except Exception as failure:  # noqa: BLE001 - as above
            raise click.ClickException(self._failed(failure)) from None

    @property
    def url(self) -> str:
        """The container's URL without a signature."""
        return str(self.client.url).partition("?")[0]

    def _parsed(self, name: str, metadata: dict[str, Any]) -> tuple[int, StoredCheckpoint]:
        partition = name.removeprefix(self.prefix)
        number = str(metadata.get("sequencenumber", ""))
        if not (partition.isdecimal() and number.isdecimal()):
            raise click.ClickException(f"the blob '{name}' in {self.url} is not a checkpoint; correct or delete it")
        return int(partition), StoredCheckpoint(sequence_number=int(number), offset=str(metadata.get("offset", "")))

    def _failed(self, failure: Exception) -> str:
        code = getattr(failure, "error_code", None)
        if code is not None:
            hint = {
                "ContainerNotFound": "create the container, or correct its name",
                "AuthenticationFailed": "check the account key or the SAS token",
                "AuthorizationFailure": "check the rights of the SAS token, or the role of the identity",
            }.get(str(getattr(code, "value", code)), "check the container and its sign-in")
            return f"{self.url} refused the request ({getattr(code, 'value', code)}); {hint}"
        reason = str(failure).partition("\n")[0].partition("?")[0]
        return f"{self.url} did not answer ({reason}); check the account's name and the firewall"


def store_target(connection_string: str | None, hub: str | None) -> Target:
    """The hub whose checkpoints are meant."""
    if connection_string is None:
        raise WrongUsage(f"the store has a hub's checkpoints; set {HUB_VARIABLE} to its connection string")
    return Target.of(connection_string, hub)


def refuse_checkpoint() -> None:
    """With a store, the only argument is the FILE. Of two, the first would be taken as it and the second ignored."""
    if click.get_current_context().get_parameter_source("file") is ParameterSource.COMMANDLINE:
        raise WrongUsage("with --checkpoint-store there is no CHECKPOINT; give only the FILE")


def store_options(command: _Command) -> _Command:
    """Adds the options that name a checkpoint store."""
    store = click.option(
        "--checkpoint-store",
        metavar="URL",
        help="Container of Azure Blob Storage with checkpoints: its URL, with or without a SAS token, or its name.",
    )
    connection = click.option(
        "--storage-connection-string",
        envvar=VARIABLE,
        show_envvar=True,
        help="Connection string of its storage account. Prefer the variable: `ps` does not show it.",
    )
    return store(connection(command))


def _client(container: str, connection_string: str | None) -> ContainerClient:
    try:
        from azure.storage.blob import ContainerClient  # noqa: PLC0415 - the library is an optional dependency
    except ImportError:
        raise click.ClickException(_NO_LIBRARY) from None
    options: dict[str, Any] = {"retry_total": 1, "connection_timeout": 10}
    try:
        if "://" not in container:
            if connection_string is None:
                raise click.ClickException(f"'{container}' is a container's name; set {VARIABLE}, or give its URL")
            return ContainerClient.from_connection_string(connection_string, container, **options)
        if connection_string is not None and not urlsplit(container).query:
            name = urlsplit(container).path.rstrip("/").rpartition("/")[2]
            return ContainerClient.from_connection_string(connection_string, name, **options)
        credential = None if urlsplit(container).query else _identity()
        return ContainerClient.from_container_url(container, credential=credential, **options)
    except ValueError:
        # The library quotes the connection string.
        raise click.ClickException("the container or its connection string is malformed") from None


def _identity() -> Any:  # noqa: ANN401 - azure-identity is not installed everywhere
    try:
        from azure.identity import DefaultAzureCredential  # noqa: PLC0415 - as above
    except ImportError:
        raise click.ClickException(
            f"the URL has no SAS token; add one, set {VARIABLE}, or pip install azure-identity to sign in"
        ) from None
    return DefaultAzureCredential()
