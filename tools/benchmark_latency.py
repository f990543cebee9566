"""The table and the goals of the latency from hub to hub."""

from __future__ import annotations

from typing import Any

from benchmark_results import table
from benchmark_tables import NOT_IN_RUN

OURS = "spark-eventhubs"

LIMITS = {"loopback": 20, "cloud": 45}
"""The goal: 99 of 100 events arrive in less than this many milliseconds."""


def latency_table(cases: list[dict[str, Any]]) -> str:
    """A row for each profile, rate and client. The goal is for our connector."""
    ordered = sorted(cases, key=lambda case: (case["profile"] != "loopback", case["rate"], case["client"]))
    rows = [
        [
            case["profile"],
            f"{case['rate']:,}",
            case["client"],
            *(f"{case[field]:,}" for field in ("p50", "p95", "p99", "max")),
            _reached(case) if case["client"] == OURS else "",
        ]
        for case in ordered
    ]
    head = ["profile", "events/s", "connector", "p50, ms", "p95, ms", "p99, ms", "max, ms", "goal for p99"]
    return table(head, rows) if rows else NOT_IN_RUN


def _reached(case: dict[str, Any]) -> str:
    limit = LIMITS[case["profile"]]
    return f"below {limit}: " + ("yes" if case["p99"] < limit else "**no**")
