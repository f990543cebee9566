"""The exception classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_eventhubs.errors._spark import SparkRuntimeException
from spark_eventhubs.errors._streams import OF_STREAMS, rebuilt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.errors.exceptions.base import QueryContext


class EventHubsError(SparkRuntimeException):
    """A failure that the connector reports.

    The failure of a streaming query is a `pyspark.errors.StreamingQueryException` too.

    Attributes:
        condition: a condition of docs/errors.md, such as `EVENTHUBS_NOT_FOUND`; None if Spark did not run yet.
        parameters: the facts in the message, by name. Never a secret.
        spark_error: what PySpark would have raised, with Java's stack trace; None after unpickling.
    """

    def __init__(
        self,
        message: str,
        condition: str | None = None,
        parameters: Mapping[str, str] | None = None,
        *,
        sql_state: str | None = None,
    ) -> None:
        super().__init__(message)
        self.args = (message,)
        self.condition = condition
        self.parameters = dict(parameters or {})
        self.spark_error: BaseException | None = None
        self._text = message
        self._state = sql_state

    def getCondition(self) -> str | None:  # noqa: N802 - PySpark's name
        """The same as `condition`."""
        return self.condition

    def getErrorClass(self) -> str | None:  # noqa: N802 - PySpark's name
        """The same as `condition`, as Spark 3.5 names it."""
        return self.condition

    def getMessageParameters(self) -> dict[str, str]:  # noqa: N802 - PySpark's name
        """The same as `parameters`."""
        return self.parameters

    def getSqlState(self) -> str | None:  # noqa: N802 - PySpark's name
        """The SQLSTATE of the condition."""
        return self._state

    def getMessage(self) -> str:  # noqa: N802 - PySpark's name
        """The same as `str(error)`."""
        return self._text

    def getQueryContext(self) -> list[QueryContext]:  # noqa: N802 - PySpark's name
        """Empty: no part of a SQL text is the cause."""
        return []

    def __str__(self) -> str:  # noqa: D105
        return self._text

    def __repr__(self) -> str:  # noqa: D105
        return f"{type(self).__name__}({self._text!r})"

    def __reduce__(self) -> tuple[Callable[..., EventHubsError], tuple[Any, ...]]:  # noqa: D105
        streaming = type(self) in OF_STREAMS.values()
        kind = type(self).__mro__[1] if streaming else type(self)
        facts = {"message": self._text, "condition": self.condition, "parameters": self.parameters}
        return rebuilt, (kind, facts | {"sql_state": self._state}, streaming)


class OptionError(EventHubsError, ValueError):
    """An option is unknown, missing or invalid: correct it."""


class OptionTypeError(OptionError, TypeError):
    """The value of an option has a wrong type: pass one of the type that the message names."""


class SessionError(EventHubsError, RuntimeError):
    """The session cannot use the connector, or there is no Java for it or the local hub: correct how it starts."""


class AuthenticationError(EventHubsError):
    """The sign-in was refused: check key, claims, role or client secret."""


class NotFoundError(EventHubsError):
    """The service does not have what a name refers to: check the names."""


class HubNotFoundError(NotFoundError):
    """The event hub (or its partition) does not exist."""


class ConsumerGroupNotFoundError(NotFoundError):
    """The consumer group does not exist: create it first."""


class ConsumerGroupInUseError(EventHubsError):
    """Other readers use this consumer group: use one for each query. Or another limit of the service was reached."""


class UnreachableError(EventHubsError):
    """There was no connection or no answer: check address and network, then try again."""


class CertificateError(UnreachableError):
    """The certificate of the service or of the sign-in is not accepted: trust its issuer, or correct the host."""


class ThrottledError(EventHubsError):
    """The service is busy: add throughput units, or read and write more slowly."""


class DataLossError(EventHubsError):
    """Events are gone that the query has not read: decide whether it continues without them."""


class CheckpointError(EventHubsError):
    """The checkpoint does not match the query: correct the query, or use another checkpoint."""


class ExactlyOnceError(EventHubsError):
    """Exactly once is impossible for this write: do what the message says."""


class InvalidEventError(EventHubsError):
    """A row cannot be sent as an event: correct the DataFrame."""


class BodyError(EventHubsError):
    """The body of an event cannot be decoded: correct the schema, or use the mode PERMISSIVE."""


class ServiceError(EventHubsError):
    """Another failure of the service or of this machine: read the message, then restart."""
