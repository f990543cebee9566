"""Clients of the Azure SDK, for commands: without its logs and its retries, which hide why a connection fails."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import click

from spark_eventhubs._install import install
from spark_eventhubs._sdk_calls import watch_sign_in, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from azure.eventhub import EventHubConsumerClient, EventHubProducerClient

    from spark_eventhubs.cli._target import Target

_T = TypeVar("_T")

# With retries, the SDK repeats a refused reader for ever and reports nothing. Its producer does not repeat what the
# service rejects as busy, so the command repeats.
_NO_RETRIES: Final[dict[str, Any]] = {"retry_total": 0}
_CLOSE_SECONDS: Final = 3
_SEND_SECONDS: Final = 60


class Closeable(Protocol):
    """A client of the SDK, or one of its links."""

    def close(self) -> None:
        """Ends it."""


def consumer(target: Target, group: str) -> EventHubConsumerClient:
    """A client that reads."""
    _prepare()
    from azure.eventhub import EventHubConsumerClient  # noqa: PLC0415 - the SDK is an optional dependency

    if target.credential is not None:
        return EventHubConsumerClient(target.host, target.hub, group, target.credential, **_settings(target))
    return EventHubConsumerClient.from_connection_string(
        target.connection_string, group, eventhub_name=target.hub, **_settings(target)
    )


def producer(target: Target) -> EventHubProducerClient:
    """A client that sends."""
    _prepare()
    from azure.eventhub import EventHubProducerClient  # noqa: PLC0415 - as above

    if target.credential is not None:
        return EventHubProducerClient(target.host, target.hub, target.credential, **_settings(target))
    return EventHubProducerClient.from_connection_string(
        target.connection_string, eventhub_name=target.hub, **_settings(target)
    )


@contextmanager
def sending(target: Target) -> Iterator[EventHubProducerClient]:
    """A client that sends, which is closed at the end of the block."""
    client = producer(target)
    try:
        yield client
    finally:
        close(client)


def limited(call: Callable[[], _T]) -> _T:
    """The result of a call to a client that sends, which waits for its link without a limit of its own."""
    return within(_SEND_SECONDS, call)


def close(client: Closeable) -> None:
    """Ends a client or a link, or leaves it after three seconds: it waits for a call that has no answer.

    The process ends too.
    """
    with suppress(Exception):
        within(_CLOSE_SECONDS, client.close)


def _settings(target: Target) -> dict[str, Any]:
    from azure.eventhub import TransportType  # noqa: PLC0415 - as above

    settings = {**_NO_RETRIES, **target.settings}
    if not target.over_sockets:
        return settings
    sockets = {**settings, "transport_type": TransportType.AmqpOverWebsocket}
    # The SDK takes the usual port otherwise, also of an emulator.
    return {**sockets, "custom_endpoint_address": f"sb://{target.host}"} if target.is_development else sockets


def _prepare() -> None:
    try:
        import azure.eventhub  # noqa: F401, PLC0415 - as above
    except ImportError:
        raise click.ClickException(f"this command needs the Azure SDK: {install('sdk')}") from None
    silence_sdk()
    watch_sign_in()


def silence_sdk() -> None:
    """Keeps the logs of Azure's libraries from stderr, which is for the command's own line."""
    logger = logging.getLogger("azure")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
