"""A container of Azure Blob Storage with the checkpoints of the Event Hubs SDKs' processors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from spark_eventhubs._install import install
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._sdk import silence_sdk
from spark_eventhubs.cli._stored_checkpoint import NoCheckpointError, StoredCheckpoint, of_json, of_metadata
from spark_eventhubs.cli._target import VARIABLE as HUB_VARIABLE
from spark_eventhubs.cli._target import Target

if TYPE_CHECKING:
    from collections.abc import Container

    from azure.storage.blob import BlobProperties, ContainerClient

_Command = TypeVar("_Command", bound=Callable[..., Any])

VARIABLE: Final = "AZURE_STORAGE_CONNECTION_STRING"

# A checkpoint has a few hundred.
_MOST_BYTES: Final = 65536

# What azure-core and azure-identity raise before they ask the account.
_NO_SIGN_IN: Final = ("ClientAuthenticationError", "CredentialUnavailableError")

_NO_LIBRARY: Final = f"a checkpoint store needs Azure's storage library: {install('blob')}"


@dataclass(frozen=True, kw_only=True)
class CheckpointStore:
    """The checkpoints of one consumer group."""

    client: ContainerClient
    written: str
    group: str

    @classmethod
    def open(cls, container: str, connection_string: str | None, target: Target, group: str) -> CheckpointStore:
        """The container of a URL, with or without a SAS token, or of a name with a connection string."""
        host, _ = target.address
        client = _client(container, connection_string)
        return cls(client=client, written=f"{host}/{target.hub}/{group}/", group=group)

    @property
    def prefix(self) -> str:
        """What this command writes, like the SDKs' processors, which use lower case."""
        return f"{self.written.lower()}checkpoint/"

    def read(self) -> dict[int, StoredCheckpoint]:
        """By partition, in each layout that the connector reads. The newest layout takes precedence.

        A partition that no processor has handled is missing.
        """
        found: dict[int, StoredCheckpoint] = {}
        # The SDK for Go keeps upper case.
        newest = [(prefix, blob) for prefix in _distinct(f"{self.written}checkpoint/") for blob in self._list(prefix)]
        for prefix, blob in sorted(newest, key=lambda each: each[1].last_modified):
            found |= self._of_metadata(prefix, blob)
        older: dict[int, StoredCheckpoint] = {}
        for prefix in reversed(_distinct(self.written, f"{self.group}/")):
            older |= self._of_json(prefix, unless=found)
        return older | found

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

    def _of_metadata(self, prefix: str, blob: BlobProperties) -> dict[int, StoredCheckpoint]:
        partition = blob.name.removeprefix(prefix)
        if not partition.isdecimal():
            raise self._malformed(blob.name, "is not a checkpoint")
        return self._parsed(partition, blob.name, partial(of_metadata, blob.metadata or {}))

    def _of_json(self, prefix: str, *, unless: Container[int]) -> dict[int, StoredCheckpoint]:
        """Blobs of other kinds are deeper, or have words for names. Those of migrated partitions are leftovers."""
        found: dict[int, StoredCheckpoint] = {}
        for name in (blob.name for blob in self._list(prefix)):
            partition = name.removeprefix(prefix)
            if partition.isdecimal() and int(partition) not in unless:
                found |= self._parsed(partition, name, partial(of_json, self._download(name)))
        return found

    def _parsed(
        self, partition: str, name: str, parse: Callable[[], StoredCheckpoint | None]
    ) -> dict[int, StoredCheckpoint]:
        try:
            found = parse()
        except NoCheckpointError as problem:
            raise self._malformed(name, str(problem)) from None
        return {} if found is None else {int(partition): found}

    def _malformed(self, name: str, problem: str) -> click.ClickException:
        return click.ClickException(f"the blob '{name}' in {self.url} {problem}; correct or delete it")

    def _list(self, prefix: str) -> list[BlobProperties]:
        try:
            return list(self.client.list_blobs(name_starts_with=prefix, include=["metadata"]))
        except Exception as failure:  # noqa: BLE001 - the library also raises errors that are not its own
            raise click.ClickException(self._failed(failure)) from None

    def _download(self, name: str) -> bytes:
        try:
            return bytes(self.client.download_blob(name, offset=0, length=_MOST_BYTES).readall())
        except Exception as failure:  # noqa: BLE001 - as above
            raise click.ClickException(self._failed(failure)) from None

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
        if type(failure).__name__ in _NO_SIGN_IN:
            return f"no identity signs in to {self.url} ({reason}); run `az login`, add a SAS token, or set {VARIABLE}"
        return f"{self.url} did not answer ({reason}); check the account's name and the firewall"


def _distinct(*prefixes: str) -> list[str]:
    """Each prefix as it is written and in lower case."""
    return list(dict.fromkeys(name for prefix in prefixes for name in (prefix, prefix.lower())))


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
    silence_sdk()
    options: dict[str, Any] = {"retry_total": 1, "connection_timeout": 10}
    try:
        if "://" not in container:
            if connection_string is None:
                raise click.ClickException(f"'{container}' is a container's name; set {VARIABLE}, or give its URL")
            return ContainerClient.from_connection_string(connection_string, container, **options)
        if connection_string is not None and not urlsplit(container).query:
            name = urlsplit(container).path.rstrip("/").rpartition("/")[2]
            client = ContainerClient.from_connection_string(connection_string, name, **options)
            _refuse_other_account(container, client)
            return client
        credential = None if urlsplit(container).query else _identity()
        return ContainerClient.from_container_url(container, credential=credential, **options)
    except ValueError:
        # The library quotes the connection string.
        raise click.ClickException("the container or its connection string is malformed") from None


def _refuse_other_account(url: str, client: ContainerClient) -> None:
    """The variable may be set for another account, which an import would write to."""
    stated, used = (each.partition("?")[0].rstrip("/") for each in (url, str(client.url)))
    if stated.lower() != used.lower():
        raise WrongUsage(
            f"the container's URL is {stated}, and its connection string leads to {used}; "
            f"give only the container's name, or do without the connection string ({VARIABLE})"
        )


def _identity() -> Any:  # noqa: ANN401 - azure-identity is not installed everywhere
    try:
        from azure.identity import DefaultAzureCredential  # noqa: PLC0415 - as above
    except ImportError:
        raise click.ClickException(
            f"the URL has no SAS token; add one, set {VARIABLE}, or pip install azure-identity to sign in"
        ) from None
    return DefaultAzureCredential()
