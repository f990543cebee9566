"""Commands in unusual places and with unusual arguments end with one line, and never with a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from spark_eventhubs.cli import _checkpoint_files, main
from spark_eventhubs.cli.doctor import _machine, _network
from spark_eventhubs.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

OFFSETS = "v1\n{}\n"


def run(*arguments: str | Path, connection_string: str | None = None) -> Result:
    environment = {"EVENTHUBS_CONNECTION_STRING": connection_string, "COLUMNS": "200"}
    return CliRunner().invoke(main, [str(each) for each in arguments], env=environment)


def connection_string(host: str) -> str:
    return f"Endpoint=sb://{host}/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t;EntityPath=telemetry"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    folder = tmp_path / "query"
    for name in ("offsets", "commits", "sources/0"):
        (folder / name).mkdir(parents=True)
    (folder / "offsets/0").write_text(OFFSETS + json.dumps({"telemetry": {"0": 5}}))
    (folder / "commits/0").write_text("v1\n{}")
    os.utime(folder / "commits/0", (0, 0))
    return folder


@pytest.mark.parametrize("place", [".", "offsets/.."])
def test_the_backup_of_a_relative_folder_is_next_to_the_checkpoint(
    checkpoint: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkpoint)

    done = run("checkpoint", "reset", place, "--to", "1", "--yes")

    assert done.exit_code == 0, done.output
    (backup,) = (each for each in checkpoint.parent.iterdir() if each != checkpoint)
    assert backup.name.startswith("query-backup-2")
    assert sorted(each.name for each in checkpoint.iterdir()) == ["commits", "offsets", "sources"]


def test_the_backup_of_a_parent_folder_is_outside_of_it(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkpoint / "offsets")

    assert run("checkpoint", "reset", "..", "--to", "1", "--yes").exit_code == 0

    assert len(list(checkpoint.parent.glob("query-backup-*"))) == 1
    assert [each.name for each in (checkpoint / "offsets").iterdir()] == ["0"]


def test_the_backup_at_a_url_is_there(checkpoint: Path, tmp_path: Path) -> None:
    backup = tmp_path / "kept"

    assert run("checkpoint", "reset", checkpoint, "--to", "1", "--yes", "--backup", backup.as_uri()).exit_code == 0

    assert (backup / "offsets/0").read_text() == OFFSETS + json.dumps({"telemetry": {"0": 5}})


def test_a_linked_checkpoint_is_backed_up_next_to_the_link(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "alerts"
    link.symlink_to(checkpoint)

    assert run("checkpoint", "reset", link, "--to", "1", "--yes").exit_code == 0

    assert len(list(link.parent.glob("alerts-backup-*"))) == 1
    assert '"0":1' in (checkpoint / "offsets/0").read_text()


@pytest.mark.parametrize("number", ["²", str(2**63), "9" * 5000])
def test_a_number_that_is_no_sequence_number_is_refused(checkpoint: Path, number: str) -> None:
    for arguments in (["--to", number], ["--partition", f"0={number}"]):
        done = run("checkpoint", "reset", checkpoint, *arguments)
        assert (done.exit_code, "Invalid value" in done.stderr) == (2, True)


@pytest.mark.parametrize("number", [2**63, 1.5, True, "5", -1])
def test_a_file_with_another_number_is_not_imported(tmp_path: Path, number: Any) -> None:  # noqa: ANN401
    file = tmp_path / "positions.json"
    source = {"source": 0, "hub": "telemetry", "nextSequenceNumbers": {"0": number}}
    file.write_text(json.dumps({"version": 1, "sources": [source]}))

    done = run("checkpoint", "import", tmp_path / "new", file)

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: the file is not one that `checkpoint export` wrote")


def test_a_binary_file_is_not_imported(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")

    done = run("checkpoint", "import", checkpoint, tmp_path / "binary")

    assert (done.exit_code, len(done.stderr.splitlines())) == (1, 1)


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("file:///data/query", "/data/query"),
        ("file:/data/query", "/data/query"),
        ("file:///C:/data/query", "C:/data/query"),
        ("file:/c:/data/query", "c:/data/query"),
        ("file:///C:\\data\\query", "C:\\data\\query"),
        ("file:///C:query", "/C:query"),
    ],
)
def test_a_url_of_a_file_names_its_folder_also_on_windows(
    url: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(_checkpoint_files, "LocalFiles", opened.append)

    _checkpoint_files.open_files(url)

    assert opened == [folder]


@pytest.mark.parametrize("folder", ["", "a\0b"])
def test_a_folder_without_a_name_is_wrong_usage(folder: str) -> None:
    assert run("checkpoint", "show", folder).exit_code == 2


def test_a_connectors_file_with_other_types_is_not_a_failure(checkpoint: Path) -> None:
    (checkpoint / "sources/0/hub.json").write_text('{"restartedAfter": 5}')

    assert run("checkpoint", "reset", checkpoint, "--to", "1").exit_code == 0


@pytest.mark.parametrize("host", ["contoso..example.net", f"{'a' * 70}.example.net"])
def test_doctor_reports_a_host_that_is_no_name(host: str) -> None:
    done = run("doctor", "--no-spark", connection_string=connection_string(host))

    assert done.exit_code == 1
    assert f"fail  dns: {host} has no address" in done.stdout


@pytest.mark.parametrize("date", ["soon", "", "Thu, 99 Xyz 2026 00:00:00 GMT"])
def test_doctor_skips_a_clock_that_it_cannot_read(date: str) -> None:
    head = f"HTTP/1.1 101 Switching Protocols\r\nDate: {date}"
    assert _network._clock(head).status == "skip"  # noqa: SLF001 - a server with such a header is a page of code


def test_doctor_without_the_connectors_jar_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise SessionError("the jar does not exist")

    monkeypatch.setattr(_machine, "connector_jar", missing)

    found = {check.name: check.status for check in _machine.machine_checks()}
    assert found["pyspark"] == "fail"


def test_doctor_without_any_package_of_azure_names_what_to_install() -> None:
    program = (
        "import sys; sys.modules['azure'] = None; from spark_eventhubs.cli.doctor._hub import hub_checks; "
        "print([check.found for check in hub_checks(None, '$Default')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "pip install 'azure-eventhub>=5.15'" in done.stdout


def test_a_command_without_standard_output_ends(checkpoint: Path) -> None:
    program = (
        "import sys; sys.stdout = None; from spark_eventhubs.cli._pipe import require_reader; require_reader(); "
        f"from spark_eventhubs.cli import main; main(['checkpoint', 'show', {str(checkpoint)!r}, '--json'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
