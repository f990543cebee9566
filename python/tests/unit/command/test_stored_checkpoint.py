"""Blobs of processors, as the command line reads them."""

from __future__ import annotations

import json

import pytest

from spark_eventhubs.cli._stored_checkpoint import NoCheckpointError, StoredCheckpoint, of_json, of_metadata


@pytest.mark.parametrize(
    "fields",
    [
        {"Offset": "128", "SequenceNumber": 5, "PartitionId": "0"},
        {"offset": "128", "sequence_number": 5, "epoch": 1},
        {"offset": 128, "sequenceNumber": "5"},
    ],
)
def test_the_spelling_of_the_names_depends_on_the_language(fields: dict[str, object]) -> None:
    assert of_json(json.dumps(fields).encode()) == StoredCheckpoint(sequence_number=5, offset="128")


@pytest.mark.parametrize(
    "fields",
    [{"Offset": "", "SequenceNumber": 0, "Owner": "host"}, {"Offset": "-1", "SequenceNumber": 0}, {"Epoch": 2}],
)
def test_a_host_that_has_processed_nothing_has_no_checkpoint(fields: dict[str, object]) -> None:
    assert of_json(json.dumps(fields).encode()) is None


@pytest.mark.parametrize(
    "content", [b"{", b"[1]", b'"text"', b"{}", b'{"name":"x"}', b"\xff\xfe", b'{"Offset":"1","SequenceNumber":"x"}']
)
def test_other_content_is_no_checkpoint(content: bytes) -> None:
    with pytest.raises(NoCheckpointError, match="is not a checkpoint"):
        of_json(content)


def test_metadata_needs_a_sequence_number() -> None:
    assert of_metadata({"sequencenumber": "0", "offset": "0"}) == StoredCheckpoint(sequence_number=0, offset="0")
    with pytest.raises(NoCheckpointError, match="no sequence number"):
        of_metadata({"offset": "5"})
    with pytest.raises(NoCheckpointError, match="is not a checkpoint"):
        of_metadata({"ownerid": "x"})
