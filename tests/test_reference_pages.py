"""docs/errors.md and docs/monitoring.md list what the connector has: all of it, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from events import spread
from spark_eventhubs import EventHubsConf, EventPosition, read_stream, write_stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub, LocalHub

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "core" / "src" / "main" / "scala" / "org" / "apache" / "spark" / "sql" / "eventhubs"
ERRORS = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
MONITORING = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def listed(page: str, header: str | None = None) -> list[str]:
    """The names in the first column of the table below `header`, or of all tables."""
    table = page if header is None else page[page.index(header) + len(header) :].lstrip("\n").split("\n\n")[0]
    return re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)


def in_the_ui(file: str) -> dict[str, str]:
    """Names of the metrics that tasks report, with what the UI shows instead."""
    code = (SOURCES / file).read_text(encoding="utf-8")
    return dict(
        zip(re.findall(r'val Name = "(\w+)"', code), re.findall(r'description: String = "([^"]+)"', code), strict=True)
    )


def test_each_error_condition_has_one_row() -> None:
    catalogue = ROOT / "core" / "src" / "main" / "resources" / "error" / "eventhubs-error-conditions.json"
    conditions = json.loads(catalogue.read_text(encoding="utf-8"))
    assert len(conditions) > 30
    assert sorted(listed(ERRORS)) == sorted(conditions)


def test_each_metric_of_the_ui_has_one_row() -> None:
    read, written = in_the_ui("EventHubsReadMetrics.scala"), in_the_ui("EventHubsWriteMetrics.scala")
    assert read
    assert written
    assert sorted(listed(MONITORING, "| Metric of a read | Shown as | Meaning |")) == sorted(read)
    assert sorted(listed(MONITORING, "| Metric of a write | Shown as | Meaning |")) == sorted(written)
    assert [name for name, shown in (read | written).items() if f"| `{name}` | {shown} |" not in MONITORING] == []


def test_each_metric_of_the_progress_has_one_row_and_the_page_shows_how_to_read_it(
    spark: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, tmp_path: Path
) -> None:
    copies = local_hub.create_hub(f"{event_hub.name}-copies", partitions=2)
    spread(event_hub, range(20))
    conf = EventHubsConf.from_connection_string(event_hub.connection_string)
    rows = read_stream(spark, conf.with_starting_position(EventPosition.earliest())).select("body")
    to_copies = EventHubsConf.from_connection_string(copies.connection_string)
    query = (
        write_stream(rows, to_copies, checkpoint_location=tmp_path / "checkpoint").trigger(availableNow=True).start()
    )
    assert query.awaitTermination(120)

    example = re.search(r"<!-- tested: python -->\n```python\n(.*?)```", MONITORING, re.DOTALL)
    assert example
    names: dict[str, object] = {}
    exec(example.group(1), names)  # noqa: S102 - our own page
    source_metrics = names["source_metrics"]
    assert callable(source_metrics)
    metrics = source_metrics(query)

    read, written = MONITORING.split("## Progress of a stream that writes")
    assert sorted(listed(read)) == sorted(metrics)
    assert metrics["eventsBehind"] == 0
    progress = query.lastProgress
    assert progress is not None
    assert sorted(listed(written, "| Metric | Unit | Meaning |")) == sorted(progress["sink"]["metrics"])
    assert progress["sink"]["metrics"]["eventsSent"] == "20"


def test_the_links_between_the_pages_lead_somewhere() -> None:
    """To files that are there, and to headings that they have."""
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\((?!http)([^)\s]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = page if not path else (page.parent / path).resolve()
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []


def anchors(page: Path) -> set[str]:
    """What GitHub makes of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
