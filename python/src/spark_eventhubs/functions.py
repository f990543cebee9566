"""Functions over the columns of a read: what Kafka clients, IoT devices and compressing senders put into events.

They work in streams and with Spark Connect. `decompressed_body` runs Python. Those that use a schema registry need
functions of the connector. The others are expressions of Spark's own functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pyspark.sql import functions as F  # noqa: N812 - as Spark's own documentation imports them
from pyspark.sql.types import StringType, StructField, StructType

from spark_eventhubs._bodies.codecs import decompressor
from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs._conf.whole_numbers import whole_number
from spark_eventhubs._session import require_functions

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from spark_eventhubs.schema_registry import SchemaRegistry


# The field of a text that is not JSON of the schema.
_CORRUPT_RECORD: Final = "_corrupt_record"

_ENCODED: Final = "_encoded"
_Mode = Literal["FAILFAST", "PERMISSIVE"]

# Binary values are in the maps as JSON arrays of signed bytes.
_IS_BINARY: Final = "left({0}, 1) = '[' AND right({0}, 1) = ']' AND translate({0}, '[]-0123456789,', '') = ''"
_BYTES: Final = (
    "transform(array(if(" + _IS_BINARY + ", from_json({0}, 'array<int>'), null)), a -> "
    "if(forall(a, b -> b BETWEEN -128 AND 127), "
    "unhex(array_join(transform(a, b -> lpad(hex(b & 255), 2, '0')), '')), null))[0]"
)
# An invalid byte becomes another character, so it does not come back.
_TEXT: Final = "transform(array({0}), d -> if(encode(cast(d AS STRING), 'UTF-8') = d, cast(d AS STRING), base64(d)))[0]"
_KEY: Final = "systemProperties['x-opt-kafka-key']"
# The first and the last milliseconds of the years 1 to 9999. For larger numbers `timestamp_millis` fails.
_MILLIS: Final = "-62135596800000 AND 253402300799999"


def kafka_key(*, binary: bool = False) -> Column:
    """The key of an event that a Kafka client sent; null for other events.

    It is text where its bytes are UTF-8, and Base64 text otherwise. With `binary` it is the bytes. It needs the column
    `systemProperties`.
    """
    key = _BYTES.format(_KEY)
    return F.expr(key if binary else f"coalesce({_TEXT.format(key)}, {_KEY})").alias("key")


def kafka_headers(*, binary: bool = False) -> Column:
    """The headers of an event that a Kafka client sent, and the application properties of other events: a map.

    A value that was sent as bytes is text where they are UTF-8, and Base64 text otherwise. Other values are as in the
    column `properties`, which it needs. With `binary` all values are bytes. A text property that looks like an array
    of signed bytes, such as `[104,105]`, cannot be told from bytes.
    """
    decoded = _BYTES.format("v")
    value = f"coalesce({decoded}, encode(v, 'UTF-8'))" if binary else f"coalesce({_TEXT.format(decoded)}, v)"
    return F.expr(f"transform_values(properties, (k, v) -> {value})").alias("headers")


def iot_hub() -> Column:
    """What an IoT Hub adds to the messages of devices, as a struct. Fields are null in other events.

    `deviceId`, `moduleId`, `generationId`, `messageSource`, `messageSchema`, `dataSchema`, `subject`, `authMethod`
    (JSON) with `authScope`, `authType` and `authIssuer`, `messageId`, `correlationId`, `contentType` and
    `contentEncoding` are strings. `enqueuedTime` (when the IoT Hub received the message) and `creationTime` (which the
    device may set) are timestamps. It needs the columns `systemProperties` and `properties`.
    """
    texts = {
        "deviceId": "iothub-connection-device-id",
        "moduleId": "iothub-connection-module-id",
        "generationId": "iothub-connection-auth-generation-id",
        "messageSource": "iothub-message-source",
        "messageSchema": "iothub-message-schema",
        "dataSchema": "dt-dataschema",
        "subject": "dt-subject",
        "authMethod": "iothub-connection-auth-method",
        "messageId": "message-id",
        "correlationId": "correlation-id",
        "contentType": "content-type",
        "contentEncoding": "content-encoding",
    }
    auth = {"authScope": "scope", "authType": "type", "authIssuer": "issuer"}
    times = {"enqueuedTime": "iothub-enqueuedtime", "creationTime": "iothub-creation-time-utc"}
    fields = [
        *(f"systemProperties['{name}'] AS {field}" for field, name in texts.items()),
        *(
            f"get_json_object(systemProperties['{texts['authMethod']}'], '$.{name}') AS {field}"
            for field, name in auth.items()
        ),
        *(f"{_time(name)} AS {field}" for field, name in times.items()),
    ]
    return F.expr(f"struct({', '.join(fields)})").alias("iotHub")


def decompressed_body(
    body: Column | str = "body",
    *,
    encoding: Column | str | None = None,
    max_bytes: int = 16 << 20,
    on_error: Literal["null", "fail"] = "null",
) -> Column:
    """The body without its compression, as binary: gzip, deflate and zstd. Other bodies stay as they are.

    `encoding` is a column with the codec's name in any case. By default it is the content encoding of the event:
    `content-encoding` in `systemProperties`, else in `properties`. A body that is broken, or that becomes larger than
    `max_bytes` (16 MiB by default), is null, or fails the query with `on_error="fail"`.

    It runs in Spark's Python workers, which need pyarrow for zstd.

    Raises:
        OptionTypeError: `max_bytes` is no whole number.
        OptionError: `max_bytes` is below 1, or `on_error` is another text.
    """
    if on_error not in ("null", "fail"):
        raise option_error(f"on_error is {on_error!r}; expected 'null' or 'fail'")
    most = whole_number(max_bytes)
    if most is None:
        raise option_type_error(f"max_bytes is {max_bytes!r}; expected a whole number of bytes above 0")
    if most < 1:
        raise option_error(f"max_bytes is {max_bytes!r}; expected a whole number of bytes above 0")
    source = F.col(body) if isinstance(body, str) else body
    codec = F.lower(F.trim(_encoding(encoding)))
    is_compressed = codec.isin("gzip", "x-gzip", "deflate", "zstd")
    decompress = F.udf(decompressor(most, fails=on_error == "fail"), "binary")
    # A body that stays as it is does not go to the Python worker.
    return F.when(is_compressed, decompress(F.when(is_compressed, source), codec)).otherwise(source).alias("body")


def from_json_body(
    df: DataFrame,
    schema: StructType | str | None = None,
    *,
    body: str = "body",
    keep_corrupt: bool = False,
    registry: SchemaRegistry | None = None,
    name: str | None = None,
    version: int | None = None,
    mode: _Mode = "FAILFAST",
) -> DataFrame:
    """`df` with its body, JSON text in UTF-8, as a struct of this schema: a StructType, or DDL such as `"id INT"`.

    The other columns stay. Without a registry the struct's fields are null for text that does not parse.

    Args:
        df: has the body.
        schema: gives the columns. With a registry it may also be a JSON Schema, or `name` may take its place.
        body: name of the column.
        keep_corrupt: adds the field `_corrupt_record` (string): the text that does not parse, else null. Not with a
            registry, whose `mode` takes its place.
        registry: where the schema `name` is. A text that does not parse then fails the query, as `mode` says.
        name: of a JSON Schema in the registry's group. Its newest version, when the query starts, gives the columns.
        version: of `name`, instead of the newest one.
        mode: with a registry, as for [`from_avro_body`][spark_eventhubs.functions.from_avro_body].

    Raises:
        OptionTypeError: the schema is of another type.
        OptionError: there is no schema or two of them, or options that exclude each other.
    """
    if schema is not None and not isinstance(schema, (StructType, str)):
        raise option_type_error(f"the schema is a {type(schema).__name__}; expected a StructType or DDL text")
    if registry is not None:
        if keep_corrupt:
            raise option_error("keep_corrupt is for use without a registry; with one, use mode='PERMISSIVE'")
        text = schema.json() if isinstance(schema, StructType) else schema
        return _from_body("from_eventhubs_json", df, body, _options(registry, text, name, version, mode))
    if name is not None or version is not None or mode != "FAILFAST":
        raise option_error("name, version and mode need a registry")
    if schema is None:
        raise option_error("expected a schema, or a registry with the name of one")
    # Spark Connect sends an empty dict as a map without types, which the server refuses.
    options = {"columnNameOfCorruptRecord": _CORRUPT_RECORD} if keep_corrupt else None
    parsed = F.from_json(F.col(body).cast("string"), _with_corrupt(schema) if keep_corrupt else schema, options)
    return df.withColumn(body, parsed)


def from_avro_body(
    df: DataFrame,
    registry: SchemaRegistry,
    schema: str | None = None,
    *,
    name: str | None = None,
    version: int | None = None,
    body: str = "body",
    mode: _Mode = "FAILFAST",
) -> DataFrame:
    """`df` with its body, Avro as Azure's serializers write it, as a struct. The other columns stay.

    Each event is decoded with the schema that its own id names, and converted to the columns by Avro's rules. The id
    is in the content type of the event, in the header `content-type` of Kafka clients, or before the body. An event
    without a body stays null.

    Args:
        df: has the columns of [`read`][spark_eventhubs.read], at least the body, `systemProperties` and `properties`.
        registry: where the schemas are.
        schema: the Avro schema, as JSON text, that gives the columns. Without it, `name` does.
        name: of a schema in the registry's group. Its newest version, when the query starts, gives the columns.
        version: of `name`, instead of the newest one.
        body: name of the column.
        mode: `FAILFAST` fails the query at an event that cannot be decoded. `PERMISSIVE` gives it null fields, and the
            reason in one more field, `_decode_error`. A registry that cannot be asked fails the query in both.

    Raises:
        SessionError: the session lacks the connector's functions.
        OptionError: there is no schema or two of them, or the registry's credential has a secret.
        BodyError: Spark has no type for the schema.
        UnreachableError, AuthenticationError, NotFoundError: the registry does not give the schema.
    """
    return _from_body("from_eventhubs_avro", df, body, _options(registry, schema, name, version, mode))


def to_avro_body(
    df: DataFrame, registry: SchemaRegistry, schema: str | None = None, *, name: str | None = None, body: str = "body"
) -> DataFrame:
    """`df` with its body, a struct, as Avro, and the column `contentType` with the id of the schema.

    `write` and `write_stream` take both columns. The driver asks the registry's group for the id when the query is
    made, and registers the schema if the group does not have it; tasks ask nothing. A null struct becomes a null body.

    Args:
        df: has a struct as body, such as `F.struct("sensor", "celsius").alias("body")`.
        registry: with a group.
        schema: the Avro schema, as JSON text. Without it, the columns of the struct give it, and `name` its name.
        name: of the schema in the group. By default it is the full name of the record in `schema`.
        body: name of the column.

    Raises:
        SessionError: the session lacks the connector's functions.
        OptionError: there is no group, or neither a schema nor a name, or the registry's credential has a secret.
        AuthenticationError: the identity may not register schemas.
        UnreachableError, NotFoundError: the registry does not give the id.
    """
    return _to_body("to_eventhubs_avro", df, body, _named(registry, schema, name))


def to_json_body(df: DataFrame, registry: SchemaRegistry, schema: str, *, name: str, body: str = "body") -> DataFrame:
    """`df` with its body, a struct, as JSON, and the column `contentType` with the id of a JSON Schema.

    As [`to_avro_body`][spark_eventhubs.functions.to_avro_body], which says what is raised. `schema` is the text of a
    JSON Schema. Bodies are not checked against it.
    """
    return _to_body("to_eventhubs_json", df, body, _named(registry, schema, name))


def _named(registry: SchemaRegistry, schema: str | None, name: str | None) -> dict[str, str]:
    options = _options_of(registry, schema)
    given = {"eventhubs.registry.readerSchema": schema, "eventhubs.registry.schema": name}
    return options | {key: text for key, text in given.items() if text is not None}


def _to_body(function: str, df: DataFrame, body: str, options: dict[str, str]) -> DataFrame:
    require_functions(df.sparkSession)
    encoded = F.call_function(function, F.col(body), _map_of(options))
    written = df.withColumn(_ENCODED, encoded)
    return (
        written.withColumn(body, F.col(f"{_ENCODED}.body"))
        .withColumn("contentType", F.col(f"{_ENCODED}.contentType"))
        .drop(_ENCODED)
    )


def _options(
    registry: SchemaRegistry, schema: str | None, name: str | None, version: int | None, mode: _Mode
) -> dict[str, str]:
    options = _options_of(registry, schema)
    if (schema is None) == (name is None):
        raise option_error("expected either a schema or the name of one in the registry, which give the columns")
    given = {"readerSchema": schema, "schema": name, "version": None if version is None else str(version), "mode": mode}
    return options | {f"eventhubs.registry.{key}": value for key, value in given.items() if value is not None}


def _options_of(registry: SchemaRegistry, schema: str | None) -> dict[str, str]:
    from spark_eventhubs.schema_registry import SchemaRegistry as Expected  # noqa: PLC0415 - only these functions

    if not isinstance(registry, Expected):
        raise option_type_error(f"the registry is a {type(registry).__name__}; expected a SchemaRegistry")
    if schema is not None and not isinstance(schema, str):
        raise option_type_error(f"the schema is a {type(schema).__name__}; expected JSON text")
    return registry.to_options()


def _map_of(options: dict[str, str]) -> Column:
    return F.create_map(*(F.lit(text) for entry in sorted(options.items()) for text in entry))


def _from_body(function: str, df: DataFrame, body: str, options: dict[str, str]) -> DataFrame:
    require_functions(df.sparkSession)
    columns = df.columns

    def column(of: str, text: str, kind: str) -> Column:
        return F.expr(text) if of in columns else F.lit(None).cast(kind)

    arguments = [
        F.col(body),
        column("systemProperties", "systemProperties['content-type']", "string"),
        column("properties", "properties", "map<string,string>"),
        _map_of(options),
        # For errors.
        column("partition", "partition", "string"),
        column("sequenceNumber", "sequenceNumber", "bigint"),
    ]
    if "eventHub" in columns:
        arguments.append(F.col("eventHub"))
    return df.withColumn(body, F.call_function(function, *arguments))


def _encoding(column: Column | str | None) -> Column:
    if column is None:
        return F.expr("coalesce(systemProperties['content-encoding'], properties['content-encoding'])")
    return F.col(column) if isinstance(column, str) else column


def _time(name: str) -> str:
    """An AMQP time is quoted ISO text, a text of the device is not quoted; a number counts milliseconds.

    A device may write any number, so one that is no time is null. A time or a date without a zone is in UTC, not in
    that of the session.
    """
    text = f"trim(BOTH '\"' FROM coalesce(systemProperties['{name}'], properties['{name}']))"
    number = f"array(try_cast({text} AS BIGINT))"
    millis = f"transform({number}, n -> if(n BETWEEN {_MILLIS}, timestamp_millis(n), null))[0]"
    # A text that has a zone is no time with another one after it: the last cast reads it. 'T00:00:00Z' alone is today.
    texts = (f"{text} || 'Z'", f"{text} || ':00Z'", f"nullif({text}, '') || 'T00:00:00Z'", text)
    return f"coalesce({millis}, {', '.join(f'try_cast({each} AS TIMESTAMP_LTZ)' for each in texts)})"


def _with_corrupt(schema: StructType | str) -> StructType | str:
    if isinstance(schema, StructType):
        return StructType([*schema.fields, StructField(_CORRUPT_RECORD, StringType())])
    text = schema.strip()
    if text.lower().startswith("struct<") and text.endswith(">"):
        return f"{text[:-1]}, {_CORRUPT_RECORD}: STRING>"
    return f"{text}, {_CORRUPT_RECORD} STRING"
