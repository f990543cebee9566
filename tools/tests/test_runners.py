"""The sum of `make test` is honest: each runner is in one shard, and one that ran nothing is a failure."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import run_tests

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("shards", [1, 2, 3, 5])
def test_each_runner_is_in_one_shard(shards: int) -> None:
    runners = run_tests.runners("test")
    parts = [run_tests.shard_of(runners, number, shards) for number in range(1, shards + 1)]
    assert all(parts)
    assert sorted(runner.name for part in parts for runner in part) == sorted(runner.name for runner in runners)


def test_the_runners_whose_minutes_are_known_exist() -> None:
    assert set(run_tests.MINUTES) <= {runner.name for runner in run_tests.runners("test")}


@pytest.mark.parametrize(
    ("code", "report", "passed", "failed"),
    [
        (0, "", 0, 1),
        (1, "<testcase/>", 1, 1),
        (0, "<testcase/><testcase/>", 2, 0),
        (1, "<testcase/><testcase><failure/></testcase>", 1, 1),
    ],
)
def test_a_runner_that_ran_nothing_or_failed_without_a_failed_test_counts_as_a_failure(
    tmp_path: Path, code: int, report: str, passed: int, failed: int
) -> None:
    file = tmp_path / "reports" / "report.xml"
    written = f"from pathlib import Path; Path({str(file)!r}).write_text('<testsuite>{report}</testsuite>')"
    program = f"{written if report else ''}; raise SystemExit({code})".lstrip("; ")
    counts = run_tests.run(run_tests.Runner("one", [sys.executable, "-c", program], [file.parent]), is_alone=True)
    assert (counts.passed, counts.failed) == (passed, failed)
