"""The page on Prometheus: its program is scraped, and rules and dashboard ask for what was found."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml  # type: ignore[import-untyped] # of mkdocs

from pages import DOCS, ROOT, blocks
from processes import FEW_PARTITIONS, output_of

if TYPE_CHECKING:
    from pathlib import Path

    from spark_eventhubs import LocalEventHub

EXAMPLES: Final = ROOT / "examples" / "prometheus"

# Waits for the report of the batch, prints the page, and waits until the metrics of the stopped query are gone.
SCRAPE: Final = """
import time
from urllib.request import urlopen

def scrape(found):
    for _ in range(600):
        with urlopen(spark.sparkContext.uiWebUrl + "/metrics/prometheus/") as page:
            text = page.read().decode()
        if found(text):
            return text
        time.sleep(0.1)
    raise AssertionError(text)

query.processAllAvailable()
print(scrape(lambda text: "_source0_maxSecondsBehind_Value" in text))
query.stop()
scrape(lambda text: "driver_EventHubs_" not in text)

# Restarted with nothing to read, it is not gone. Another session may have a query of the same name.
again = read_stream(spark, telemetry).writeStream.queryName("readings").format("noop")
again = again.option("checkpointLocation", "checkpoints/readings").start()
scrape(lambda text: "_EventHubs_readings_secondsSinceReport_Value" in text)
other = read_stream(spark.newSession(), telemetry).writeStream.queryName("readings").format("noop")
other = other.option("checkpointLocation", "checkpoints/other").start()
scrape(lambda text: f"_EventHubs_readings_{other.id[:8]}_source0_maxSecondsBehind_Value" in text)
again.stop()
scrape(lambda text: "_EventHubs_readings_secondsSinceReport_Value" not in text)
other.stop()
spark.stop()
"""


@pytest.mark.timeout(600)
def test_what_is_scraped_is_what_rules_and_dashboard_ask_for(event_hub: LocalEventHub, tmp_path: Path) -> None:
    event_hub.send("a", "b", "c")
    (program,) = (block.text for block in blocks(DOCS / "guides" / "prometheus.md") if block.language == "python")
    environment = {
        **FEW_PARTITIONS,
        "EVENTHUBS_CONNECTION_STRING": event_hub.connection_string,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }

    page = output_of([sys.executable, "-c", program + SCRAPE], cwd=tmp_path, env=environment)

    found = dict(re.findall(r"^(metrics_\w*EventHubs\w*)\{type=\"gauges\"\} (\S+)$", page, re.MULTILINE))
    series = [relabelled(name) | {"value": value} for name, value in found.items() if not is_dropped(name)]
    assert all(each["app"] == each["query"] == "readings" for each in series)
    values = {each["__name__"]: float(each["value"]) for each in series}
    assert values["eventhubs_eventsBehind"] == values["eventhubs_maxSecondsBehind"] == 0
    assert asked_for() - set(values) == set()


def rules() -> list[dict[str, Any]]:
    """What prometheus.yml does with the names."""
    jobs = yaml.safe_load((EXAMPLES / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    found: list[dict[str, Any]] = jobs[0]["metric_relabel_configs"]
    assert all(each["source_labels"] == ["__name__"] for each in found)
    return found


def is_dropped(name: str) -> bool:
    return any(re.fullmatch(each["regex"], name) for each in rules() if each.get("action") == "drop")


def relabelled(name: str) -> dict[str, str]:
    """The labels of a series, as Prometheus makes them of its name."""
    labels = {"__name__": name}
    for each in rules():
        match = re.fullmatch(each["regex"], labels["__name__"])
        if match and "target_label" in each:
            label = each["replacement"]
            for number, group in enumerate(match.groups(default=""), start=1):
                label = label.replace(f"${number}", group)
            labels[each["target_label"]] = label
    return labels


def asked_for() -> set[str]:
    """The metrics that the rules and the dashboard name."""
    alerts = yaml.safe_load((EXAMPLES / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    dashboard = json.loads((EXAMPLES / "grafana-dashboard.json").read_text(encoding="utf-8"))
    asked = [rule["expr"] for group in alerts for rule in group["rules"]]
    asked += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [each["query"] for each in dashboard["templating"]["list"]]
    return set(re.findall(r"eventhubs_\w+", " ".join(asked)))
