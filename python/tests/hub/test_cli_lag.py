from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from console_script import ended_into_head, signal_when, started
from spark_eventhubs import LocalHub
from spark_eventhubs.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from spark_eventhubs import LocalEventHub


def run(hub: LocalEventHub, *arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, env={"EVENTHUBS_CONNECTION_STRING": hub.connection_string})


@pytest.fixture
def checkpoint(event_hub: LocalEventHub, tmp_path: Path) -> Path:
    run(event_hub, "send", "--partition", "0", stdin="a\nb\nc\n")
    for folder in ("commits", "offsets"):
        (tmp_path / folder).mkdir()
    (tmp_path / "commits/0").write_text("v1\n{}\n")
    (tmp_path / "offsets/0").write_text(f'v1\n{{"batchWatermarkMs":0}}\n{{"{event_hub.name}":{{"0":1,"1":0}}}}')
    (tmp_path / "offsets/1").write_text(f'v1\n{{"batchWatermarkMs":0}}\n{{"{event_hub.name}":{{"0":3,"1":0}}}}')
    return tmp_path


@pytest.mark.event_hub(partitions=2)
def test_lag_prints_plain_columns_with_a_total_into_a_pipe(event_hub: LocalEventHub, checkpoint: Path) -> None:
    shown = run(event_hub, "lag", str(checkpoint))

    assert [line.split() for line in shown.stdout.splitlines()] == [
        ["partition", "read", "until", "end", "of", "the", "hub", "lag"],
        ["0", "1", "3", "2"],
        ["1", "0", "0", "0"],
        ["total", "2"],
    ]


@pytest.mark.event_hub(partitions=2)
def test_lag_prints_json(event_hub: LocalEventHub, checkpoint: Path) -> None:
    shown = json.loads(run(event_hub, "lag", "--json", str(checkpoint)).stdout)

    assert shown == {
        "lag": 2,
        "partitions": {
            "0": {"readUntil": 1, "endOfHub": 3, "lag": 2},
            "1": {"readUntil": 0, "endOfHub": 0, "lag": 0},
        },
    }


@pytest.mark.event_hub(partitions=2)
def test_lag_watches_until_ctrl_c(event_hub: LocalEventHub, checkpoint: Path) -> None:
    watch = ["lag", "--json", "--watch", "--interval", "0.1", str(checkpoint)]
    with started(event_hub.connection_string, *watch) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["lag"] == 2
        (checkpoint / "commits/1").write_text("v1\n{}\n")
        line = process.stdout.readline()
        while json.loads(line)["lag"] != 0:
            line = process.stdout.readline()

        code, errors = signal_when(process, lambda: True)

    assert (code, errors) == (130, "")


def test_lag_watches_on_after_a_lost_connection(tmp_path: Path) -> None:
    with LocalHub(hubs={"telemetry": 1}) as hub:
        string, port = hub.connection_string("telemetry"), hub.amqp_port
        for folder, content in (("commits", "v1\n{}\n"), ("offsets", 'v1\n{}\n{"telemetry":{"0":0}}')):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "0").write_text(content)
        with started(string, "lag", "--json", "--watch", "--interval", "0.1", str(tmp_path)) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert json.loads(process.stdout.readline())["lag"] == 0

            hub.close()
            line = process.stderr.readline()
            assert line.endswith("(trying again)\n"), line
            with LocalHub(hubs={"telemetry": 1}, port=port) as restarted:
                restarted.event_hub("telemetry").send("one")
                while json.loads(process.stdout.readline())["lag"] != 1:
                    pass
                assert signal_when(process, lambda: True)[0] == 130


def test_lag_fails_for_a_folder_that_is_not_a_checkpoint(event_hub: LocalEventHub, tmp_path: Path) -> None:
    shown = run(event_hub, "lag", str(tmp_path))

    assert shown.exit_code == 1
    assert "is no checkpoint; expected a folder with offsets, commits, sources" in shown.stderr


@pytest.mark.event_hub(partitions=2)
def test_lag_fails_when_the_query_reads_another_hub(event_hub: LocalEventHub, checkpoint: Path) -> None:
    (checkpoint / "offsets/0").write_text('v1\n{}\n{"other":{"0":1}}')

    shown = run(event_hub, "lag", str(checkpoint))

    assert (shown.exit_code, shown.stderr) == (
        1,
        f"Error: the query does not read the hub '{event_hub.name}'; it reads 'other'\n",
    )


@pytest.mark.event_hub(partitions=2)
def test_a_table_into_a_pipe_that_nobody_reads_ends_silently(event_hub: LocalEventHub, checkpoint: Path) -> None:
    for command in (["lag", str(checkpoint)], ["checkpoint", "show", str(checkpoint)]):
        done = ended_into_head(event_hub.connection_string, *command)

        assert done.returncode == 0, done.stderr
        assert "BrokenPipe" not in done.stderr


@pytest.mark.event_hub(partitions=2)
def test_lag_into_a_closed_pipe_ends_silently(event_hub: LocalEventHub, checkpoint: Path) -> None:
    done = ended_into_head(event_hub.connection_string, "lag", "--watch", "--interval", "0.1", str(checkpoint))

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.event_hub(partitions=2)
def test_lag_warns_when_the_hub_is_not_the_one_that_the_query_has_read(
    event_hub: LocalEventHub, checkpoint: Path
) -> None:
    (checkpoint / "sources/0").mkdir(parents=True)
    (checkpoint / "sources/0/hub.json").write_text('{"createdAt": "2026-01-31T12:00:00.000Z"}')

    shown = run(event_hub, "lag", "--json", str(checkpoint))

    assert json.loads(shown.stdout)["lag"] == 2
    assert shown.stderr == (
        f"warning: the hub '{event_hub.name}' was recreated after the query read from it, or is another one; "
        "this is not the query's lag\n"
    )
