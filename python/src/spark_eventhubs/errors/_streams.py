"""The classes for failures of streaming queries, which are PySpark's class for these too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs.errors._spark import StreamingQueryException

if TYPE_CHECKING:
    from spark_eventhubs.errors.kinds import EventHubsError

OF_STREAMS: Final[dict[type[EventHubsError], type[EventHubsError]]] = {}


def of_stream(kind: type[EventHubsError]) -> type[EventHubsError]:
    """The class of the same name for failures of streaming queries."""
    if kind not in OF_STREAMS:
        members = {"__doc__": kind.__doc__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
        # Threads that come at the same time get one class, or an error of the other could not be pickled.
        OF_STREAMS.setdefault(kind, type(kind.__name__, (kind, StreamingQueryException), members))
    return OF_STREAMS[kind]


def rebuilt(kind: type[EventHubsError], facts: dict[str, Any], *streaming: bool) -> EventHubsError:
    """An error that was pickled."""
    return (of_stream(kind) if any(streaming) else kind)(**facts)
