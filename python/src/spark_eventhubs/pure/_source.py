"""The format `eventhubs_python`: what Spark calls. Its classes are pickled, and connect only where they work."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

from spark_eventhubs._formats import FORMAT, PYTHON_FORMAT
from spark_eventhubs.errors import SessionError
from spark_eventhubs.pure._asking import HubQuestions
from spark_eventhubs.pure._columns import DDL
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._links import EventLink
from spark_eventhubs.pure._planning import Planner
from spark_eventhubs.pure._reading import RangeReader
from spark_eventhubs.pure._running_spark import (
    AVAILABLE_NOW,
    PLANS_FROM_START,
    drop_empty_profiles,
    own_schema,
    read_limit,
)
from spark_eventhubs.pure._sdk import HubConnection
from spark_eventhubs.pure._settings import includes_event_hub, read_settings, write_settings
from spark_eventhubs.pure._signing_in.tokens import signed_in
from spark_eventhubs.pure._stream_planning import StreamPlanner
from spark_eventhubs.pure._write_columns import columns_of
from spark_eventhubs.pure._writing import RowWriter, StreamRowWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql.datasource import DataSourceStreamWriter, DataSourceWriter
    from pyspark.sql.types import StructType

    from spark_eventhubs.position import EventPosition
    from spark_eventhubs.pure._ranges import Range
    from spark_eventhubs.pure._settings import ReadSettings
    from spark_eventhubs.pure._signing_in.address import Token


def require_streams() -> None:
    """Refuses streams before Spark 4.2.

    Spark does not say what was read there, so an answer that lags behind cannot be told from a loss.

    Raises:
        SessionError: Spark is older.
    """
    if not PLANS_FROM_START:
        raise SessionError("streams of the engine in Python need Spark 4.2 or newer; read a batch, or use the jar")


class EventHubsPythonSource(DataSource):
    """Spark makes one for each read and write."""

    def __init__(self, options: dict[str, str]) -> None:
        """In a process of Spark's. Others get copies."""
        super().__init__(options)
        drop_empty_profiles()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy, in a process that plans or commits."""
        self.__dict__.update(state)
        drop_empty_profiles()

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return PYTHON_FORMAT

    def schema(self) -> str:
        """The nine columns of the jar, and `eventHub` when a query asks for it."""
        return f"{DDL}, eventHub STRING" if includes_event_hub(self.options) else DDL

    def reader(self, schema: StructType) -> DataSourceReader:
        """For a batch."""
        del schema
        return BatchReader(read_settings(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        """For a stream."""
        del schema
        require_streams()
        return StreamReader(read_settings(self.options))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:  # noqa: FBT001 - Spark's signature
        """For a batch."""
        if overwrite:
            raise failure("EVENTHUBS_UNSUPPORTED_SAVE_MODE", mode="Overwrite")
        settings = write_settings(self.options)
        columns = columns_of(own_schema(schema))
        return RowWriter(replace(settings, address=signed_in(settings.address)), columns)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: FBT001, N802
        """For a stream, in each output mode: an event cannot be replaced."""
        del overwrite
        settings = write_settings(self.options)
        columns = columns_of(own_schema(schema))
        return StreamRowWriter(replace(settings, address=signed_in(settings.address)), columns)


class EventHubsSource(EventHubsPythonSource):
    """The same under the jar's name, for sessions without a jar."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return FORMAT


@dataclass(frozen=True)
class HubRange(InputPartition):
    """One task's events, and the token for them where an identity signs in. Its `repr` shows no secret."""

    wanted: Range
    token: Token | None = field(default=None, repr=False)


def read_range(settings: ReadSettings, partition: InputPartition) -> Iterator[pa.RecordBatch]:
    """The events of a task."""
    # Spark passes a partition without a range when there are none.
    if not isinstance(partition, HubRange):
        return
    wanted, address = partition.wanted, replace(settings.address, token=partition.token)

    def connect(number: int) -> EventLink:
        return EventLink(address, settings.group, wanted.partition, number)

    yield from RangeReader(settings, wanted, connect).batches()


def tasks_of(settings: ReadSettings, ranges: list[Range]) -> list[InputPartition]:
    """The tasks of a batch. All have the token that the driver has now."""
    token = signed_in(settings.address).token if ranges else None
    return [HubRange(each, token) for each in ranges]


def planner_of(settings: ReadSettings) -> Planner:
    """A planner for a query."""

    def link_at(partition: int, position: EventPosition) -> EventLink:
        value = position.value
        return EventLink(settings.address, settings.group, partition, value, inclusive=position.inclusive)

    questions = HubQuestions(settings, lambda: HubConnection(settings.address, settings.group))
    return Planner(settings, questions, link_at)


class BatchReader(DataSourceReader):
    """Reads from the starting to the ending positions."""

    def __init__(self, settings: ReadSettings) -> None:
        self._settings = settings

    def partitions(self) -> Sequence[InputPartition]:
        """One for each partition of the hub that has events to read."""
        planner = planner_of(self._settings)
        try:
            return tasks_of(self._settings, [each for each in planner.batch() if each.start < each.until])
        finally:
            planner.questions.close()

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The events of a task."""
        return read_range(self._settings, partition)


class StreamReader(DataSourceStreamReader, AVAILABLE_NOW):  # type: ignore[misc]
    """Reads micro-batches. Spark plans in one process on the driver, and reads in others with a copy."""

    def __init__(self, settings: ReadSettings) -> None:
        self._settings = settings
        self._planner: Planner | None = None
        self._stream: StreamPlanner | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Where a new query starts."""
        return self._plans().initial_offset()

    def latestOffset(  # noqa: N802 - Spark's name
        self,
        start: dict[str, Any] | None = None,
        limit: Any = None,  # noqa: ANN401 - of Spark
    ) -> dict[str, Any]:
        """Where the next batch ends."""
        return self._plans().latest_offset(start, getattr(limit, "max_rows", None))

    def getDefaultReadLimit(self) -> Any:  # noqa: ANN401, N802 - Spark's
        """The limit that Spark passes to `latestOffset`."""
        return read_limit(self._settings.max_events)

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802 - Spark's name
        """What the hub had when it was last asked, for a query's progress."""
        return self._plans().known_end()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """The query ends at what the hub has now."""
        self._plans().stop_at_present()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """One for each partition of the hub that has events in the batch."""
        return tasks_of(self._settings, self._plans().ranges(start, end))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The events of a task."""
        return read_range(self._settings, partition)

    def stop(self) -> None:
        """Ends the connection."""
        if self._planner is not None:
            self._planner.questions.close()

    def _plans(self) -> StreamPlanner:
        if self._stream is None:
            self._planner = planner_of(self._settings)
            self._stream = StreamPlanner(self._settings, self._planner)
        return self._stream
