"""Runs the code blocks of the README, of the Scala guide and of the page on schedulers unchanged."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pyspark
import pytest
from pyarrow import parquet

from pages import DOCS, ROOT, blocks, shown
from processes import FEW_PARTITIONS, SPARK_HOME, output_of
from spark_eventhubs import LocalHub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
SCALA = (DOCS / "guides" / "scala.md").read_text(encoding="utf-8")
SPARK_BIN = SPARK_HOME / "bin"


def run(command: list[str], folder: Path, **environment: str) -> str:
    """Runs it in the environment of a reader of the README, and returns its output."""
    return output_of(command, cwd=folder, env={**FEW_PARTITIONS, **environment}, seconds=400)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Spark's arguments that take the connector from the repository that `make build` fills, with a new Ivy cache."""
    scala = "2.12" if pyspark.__version__.startswith("3.") else "2.13"
    coordinate = re.search(r"--packages (\S+)", shown("submit"))
    assert coordinate
    assert f"spark-eventhubs_{scala}" in SCALA
    ivy = tmp_path_factory.mktemp("ivy")
    return [
        "--repositories",
        (ROOT / "target" / "maven").as_uri(),
        "--packages",
        coordinate.group(1).replace("_2.13", f"_{scala}"),
        "--conf",
        f"spark.jars.ivy={ivy}",
        "--conf",
        "spark.ui.enabled=false",
        "--master",
        "local[2]",
    ]


@pytest.fixture
def telemetry() -> Iterator[str]:
    """The connection string of a hub with the numbers 0 to 9 as text."""
    from azure.eventhub import EventData, EventHubProducerClient  # noqa: PLC0415 -- only these tests need it

    with LocalHub(hubs={"telemetry": 2}) as hub:
        with EventHubProducerClient.from_connection_string(hub.connection_string("telemetry")) as producer:
            for number in range(10):
                producer.send_event(EventData(str(number)), partition_id=str(number % 2))
        yield hub.connection_string("telemetry")


@pytest.mark.timeout(900)
def test_the_python_example_counts_its_alerts(tmp_path: Path) -> None:
    program = tmp_path / "quickstart.py"
    program.write_text(shown("python"), encoding="utf-8")
    assert "100 alerts" in run([sys.executable, str(program)], tmp_path)


@pytest.mark.timeout(900)
def test_the_scala_example_prints_every_event(tmp_path: Path, packages: list[str], telemetry: str) -> None:
    program = tmp_path / "quickstart.scala"
    program.write_text(shown("scala"), encoding="utf-8")
    # Without :paste the shell ends a statement before a line that begins with a dot.
    typed = tmp_path / "typed.scala"
    typed.write_text(f":paste {program}\nsys.exit(0)\n", encoding="utf-8")
    shell = [str(SPARK_BIN / "spark-shell"), *packages, "-I", str(typed)]
    out = run(shell, tmp_path, EVENTHUBS_CONNECTION_STRING=telemetry)
    printed = re.findall(r"^\|\s*(\d+)\|\s*([01])\|\s*(\d+)\|", out, re.MULTILINE)
    assert sorted(int(body) for body, _, _ in printed) == list(range(10)), out


@pytest.mark.timeout(900)
def test_a_submitted_job_reads_what_has_arrived_and_ends(tmp_path: Path, packages: list[str], telemetry: str) -> None:
    job, target = tmp_path / "job.py", tmp_path / "readings"
    (program,) = (block.text for block in blocks(DOCS / "guides" / "schedulers.md") if block.mark == "tested: job")
    job.write_text(program, encoding="utf-8")
    assert shown("submit").split()[0] == "spark-submit"

    submit = [str(SPARK_BIN / "spark-submit"), *packages, str(job)]
    run(submit, tmp_path, EVENTHUBS_CONNECTION_STRING=telemetry, TARGET=str(target))

    rows = [row for file in target.glob("*.parquet") for row in parquet.read_table(file).to_pylist()]
    assert sorted(int(row["body"]) for row in rows) == list(range(10))


def test_the_links_of_the_readme_point_to_existing_files() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_make_command_in_the_pages_is_a_target_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    shown_targets = {
        target
        for page in pages
        for target in re.findall(r"(?:`|^|\$ )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {"demo", "test", "faults", "bench"} <= shown_targets
    assert shown_targets <= targets
