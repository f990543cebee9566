"""Standard output that cannot be written: a full disk, and none at all."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from azure.eventhub import EventData
from click.testing import CliRunner

from console_script import script
from spark_eventhubs.cli import main

HUB = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t;EntityPath=telemetry"
FULL = Path("/dev/full")
NO_SPACE = "Error: cannot write the output: No space left on device\n"

needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")

COMMANDS = pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["checkpoint", "show", "CHECKPOINT"],
        ["checkpoint", "show", "CHECKPOINT", "--json"],
        ["checkpoint", "export", "CHECKPOINT"],
        ["checkpoint", "reset", "CHECKPOINT", "--to", "3"],
        ["doctor", "--no-spark"],
        ["doctor", "--no-spark", "--json"],
    ],
    ids=" ".join,
)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    folder = tmp_path / "query"
    for name in ("offsets", "commits"):
        (folder / name).mkdir(parents=True)
    (folder / "offsets/0").write_text("v1\n{}\n" + json.dumps({"telemetry": {"0": 5}}))
    (folder / "commits/0").write_text("v1\n{}")
    return folder


def command(arguments: list[str], checkpoint: Path) -> list[str]:
    return script(*(str(checkpoint) if each == "CHECKPOINT" else each for each in arguments))


@needs_full
@COMMANDS
def test_a_full_disk_is_one_line(arguments: list[str], checkpoint: Path) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            command(arguments, checkpoint), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert done.returncode == 1, done.stderr
    assert done.stderr.endswith(NO_SPACE)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@COMMANDS
def test_a_command_without_standard_output_succeeds(arguments: list[str], checkpoint: Path) -> None:
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *command(arguments, checkpoint)]
    done = subprocess.run(closed, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode in ({0, 1} if "doctor" in arguments else {0}), done.stderr
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_a_full_disk_leaves_no_half_an_export(checkpoint: Path, tmp_path: Path) -> None:
    file = tmp_path / "positions.json"
    done = subprocess.run(
        command(["checkpoint", "export", "CHECKPOINT", str(file)], checkpoint),
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)),
        check=False,
    )

    assert (done.returncode, done.stderr) == (1, "Error: cannot write the output: File too large\n")
    assert not file.exists()


class FakeHub:
    """A hub with one event."""

    def __init__(self, *_: object) -> None:
        pass

    def next(self, _seconds: float) -> tuple[str, list[EventData]]:
        return "0", [EventData(b"one")]

    def is_open(self) -> bool:
        return True

    def close(self) -> None:
        FakeHub.closed = True

    closed = False


class FullOutput(StringIO):
    def write(self, _text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_no_answer_of_the_hub(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = sys.modules["spark_eventhubs.cli.tail"]
    monkeypatch.setattr(module, "HubEvents", FakeHub)
    monkeypatch.setattr(module, "all_partitions", lambda *_: {})
    monkeypatch.setattr(sys, "stdout", FullOutput())

    with pytest.raises(SystemExit) as ended:
        main(["tail", "--connection-string", HUB])

    assert (ended.value.code, capsys.readouterr().err) == (1, NO_SPACE)
    assert FakeHub.closed


def test_a_failure_of_the_hub_still_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ECONNRESET, "Connection reset by peer")

    monkeypatch.setattr(sys.modules["spark_eventhubs.cli.tail"], "all_partitions", fail)

    done = CliRunner().invoke(main, ["tail", "--connection-string", HUB])

    assert done.exit_code == 1
    assert "the hub 'telemetry' of ns.example.net answered" in done.stderr
