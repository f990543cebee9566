"""The metrics of a query's last progress report as numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._monitoring.reports import parse_report

if TYPE_CHECKING:
    from spark_eventhubs._monitoring.queries import Query

# The only metric that is neither a number nor JSON.
_NAME_OF_HUB: Final = "slowestHub"


def source_metrics(query: Query) -> dict[str, Any]:
    """The metrics of the query's first source that is an event hub, such as `eventsBehind` and `maxSecondsBehind`.

    Works with classic PySpark and over Spark Connect. The metrics are empty before the first micro-batch, and in a
    query that reads no event hub.

    Args:
        query: the streaming query

    Returns:
        Numbers by name, dictionaries for the metrics that are given for each partition or hub, and the name of the
        `slowestHub`. docs/monitoring.md lists them.
    """
    report = query.lastProgress
    sources = parse_report(report).sources if report else ()
    metrics = next((each.metrics for each in sources if each.is_event_hub), {})
    return {name: text if name == _NAME_OF_HUB else json.loads(text) for name, text in metrics.items()}
