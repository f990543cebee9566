from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from pages import ROOT
from processes import SPARK_ENVIRONMENT, output_of
from pure_versions import HAS_STREAMS
from quick_jvm import QUICK_SPARK
from spark_eventhubs import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_eventhubs import LocalEventHub

CORE = ROOT / f"python/dist/spark_eventhubs_core-{__version__}-py3-none-any.whl"


@pytest.fixture
def python_without_jars(tmp_path: Path) -> Path:
    """The Python of a new environment: the packages of this one, but of ours the wheel without jars only."""
    venv.create(tmp_path / "core", symlinks=True)
    (packages,) = tmp_path.glob("core/lib/python*/site-packages")
    for each in Path(pyspark.__path__[0]).parent.iterdir():
        if not each.name.startswith("spark_eventhubs"):
            (packages / each.name).symlink_to(each)
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(packages), str(CORE)]
    subprocess.run(install, check=True, timeout=120)
    return tmp_path / "core/bin/python"


@pytest.mark.timeout(600)
def test_an_environment_without_jars_reads_and_writes(
    event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], python_without_jars: Path, tmp_path: Path
) -> None:
    program = Path(__file__).with_name("without_jar.py")
    hidden = ("PYSPARK_SUBMIT_ARGS", "SPARK_REMOTE")
    env = {key: value for key, value in SPARK_ENVIRONMENT.items() if key not in hidden}
    env |= {"SPARK_SUBMIT_OPTS": QUICK_SPARK, "PYSPARK_PYTHON": str(python_without_jars)}

    hubs = [event_hub.connection_string, another_hub().connection_string]
    output = output_of([python_without_jars, program, *hubs], cwd=tmp_path, env=env)

    lines = dict(line.split(": ", maxsplit=1) for line in output.splitlines() if ": " in line)
    assert "is in the package spark-eventhubs, not in spark-eventhubs-core" in lines["wheel"]
    assert "where no jar may go, use engine='python'" in lines["jar"]
    assert lines["still"] == lines["jar"]
    assert (lines["batch"], lines["name"]) == ("100", "100")
    assert lines["stream"] == "100" if HAS_STREAMS else "need Spark 4.2 or newer" in lines["stream"]
    assert lines["refused"] == "EVENTHUBS_INVALID_OPTION"
