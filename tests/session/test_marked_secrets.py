"""No output of a job holds a secret: searched for marks in all secret options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from events import send
from processes import SPARK_ENVIRONMENT
from spark_eventhubs import OPTIONS

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub

pytestmark = pytest.mark.timeout(300, func_only=True)

KEY = "SAS_KEY_VALUE"


def test_no_output_of_a_job_holds_a_marked_secret(event_hub: LocalEventHub, tmp_path: Path) -> None:
    send(event_hub, [1, 2, 3])
    program = Path(__file__).with_name("marked_secrets.py")
    # Nothing listens there, so a sign-in fails at once and leaves this machine never.
    environment = SPARK_ENVIRONMENT | {"AZURE_AUTHORITY_HOST": "https://localhost:1"}
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path), event_hub.connection_string],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]

    places = {"stdout": done.stdout, "stderr": done.stderr}
    for file in tmp_path.rglob("*"):
        if file.is_file():
            places[str(file.relative_to(tmp_path))] = file.read_bytes().decode(errors="replace")
    marks = [f"hidden-{number}-mark" for number, spec in enumerate(OPTIONS) if spec.secret]
    assert len(marks) > 3
    found = [(mark, place) for place, text in places.items() for mark in [*marks, KEY] if mark in text]
    assert found == []
    # The search saw what it is for: plans, failures, the log, the UI, the event log and the checkpoint.
    assert "EVENTHUBS_PROXY" in done.stdout
    assert "EVENTHUBS_CONFLICTING_OPTIONS" in done.stdout
    assert "Physical Plan" in done.stdout
    assert "Streaming Query" in done.stdout
    assert "WARN" in done.stderr
    assert any(place.startswith("events/") for place in places)
    assert "checkpoint/metadata" in places
