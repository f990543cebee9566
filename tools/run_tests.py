"""Runs every test runner of the project, one after the other, and prints the sum of what they counted.

The counts come from the JUnit reports that sbt, pytest, Node and Go's tests leave, so a runner that dies half way
counts as a failure, and so does one that ran nothing. The last line is `N passed, N failed` (and `, N skipped` if there
are any); before it stand the names of what failed, since the rest of a long run is seldom kept.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
PYTEST_REPORTS = ROOT / "target" / "pytest-reports"
COMPAT_REPORTS = ROOT / "target" / "compat-reports"
CONFORMANCE_REPORTS = ROOT / "target" / "conformance-reports"

SCALA_MODULES = ("localhub", "core", "core/spark-3.5", "benchmarks")

# Its jar is not the one that all other tests use. Other versions of Spark 4 are CI's, with `make compat`.
SPARK_35 = "3.5.8"

LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class Runner:
    """One command and the folders in which it leaves its JUnit reports."""

    name: str
    command: list[str]
    reports: list[Path]


@dataclass(frozen=True)
class Counts:
    """What the reports of a runner add up to."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.failures + other.failures,
        )

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def runners() -> list[Runner]:
    """All of them, the fastest to fail first."""
    pytest = [sys.executable, "-m", "pytest", "--junitxml"]
    return [
        Runner("python", [*pytest, str(PYTEST_REPORTS / "package.xml"), "python/tests"], [PYTEST_REPORTS]),
        Runner(
            "scala",
            ["./sbt", "test"],
            [ROOT / module / "target" / "test-reports" for module in SCALA_MODULES],
        ),
        Runner(
            "hub, python SDK",
            [*pytest, str(CONFORMANCE_REPORTS / "python.xml"), "localhub/conformance/python"],
            [CONFORMANCE_REPORTS],
        ),
        conformance("js"),
        # Go is no tool of this project; where there is one, its SDK is a client more.
        *([conformance("go")] if shutil.which("go") else []),
        Runner("end to end", [*pytest, str(PYTEST_REPORTS / "end-to-end.xml"), "tests"], [PYTEST_REPORTS]),
        Runner(
            "end to end, Spark 3.5",
            ["make", "compat", f"SPARK={SPARK_35}", f"REPORT={COMPAT_REPORTS / SPARK_35}.xml"],
            [COMPAT_REPORTS],
        ),
    ]


def conformance(suite: str) -> Runner:
    """The local hub with the official SDK of another language as its client."""
    return Runner(f"hub, {suite} SDK", [sys.executable, "tools/run_conformance.py", suite], [CONFORMANCE_REPORTS])


def run(runner: Runner) -> Counts:
    """Runs it and counts; an exit code that the counts do not explain is one failure more."""
    for folder in runner.reports:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    print(f"\n=== {runner.name}: {' '.join(runner.command)}", flush=True)
    code = subprocess.run(runner.command, cwd=ROOT, check=False).returncode
    counts = sum((count(report) for folder in runner.reports for report in folder.glob("*.xml")), Counts())
    if counts.passed + counts.failed == 0:
        print(f"{runner.name}: no test was counted", file=sys.stderr)
        return Counts(failed=1, failures=("no test was counted",))
    unexplained = Counts(failed=1, failures=(f"exit code {code}, though no test failed",))
    return counts + unexplained if code != 0 and counts.failed == 0 else counts


def count(report: Path) -> Counts:
    """Adds up the test cases of one JUnit file; suites may be nested, so their own sums are left alone."""
    total = Counts()
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # noqa: S314 -- our own runners' files
        problem = next((found for found in map(case.find, ("failure", "error")) if found is not None), None)
        if problem is not None:
            told = " ".join((problem.get("message") or "").split())[:LONGEST_MESSAGE]
            total += Counts(failed=1, failures=(f"{case.get('classname')}: {case.get('name')}: {told}",))
        elif case.find("skipped") is not None:
            total += Counts(skipped=1)
        else:
            total += Counts(passed=1)
    return total


def main() -> int:
    """Exit code 0 when nothing failed."""
    results = [(runner.name, run(runner)) for runner in runners()]
    print()
    if not shutil.which("go"):
        print("hub, go SDK: not run, there is no `go` here")
    for name, counts in results:
        print(f"{name}: {counts}".replace(" passed", " tests passed", 1))
        for failure in counts.failures:
            print(f"  FAILED {failure}")
    total = sum((counts for _, counts in results), Counts())
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
