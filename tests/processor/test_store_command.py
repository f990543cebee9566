"""The command line reads and writes the checkpoints of the SDK's own processor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from sdk_processor import checkpoints, processor, receive
from spark_eventhubs.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from azure.storage.blob import ContainerClient

    from azurite_server import Azurite
    from spark_eventhubs import LocalEventHub


def test_the_lag_is_that_of_kedas_formula_over_the_blobs(
    event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient
) -> None:
    event_hub.send(*(f"s{n}" for n in range(20)))
    receive(processor(event_hub, azurite, container), 20)
    event_hub.send(*(f"late{n}" for n in range(7)))

    arguments = ["lag", "--connection-string", event_hub.connection_string, "--json"]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]
    shown = CliRunner().invoke(main, [*arguments, *store])
    assert shown.exit_code == 0, shown.output

    found = {int(name.rpartition("/")[2]): int(each["sequencenumber"]) for name, each in checkpoints(container).items()}
    with processor(event_hub, azurite, container) as client:
        last = {
            int(each): int(client.get_partition_properties(each)["last_enqueued_sequence_number"])
            for each in client.get_partition_ids()
        }
    assert sum(last[each] - found[each] for each in last) == json.loads(shown.stdout)["lag"] == 7


def test_exported_checkpoints_are_imported_with_their_offsets(
    event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient, tmp_path: Path
) -> None:
    event_hub.send(*(f"s{n}" for n in range(20)))
    receive(processor(event_hub, azurite, container), 20)
    event_hub.send(*(f"late{n}" for n in range(4)))
    before = checkpoints(container)
    file = str(tmp_path / "positions.json")
    hub = ["--connection-string", event_hub.connection_string]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]

    exported = CliRunner().invoke(main, ["checkpoint", "export", *hub, *store, file])
    assert exported.exit_code == 0, exported.output
    for blob in before:
        container.delete_blob(blob)
    preview = CliRunner().invoke(main, ["checkpoint", "import", *hub, *store, file])
    assert preview.exit_code == 0, preview.output
    assert checkpoints(container) == {}
    imported = CliRunner().invoke(main, ["checkpoint", "import", *hub, *store, "--yes", file])
    assert imported.exit_code == 0, imported.output
    assert checkpoints(container) == before


def test_an_import_does_not_leave_a_checkpoint_behind_that_is_further_on(
    event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient, tmp_path: Path
) -> None:
    event_hub.send(*(f"s{n}" for n in range(20)))
    receive(processor(event_hub, azurite, container), 20)
    before = checkpoints(container)
    file = tmp_path / "positions.json"
    positions = {name.rpartition("/")[2]: 0 for name in before}
    source = {"source": 0, "hub": event_hub.name, "nextSequenceNumbers": positions}
    file.write_text(json.dumps({"version": 1, "sources": [source]}))
    arguments = ["checkpoint", "import", "--connection-string", event_hub.connection_string, "--yes"]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]

    imported = CliRunner().invoke(main, [*arguments, *store, str(file)])

    assert imported.exit_code == 1
    assert "delete its blob" in imported.output
    assert checkpoints(container) == before


@pytest.mark.event_hub(partitions=1)
def test_an_import_leaves_a_checkpoint_alone_whose_events_before_it_are_gone(
    event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient, tmp_path: Path
) -> None:
    event_hub.send(*(f"s{n}" for n in range(20)))
    receive(processor(event_hub, azurite, container), 20)
    before = checkpoints(container)
    event_hub.faults.inject("expire-events")
    file = tmp_path / "positions.json"
    source = {"source": 0, "hub": event_hub.name, "nextSequenceNumbers": {"0": 15}}
    file.write_text(json.dumps({"version": 1, "sources": [source]}))
    arguments = ["checkpoint", "import", "--connection-string", event_hub.connection_string, "--yes"]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]

    imported = CliRunner().invoke(main, [*arguments, *store, str(file)])

    assert imported.exit_code == 0, imported.output
    assert "partition 0 gets no checkpoint: no event before 15 is retained" in imported.output
    assert checkpoints(container) == before


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


def test_each_layout_is_read_and_the_newest_takes_precedence(
    event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient
) -> None:
    hub = f"localhost/{event_hub.name}/$Default"
    functions = {"Offset": "8", "SequenceNumber": 4, "PartitionId": "0", "Owner": "host"}
    lease = {"offset": None, "sequence_number": 0, "partition_id": "1", "epoch": 3}
    container.upload_blob(f"{hub}/0", json.dumps(functions).encode("utf-8-sig"))
    container.upload_blob(f"{hub}/1", json.dumps(lease))
    arguments = ["checkpoint", "export", "--connection-string", event_hub.connection_string]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]

    def positions() -> object:
        exported = CliRunner().invoke(main, [*arguments, *store])
        assert exported.exit_code == 0, exported.output
        return json.loads(exported.stdout)["sources"][0]["nextSequenceNumbers"]

    assert positions() == {"0": 5}, "a lease without a checkpoint is none"
    container.upload_blob("$Default/1", json.dumps({"Offset": "99", "SequenceNumber": 9}))
    container.upload_blob("$default/0", json.dumps({"Offset": "99", "SequenceNumber": 9}))
    assert positions() == {"0": 5, "1": 10}, "of an old EventProcessorHost, whose blobs name no hub"
    container.upload_blob(f"{hub}/checkpoint/1", b"", metadata={"sequencenumber": "11", "offset": "7"})
    assert positions() == {"0": 5, "1": 12}, "of the SDK for Go, which keeps upper case"
    container.upload_blob(f"{hub.lower()}/checkpoint/1", b"", metadata={"sequencenumber": "12", "offset": "8"})
    assert positions() == {"0": 5, "1": 13}
    container.upload_blob(f"{hub.lower()}/checkpoint/0", b"", metadata={"offset": "8"})
    refused = CliRunner().invoke(main, [*arguments, *store])
    assert refused.exit_code == 1
    assert "has an offset and no sequence number" in refused.output


def test_the_lag_of_a_group_without_checkpoints_is_refused(
    event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient
) -> None:
    arguments = ["lag", "--connection-string", event_hub.connection_string, "--consumer-group", "nobody"]
    store = ["--checkpoint-store", container.container_name, "--storage-connection-string", azurite.connection_string]

    shown = CliRunner().invoke(main, [*arguments, *store])

    assert shown.exit_code == 1
    assert f"no checkpoint of the hub '{event_hub.name}' for the consumer group 'nobody'" in shown.output
