"""A change leaves a valid checkpoint after each single write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spark_eventhubs._checkpoint.change import apply, back_up, planned_writes
from spark_eventhubs._checkpoint.checkpoint import read_checkpoint
from spark_eventhubs._checkpoint.files import LocalFiles
from spark_eventhubs._checkpoint.offset_file import CheckpointFileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spark_eventhubs._checkpoint.checkpoint import Checkpoint

OLD = {0: 50, 1: 50}
PLANNED = {0: 60, 1: 60}


def write(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    (file.parent / f".{file.name}.crc").write_bytes(b"checksum of the old content")


def offsets(positions: Mapping[int, int], *others: str) -> str:
    hub = json.dumps({"telemetry": {str(each): number for each, number in positions.items()}})
    return "\n".join(["v1", '{"batchWatermarkMs":7,"conf":{}}', hub, *others])


def folder_of(folder: Path, *, committed: int | None, planned: int | None) -> LocalFiles:
    """The checkpoint of a query that reads the hub `telemetry` and another source."""
    write(folder, "metadata", '{"id":"q"}')
    write(folder, "sources/0/0", "\0v1\n" + json.dumps({"telemetry": {"0": 50, "1": 50}}))
    if committed is not None:
        write(folder, f"offsets/{committed}", offsets(OLD, "42"))
        write(folder, f"commits/{committed}", 'v1\n{"nextBatchWatermarkMs":7}')
    if planned is not None:
        write(folder, f"offsets/{planned}", offsets(PLANNED, "43"))
    return LocalFiles(folder)


def start_and_end(checkpoint: Checkpoint) -> tuple[Mapping[int, int], Mapping[int, int] | None]:
    return checkpoint.sources[0].positions, checkpoint.sources[0].planned


@pytest.mark.parametrize(("committed", "planned"), [(8, None), (8, 9), (None, 0), (None, None)])
@pytest.mark.parametrize("wanted", [{0: 10, 1: 90}, {0: 55}, {0: 10}, {0: 90, 1: 95}])
def test_a_change_that_stops_after_any_write_leaves_the_old_or_the_new_start(
    tmp_path: Path, committed: int | None, planned: int | None, wanted: dict[int, int]
) -> None:
    files = folder_of(tmp_path, committed=committed, planned=planned)
    new = {**OLD, **wanted}
    writes = planned_writes(files, read_checkpoint(files), {(0, "telemetry"): wanted})

    seen = []
    for each in writes:
        apply(files, [each])
        found = read_checkpoint(files)
        start, end = start_and_end(found)
        assert (found.committed, found.planned) == (committed, planned)
        assert start in (OLD, new)
        assert all(start[partition] <= number for partition, number in (end or {}).items())
        seen.append(start)

    assert seen == sorted(seen, key=lambda start: start == new), "the new start stays"
    assert start_and_end(read_checkpoint(files)) == (new, None if planned is None else new)


def test_a_change_keeps_the_watermark_and_the_other_sources_and_drops_old_checksums(tmp_path: Path) -> None:
    files = folder_of(tmp_path, committed=8, planned=None)

    apply(files, planned_writes(files, read_checkpoint(files), {(0, "telemetry"): {1: 3}}))

    assert (tmp_path / "offsets/8").read_text() == (
        'v1\n{"batchWatermarkMs":7,"conf":{}}\n{"telemetry":{"0":50,"1":3}}\n42'
    )
    assert sorted(file.name for file in (tmp_path / "offsets").iterdir()) == ["8"]


def test_the_initial_offset_has_the_form_of_both_connectors(tmp_path: Path) -> None:
    files = folder_of(tmp_path, committed=None, planned=None)

    apply(files, planned_writes(files, read_checkpoint(files), {(0, "telemetry"): {0: 5}}))

    assert (tmp_path / "sources/0/0").read_bytes() == b'\0v1\n{"telemetry":{"0":5,"1":50}}'


def test_a_backup_has_the_small_files_and_never_replaces_another(tmp_path: Path) -> None:
    files = folder_of(tmp_path / "checkpoint", committed=8, planned=9)
    write(tmp_path / "checkpoint", "state/0/0/1.delta", "large")

    back_up(files, files.sibling("kept"), [0])

    kept = sorted(str(file.relative_to(tmp_path / "kept")) for file in (tmp_path / "kept").rglob("*") if file.is_file())
    assert kept == ["commits/8", "metadata", "offsets/8", "offsets/9", "sources/0/0"]
    with pytest.raises(CheckpointFileError, match="exists; give another --backup FOLDER"):
        back_up(files, files.sibling("kept"), [0])


@pytest.mark.parametrize("field", ["restartedAfter", "withheldAt"])
def test_a_hub_whose_last_offset_has_other_positions_is_refused(tmp_path: Path, field: str) -> None:
    files = folder_of(tmp_path, committed=8, planned=None)
    write(tmp_path, "sources/0/hub.json", json.dumps({field: '{"telemetry":{"0":50,"1":50}}'}))

    with pytest.raises(CheckpointFileError, match="was recreated or promoted"):
        planned_writes(files, read_checkpoint(files), {(0, "telemetry"): {0: 5}})


def test_a_change_to_the_very_offset_that_stands_for_other_positions_is_refused(tmp_path: Path) -> None:
    files = folder_of(tmp_path, committed=8, planned=9)
    noted = {"withheldAt": '{"telemetry":{"0":60,"1":60}}', "withheld": {"1": 50}}
    write(tmp_path, "sources/0/hub.json", json.dumps(noted))

    with pytest.raises(CheckpointFileError, match="a partition of it was down"):
        planned_writes(files, read_checkpoint(files), {(0, "telemetry"): PLANNED})


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("offsets/8", "v2\n{}\n{}", "has the format 'v2'; expected v1"),
        ("offsets/8", "v1", "is incomplete"),
        ("offsets/11", "v1\n{}\n{}", "has offsets of batch 11, but its last commit is 8"),
        ("commits/12", "v1\n{}", "has no offsets/12, although batch 12 is committed"),
    ],
)
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, path: str, text: str, expected: str) -> None:
    files = folder_of(tmp_path, committed=8, planned=None)
    write(tmp_path, path, text)

    with pytest.raises(CheckpointFileError, match=expected):
        read_checkpoint(files)
