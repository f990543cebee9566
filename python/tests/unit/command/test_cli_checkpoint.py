from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spark_eventhubs.cli import main

LEGACY = Path(__file__).resolve().parents[4] / "core/src/test/resources/legacy/checkpoints/a/checkpoint"
COMMITTED = {"0": 116, "1": 93, "2": 69, "3": 18}


def checkpoint(*arguments: str | Path, stdin: str = "") -> Result:
    environment = {"EVENTHUBS_CONNECTION_STRING": None}
    return CliRunner().invoke(main, ["checkpoint", *map(str, arguments)], input=stdin, env=environment)


@pytest.fixture
def legacy(tmp_path: Path) -> Path:
    """A checkpoint that the legacy connector wrote."""
    return Path(shutil.copytree(LEGACY, tmp_path / "legacy"))


def positions(folder: Path) -> dict[str, int]:
    exported = json.loads(checkpoint("export", folder).stdout)
    found: dict[str, int] = exported["sources"][0]["nextSequenceNumbers"]
    return found


def test_show_reads_a_checkpoint_of_the_legacy_connector(legacy: Path) -> None:
    shown = checkpoint("show", legacy)

    lines = [line.split() for line in shown.stdout.splitlines()]
    assert lines[0] == ["query", "c3475031-c5e1-4017-b635-524327c810a3,", "last", "committed", "batch", "2"]
    assert lines[2:] == [["ck", partition, str(number), "-"] for partition, number in COMMITTED.items()]
    assert "'ck' has no hub.json: the legacy connector wrote it, " in shown.stderr


def test_show_names_a_batch_that_the_query_will_repeat(legacy: Path) -> None:
    (legacy / "commits/2").unlink()

    shown = checkpoint("show", legacy).stdout

    assert "batch 2 is planned and not committed" in shown
    assert ["ck", "0", "78", "116"] in [line.split() for line in shown.splitlines()]


def test_reset_writes_nothing_without_yes(legacy: Path) -> None:
    done = checkpoint("reset", legacy, "--partition", "0=5")

    assert done.exit_code == 0
    assert ["ck", "0", "116", "5", "-111"] in [line.split() for line in done.stdout.splitlines()]
    assert "Nothing was written" in done.stderr
    assert positions(legacy) == COMMITTED
    assert [folder.name for folder in legacy.parent.iterdir()] == ["legacy"]


def test_an_export_restores_the_positions_that_a_reset_changed(legacy: Path, tmp_path: Path) -> None:
    exported = checkpoint("export", legacy).stdout
    assert checkpoint("reset", legacy, "--to", "7", "--partition", "3=1", "--yes", "--backup", "kept").exit_code == 0
    assert positions(legacy) == {"0": 7, "1": 7, "2": 7, "3": 1}
    assert positions(tmp_path / "kept") == COMMITTED

    assert checkpoint("import", legacy, "--yes", stdin=exported).exit_code == 0

    assert positions(legacy) == COMMITTED


def test_a_reset_stops_when_the_query_writes_a_batch(legacy: Path) -> None:
    shutil.copy(legacy / "commits/2", legacy / "commits/1")
    query = threading.Timer(1, lambda: shutil.copy(legacy / "offsets/2", legacy / "offsets/3"))
    (legacy / "commits/2").touch()
    query.start()

    done = checkpoint("reset", legacy, "--to", "7", "--yes")
    query.join()

    assert (done.exit_code, "the query runs" in done.stderr) == (1, True)
    assert '"0":116' in (legacy / "offsets/2").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["reset"], 2, "give --to POSITION, or --partition ID=NUMBER"),
        (["reset", "--to", "earliest"], 2, "is looked up in the hub; set EVENTHUBS_CONNECTION_STRING"),
        (["reset", "--to", "yesterday"], 2, "'yesterday' is no position; expected earliest, latest"),
        (["reset", "--to", "2026-01-31T12:00:00"], 2, "has no time zone; add Z for UTC"),
        (["reset", "--partition", "0"], 2, "expected a partition and a sequence number, such as 0=1500"),
        (["reset", "--partition", "9=1"], 1, "the query does not read partition 9; it reads 0, 1, 2, 3"),
        (["reset", "--hub", "other", "--to", "1"], 1, "the query does not read the hub 'other'; it reads 'ck'"),
        (["import"], 1, "the file is not one that `checkpoint export` wrote"),
    ],
)
def test_wrong_arguments_are_explained(legacy: Path, arguments: list[str], code: int, expected: str) -> None:
    command, *options = arguments

    done = checkpoint(command, legacy, *options, stdin="{}")

    assert (done.exit_code, done.stdout) == (code, "")
    assert expected in " ".join(done.stderr.split())


@pytest.mark.parametrize("command", ["show", "export"])
def test_a_folder_that_is_no_checkpoint_is_one_line(command: str, tmp_path: Path) -> None:
    done = checkpoint(command, tmp_path)

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"Error: '{tmp_path}' is no checkpoint; expected a folder with offsets, commits, sources\n"


def test_a_file_of_another_hub_is_refused(legacy: Path) -> None:
    exported = checkpoint("export", legacy).stdout.replace('"ck"', '"other"')

    done = checkpoint("import", legacy, "--yes", stdin=exported)

    assert (done.exit_code, done.stdout) == (1, "")
    assert "source 0 of the query does not read the hub 'other' of the file" in done.stderr


def test_a_file_may_begin_with_a_byte_order_mark(legacy: Path, tmp_path: Path) -> None:
    exported = checkpoint("export", legacy).stdout.replace("116", "115")
    (tmp_path / "positions.json").write_text(exported, encoding="utf-8-sig")

    done = checkpoint("import", legacy, tmp_path / "positions.json", "--yes")

    assert done.exit_code == 0
    assert positions(legacy)["0"] == 115


def of_namespace(folder: Path) -> None:
    identity = {"version": 1, "namespace": "production.example.net", "hub": "ck", "createdAt": "2026-01-01T00:00:00Z"}
    (folder / "sources/0/hub.json").write_text(json.dumps(identity))


def test_a_reset_with_the_connection_string_of_another_namespace_is_refused(legacy: Path) -> None:
    of_namespace(legacy)
    staging = "Endpoint=sb://staging.example.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=ck"

    done = checkpoint("reset", legacy, "--to", "latest", "--yes", "--connection-string", staging)

    assert (done.exit_code, done.stdout) == (1, "")
    assert "reads the hub 'ck' of the namespace production.example.net" in done.stderr
    assert "these positions are of staging.example.net" in done.stderr
    assert (legacy / "sources/0/hub.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("production", "staging", "of the namespace production.example.net, and these positions are of staging"),
        ('"0": 116', '"7": 116', "the query does not read partition 7; it reads 0, 1, 2, 3"),
    ],
)
def test_positions_that_are_not_the_querys_are_not_imported(legacy: Path, old: str, new: str, expected: str) -> None:
    of_namespace(legacy)
    exported = checkpoint("export", legacy).stdout
    assert old in exported

    done = checkpoint("import", legacy, "--yes", stdin=exported.replace(old, new))

    assert (done.exit_code, done.stdout) == (1, "")
    assert expected in done.stderr
    assert positions(legacy) == COMMITTED


@pytest.mark.parametrize(
    "arguments",
    [
        ["reset", "--to", "SharedAccessKey=c2VjcmV0"],
        ["reset", "--hub", "Endpoint=sb://h/;SharedAccessKey=c2VjcmV0", "--to", "1"],
        ["reset", "--SharedAccessKey=c2VjcmV0"],
    ],
)
def test_a_key_that_is_given_as_something_else_is_not_printed(legacy: Path, arguments: list[str]) -> None:
    command, *options = arguments

    done = checkpoint(command, legacy, *options)

    assert done.exit_code != 0
    assert "c2VjcmV0" not in done.output


def test_a_folder_that_cannot_be_written_is_one_line(legacy: Path) -> None:
    (legacy.parent / "kept").touch()

    done = checkpoint("reset", legacy, "--to", "7", "--yes", "--backup", "kept")

    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].startswith(f"Error: cannot use '{legacy}': ")
    assert positions(legacy) == COMMITTED


@pytest.mark.parametrize("command", ["export", "import"])
def test_a_checkpoint_and_a_store_are_refused_together(legacy: Path, tmp_path: Path, command: str) -> None:
    file = tmp_path / "positions.json"
    file.write_text("{}", encoding="utf-8")

    refused = checkpoint(command, "--checkpoint-store", "checkpoints", legacy, file)

    assert refused.exit_code == 2
    assert "give only the FILE" in refused.output
    assert file.read_text(encoding="utf-8") == "{}"


def test_a_backup_of_a_store_is_refused(tmp_path: Path) -> None:
    refused = checkpoint("import", "--checkpoint-store", "checkpoints", "--backup", tmp_path / "b", tmp_path / "p.json")

    assert refused.exit_code == 2
    assert "export its positions first" in refused.output


def note(folder: Path, **fields: object) -> None:
    of_namespace(folder)
    file = folder / "sources/0/hub.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))


def test_events_of_a_partition_that_a_batch_left_out_are_not_shown_or_exported_as_read(legacy: Path) -> None:
    last = json.dumps({"ck": COMMITTED}, separators=(",", ":"))
    note(legacy, withheldAt=last, withheld={"2": 40})

    shown = checkpoint("show", legacy).stdout

    assert "batch 2 leaves out partition 2 of 'ck', which was down, and keeps the position." in shown
    assert ["ck", "2", "40", "-"] in [line.split() for line in shown.splitlines()]
    assert positions(legacy) == {**COMMITTED, "2": 40}
    as_json = json.loads(checkpoint("show", "--json", legacy).stdout)
    assert as_json["sources"][0]["nextSequenceNumbers"]["2"] == 40


def test_show_says_which_partitions_a_planned_batch_leaves_out(legacy: Path) -> None:
    (legacy / "commits/2").unlink()
    note(legacy, withheldAt=json.dumps({"ck": COMMITTED}), withheld={"0": 80})

    shown = checkpoint("show", legacy).stdout

    assert "batch 2 leaves out partition 0 of 'ck'" in shown
    assert ["ck", "0", "78", "80"] in [line.split() for line in shown.splitlines()]


def test_an_export_has_the_positions_after_a_promotion(legacy: Path) -> None:
    note(legacy, restartedAfter=json.dumps({"ck": COMMITTED}), restartsAt={"1": 12})

    assert positions(legacy) == {**COMMITTED, "1": 12}


def test_positions_of_a_hub_before_its_recreation_are_not_exported(legacy: Path) -> None:
    note(legacy, restartedAfter=json.dumps({"ck": COMMITTED}))

    done = checkpoint("export", legacy)

    assert (done.exit_code, done.stdout) == (1, "")
    assert "start the query until it has committed a batch" in done.stderr
    shown = checkpoint("show", legacy).stdout
    assert "'ck' was recreated: the next batch reads it from the beginning" in shown
    assert ["ck", "0", "-", "-"] in [line.split() for line in shown.splitlines()]
