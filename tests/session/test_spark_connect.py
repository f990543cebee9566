from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from connect_server import running_server
from events import spread
from mistakes import assert_row
from pages import DOCS, blocks
from processes import output_of
from spark_eventhubs._session import connector_jar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs import LocalHub

# A server, a client and Python workers start, perhaps on two slow cores.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Spark Connect server with the connector's jar."""
    with running_server(tmp_path_factory.mktemp("server"), "--jars", str(connector_jar())) as address:
        yield address


def test_a_server_without_the_connector_says_so(tmp_path: Path) -> None:
    program = (
        "import sys; from pyspark.sql import SparkSession; import spark_eventhubs\n"
        "try: SparkSession.builder.remote(sys.argv[1]).getOrCreate().read.format('eventhubs').load().collect()\n"
        "except Exception as failure: print(type(failure).__name__, failure, sep='\\n')\n"
    )
    with running_server(tmp_path) as address:
        kind, text = output_of([sys.executable, "-c", program, address], env=os.environ).strip().split("\n", 1)

    assert_row("missing jar, Spark Connect", kind, text)


def test_the_package_works_on_a_spark_connect_server_without_java_on_the_client(
    server: str, local_hub: LocalHub, tmp_path: Path
) -> None:
    hubs = [local_hub.create_hub(f"connect-{name}", partitions=4).connection_string for name in ("telemetry", "alerts")]

    assert steps_of("connect_client.py", server, tmp_path, *hubs) == {
        "session": "pyspark.sql.connect.session",
        "written": 1000,
        "ended": True,
        "alerts": 100,
        "functions": [7, "k1", "hi", "thermometer"],
        "distinct": 1000,
        "signed": ["key", "RootManageSharedAccessKey", True, True],
        "refused": ["ConsumerGroupNotFoundError", "EVENTHUBS_NOT_FOUND", "connect-telemetry"],
        "task": "EVENTHUBS_INVALID_EVENT",
        "stream": ["ConsumerGroupNotFoundError", "EVENTHUBS_NOT_FOUND", True],
        "exception": ["ConsumerGroupNotFoundError", True],
        "texts": [],
    }


def test_the_program_of_the_page_counts_its_alerts(server: str, local_hub: LocalHub, tmp_path: Path) -> None:
    (program,) = (block.text for block in blocks(DOCS / "guides" / "spark-connect.md") if block.language == "python")
    hubs = {
        name.upper(): local_hub.create_hub(f"page-{name}", partitions=2).connection_string
        for name in ("telemetry", "alerts")
    }

    output = output_of([sys.executable, "-c", program], env=environment_of(server, tmp_path) | hubs)

    assert output == "10 alerts, 0 events behind\n"


def test_queries_are_watched_over_spark_connect(server: str, local_hub: LocalHub, tmp_path: Path) -> None:
    hub = local_hub.create_hub("connect-watched", partitions=4)
    spread(hub, range(1000))

    steps = steps_of("connect_watch.py", server, tmp_path, hub.connection_string)

    lines, end = steps["log"][:-1], steps["log"][-1]
    assert re.search(r"numbers batch 2: 200 rows in .* 0 events behind, 100% done, 0 s left$", lines[-1])
    assert end.endswith(" numbers ended")
    assert re.search(r"stage \d+ .* 4/4 +tasks", steps["bars"])
    assert steps["handlers"] == 0
    assert re.search(r"failing failed: \[EVENTHUBS_\w+\] ", steps["failure"])
    assert "JVM" not in steps["failure"]
    assert steps["none"].endswith("no streaming query is active\n")


def steps_of(program: str, server: str, folder: Path, *hubs: str) -> dict[str, Any]:
    """Runs a program of this folder as a client without Java. Returns the steps that it wrote."""
    command = [sys.executable, str(Path(__file__).with_name(program)), str(folder), *hubs]
    output_of(command, env=environment_of(server, folder))
    steps: dict[str, Any] = json.loads((folder / "steps.json").read_text(encoding="utf-8"))
    return steps


def environment_of(server: str, folder: Path) -> dict[str, str]:
    """The environment of a client without Java."""
    return {
        **{name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "PYTHONPATH")},
        "SPARK_REMOTE": server,
        "PATH": str(folder),  # a folder without java
    }
