"""Functions over the columns of a read: what Kafka clients, IoT devices and compressing senders put into events.

They work in streams and with Spark Connect. `decompressed_body` runs Python; the others are expressions of Spark's own
functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pyspark.sql import functions as F  # noqa: N812 - as Spark's own documentation imports them
from pyspark.sql.types import StringType, StructField, StructType

from spark_eventhubs._bodies.codecs import decompressor
from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs._conf.whole_numbers import whole_number

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

CORRUPT_RECORD: Final = "_corrupt_record"
"""The field of a text that is not JSON of the schema."""

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
    df: DataFrame, schema: StructType | str, *, body: str = "body", keep_corrupt: bool = False
) -> DataFrame:
    """`df` with its body, JSON text in UTF-8, as a struct of this schema: a StructType, or DDL such as `"id INT"`.

    The other columns stay. The struct's fields are null for text that does not parse. With `keep_corrupt` it has one
    more field, `_corrupt_record` (string): the text that does not parse, else null.

    Raises:
        OptionTypeError: the schema is of another type.
    """
    if not isinstance(schema, (StructType, str)):
        raise option_type_error(f"the schema is a {type(schema).__name__}; expected a StructType or DDL text")
    # Spark Connect sends an empty dict as a map without types, which the server refuses.
    options = {"columnNameOfCorruptRecord": CORRUPT_RECORD} if keep_corrupt else None
    parsed = F.from_json(F.col(body).cast("string"), _with_corrupt(schema) if keep_corrupt else schema, options)
    return df.withColumn(body, parsed)


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
        return StructType([*schema.fields, StructField(CORRUPT_RECORD, StringType())])
    text = schema.strip()
    if text.lower().startswith("struct<") and text.endswith(">"):
        return f"{text[:-1]}, {CORRUPT_RECORD}: STRING>"
    return f"{text}, {CORRUPT_RECORD} STRING"
