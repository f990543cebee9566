from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from processes import SPARK_ENVIRONMENT, output_of
from quick_jvm import QUICK_SPARK

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_eventhubs import LocalEventHub


def test_a_session_without_the_jar_reads_and_writes(
    event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    program = Path(__file__).with_name("without_jar.py")
    hidden = ("PYSPARK_SUBMIT_ARGS", "SPARK_REMOTE")
    env = {key: value for key, value in SPARK_ENVIRONMENT.items() if key not in hidden}
    env["SPARK_SUBMIT_OPTS"] = QUICK_SPARK

    hubs = [event_hub.connection_string, another_hub().connection_string]
    output = output_of([sys.executable, program, *hubs], cwd=tmp_path, env=env)

    assert "where no jar may go, use engine='python'" in output
    assert "batch: 100\nstream: 100\nrefused: EVENTHUBS_INVALID_OPTION" in output
