"""Processes that tests start: where Spark is, environments, output and waiting."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyspark

from hub_service import PATIENCE
from quick_jvm import QUICK_JVM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SPARK_HOME: Final = Path(pyspark.__path__[0])

SPARK_ENVIRONMENT: Final = {**os.environ, "SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable}

# For the programs of pages, which leave Spark's 200 partitions of a shuffle as they are: a minute on two cores.
_TWO: Final = "-Dspark.sql.shuffle.partitions=2"
FEW_PARTITIONS: Final = SPARK_ENVIRONMENT | {"SPARK_SUBMIT_OPTS": f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {_TWO}"}

# Of every JVM that a program starts.
QUICK_START: Final = {**os.environ, "JAVA_TOOL_OPTIONS": QUICK_JVM}


def wait_until(what: str, condition: Callable[[], bool], *, seconds: float = 120) -> None:
    """Waits until a condition is true, and fails after a time limit. `what` describes the condition."""
    limit = seconds * PATIENCE
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline, f"waited {limit:.0f} s until {what}"
        time.sleep(0.05)


def output_of(
    command: Sequence[str | Path], *, env: Mapping[str, str], cwd: Path | None = None, seconds: float = 300
) -> str:
    """Runs a program to its successful end and returns its standard output."""
    return ended(command, env=env, cwd=cwd, seconds=seconds).stdout


def ended(
    command: Sequence[str | Path], *, env: Mapping[str, str], cwd: Path | None = None, seconds: float = 300
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its successful end."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=seconds * PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done
