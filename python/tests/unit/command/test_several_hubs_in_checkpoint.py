from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from spark_eventhubs._checkpoint.change import forget_generation
from spark_eventhubs._checkpoint.checkpoint import read_checkpoint
from spark_eventhubs._checkpoint.files import LocalFiles
from spark_eventhubs.cli import main

if TYPE_CHECKING:
    from pathlib import Path

OFFSET = '{"orders":{"0":5,"1":7},"returns":{"0":9}}'


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    files = LocalFiles(tmp_path / "query")
    files.replace("metadata", b'{"id":"q"}')
    files.replace("offsets/0", f"v1\n{{}}\n{OFFSET}".encode())
    files.replace("commits/0", b"v1\n{}")
    files.replace("sources/0/0", f"\0v1\n{OFFSET}".encode())
    for name, hub in (("hub", "orders"), ("hubs/returns", "returns")):
        identity = {"version": 1, "namespace": "ns", "hub": hub, "createdAt": f"of {hub}"}
        files.replace(f"sources/0/{name}.json", json.dumps(identity).encode())
    return tmp_path / "query"


def test_each_hub_of_a_source_has_its_positions_and_identity(checkpoint: Path) -> None:
    found = read_checkpoint(LocalFiles(checkpoint)).sources

    assert [(each.hub, dict(each.positions), each.identity["createdAt"]) for each in found] == [
        ("orders", {0: 5, 1: 7}, "of orders"),
        ("returns", {0: 9}, "of returns"),
    ]


def test_export_has_all_hubs_of_a_source(checkpoint: Path) -> None:
    result = CliRunner().invoke(main, ["checkpoint", "export", str(checkpoint)])

    assert [(each["source"], each["hub"]) for each in json.loads(result.output)["sources"]] == [
        (0, "orders"),
        (0, "returns"),
    ]


def reset(checkpoint: Path, *options: str) -> str:
    result = CliRunner().invoke(main, ["checkpoint", "reset", str(checkpoint), *options, "--yes"])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_reset_of_one_hub_leaves_the_positions_of_the_others(checkpoint: Path) -> None:
    output = reset(checkpoint, "--hub", "Returns", "--partition", "0=1")

    assert "returns" in output
    assert "orders" not in output
    lines = (checkpoint / "offsets" / "0").read_text().splitlines()
    assert lines[2] == '{"orders":{"0":5,"1":7},"returns":{"0":1}}'
    backup = next(checkpoint.parent.glob("query-backup-*"))
    assert (backup / "sources/0/hubs/returns.json").is_file()


def test_a_planned_batch_of_several_hubs_becomes_empty(checkpoint: Path) -> None:
    planned = '{"late":{"0":3},"orders":{"0":6,"1":9},"returns":{"0":12}}'
    LocalFiles(checkpoint).replace("offsets/1", f"v1\n{{}}\n{planned}".encode())

    reset(checkpoint, "--hub", "returns", "--to", "11")

    ends = json.loads((checkpoint / "offsets" / "1").read_text().splitlines()[2])
    assert ends == {"orders": {"0": 5, "1": 7}, "returns": {"0": 11}}


def test_without_a_hub_of_several_there_is_no_reset(checkpoint: Path) -> None:
    result = CliRunner().invoke(main, ["checkpoint", "reset", str(checkpoint), "--to", "0", "--yes"])

    assert result.exit_code == 1
    assert "several sources ('orders', 'returns'); give --hub NAME" in result.output
    assert (checkpoint / "offsets" / "0").read_text().endswith(OFFSET)


def test_the_file_of_a_recreated_hub_is_forgotten_and_no_other(checkpoint: Path) -> None:
    found = read_checkpoint(LocalFiles(checkpoint)).source_of("returns")

    assert [write.path for write in forget_generation(found)] == [
        "sources/0/hubs/.returns.json.tmp",
        "sources/0/hubs/returns.json",
    ]


def test_an_export_is_imported_into_the_same_query_and_into_a_new_one(checkpoint: Path, tmp_path: Path) -> None:
    exported = CliRunner().invoke(main, ["checkpoint", "export", str(checkpoint)]).output
    file = tmp_path / "positions.json"
    file.write_text(exported)
    reset(checkpoint, "--hub", "orders", "--to", "0")

    for folder in (checkpoint, tmp_path / "new"):
        result = CliRunner().invoke(main, ["checkpoint", "import", str(folder), str(file), "--yes"])
        assert result.exit_code == 0, result.output

    assert (checkpoint / "offsets" / "0").read_text().endswith(OFFSET)
    assert (tmp_path / "new" / "sources" / "0" / "0").read_text() == f"\0v1\n{OFFSET}"


def test_a_file_with_one_hub_twice_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    content = json.loads(CliRunner().invoke(main, ["checkpoint", "export", str(checkpoint)]).output)
    content["sources"][1]["hub"] = "ORDERS"
    file = tmp_path / "positions.json"
    file.write_text(json.dumps(content))

    result = CliRunner().invoke(main, ["checkpoint", "import", str(tmp_path / "new"), str(file), "--yes"])
    assert result.exit_code == 1
    assert "positions of one hub twice" in result.output
