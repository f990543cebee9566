from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

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


def test_positions_of_several_hubs_are_not_changed_in_part(checkpoint: Path, tmp_path: Path) -> None:
    options = [str(checkpoint), "--hub", "returns", "--partition", "0=1", "--yes"]
    result = CliRunner().invoke(main, ["checkpoint", "reset", *options])
    assert result.exit_code == 1
    assert "source 0 reads several hubs, and its positions cannot be changed here" in result.output
    assert (checkpoint / "offsets" / "0").read_text().endswith(OFFSET)

    exported = CliRunner().invoke(main, ["checkpoint", "export", str(checkpoint)]).output
    (tmp_path / "positions.json").write_text(exported)
    new = [str(tmp_path / "new"), str(tmp_path / "positions.json"), "--yes"]
    result = CliRunner().invoke(main, ["checkpoint", "import", *new])
    assert result.exit_code == 1
    assert "a source of the file reads several hubs" in result.output
