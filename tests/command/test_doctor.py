"""`spark-eventhubs doctor` starts a Spark session and reports what the session sees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from console_script import script
from spark_eventhubs._session import connector_jar

if TYPE_CHECKING:
    from pathlib import Path

    from spark_eventhubs import LocalEventHub


def doctor(*arguments: str, **environment: str) -> dict[str, dict[str, Any]]:
    """The checks by name."""
    env = {**os.environ, "EVENTHUBS_CONNECTION_STRING": "", **environment}
    # A session of another test leaves its jars here, and spark-submit then reads none from spark-defaults.conf.
    env.pop("PYSPARK_SUBMIT_ARGS", None)
    command = script("doctor", "--json", *arguments)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=170, check=False)
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_a_session_with_the_connector_signs_in_and_a_wrong_key_is_reported(event_hub: LocalEventHub) -> None:
    string = event_hub.connection_string

    checks = doctor(EVENTHUBS_CONNECTION_STRING=string)
    assert [checks[name]["status"] for name in ("spark", "connector", "redaction")] == ["ok"] * 3
    assert checks["connector"]["found"] == f"the session has it from {connector_jar().resolve()}"
    assert (
        f"with the policy 'RootManageSharedAccessKey' to the hub '{event_hub.name}'"
        in checks["connector sign-in"]["found"]
    )
    assert [checks[f"connector {claim}"]["status"] for claim in ("listen", "send")] == ["ok", "ok"]

    wrong = doctor(EVENTHUBS_CONNECTION_STRING=string.replace("SAS_KEY_VALUE", "wr0ng"))
    assert wrong["connector sign-in"]["status"] == "fail"
    assert "EVENTHUBS_AUTHENTICATION" in wrong["connector sign-in"]["found"]
    assert "wr0ng" not in json.dumps(wrong)


def test_the_sign_in_of_options_names_what_is_missing() -> None:
    options = ("eventhubs.namespace=localhost", "eventhubs.name=x", "eventhubs.auth.type=clientSecret")
    checks = doctor(*(part for option in options for part in ("--option", option)))

    assert checks["connector sign-in"]["status"] == "fail"
    assert "EVENTHUBS_MISSING_OPTION" in checks["connector sign-in"]["found"]
    assert checks["hub"]["status"] == "skip"


def test_a_secret_on_the_command_line_is_refused() -> None:
    command = script("doctor", "--option", "eventhubs.auth.clientSecret=hunter2")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 2
    assert "{env:NAME}" in done.stderr
    assert "hunter2" not in done.stderr


def test_a_second_connector_and_a_redaction_that_hides_nothing_are_found(tmp_path: Path) -> None:
    second = tmp_path / "eventhubs-of-the-team.jar"
    shutil.copy(connector_jar(), second)
    (tmp_path / "spark-defaults.conf").write_text(
        f"spark.jars {second}\nspark.redaction.regex nothing\nspark.sql.redaction.options.regex nothing\n"
    )

    checks = doctor(SPARK_CONF_DIR=str(tmp_path))

    assert checks["connector"]["status"] == "fail"
    assert str(second) in checks["connector"]["found"]
    assert checks["redaction"]["status"] == "warn"
    assert "eventhubs.auth.clientSecret" in checks["redaction"]["found"]
    assert "connectionString" in checks["redaction"]["advice"]


def test_a_session_that_does_not_start_fails(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.driver.memory many\n")

    checks = doctor(SPARK_CONF_DIR=str(tmp_path))

    assert checks["spark"]["status"] == "fail"
    assert checks["spark"]["found"].startswith("no session starts: ")
