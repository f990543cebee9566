"""The engine in Python over Spark Connect, on a server without our jar. The client has no Java.

The pipeline of `make test` runs over Spark Connect too, so this runs in `make compat`, or with TESTS=all.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from connect_server import running_server
from processes import output_of
from pure_versions import HAS_STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_eventhubs import LocalEventHub


LONG = pytest.mark.skipif(
    pyspark.__version__.startswith("4.2.") and os.environ.get("TESTS") != "all", reason="long; TESTS=all runs it"
)


@LONG
@pytest.mark.timeout(900)
@pytest.mark.event_hub(partitions=2)
def test_a_server_without_a_jar_reads_streams_and_writes(
    event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    program = Path(__file__).with_name("connect_without_jar.py")
    hubs = [event_hub.connection_string, another_hub().connection_string]
    with running_server(tmp_path) as server:
        hidden = ("JAVA_HOME", "PYTHONPATH")
        client = {name: value for name, value in os.environ.items() if name not in hidden}
        client |= {"SPARK_REMOTE": server, "PATH": str(tmp_path)}  # a folder without java
        output = output_of([sys.executable, str(program), str(tmp_path / "copy"), *hubs], env=client, seconds=600)
    steps = json.loads(output.splitlines()[-1])

    assert "use engine='python', which needs none" in steps.pop("jar")
    streams = {key: steps.pop(key, None) for key in ("stream", "copied", "stream of no group")}
    assert steps == {
        "session": "pyspark.sql.connect.session",
        "batch": 100,
        "name": 100,
        "group": ["ConsumerGroupNotFoundError", "EVENTHUBS_NOT_FOUND"],
        "guarantee": ["OptionError", "EVENTHUBS_INVALID_OPTION"],
    }
    if HAS_STREAMS:
        assert streams == {
            "stream": None,
            "copied": [100, 100],
            "stream of no group": ["ConsumerGroupNotFoundError", "EVENTHUBS_NOT_FOUND"],
        }
    else:
        assert "need Spark 4.2 or newer" in str(streams["stream"])
        assert streams["copied"] == [0, 0]
