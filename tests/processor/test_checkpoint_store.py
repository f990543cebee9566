"""The SDK's own processor and the command line see what a stream published, and a stream what a processor wrote."""

from __future__ import annotations

import json
import re
import threading
from typing import TYPE_CHECKING

import pytest
from azure.eventhub import EventHubConsumerClient
from azure.eventhub.extensions.checkpointstoreblob import BlobCheckpointStore
from click.testing import CliRunner

from spark_eventhubs import EventHubsConf, EventPosition
from spark_eventhubs.cli import main
from streams import Target, read_available

if TYPE_CHECKING:
    from pathlib import Path

    from azure.eventhub import EventData, PartitionContext
    from azure.storage.blob import ContainerClient
    from pyspark.sql import SparkSession

    from azurite_server import Azurite
    from spark_eventhubs import LocalEventHub


@pytest.fixture
def conf(event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient) -> EventHubsConf:
    """A stream that publishes, from the first event on."""
    return (
        EventHubsConf.from_connection_string(event_hub.connection_string)
        .with_starting_position(EventPosition.earliest())
        .with_checkpoint_store_container(container.container_name)
        .with_checkpoint_store_connection_string(azurite.connection_string)
    )


def processor(event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient) -> EventHubConsumerClient:
    """The SDK's processor with its checkpoint store.

    It names blobs after the endpoint. A namespace in Azure has no port there, and so has none here.
    """
    store = BlobCheckpointStore.from_connection_string(azurite.connection_string, container.container_name)
    found = re.search(r":(\d+)(?=/?;)", event_hub.connection_string)
    assert found
    return EventHubConsumerClient.from_connection_string(
        event_hub.connection_string.replace(found[0], "", 1),
        "$Default",
        checkpoint_store=store,
        load_balancing_interval=1,
        custom_endpoint_address=f"sb://localhost:{found[1]}",
    )


def receive(client: EventHubConsumerClient, count: int) -> list[str]:
    """Bodies of the next events; each is checkpointed. It starts at the store's checkpoints, else at the beginning."""
    bodies: list[str] = []
    ended = threading.Event()

    def on_event(partition: PartitionContext, event: EventData) -> None:
        bodies.append(event.body_as_str())
        partition.update_checkpoint(event)
        if len(bodies) >= count:
            ended.set()

    with client:
        thread = threading.Thread(target=client.receive, args=(on_event,), kwargs={"starting_position": "-1"})
        thread.start()
        assert ended.wait(60), f"{len(bodies)} of {count} events came"
        client.close()
        thread.join(30)
    return bodies


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
    read_available(spark, conf.with_starting_position(EventPosition.checkpoint_store()), again)
    bodies = spark.read.parquet(str(again.rows)).selectExpr("cast(body AS string) AS body").collect()
    assert sorted(row.body for row in bodies) == sorted(f"t{n}" for n in range(5))


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


def test_a_missing_container_and_a_foreign_blob_are_one_line_each(
    event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient
) -> None:
    arguments = ["lag", "--connection-string", event_hub.connection_string]
    storage = ["--storage-connection-string", azurite.connection_string]
    missing = CliRunner().invoke(main, [*arguments, "--checkpoint-store", "no-such-container", *storage])
    assert missing.exit_code == 1
    assert "ContainerNotFound" in missing.output
    assert "AccountKey" not in missing.output

    container.upload_blob(f"localhost/{event_hub.name}/$default/checkpoint/0".lower(), b"", metadata={"ownerid": "x"})
    foreign = CliRunner().invoke(main, [*arguments, "--checkpoint-store", container.container_name, *storage])
    assert foreign.exit_code == 1
    assert "is not a checkpoint" in foreign.output


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
