"""Compressed and JSON bodies, classic and over what Spark Connect sends: the expressions need no connector."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pytest
from azure.eventhub import EventData
from pyspark.errors import PythonException
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from confs import from_earliest
from events import send_events
from spark_eventhubs import read
from spark_eventhubs.errors import OptionError, OptionTypeError
from spark_eventhubs.functions import decompressed_body, from_json_body

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import LocalEventHub

TEXT = b'{"id": 1}' * 100


def zstd(body: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(body)
    compressed: bytes = out.getvalue().to_pybytes()
    return compressed


def bodies(spark: SparkSession, *rows: tuple[bytes | None, str | None]) -> DataFrame:
    numbered = [(number, None if body is None else bytearray(body), codec) for number, (body, codec) in enumerate(rows)]
    return spark.createDataFrame(numbered, "n INT, body BINARY, codec STRING").orderBy("n")


def decompressed(frame: DataFrame, **more: object) -> list[bytes | None]:
    found = frame.select("n", decompressed_body(encoding="codec", **more)).collect()  # type: ignore[arg-type]
    return [None if row.body is None else bytes(row.body) for row in sorted(found)]


def test_bodies_lose_the_compression_that_their_content_encoding_names(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    sent = {"gzip": gzip.compress(TEXT), "ZSTD": zstd(TEXT), "deflate": zlib.compress(TEXT), "utf-8": TEXT}
    events = []
    for encoding, body in sent.items():
        event = EventData(body)
        event.content_type = "application/json"
        properties = event.raw_amqp_message.properties
        assert properties
        properties.content_encoding = encoding
        events.append(event)
    events.append(EventData(TEXT))
    by_property = EventData(gzip.compress(TEXT))
    by_property.properties = {"content-encoding": "gzip"}
    send_events(event_hub, [*events, by_property])

    found = read(spark, from_earliest(event_hub)).select(decompressed_body()).collect()

    assert [bytes(row.body) for row in found] == [TEXT] * 6


def test_members_frames_missing_headers_and_empty_bodies(spark: SparkSession) -> None:
    headless = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    frame = bodies(
        spark,
        (gzip.compress(b"a") + gzip.compress(b"b"), "gzip"),
        (zstd(b"a") + zstd(b"b"), "zstd"),
        (headless.compress(TEXT) + headless.flush(), " Deflate "),
        (b"", "gzip"),
        (None, "zstd"),
        (b"as it is", None),
    )

    assert decompressed(frame) == [b"ab", b"ab", TEXT, b"", None, b"as it is"]


@pytest.mark.parametrize("codec", ["gzip", "zstd", "deflate"])
def test_broken_bodies_and_bombs_are_null_or_fail_by_choice(spark: SparkSession, codec: str) -> None:
    codecs: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstd, "deflate": zlib.compress}
    whole, bomb = codecs[codec](TEXT), codecs[codec](bytes(50_000_000))
    frame = bodies(spark, (whole[:-2], codec), (b"not compressed", codec), (bomb, codec), (whole, codec))

    assert decompressed(frame, max_bytes=len(TEXT)) == [None, None, None, TEXT]
    assert decompressed(bodies(spark, (whole, codec)), max_bytes=len(TEXT) - 1) == [None]
    with pytest.raises(PythonException, match=f"no whole {codec} stream"):
        decompressed(frame.where("n = 0"), on_error="fail")
    with pytest.raises(PythonException, match=f"The {codec} body of an event is larger than max_bytes=1000"):
        decompressed(frame.where("n = 2"), on_error="fail", max_bytes=1000)


@pytest.mark.parametrize("more", [{"max_bytes": 0}, {"max_bytes": True}, {"max_bytes": 1e6}, {"on_error": "ignore"}])
def test_wrong_arguments_are_refused(more: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=f"{next(iter(more))} is "):
        decompressed_body(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "schema",
    [
        "id INT, name STRING",
        "struct<id: int, name: string>",
        StructType().add("id", IntegerType()).add("name", StringType()),
    ],
    ids=["ddl", "struct", "type"],
)
def test_json_bodies_become_a_struct_and_keep_what_does_not_parse(
    spark: SparkSession, schema: str | StructType
) -> None:
    frame = bodies(
        spark, (b'{"id": 1, "name": "\xc3\xa4"}', "a"), (b"not json", "b"), (None, "c"), (b'{"id": "x"}', "d")
    )

    plain = from_json_body(frame, schema)
    kept = from_json_body(frame, schema, keep_corrupt=True)

    assert plain.columns == ["n", "body", "codec"]
    assert plain.schema["body"].dataType == StructType(
        [StructField("id", IntegerType()), StructField("name", StringType())]
    )
    assert [row.id for row in plain.orderBy("n").select("body.id").collect()] == [1, None, None, None]
    found = kept.orderBy("n").select("body.*").collect()
    assert [row["_corrupt_record"] for row in found] == [None, "not json", None, '{"id": "x"}']
    assert found[0].name == "ä"


def test_a_schema_of_another_type_is_refused(spark: SparkSession) -> None:
    with pytest.raises(OptionTypeError, match="the schema is a list; expected a StructType or DDL text"):
        from_json_body(spark.range(1).select(F.lit("{}").alias("body")), [])  # type: ignore[arg-type]
