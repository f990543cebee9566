"""Compares the results of the streams with the input."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as f
from rich.console import Console
from rich.table import Table

from event_log import partition_extents, read_extents
from flight_data import ALERT_MINUTES, Flight, Hour, delays_by_hour

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FEWEST_DEPARTURES = 5


class Check(NamedTuple):
    """Two numbers that must be equal. Without an expected number, every number passes."""

    what: str
    expected: int | None
    found: int

    @property
    def passed(self) -> bool:
        """Whether the check passes."""
        return self.expected is None or self.expected == self.found


def events_in_hub(connection_string: str) -> int:
    """Number of events in the hub."""
    return sum(extent.until - extent.first for extent in partition_extents(connection_string).values())


def check_delays(flights: list[Flight], results: DataFrame) -> list[Check]:
    """Compares the Parquet result with the same figures from the file."""
    expected = delays_by_hour(flights)
    rows = [
        ((row["origin"], row["hour_text"]), Hour(row["flights"], row["departed"], row["avg_delay"], row["max_delay"]))
        for row in results.withColumn("hour_text", f.date_format("hour", "yyyy-MM-dd'T'HH:mm:ss'Z'")).collect()
    ]
    found = dict(rows)
    return [
        Check("flights counted in Parquet", len(flights), sum(hour.flights for _, hour in rows)),
        Check("hours in Parquet", len(expected), len(rows)),
        Check("duplicate hours in Parquet", 0, len(rows) - len(found)),
        Check("hours equal to the file", len(expected), sum(found.get(key) == hour for key, hour in expected.items())),
    ]


def check_alerts(flights: list[Flight], connection_string: str, *, resumed: bool) -> list[Check]:
    """Compares the events in the hub `alerts` with the very late flights, by their rows."""
    expected = {flight.row for flight in flights if flight.dep_delay is not None and flight.dep_delay >= ALERT_MINUTES}
    found = Counter(
        json.loads(event.body_as_str())["row"]
        for events in read_extents(connection_string, partition_extents(connection_string)).values()
        for event in events
    )
    repeats = found.total() - len(found)
    return [
        Check("alerts in the hub", len(expected), len(found)),
        Check("alerts for the right flights", len(expected), len(expected & set(found))),
        # The sink delivers at least once: after a crash it may send a batch again.
        Check("alerts sent twice", None if resumed else 0, repeats),
    ]


def report(checks: list[Check]) -> bool:
    """Prints the checks and returns whether all of them passed."""
    table = Table("check", "expected", "found", "", title="Checks")
    for check in checks:
        expected = "any" if check.expected is None else f"{check.expected:,}"
        table.add_row(check.what, expected, f"{check.found:,}", "ok" if check.passed else "FAILED")
    Console().print(table)
    return all(check.passed for check in checks)


def print_worst_hours(results: DataFrame) -> None:
    """Prints the hours with the longest delays."""
    table = Table("origin", "hour (UTC)", "flights", "avg delay", "max delay", title="Worst hours")
    worst = results.where(f.col("departed") >= _FEWEST_DEPARTURES).orderBy(f.desc("avg_delay"), "origin", "hour")
    for origin, hour, flights, _, average, longest in worst.limit(10).collect():
        table.add_row(origin, f"{hour:%Y-%m-%d %H:%M}", str(flights), f"{average:.0f} min", f"{longest} min")
    Console().print(table)
