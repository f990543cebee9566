"""The columns of a frame that become parts of an event, with the rules and texts of the jar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    TimestampType,
)

from spark_eventhubs.pure._errors import failure

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

_PARTITIONS: Final = ("partitionId", "partition")
_TEXTS: Final = ("partitionKey", "messageId", "correlationId", "contentType")
_SIMPLE: Final = (
    *(StringType, BinaryType, BooleanType, TimestampType),
    *(ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType),
)


@dataclass(frozen=True)
class WriteColumns:
    """The positions of the columns that become parts of an event."""

    body: int
    partition: int | None = None
    key: int | None = None
    properties: int | None = None
    property_type: str = "string"
    message_id: int | None = None
    correlation_id: int | None = None
    content_type: int | None = None


def columns_of(schema: StructType) -> WriteColumns:
    """The columns of a frame. Names are not case-sensitive, and further columns are not written.

    Raises:
        InvalidEventError: a column is missing, or has a wrong type.
    """
    body = _column(schema, "body", "a String or BinaryType", StringType, BinaryType)
    if body is None:
        names = ", ".join(schema.fieldNames())
        raise _wrong(
            "Required attribute 'body' not found.",
            f"The columns are {names}; name one 'body', for instance with selectExpr(\"to_json(struct(*)) AS body\").",
        )
    found = (_column(schema, name, "a String or IntegerType", StringType, IntegerType) for name in _PARTITIONS)
    key, message_id, correlation_id, content_type = (_column(schema, name, "a String", StringType) for name in _TEXTS)
    properties = _properties(schema)
    return WriteColumns(
        body=body,
        # Like the jar: the first column with one of the two names.
        partition=min((each for each in found if each is not None), default=None),
        key=key,
        properties=None if properties is None else properties[0],
        property_type="string" if properties is None else properties[1],
        message_id=message_id,
        correlation_id=correlation_id,
        content_type=content_type,
    )


def _column(schema: StructType, name: str, expected: str, *types: type[DataType]) -> int | None:
    named = [(place, field) for place, field in enumerate(schema.fields) if field.name.lower() == name.lower()]
    if len(named) > 1:
        names = ", ".join(field.name for _, field in named)
        raise _wrong(f"Several columns are named '{name}': {names}.", "Drop or rename all but one.")
    if not named or isinstance(named[0][1].dataType, NullType):
        return None
    place, field = named[0]
    if types and not isinstance(field.dataType, types):
        shown = field.dataType.simpleString().upper()
        raise _wrong(f"{field.name} attribute type must be {expected}.", f"It is {shown}; cast the column.")
    return place


def _properties(schema: StructType) -> tuple[int, str] | None:
    """The column of the properties, and the type of their values."""
    place = _column(schema, "properties", "")
    if place is None:
        return None
    kind = schema.fields[place].dataType
    if not (isinstance(kind, MapType) and isinstance(kind.keyType, StringType) and isinstance(kind.valueType, _SIMPLE)):
        raise _wrong(
            f"{schema.fields[place].name} attribute type must be a map from String to a simple value.",
            f"It is {kind.simpleString()}; values may be string, binary, boolean, timestamp, tinyint, smallint, int, "
            "bigint, float or double.",
        )
    return place, kind.valueType.typeName()


def _wrong(problem: str, expected: str) -> Exception:
    return failure("EVENTHUBS_INVALID_WRITE_SCHEMA", problem=problem, expected=expected)
