"""The SDK's own processor and the command line see what a stream published, and a stream what a processor wrote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from sdk_processor import processor, receive
from spark_eventhubs import EventHubsConf, EventPosition
from spark_eventhubs.cli import main
from streams import Target, read_available

if TYPE_CHECKING:
    from pathlib import Path

    from azure.storage.blob import ContainerClient
    from pyspark.sql import SparkSession

    from azurite_server import Azurite
    from spark_eventhubs import LocalEventHub


@pytest.fixture
def conf(event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient) -> EventHubsConf:
    """A stream that publishes, from the first event on."""
    return EventHubsConf.from_connection_string(event_hub.connection_string).replace(
        starting_position=EventPosition.earliest(),
        checkpoint_store_container=container.container_name,
        checkpoint_store_connection_string=azurite.connection_string,
    )


def test_a_processor_continues_where_the_stream_stopped_and_the_stream_where_the_processor_stopped(  # noqa: PLR0917 -- fixtures
    spark: SparkSession,
    event_hub: LocalEventHub,
    azurite: Azurite,
    container: ContainerClient,
    conf: EventHubsConf,
    tmp_path: Path,
) -> None:
    event_hub.send(*(f"s{n}" for n in range(20)))
    read_available(spark, conf, Target(tmp_path / "first"))

    event_hub.send(*(f"p{n}" for n in range(10)))
    received = receive(processor(event_hub, azurite, container), 10)
    assert sorted(received) == sorted(f"p{n}" for n in range(10))

    event_hub.send(*(f"t{n}" for n in range(5)))
    again = Target(tmp_path / "second")
    read_available(spark, conf.replace(starting_position=EventPosition.checkpoint_store()), again)
    bodies = spark.read.parquet(str(again.rows)).selectExpr("cast(body AS string) AS body").collect()
    assert sorted(row.body for row in bodies) == sorted(f"t{n}" for n in range(5))


@pytest.mark.not_on_strict(reason="it compares answers of several moments")
def test_the_lag_by_kedas_formula_is_the_lag_of_the_command_line_and_of_the_query(  # noqa: PLR0917 -- fixtures
    spark: SparkSession,
    event_hub: LocalEventHub,
    azurite: Azurite,
    container: ContainerClient,
    conf: EventHubsConf,
    tmp_path: Path,
) -> None:
    event_hub.send(*(f"s{n}" for n in range(20)))
    target = Target(tmp_path / "rows")
    read_available(spark, conf, target)
    event_hub.send(*(f"late{n}" for n in range(7)))

    arguments = ["lag", "--connection-string", event_hub.connection_string, "--json"]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]
    by_store = CliRunner().invoke(main, [*arguments, *store])
    by_query = CliRunner().invoke(main, [*arguments, str(target.folder / "checkpoint")])
    assert by_store.exit_code == by_query.exit_code == 0, by_store.output + by_query.output
    assert json.loads(by_store.stdout) == json.loads(by_query.stdout)

    blobs = {blob.name: blob.metadata for blob in container.list_blobs(include=["metadata"])}
    with processor(event_hub, azurite, container) as client:
        keda = 0
        for partition in client.get_partition_ids():
            properties = client.get_partition_properties(partition)
            name = f"{client.get_eventhub_properties()['eventhub_name']}/$default/checkpoint/{partition}".lower()
            found = next(metadata for blob, metadata in blobs.items() if blob.endswith(name))
            keda += int(properties["last_enqueued_sequence_number"]) - int(found["sequencenumber"])
    assert keda == json.loads(by_store.stdout)["lag"] == 7


def test_the_positions_of_a_query_go_through_a_file_into_a_store_and_back(  # noqa: PLR0917 -- fixtures
    spark: SparkSession,
    event_hub: LocalEventHub,
    azurite: Azurite,
    container: ContainerClient,
    conf: EventHubsConf,
    tmp_path: Path,
) -> None:
    event_hub.send(*(f"s{n}" for n in range(20)))
    target = Target(tmp_path / "rows")
    read_available(spark, conf, target)
    event_hub.send(*(f"late{n}" for n in range(4)))
    published = {blob.name: blob.metadata for blob in container.list_blobs(include=["metadata"])}

    file = tmp_path / "positions.json"
    hub = ["--connection-string", event_hub.connection_string]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]
    exported = CliRunner().invoke(main, ["checkpoint", "export", str(target.folder / "checkpoint"), str(file)])
    assert exported.exit_code == 0, exported.output
    for blob in published:
        container.delete_blob(blob)
    preview = CliRunner().invoke(main, ["checkpoint", "import", *hub, *store, str(file)])
    assert preview.exit_code == 0, preview.output
    assert not list(container.list_blobs())
    imported = CliRunner().invoke(main, ["checkpoint", "import", *hub, *store, "--yes", str(file)])
    assert imported.exit_code == 0, imported.output
    assert {blob.name: blob.metadata for blob in container.list_blobs(include=["metadata"])} == published

    again = CliRunner().invoke(main, ["checkpoint", "export", *hub, *store])
    assert again.exit_code == 0, again.output
    assert (
        json.loads(again.stdout)["sources"][0]["nextSequenceNumbers"]
        == (json.loads(file.read_text(encoding="utf-8"))["sources"][0]["nextSequenceNumbers"])
    )
