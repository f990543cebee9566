"""The table of mistakes over Spark Connect: the tests of a classic session, with a session on one server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from connect_server import running_server
from log_lines import lines_of_ours
from pages import ROOT
from spark_eventhubs._session import connector_jar

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(pyspark.__version__.startswith("3."), reason="PySpark 3.5 has no Spark Connect server"),
]

SAME = [Path(__file__).with_name(name) for name in ("test_mistakes.py", "test_sign_in_mistakes.py")]


def test_the_rows_of_the_page_are_what_a_user_of_spark_connect_sees(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="the client of Spark Connect needs grpcio")
    redacts = "spark.sql.redaction.options.regex=(?i)url|connectionString"
    with running_server(tmp_path, "--jars", str(connector_jar()), "--conf", redacts) as address:
        # A process with a classic session, as this one may be, cannot have a Spark Connect session.
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *map(str, SAME)],
            cwd=ROOT,
            env={**os.environ, "SPARK_REMOTE": address},
            capture_output=True,
            text=True,
            timeout=800,
            check=False,
        )

    assert done.returncode == 0, done.stdout + done.stderr
    # Of each request that fails, only Spark writes. The certificates are gone with the test that made them.
    log = lines_of_ours((tmp_path / "server.log").read_text(encoding="utf-8"))
    assert [line for line in log if " WARN TrustedCertificates: " not in line] == []
    passed = re.search(r"=+ (\d+) passed in", done.stdout)
    assert passed, done.stdout
    assert int(passed[1]) > 10
