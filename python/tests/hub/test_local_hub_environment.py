"""A local hub in unusual surroundings: a proxy, and processes that are forked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from processes import wait_until


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_proxy_of_the_environment_is_not_asked_for_the_local_hub() -> None:
    program = "import spark_eventhubs\nwith spark_eventhubs.LocalHub(hubs={'a': 1}) as hub: print(hub.hub_names())"
    environment = {name: value for name, value in os.environ.items() if name.lower() != "no_proxy"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment | {"http_proxy": "http://127.0.0.1:9"},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "['a']\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_hub_ends_with_its_python_process_although_a_forked_child_lives() -> None:
    program = (
        "import os, time, spark_eventhubs; hub = spark_eventhubs.LocalHub(); child = os.fork(); "
        "child and print(hub.pid, child, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as python:
        assert python.stdout is not None
        hub, child = map(int, python.stdout.readline().split())
        try:
            python.kill()
            wait_until("the hub has ended", lambda: not is_running(hub), seconds=30)
            assert is_running(child)
        finally:
            os.kill(child, signal.SIGKILL)
