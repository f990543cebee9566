"""Runs one test with both engines: `read`, `read_stream`, `write` and `write_stream` of its module get the engine.

A conftest of a folder has `from engines import engine, pytest_generate_tests`. `make test` runs few tests with both;
TESTS=all runs more.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import pyspark
import pytest

import spark_eventhubs
import streams

if TYPE_CHECKING:
    from collections.abc import Mapping

JAR_ONLY: Final[Mapping[str, str]] = {
    "test_a_hub_can_be_read_with_plain_options_and_the_legacy_class_name": "it names the jar's formats",
    "test_a_conf_is_a_mapping_of_options": "it names the jar's format",
    "test_min_partitions_splits_a_long_range_into_tasks_without_loss": "each partition of the hub is one task",
    "test_a_batch_write_sends_each_row_to_its_hub": "all rows go to one hub",
    "test_a_stream_sends_each_row_to_its_hub": "all rows go to one hub",
    "test_a_hub_in_the_options_wins_over_the_column": "all rows go to one hub",
    "test_a_missing_hub_and_a_row_without_one_are_named": "all rows go to one hub",
    "test_each_event_of_a_trickle_arrives_while_the_batch_is_open": "Spark's Python API has no Real-Time Mode",
}
"""The tests of reading and writing that the engine in Python does not run, and why."""

_ALWAYS: Final = frozenset(
    {
        "test_a_batch_reads_every_event_once_and_in_the_order_of_its_partition",
        "test_a_restarted_query_continues_after_the_last_committed_event",
        "test_the_official_sdk_reads_the_properties_and_the_partition_key",
    }
)
_WITH_TESTS_ALL: Final = frozenset(
    {
        "test_stream_and_batch_have_the_nine_columns_of_the_legacy_connector",
        "test_a_batch_ends_before_its_ending_position",
        "test_a_read_can_start_at_the_offset_of_a_row",
        "test_counts_and_column_selections_see_the_same_rows",
        "test_an_empty_hub_has_no_rows",
        "test_an_event_of_the_official_sdk_keeps_its_properties",
        "test_without_fail_on_data_loss_the_query_reads_all_of_the_recreated_hub",
        "test_a_stream_from_earliest_reads_every_event_once",
        "test_a_stream_starts_at_the_latest_event_by_default",
        "test_a_stream_starts_at_a_sequence_number_of_each_partition",
        "test_a_batch_write_sends_every_row_once",
        "test_spark_reads_the_events_that_it_wrote",
        "test_bodies_can_be_text_or_bytes",
        "test_a_column_chooses_the_partition_of_a_row",
    }
)
_CALLS: Final = ("read", "read_stream", "write", "write_stream")
_FIRST_VERSION: Final = (4, 2)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeats a test for each engine."""
    version = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
    name = metafunc.function.__name__
    wanted = name in _ALWAYS or (os.environ.get("TESTS") == "all" and name in _WITH_TESTS_ALL)
    if wanted and version >= _FIRST_VERSION and "SPARK_REMOTE" not in os.environ:
        metafunc.parametrize("engine", ["jar", "python"], indirect=True)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The engine that the test's calls use."""
    chosen: str = getattr(request, "param", "jar")
    if chosen != "jar":
        for module in (sys.modules[request.function.__module__], streams):
            for name in _CALLS:
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, partial(getattr(spark_eventhubs, name), engine=chosen))
    return chosen
