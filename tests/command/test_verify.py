"""`spark-eventhubs verify` as a whole: a hub with TLS on which all passes, and a hub that lacks a right."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from azure.storage.blob import ContainerClient

from azurite_server import running_azurite
from console_script import script
from spark_eventhubs import LocalHub

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(os.environ.get("TESTS") != "all", reason="it takes minutes; `make test-long` runs it"),
    pytest.mark.timeout(900),
]


def verify(
    connection_string: str, *arguments: str, seconds: float = 800, **environment: str
) -> tuple[dict[str, Any], str]:
    """The report, and all output."""
    env = {**os.environ, "EVENTHUBS_CONNECTION_STRING": connection_string, **environment}
    # A session of another test leaves its jars here.
    env.pop("PYSPARK_SUBMIT_ARGS", None)
    command = script("verify", "first", "second", "--format", "json", *arguments)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=seconds, check=False)
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == int(not report["ok"])
    assert "SAS_KEY_VALUE" not in done.stdout + done.stderr
    return report, done.stdout + done.stderr


def stages(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {stage["name"]: stage for stage in report["stages"]}


def test_all_stages_pass_over_tls_and_the_frames_are_kept(tmp_path: Path) -> None:
    certificates, trace = tmp_path / "hub.pem", tmp_path / "frames.jsonl"
    with LocalHub(hubs={"first": 4, "second": 4}, tls_port=0, service_time_scale=0.005) as hub:
        certificates.write_text(hub.certificate_pem())
        report, output = verify(
            hub.connection_string(tls=True),
            *("--option", f"eventhubs.tls.trustedCertificates={certificates}"),
            *("--trace", str(trace), "--load", "--hours", "0.01"),
        )

    found = stages(report)
    not_passed = {name: stage["status"] for name, stage in found.items() if stage["status"] != "passed"}
    assert not_passed == {"ownership and checkpoints": "skipped", "throttling": "skipped"}
    assert found["ownership and checkpoints"]["found"] == "it needs --container"
    assert found["throttling"]["found"].startswith("nothing was throttled: 2,000 events arrived")
    assert "after 1 connections were reset" in found["exactly once with lost answers"]["found"]
    seen = {answer["question"]: answer["seen"] for answer in report["answers"]}
    assert "amqp:link:detach-forced" in seen["How do idle links end?"]
    assert not [text for text in seen.values() if text.startswith("not answered")]
    assert "localhost" not in output
    assert {"open", "attach", "transfer"} <= {json.loads(line)["performative"] for line in trace.open()}


@pytest.mark.timeout(3600)
def test_all_stages_pass_on_the_strict_profile_with_tls_and_a_container(tmp_path: Path) -> None:
    certificates = tmp_path / "hub.pem"
    # One partition, because the hub answers one question in a second.
    with running_azurite() as storage, LocalHub(tls_port=0, service="strict", service_time_scale=0.005) as hub:
        certificates.write_text(hub.certificate_pem())
        for name in ("first", "second"):
            hub.create_hub(name, partitions=1)
        ContainerClient.from_connection_string(storage.connection_string, "checkpoints").create_container()
        report, _ = verify(
            hub.connection_string(tls=True),
            *("--option", f"eventhubs.tls.trustedCertificates={certificates}"),
            seconds=3500,
            AZURE_STORAGE_CONNECTION_STRING=storage.connection_string,
            EVENTHUBS_VERIFY_CONTAINER="checkpoints",
        )

    not_passed = {name: stage for name, stage in stages(report).items() if stage["status"] != "passed"}
    assert {name: stage["found"] for name, stage in not_passed.items()} == {
        "throttling": "it needs --load",
        "idle links": "it needs --hours",
    }
    seen = {answer["question"]: answer["seen"] for answer in report["answers"]}
    assert seen["Is a reader that drains its link answered?"] == "no answer within 10 s"
    assert not [text for text in seen.values() if text.startswith("not answered")]


def test_a_missing_right_is_named_and_nothing_else_runs() -> None:
    with LocalHub(hubs={"first": 1, "second": 1}, policies={"reader": ["Listen"]}) as hub:
        report, _ = verify(hub.connection_string(policy="reader"))

    found = stages(report)
    assert found["rights"]["status"] == "failed"
    assert "EVENTHUBS_AUTHENTICATION" in found["rights"]["found"]
    assert "'Send'" in found["rights"]["found"]
    assert found["stream with restart"] == found["stream with restart"] | {
        "status": "skipped",
        "found": "the stage 'rights' failed",
    }
    assert report["answers"] == []


def test_a_wrong_key_is_named_and_shown_nowhere() -> None:
    with LocalHub(hubs={"first": 1, "second": 1}) as hub:
        wrong = re.sub("SharedAccessKey=[^;]+", "SharedAccessKey=d3Jvbmc=", hub.connection_string())
        report, output = verify(wrong)

    rights = stages(report)["rights"]
    assert rights["status"] == "failed"
    assert "EVENTHUBS_AUTHENTICATION" in rights["found"]
    assert "key" in rights["found"]
    assert "d3Jvbmc=" not in output


def test_a_second_hub_that_does_not_exist_is_named() -> None:
    with LocalHub(hubs={"first": 1}) as hub:
        report, _ = verify(hub.connection_string())

    rights = stages(report)["rights"]
    assert rights["status"] == "failed"
    assert "'second'" in rights["found"]
