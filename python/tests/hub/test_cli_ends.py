"""How commands end: one line on stderr, an exit code, no traceback and no secret."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from console_script import ended, ended_into_head, signal_when, started
from spark_eventhubs.cli import main
from spark_eventhubs.cli.send import _sender

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from spark_eventhubs import LocalEventHub, LocalHub

WRONG_KEY = "d3Jvbmc="


@pytest.fixture
def arguments(request: pytest.FixtureRequest, event_hub: LocalEventHub, tmp_path: Path) -> list[str]:
    """The command line of a command that needs a hub."""
    command: list[str] = request.param
    folder = checkpoint(tmp_path, event_hub.name)
    return [str(folder) if argument == "CHECKPOINT" else argument for argument in command]


def checkpoint(folder: Path, hub: str) -> Path:
    for name in ("commits", "offsets"):
        (folder / name).mkdir()
    (folder / "commits/0").write_text("v1\n{}\n")
    (folder / "offsets/0").write_text(f'v1\n{{}}\n{{"{hub}":{{"0":0,"1":0}}}}')
    return folder


EACH = pytest.mark.parametrize(
    "arguments",
    [
        ["tail"],
        ["tail", "--timeout", "1"],
        ["send"],
        ["lag", "CHECKPOINT"],
        ["checkpoint", "reset", "CHECKPOINT", "--to", "latest"],
    ],
    indirect=True,
    ids=["tail", "tail-timeout", "send", "lag", "reset"],
)


def fails(done: subprocess.CompletedProcess[str], code: int, text: str) -> None:
    assert done.returncode == code, done.stderr
    assert text in done.stderr
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert "SAS_KEY_VALUE" not in done.stderr
    assert WRONG_KEY not in done.stderr


@EACH
def test_a_wrong_key_is_one_line(event_hub: LocalEventHub, arguments: list[str]) -> None:
    wrong = event_hub.connection_string.replace("SAS_KEY_VALUE", WRONG_KEY)

    fails(ended(wrong, *arguments, stdin="one\n"), 1, "refuses the key of the policy 'RootManageSharedAccessKey'")


@EACH
def test_an_unknown_hub_is_one_line(event_hub: LocalEventHub, arguments: list[str], tmp_path: Path) -> None:
    unknown = event_hub.connection_string.replace("EntityPath=", "EntityPath=no-")
    (tmp_path / "offsets/0").write_text(f'v1\n{{}}\n{{"no-{event_hub.name}":{{"0":0}}}}')

    fails(ended(unknown, *arguments, stdin="one\n"), 1, f"has no hub 'no-{event_hub.name}'")


@EACH
def test_a_hub_that_does_not_run_is_one_line(
    event_hub: LocalEventHub, local_hub: LocalHub, arguments: list[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    nowhere = event_hub.connection_string.replace(str(local_hub.amqp_port), str(free))

    fails(ended(nowhere, *arguments, stdin="one\n"), 1, f"cannot connect to localhost:{free}: ")


@pytest.mark.parametrize("command", [["tail"], ["send"], ["lag", "."]], ids=lambda command: str(command[0]))
def test_a_connection_string_of_a_namespace_is_one_line(local_hub: LocalHub, command: list[str]) -> None:
    done = ended(local_hub.connection_string(), *command, stdin="one\n")

    fails(done, 2, "the connection string names no hub; add ;EntityPath=NAME to it, or give --hub NAME")


@pytest.mark.parametrize("command", [["tail"], ["send"], ["lag", "."]], ids=lambda command: str(command[0]))
def test_a_malformed_connection_string_is_one_line(command: list[str]) -> None:
    fails(ended(f"Endpoint=sb://h;Key={WRONG_KEY}", *command), 2, "the connection string is malformed")


@pytest.mark.parametrize("options", [[], ["--timeout", "0.1"]], ids=["endless", "timeout"])
def test_an_unknown_consumer_group_is_one_line(event_hub: LocalEventHub, options: list[str]) -> None:
    done = ended(event_hub.connection_string, "tail", "--consumer-group", "nobody", *options)

    fails(done, 1, f"the hub '{event_hub.name}' has no consumer group 'nobody'")


def test_a_policy_without_the_claim_is_one_line() -> None:
    from spark_eventhubs import LocalHub  # noqa: PLC0415 -- only this test needs policies

    with LocalHub(hubs={"telemetry": 1}, policies={"reader": ["Listen"], "writer": ["Send"]}) as hub:
        fails(
            ended(hub.connection_string("telemetry", policy="reader"), "send", stdin="one\n"),
            1,
            "the policy 'reader' may not send on the hub 'telemetry'",
        )
        fails(
            ended(hub.connection_string("telemetry", policy="writer"), "tail", "--timeout", "1"),
            1,
            "the policy 'writer' may not listen on the hub 'telemetry'",
        )


def test_a_server_that_does_not_answer_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        fails(ended(to(silent), "tail", "--connect-timeout", "1"), 1, "did not answer (no answer in 1 s)")


def test_send_ends_when_the_server_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sender, "_ANSWER_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        done = CliRunner().invoke(main, ["send", "--connection-string", to(silent)], input="one\n")

    assert done.exit_code == 1
    assert "did not answer (no answer in 1 s)" in done.output
    assert len(done.output.splitlines()) == 1


def to(server: socket.socket) -> str:
    return (
        f"Endpoint=sb://localhost:{server.getsockname()[1]};SharedAccessKeyName=a;SharedAccessKey=SAS_KEY_VALUE;"
        "UseDevelopmentEmulator=true;EntityPath=telemetry"
    )


@pytest.mark.event_hub(partitions=1)
def test_tail_into_a_closed_pipe_ends_silently_though_no_further_event_arrives(event_hub: LocalEventHub) -> None:
    ended(event_hub.connection_string, "send", stdin="one\ntwo\n")

    done = ended_into_head(event_hub.connection_string, "tail", "--from", "earliest")

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["body"] == "one"


def test_a_hub_without_java_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    fails(ended("", "hub"), 1, "JAVA_HOME is '/nowhere', which has no bin/java")


def test_ctrl_c_ends_tail_silently(event_hub: LocalEventHub, local_hub: LocalHub) -> None:
    with started(event_hub.connection_string, "tail") as process:
        assert signal_when(process, lambda: has_reader(local_hub, event_hub.name)) == (130, "")


def test_ctrl_c_ends_send_silently(event_hub: LocalEventHub) -> None:
    with started(event_hub.connection_string, "send") as process:
        assert process.stdin is not None
        # The script is behind its imports when it has read this from the full pipe.
        process.stdin.write("x" * 300_000)
        process.stdin.flush()

        assert signal_when(process, lambda: True) == (130, "")


@pytest.mark.event_hub(partitions=1)
def test_tail_continues_after_a_lost_connection_without_gaps_and_duplicates(event_hub: LocalEventHub) -> None:
    ended(event_hub.connection_string, "send", stdin="".join(f"{number}\n" for number in range(10)))
    with started(event_hub.connection_string, "tail", "--from", "earliest", "--count", "20") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(10)]
        event_hub.faults.inject("drop", on="now")
        ended(event_hub.connection_string, "send", stdin="".join(f"{number}\n" for number in range(10, 20)))

        rest, errors = process.communicate(timeout=60)

    assert (process.returncode, errors) == (0, "")
    bodies = [json.loads(line)["body"] for line in [*lines, *rest.splitlines()]]
    assert bodies == [str(number) for number in range(20)]


@pytest.mark.event_hub(partitions=1)
def test_tail_ends_after_five_lost_connections(event_hub: LocalEventHub) -> None:
    event_hub.faults.inject("drop", on="attach", partition=0)

    done = ended(event_hub.connection_string, "tail", "--from", "earliest")

    fails(done, 1, "Server unexpectedly closed connection; check the host, the port and the firewall")
    assert [fault.hits for fault in event_hub.faults.active()] == [5]


def has_reader(local_hub: LocalHub, hub: str) -> bool:
    with urlopen(f"{local_hub.http_url}/readers", timeout=30) as answer:  # noqa: S310 -- our own http address
        return any(reader["hub"] == hub for reader in json.load(answer)["readers"])


def test_a_reset_to_a_time_with_an_unknown_consumer_group_is_one_line(event_hub: LocalEventHub, tmp_path: Path) -> None:
    event_hub.send("a", "b", partition=0)
    command = ["checkpoint", "reset", str(checkpoint(tmp_path, event_hub.name)), "--to", "15m"]

    done = ended(event_hub.connection_string, *command, "--consumer-group", "nobody")

    fails(done, 1, f"the hub '{event_hub.name}' has no consumer group 'nobody'")


def test_ctrl_c_ends_doctor_while_it_starts_spark(event_hub: LocalEventHub) -> None:
    with started(event_hub.connection_string, "doctor") as process:
        assert process.stdout is not None
        first = process.stdout.readline()

        assert signal_when(process, lambda: first != "") == (130, "")
