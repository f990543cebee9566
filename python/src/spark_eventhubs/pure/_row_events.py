"""The event of a row, and where it goes."""

from __future__ import annotations

from datetime import timezone
from typing import TYPE_CHECKING, Any, Final

from azure.eventhub import EventData
from azure.eventhub._pyamqp.types import TYPE, VALUE, AMQPTypes

from spark_eventhubs.pure._errors import failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Row

    from spark_eventhubs.pure._settings import WriteSettings
    from spark_eventhubs.pure._write_columns import WriteColumns

Destination = tuple[str | None, str | None]
"""A partition's id or None, and a key or None."""


def event_of(row: Row, settings: WriteSettings, columns: WriteColumns) -> EventData:
    """The event of a row.

    Raises:
        InvalidEventError: it has no body.
    """
    body = row[columns.body]
    if body is None:
        next_step = "Filter such rows out, or give them an empty body with coalesce(body, '')."
        raise invalid(settings, "Its body is null, and an event must have one.", next_step)
    event = EventData(body if isinstance(body, str) else bytes(body))
    if columns.properties is not None and row[columns.properties]:
        wrap = _WRAPPED.get(columns.property_type)
        properties = row[columns.properties].items()
        event.properties = {name: value if value is None or wrap is None else wrap(value) for name, value in properties}
    # The SDK would send None as the text of a property.
    if message_id := _cell(row, columns.message_id):
        event.message_id = message_id
    if correlation_id := _cell(row, columns.correlation_id):
        event.correlation_id = correlation_id
    if content_type := _cell(row, columns.content_type):
        event.content_type = content_type
    return event


def destination_of(row: Row, settings: WriteSettings, columns: WriteColumns) -> Destination:
    """Where the event of a row goes. An option for all rows overrides both columns.

    Raises:
        InvalidEventError: the row names both a partition and a key.
    """
    if settings.partition is not None or settings.key is not None:
        return settings.partition, settings.key
    partition = _cell(row, columns.partition)
    key = _cell(row, columns.key) or None
    if partition is not None and key is not None:
        problem = f"Both a partitionKey ({key}) and partition ({partition}) have been detected. Both can not be set."
        raise invalid(settings, problem, "Set one of them to null.")
    return None if partition is None else str(partition), key


def _typed(kind: str) -> Callable[[Any], Any]:
    return lambda value: {TYPE: kind, VALUE: value}


# The SDK's own choice for a number is an int of 32 bits or a double.
_WRAPPED: Final[dict[str, Callable[[Any], Any]]] = {
    "byte": _typed(AMQPTypes.byte),
    "short": _typed(AMQPTypes.short),
    "integer": _typed(AMQPTypes.int),
    "long": _typed(AMQPTypes.long),
    "float": _typed(AMQPTypes.float),
    "binary": bytes,
    # Rows have local times without a zone.
    "timestamp": lambda moment: moment.astimezone(timezone.utc),
}


def invalid(settings: WriteSettings, problem: str, next_step: str) -> Exception:
    """The error of a row that cannot be written."""
    place = {"hub": settings.address.hub, "namespace": settings.address.host}
    return failure("EVENTHUBS_INVALID_EVENT", **place, problem=problem, nextStep=next_step)


def _cell(row: Row, column: int | None) -> Any:  # noqa: ANN401 - of a row
    return None if column is None else row[column]
