"""Events of Azure's own serializers decoded in Spark, and ours decoded by them, with the registry of a local hub."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import pyspark
import pytest
from azure.eventhub import EventData
from pyspark.sql import functions as F  # noqa: N812

from confs import from_earliest
from events import all_events, send_events
from official_schemas import AVRO_GROUP, JSON_GROUP, OfficialSchemas, written
from spark_eventhubs import (
    ClientSecret,
    EventHubsConf,
    LocalHub,
    SchemaRegistry,
    SecretReference,
    read,
    read_stream,
    write,
)
from spark_eventhubs.errors import AuthenticationError, BodyError, EventHubsError, OptionError
from spark_eventhubs.functions import from_avro_body, from_json_body, to_avro_body, to_json_body
from spark_eventhubs.local_hub import LocalAuthority

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


SENSOR = {"name": "sensor", "type": "string"}
CELSIUS = {"name": "celsius", "type": ["null", "double"], "default": None}
FLOAT = {"name": "celsius", "type": ["null", "float"], "default": None}
SITE = {"name": "site", "type": {"type": "record", "name": "Site", "fields": [{"name": "code", "type": "int"}]}}
# Each version can be read with the second one.
VERSIONS: list[list[dict[str, Any]]] = [[SENSOR], [SENSOR, CELSIUS], [FLOAT, SENSOR], [SENSOR, SITE, CELSIUS]]
VALUES: list[dict[str, Any]] = [
    {"sensor": "s1"},
    {"sensor": "s2", "celsius": 20.5},
    {"celsius": 21.5, "sensor": "s3"},
    {"sensor": "s4", "site": {"code": 7}, "celsius": None},
]
NAME = "com.contoso.Reading"
HAS_AVRO = not pyspark.__version__.startswith("3.")
needs_avro = pytest.mark.skipif(not HAS_AVRO, reason="Spark 3.5 has Avro in a module that this session lacks")
JSON_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Reading",
    "type": "object",
    "properties": {"sensor": {"type": "string"}, "celsius": {"type": "number"}},
}


def version(number: int) -> dict[str, Any]:
    return {"type": "record", "name": "Reading", "namespace": "com.contoso", "fields": VERSIONS[number - 1]}


class Secured(NamedTuple):
    """A hub with TLS, whose registry wants an identity."""

    hub: LocalHub
    official: OfficialSchemas
    authority: LocalAuthority
    folder: Path
    secrets: list[str]

    def registry(self, group: str, *roles: str) -> SchemaRegistry:
        """Signs in as a new application with these roles."""
        application = self.authority.register("job", roles=list(roles or ["Schema Registry Contributor"]))
        file = self.folder / f"{application.client_id}.secret"
        self.secrets.append(str(application.secret))
        file.write_text(self.secrets[-1])
        credential = ClientSecret(
            tenant_id=self.authority.tenant_id,
            client_id=application.client_id,
            client_secret=SecretReference.file(file),
            authority_host=self.authority.url,
        )
        conf = EventHubsConf.of_namespace(fully_qualified_namespace="localhost", credential=credential)
        connected = conf.replace(
            custom_endpoint=self.official.namespace, tls_trusted_certificates=str(self.authority.ca_file)
        )
        return SchemaRegistry.of(connected, group=group)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    with ExitStack() as stack:
        hub = stack.enter_context(LocalHub(tls_port=0))
        authority = stack.enter_context(LocalAuthority(hub))
        official = stack.enter_context(OfficialSchemas(hub, authority))
        yield Secured(hub, official, authority, tmp_path_factory.mktemp("registry"), [])


def fields(frame: DataFrame) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.select("body.*").collect()]


@needs_avro
def test_four_versions_of_the_official_serializer_become_the_columns_of_the_second(
    spark: SparkSession, secured: Secured, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub = secured.hub.create_hub("versions", partitions=1)
    events = [secured.official.avro_event(value, version(n)) for n, value in enumerate(VALUES, 1)]
    send_events(hub, events, partition=0)
    expected = [("s1", None), ("s2", 20.5), ("s3", 21.5), ("s4", None)]
    registry = secured.registry(AVRO_GROUP, "Schema Registry Reader")
    second = secured.official.client.get_schema(group_name=AVRO_GROUP, name=NAME, version=2).definition
    conf = from_earliest(hub)

    batch = from_avro_body(read(spark, conf), registry, second)
    assert fields(batch) == expected
    assert str(batch.schema["body"].dataType.simpleString()) == "struct<sensor:string,celsius:double>"
    assert fields(from_avro_body(read(spark, conf), registry, name=NAME, version=2)) == expected
    newest = from_avro_body(read(spark, conf), registry, name=NAME, mode="PERMISSIVE").select("body.*")
    assert newest.columns == ["sensor", "site", "celsius", "_decode_error"]
    # The first events lack a field without a default.
    assert [row.sensor for row in newest.collect()] == [None, None, None, "s4"]

    stream = from_avro_body(read_stream(spark, conf), registry, second).select("body.*")
    query = stream.writeStream.format("parquet").option("path", str(tmp_path / "out"))
    query.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True).start().awaitTermination()
    assert sorted(map(tuple, spark.read.parquet(str(tmp_path / "out")).collect())) == expected

    capsys.readouterr()
    batch.explain(extended=True)
    plan = capsys.readouterr().out
    assert "from_eventhubs_avro" in plan
    assert not [secret for secret in secured.secrets if secret in plan]


@pytest.mark.skipif(HAS_AVRO, reason="Spark 4 has Avro itself")
def test_a_session_without_spark_avro_is_told_which_module_to_add(spark: SparkSession, secured: Secured) -> None:
    frame = spark.createDataFrame([(bytearray(b"x"),)], "body BINARY")
    schema = '{"type": "record", "name": "Reading", "fields": [{"name": "sensor", "type": "string"}]}'
    with pytest.raises(EventHubsError, match=r"org\.apache\.spark:spark-avro_2\.12:3\.5"):
        from_avro_body(frame, secured.registry(AVRO_GROUP), schema).collect()


@needs_avro
def test_what_an_event_has_wrong_is_named(spark: SparkSession, secured: Secured) -> None:
    hub = secured.hub.create_hub("wrong", partitions=1)
    good = secured.official.avro_event(VALUES[1], version(2))
    content_type, body = written(good)
    cut = EventData(body[:-1])
    cut.content_type = content_type
    unknown = EventData(body)
    unknown.content_type = f"avro/binary+{'0' * 32}"
    send_events(hub, [EventData(b"text"), cut, unknown, good], partition=0)
    registry = secured.registry(AVRO_GROUP)

    kept = fields(from_avro_body(read(spark, from_earliest(hub)), registry, name=NAME, version=2, mode="PERMISSIVE"))

    assert [row[:2] for row in kept] == [(None, None)] * 3 + [("s2", 20.5)]
    conditions = [row[2] and row[2].split("]")[0].split(".")[-1] for row in kept]
    assert conditions == ["NO_SCHEMA_ID", "MISMATCH", "UNKNOWN_SCHEMA", None]
    assert all(f"Event {n} of partition 0" in row[2] for n, row in enumerate(kept[:3]))
    with pytest.raises(BodyError, match="Event 0 of partition 0 does not name a schema"):
        from_avro_body(read(spark, from_earliest(hub)), registry, name=NAME, version=2).select("body.*").collect()


@needs_avro
def test_an_identity_without_a_role_and_a_secret_in_a_plan_are_refused(spark: SparkSession, secured: Secured) -> None:
    frame = spark.createDataFrame([(bytearray(b"x"),)], "body BINARY")
    with pytest.raises(AuthenticationError, match="Schema Registry Reader"):
        from_avro_body(frame, secured.registry(AVRO_GROUP, "Data Sender"), name=NAME).collect()
    plain = ClientSecret(tenant_id="t", client_id="c", client_secret="s3cret")
    registry = SchemaRegistry("contoso.servicebus.windows.net", plain, group="g")
    with pytest.raises(OptionError, match="where the secret is kept") as refused:
        from_avro_body(frame, registry, name=NAME).collect()
    assert "s3cret" not in f"{refused.value}{registry!r}"


@needs_avro
def test_what_spark_writes_the_official_serializers_decode(spark: SparkSession, secured: Secured) -> None:
    hub = secured.hub.create_hub("ours", partitions=1)
    rows = spark.createDataFrame([("s1", 20.5), ("é", None)], "sensor STRING, celsius DOUBLE").coalesce(1)
    bodies = rows.select(F.struct("*").alias("body"))
    conf = EventHubsConf.from_connection_string(hub.connection_string)

    write(to_avro_body(bodies, secured.registry(AVRO_GROUP), name="com.contoso.Ours"), conf)
    text = '{"type": "object", "properties": {"sensor": {"type": "string"}}, "title": "Ours"}'
    write(to_json_body(bodies, secured.registry(JSON_GROUP), text, name="Ours"), conf)

    found = all_events(hub)[0]
    expected = [{"sensor": "s1", "celsius": 20.5}, {"sensor": "é", "celsius": None}]
    assert [secured.official.avro.decode(event) for event in found[:2]] == expected
    assert [secured.official.json.decode(event) for event in found[2:]] == [expected[0], {"sensor": "é"}]
    decoded = from_avro_body(
        read(spark, from_earliest(hub)).limit(2), secured.registry(AVRO_GROUP), name="com.contoso.Ours"
    )
    assert fields(decoded) == [("s1", 20.5), ("é", None)]


def test_json_of_the_official_serializer_becomes_columns(spark: SparkSession, secured: Secured) -> None:
    hub = secured.hub.create_hub("json", partitions=1)
    send_events(hub, [secured.official.json_event({"sensor": "s1", "celsius": 1}, JSON_SCHEMA)], partition=0)
    registry = secured.registry(JSON_GROUP)
    frame = read(spark, from_earliest(hub))
    assert fields(from_json_body(frame, registry=registry, name="Reading")) == [("s1", 1.0)]
    assert fields(from_json_body(frame, "celsius INT", registry=registry)) == [(1,)]
    kept = fields(from_json_body(frame, "sensor INT", registry=registry, mode="PERMISSIVE"))
    assert kept[0][0] is None
    assert kept[0][1].startswith("[EVENTHUBS_BODY.MISMATCH] Event 0 of partition 0 cannot be decoded as JSON")
