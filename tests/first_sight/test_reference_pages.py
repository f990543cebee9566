"""docs/errors.md and docs/monitoring.md list exactly the conditions and metrics of the connector."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import spark_eventhubs
from confs import conf_of, from_earliest
from events import spread
from pages import ROOT
from spark_eventhubs import EventHubsConf, local_hub, read_stream, source_metrics, write_stream
from streams import run_available

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

SOURCES = ROOT / "core" / "src" / "main" / "scala" / "org" / "apache" / "spark" / "sql" / "eventhubs"
ERRORS = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
MONITORING = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def listed_names(page: str, header: str | None = None) -> list[str]:
    """The names in the first column of the table with this header, or of all tables."""
    table = page if header is None else page[page.index(header) + len(header) :].lstrip("\n").split("\n\n")[0]
    return re.findall(r"^\| (?:<a id=[^>]+></a>)?`([\w.]+)` \|", table, re.MULTILINE)


def task_metrics(file: str) -> dict[str, str]:
    """Names of the metrics that tasks report, with their descriptions in the UI."""
    code = (SOURCES / file).read_text(encoding="utf-8")
    return dict(
        zip(re.findall(r'val Name = "(\w+)"', code), re.findall(r'description: String = "([^"]+)"', code), strict=True)
    )


def test_each_error_condition_has_one_row() -> None:
    catalogue = ROOT / "core" / "src" / "main" / "resources" / "error" / "eventhubs-error-conditions.json"
    conditions = json.loads(catalogue.read_text(encoding="utf-8"))
    assert len(conditions) > 30
    listed = sorted(name for name in listed_names(ERRORS) if name.startswith("EVENTHUBS_"))
    assert listed == sorted(conditions)
    assert sorted(set(re.findall(r'<a id="(EVENTHUBS_[^"]+)">', ERRORS))) == listed


def test_each_exported_name_of_the_package_is_on_one_page_of_the_python_reference() -> None:
    folder = ROOT / "docs" / "reference"
    text = "\n".join(page.read_text(encoding="utf-8") for page in [folder / "python.md", *folder.glob("python/*.md")])
    shown = [name.rsplit(".", 1)[-1] for name in re.findall(r"^::: (spark_eventhubs\.\S+)$", text, re.MULTILINE)]
    assert len(shown) == len(set(shown))
    # The methods that take the literal types of faults show them.
    expected = {*spark_eventhubs.__all__, *local_hub.__all__} - {"FaultAction", "FaultOccasion"}
    assert expected - set(shown) == set()


def test_each_task_metric_has_one_row() -> None:
    read, written = task_metrics("EventHubsReadMetrics.scala"), task_metrics("EventHubsWriteMetrics.scala")
    assert read
    assert written
    assert sorted(listed_names(MONITORING, "| Metric of a read | Shown as | Meaning |")) == sorted(read)
    assert sorted(listed_names(MONITORING, "| Metric of a write | Shown as | Meaning |")) == sorted(written)
    assert [name for name, shown in (read | written).items() if f"| `{name}` | {shown} |" not in MONITORING] == []


def test_each_progress_metric_has_one_row_and_a_value(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    spread(event_hub, range(20))
    rows = read_stream(spark, from_earliest(event_hub)).select("body")
    query = run_available(write_stream(rows, conf_of(another_hub()), checkpoint_location=tmp_path / "checkpoint"))

    metrics = source_metrics(query)

    read, written = MONITORING.split("## Progress of a stream that writes")
    of_lists = {"slowestHub", "eventsBehindByHub", "lostEventsByHub"}
    assert sorted(listed_names(read)) == sorted({*metrics, *of_lists})
    assert metrics["eventsBehind"] == 0
    progress = query.lastProgress
    assert progress is not None
    assert sorted(listed_names(written, "| Metric | Unit | Meaning |")) == sorted(progress["sink"]["metrics"])
    assert progress["sink"]["metrics"]["eventsSent"] == "20"


def test_the_metrics_of_several_hubs_name_the_slowest(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    other = another_hub()
    for hub in (event_hub, other):
        spread(hub, range(4))
    both = EventHubsConf(
        connection_string=event_hub.connection_string,
        eventhub_name=[event_hub.name, other.name],
        starting_position="earliest",
    )
    rows = read_stream(spark, both).select("body")
    query = run_available(write_stream(rows, conf_of(another_hub()), checkpoint_location=tmp_path / "checkpoint"))

    metrics = source_metrics(query)
    assert metrics["slowestHub"] in (event_hub.name, other.name)
    assert metrics["eventsBehindByHub"] == {event_hub.name: 0, other.name: 0}


def test_the_page_of_parity_names_suites_that_exist() -> None:
    page = (ROOT / "docs" / "internals" / "parity.md").read_text(encoding="utf-8")
    code = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "core" / "src").rglob("*.scala"))
    # "V1/V2FooSuite" is two suites, "EventHubs…FooSuite" several.
    suites = set(re.findall(r"(?:V1/)?(\w+Suite)\b", page.replace("EventHubs…", "EventHubsSource")))
    assert len(suites) > 50
    assert [suite for suite in suites if not re.search(rf"class (?:V2)?{suite}\b", code)] == []


def test_the_links_between_the_pages_point_to_existing_files_and_headings() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\((?!http)([^)\s]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = page if not path else (page.parent / path).resolve()
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub creates for the headings of a page, and those that the page sets."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    of_headings = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return of_headings | set(re.findall(r'<a id="([^"]+)">', text))
