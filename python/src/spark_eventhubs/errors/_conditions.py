"""From a condition, or from a text with one, to an exception."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from spark_eventhubs.errors import kinds
from spark_eventhubs.errors._streams import of_stream

if TYPE_CHECKING:
    from collections.abc import Mapping

# A prefix stands for the conditions below it.
CLASSES: Final[dict[str, type[kinds.EventHubsError]]] = {
    "EVENTHUBS_UNKNOWN_OPTION": kinds.OptionError,
    "EVENTHUBS_INVALID_OPTION": kinds.OptionError,
    "EVENTHUBS_MISSING_OPTION": kinds.OptionError,
    "EVENTHUBS_CONFLICTING_OPTIONS": kinds.OptionError,
    "EVENTHUBS_UNSUPPORTED_OPTION": kinds.OptionError,
    "EVENTHUBS_INVALID_CONNECTION_STRING": kinds.OptionError,
    "EVENTHUBS_START_AFTER_END": kinds.OptionError,
    "EVENTHUBS_POSITION_BEYOND_END": kinds.OptionError,
    "EVENTHUBS_OFFSET_NOT_ACCEPTED": kinds.OptionError,
    "EVENTHUBS_JAR_ADDED_LATE": kinds.SessionError,
    "EVENTHUBS_NOT_FOR_TABLES": kinds.OptionError,
    "EVENTHUBS_UNSUPPORTED_SAVE_MODE": kinds.OptionError,
    "EVENTHUBS_AUTHENTICATION": kinds.AuthenticationError,
    "EVENTHUBS_NOT_FOUND": kinds.HubNotFoundError,
    "EVENTHUBS_QUOTA_EXCEEDED": kinds.ConsumerGroupInUseError,
    "EVENTHUBS_RECEIVER_DISCONNECTED": kinds.ConsumerGroupInUseError,
    "EVENTHUBS_OWNERSHIP": kinds.ConsumerGroupInUseError,
    "EVENTHUBS_NO_MATCHING_HUB": kinds.HubNotFoundError,
    "EVENTHUBS_HUB_LIST": kinds.ServiceError,
    "EVENTHUBS_HUB_LIST.AUTHENTICATION": kinds.AuthenticationError,
    "EVENTHUBS_HUB_LIST.UNREACHABLE": kinds.UnreachableError,
    "EVENTHUBS_SCHEMA_REGISTRY": kinds.ServiceError,
    "EVENTHUBS_SCHEMA_REGISTRY.AUTHENTICATION": kinds.AuthenticationError,
    "EVENTHUBS_SCHEMA_REGISTRY.NOT_FOUND": kinds.NotFoundError,
    "EVENTHUBS_SCHEMA_REGISTRY.UNREACHABLE": kinds.UnreachableError,
    "EVENTHUBS_SCHEMA_REGISTRY.UNSUPPORTED_SCHEMA": kinds.BodyError,
    "EVENTHUBS_SCHEMA_REGISTRY.NO_AVRO": kinds.SessionError,
    "EVENTHUBS_BODY": kinds.BodyError,
    "EVENTHUBS_UNREACHABLE": kinds.UnreachableError,
    "EVENTHUBS_PROXY": kinds.UnreachableError,
    "EVENTHUBS_CERTIFICATE": kinds.CertificateError,
    "EVENTHUBS_TIMEOUT": kinds.UnreachableError,
    "EVENTHUBS_THROTTLED": kinds.ThrottledError,
    "EVENTHUBS_DATA_LOSS": kinds.DataLossError,
    "EVENTHUBS_CHECKPOINT_STORE": kinds.CheckpointError,
    "EVENTHUBS_CHECKPOINT_STORE.AUTHENTICATION": kinds.AuthenticationError,
    "EVENTHUBS_CHECKPOINT_STORE.UNREACHABLE": kinds.UnreachableError,
    "EVENTHUBS_MALFORMED_OFFSET": kinds.CheckpointError,
    "EVENTHUBS_MALFORMED_IDENTITY": kinds.CheckpointError,
    "EVENTHUBS_UNSUPPORTED_LOG_VERSION": kinds.CheckpointError,
    "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB": kinds.CheckpointError,
    "EVENTHUBS_PARTITIONS_NARROWED": kinds.CheckpointError,
    "EVENTHUBS_MALFORMED_WRITE_LOG": kinds.CheckpointError,
    "EVENTHUBS_EXACTLY_ONCE": kinds.ExactlyOnceError,
    "EVENTHUBS_EVENT_TOO_LARGE": kinds.InvalidEventError,
    "EVENTHUBS_INVALID_EVENT": kinds.InvalidEventError,
    "EVENTHUBS_INVALID_WRITE_SCHEMA": kinds.InvalidEventError,
    "EVENTHUBS_SERVICE": kinds.ServiceError,
    "EVENTHUBS_RECEIVE_FAILED": kinds.ServiceError,
    "EVENTHUBS_MALFORMED_EVENT": kinds.ServiceError,
}

# Spark quotes a message behind the name of an exception, or after "terminated with exception:".
_QUOTED: Final = re.compile(r"(?:^|(?i:exception|error): )(\[(EVENTHUBS(?:_[A-Z]+)+(?:\.[A-Z_]+)?)\] )")
# What Spark and Java add to a message.
_END: Final = re.compile(
    r"\s+at [\w.$/]+\(|\nCaused by: |\n+Driver stacktrace:|\n+JVM stacktrace:|\n=== Streaming Query ===|"
    r"\s+SQLSTATE: \w{5}\b"
)
_PLACEHOLDER: Final = re.compile(r"<([A-Za-z]+)>")
# The service names a consumer group in the form `hub~32766|group`.
_CONSUMER_GROUP: Final = re.compile(r"~\d+\|")


class Entry(NamedTuple):
    """A condition of the catalogue."""

    template: str
    sql_state: str


@cache
def catalogue() -> dict[str, Entry]:
    """The conditions that the connector has, from a copy of its file."""
    text = files("spark_eventhubs.errors").joinpath("eventhubs-error-conditions.json").read_text(encoding="utf-8")
    return {name: Entry(" ".join(entry["message"]), entry["sqlState"]) for name, entry in json.loads(text).items()}


def class_of(condition: str, message: str = "") -> type[kinds.EventHubsError]:
    """The class for a condition. A later connector may have conditions that this package does not know."""
    known = CLASSES.get(condition) or CLASSES.get(condition.split(".", maxsplit=1)[0]) or kinds.EventHubsError
    if known is kinds.HubNotFoundError and _CONSUMER_GROUP.search(message):
        return kinds.ConsumerGroupNotFoundError
    return known


def error_of(
    condition: str,
    message: str,
    parameters: Mapping[str, str] | None = None,
    *,
    streaming: bool = False,
    spark_error: BaseException | None = None,
) -> kinds.EventHubsError:
    """The exception for a condition; without `parameters` they are read from the message."""
    kind = class_of(condition, message)
    known = catalogue().get(condition)
    error = (of_stream(kind) if streaming else kind)(
        message,
        condition,
        parameters or _parameters(condition, message),
        sql_state=known.sql_state if known else None,
    )
    error.spark_error = spark_error
    return error


def quoted_in(text: str) -> tuple[str, str] | None:
    """The condition and the message of the connector's error that a text of Spark quotes."""
    found = _QUOTED.search(text)
    if found is None:
        return None
    end = _END.search(text, found.end())
    return found.group(2), text[found.start(1) : end.start() if end else None].strip()


def _parameters(condition: str, message: str) -> dict[str, str]:
    known = catalogue().get(condition)
    if known is None:
        return {}
    parts = _PLACEHOLDER.split(known.template)
    seen: set[str] = set()
    pattern = re.escape(f"[{condition}] ")
    for i, part in enumerate(parts):
        if i % 2 == 0:
            pattern += re.escape(part)
        else:
            pattern += f"(?P={part})" if part in seen else f"(?P<{part}>.*?)"
            seen.add(part)
    found = re.fullmatch(pattern, message, re.DOTALL)
    return found.groupdict() if found else {}
