from __future__ import annotations

import json
import shlex
import socket
import subprocess
import threading
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from console_script import ended, script
from spark_eventhubs import LocalHub
from spark_eventhubs.cli._target import Target
from spark_eventhubs.cli.doctor import _hub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spark_eventhubs import LocalEventHub

WRONG_KEY = "d3Jvbmc="


def doctor(connection_string: str, *arguments: str) -> dict[str, dict[str, Any]]:
    """The checks by name."""
    done = ended(connection_string, "doctor", "--no-spark", "--json", *arguments)
    report = json.loads(done.stdout)
    checks: dict[str, dict[str, Any]] = {check["name"]: check for check in report["checks"]}
    failed = any(check["status"] == "fail" for check in checks.values())
    assert (done.returncode, done.stderr, report["ok"]) == (int(failed), "", not failed)
    assert "SAS_KEY_VALUE" not in done.stdout
    return checks


def status(checks: dict[str, dict[str, Any]], *names: str) -> list[str]:
    return [checks[name]["status"] if name in checks else "missing" for name in names]


NETWORK = ("dns", "amqp", "websocket")
HUB = ("sign-in", "partitions", "listen", "consumer group", "send")


@pytest.mark.event_hub(partitions=3)
def test_a_hub_that_works_is_ok_in_every_check(event_hub: LocalEventHub) -> None:
    ended(event_hub.connection_string, "send", stdin="a\nb\n")

    checks = doctor(event_hub.connection_string)

    assert status(checks, "java", "pyspark", "scala", "jars", *NETWORK, *HUB) == ["ok"] * 12
    assert checks["partitions"]["found"] == "3, with 2 events"


def test_an_identity_checks_the_network_of_its_namespace() -> None:
    options = (
        "--option",
        "eventhubs.namespace=no-such-host.invalid",
        "--option",
        "eventhubs.auth.type=managedIdentity",
    )

    checks = doctor("", *options)

    assert status(checks, "dns", "amqp", "hub") == ["fail", "fail", "skip"]
    assert "only with a connection string" in checks["hub"]["found"]


def test_each_check_is_one_line_of_text(event_hub: LocalEventHub) -> None:
    done = ended(event_hub.connection_string, "doctor", "--no-spark")

    assert (done.returncode, done.stderr) == (0, "")
    assert {line.split()[0] for line in done.stdout.splitlines()} == {"ok", "skip"}
    assert f"ok    sign-in: with the policy 'RootManageSharedAccessKey' to the hub '{event_hub.name}'" in done.stdout


def test_without_a_connection_string_only_the_machine_is_checked() -> None:
    checks = doctor("")

    assert status(checks, "java", "hub", "sign-in") == ["ok", "skip", "missing"]


def test_a_wrong_key_fails(event_hub: LocalEventHub) -> None:
    checks = doctor(event_hub.connection_string.replace("SAS_KEY_VALUE", WRONG_KEY))

    assert status(checks, *NETWORK, "sign-in", "listen") == ["ok", "ok", "ok", "fail", "missing"]
    assert "refuses the key" in checks["sign-in"]["found"]
    assert WRONG_KEY not in json.dumps(checks)


def test_an_unknown_hub_fails(event_hub: LocalEventHub) -> None:
    checks = doctor(event_hub.connection_string.replace("EntityPath=", "EntityPath=no-"))

    assert f"has no hub 'no-{event_hub.name}'" in checks["sign-in"]["found"]


def test_an_unknown_consumer_group_fails(event_hub: LocalEventHub) -> None:
    checks = doctor(event_hub.connection_string, "--consumer-group", "nobody")

    assert status(checks, *HUB) == ["ok", "ok", "ok", "fail", "ok"]
    assert "has no consumer group 'nobody'" in checks["consumer group"]["found"]


def test_doctor_into_a_closed_pipe_ends_silently() -> None:
    pipe = f"set -o pipefail; {shlex.join(script('doctor', '--no-spark'))} | head -1"

    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_missing_claims_are_warnings() -> None:
    with LocalHub(hubs={"telemetry": 1}, policies={"reader": ["Listen"], "writer": ["Send"]}) as hub:
        reader = doctor(hub.connection_string("telemetry", policy="reader"))
        writer = doctor(hub.connection_string("telemetry", policy="writer"))

    assert status(reader, "listen", "consumer group", "send") == ["ok", "ok", "warn"]
    assert status(writer, "listen", "consumer group", "send") == ["warn", "missing", "ok"]


def test_only_an_event_shows_that_the_service_has_accepted_the_reader(event_hub: LocalEventHub) -> None:
    empty = doctor(event_hub.connection_string)
    ended(event_hub.connection_string, "send", stdin="a\n")
    with event_hub.faults.inject("detach", on="receive", condition="amqp:unauthorized-access", description="no Listen"):
        refused = doctor(event_hub.connection_string)

    assert (empty["listen"]["status"], empty["listen"]["found"]) == (
        "ok",
        "allowed, as far as a hub without events shows",
    )
    assert status(refused, "listen", "consumer group", "send") == ["warn", "missing", "ok"]


def test_an_event_that_expires_before_it_is_read_says_nothing_against_the_claim(
    event_hub: LocalEventHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_hub, "_SECONDS", 8)
    ended(event_hub.connection_string, "send", stdin="a\n")
    target = Target.of(event_hub.connection_string, None)

    with event_hub.faults.inject("expire-events", on="attach", consumer_group="$Default"):
        listen = next(check for check in _hub.hub_checks(target, "$Default") if check.name == "listen")

    assert (listen.status, listen.found) == ("ok", "allowed, as far as a hub without events shows")


def test_a_hub_that_does_not_run_fails() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    checks = doctor(string_of(port))

    assert status(checks, *NETWORK, "hub") == ["ok", "fail", "warn", "skip"]
    assert checks["amqp"]["found"] == f"127.0.0.1:{port}: Connection refused"


def test_a_blocked_amqp_port_suggests_websockets() -> None:
    with server_with_clock(timedelta(0)) as port:
        checks = doctor(string_of(port))

    assert status(checks, "amqp", "websocket", "clock") == ["fail", "ok", "ok"]
    assert "eventhubs.transport to amqpWebSockets" in checks["amqp"]["advice"]


SOCKETS = ("--option", "eventhubs.transport=amqpWebSockets")


def test_over_websockets_a_hub_is_checked_without_the_port_of_amqp(event_hub: LocalEventHub) -> None:
    event_hub.send("a")

    checks = doctor(event_hub.connection_string, *SOCKETS)

    assert status(checks, *NETWORK, *HUB) == ["ok", "missing", "ok", *["ok"] * 5]


def test_over_websockets_a_server_without_them_fails() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    checks = doctor(string_of(port), *SOCKETS)

    assert status(checks, *NETWORK, "hub") == ["ok", "missing", "fail", "skip"]


def test_over_websockets_a_blocked_amqp_port_is_no_problem() -> None:
    with server_with_clock(timedelta(0)) as port:
        checks = doctor(string_of(port), *SOCKETS)

    assert status(checks, "amqp", "websocket") == ["missing", "ok"]
    assert checks["hub" if "hub" in checks else "sign-in"]["status"] == "fail", "it is no hub"


def test_a_hub_behind_a_proxy_is_left_to_the_connector(event_hub: LocalEventHub) -> None:
    checks = doctor(event_hub.connection_string, *SOCKETS, "--option", "eventhubs.proxy.address=localhost:1")

    assert status(checks, "amqp", "websocket", "hub") == ["skip", "missing", "skip"]


@pytest.mark.parametrize(("skew", "expected"), [(timedelta(minutes=10), "fail"), (timedelta(minutes=-2), "warn")])
def test_a_wrong_clock_is_found(skew: timedelta, expected: str) -> None:
    with server_with_clock(skew) as port:
        checks = doctor(string_of(port))

    assert status(checks, "clock") == [expected]
    assert ("behind" if skew > timedelta(0) else "ahead of") in checks["clock"]["found"]


def test_the_legacy_connector_next_to_spark_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jars").mkdir()
    for jar in ("scala-library-2.12.18.jar", "azure-eventhubs-spark_2.12-2.3.22.jar"):
        (tmp_path / "jars" / jar).touch()
    (tmp_path / "jars" / "azure-eventhubs-3.3.0.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))

    checks = doctor("")

    assert status(checks, "scala", "jars") == ["fail", "fail"]
    assert "azure-eventhubs-spark_2.12-2.3.22.jar" in checks["jars"]["found"]


def test_a_machine_without_java_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    checks = doctor("")

    assert checks["java"]["status"] == "fail"
    assert "JAVA_HOME is '/nowhere'" in checks["java"]["found"]


def string_of(port: int) -> str:
    return (
        f"Endpoint=sb://127.0.0.1:{port};SharedAccessKeyName=a;SharedAccessKey=SAS_KEY_VALUE;"
        "UseDevelopmentEmulator=true;EntityPath=telemetry"
    )


@contextmanager
def server_with_clock(skew: timedelta) -> Iterator[int]:
    """A proxy that knows HTTP only. Its answers have a time that differs from ours."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer_all, args=(server, skew), daemon=True).start()
        yield server.getsockname()[1]


def answer_all(server: socket.socket, skew: timedelta) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:  # closed at the end of the test
            return
        with connection:
            if connection.recv(4096).startswith(b"GET"):
                date = format_datetime(datetime.now(timezone.utc) + skew, usegmt=True)
                connection.sendall(f"HTTP/1.1 101 Switching Protocols\r\nDate: {date}\r\n\r\n".encode())
