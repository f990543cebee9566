"""`make demo` is what a new user runs first, so it builds nothing that the demo does not run."""

from __future__ import annotations

import subprocess

from run_tests import ROOT


def test_the_demo_builds_the_jar_of_spark_4_and_the_hub_only() -> None:
    planned = subprocess.run(["make", "-nB", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert './sbt "all core/assembly localhub/assembly"' in planned
    assert "spark35" not in planned
    assert ":dev" not in planned
