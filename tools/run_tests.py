"""Runs the test runners of one tier and prints the sum of their counts: `run_tests.py unit|test|strict|long [SHARD]`.

- `unit`: no hub, no Spark job, no wheel.
- `test`: everything that protects a change; the tier of CI.
- `strict`: the suites of behaviour, on a local hub with the strict profile.
- `long`: fault tests, soak tests, the other Spark versions.

A shard such as `2/3` is the second of three machines that share the runners. Runners run side by side, because most of
them wait a part of their time. The counts come from the JUnit reports of sbt, pytest, Node and Go. A runner that
stopped early, or that ran nothing, counts as a failure. The names of failed tests are printed at the end. The last line
is `N passed, N failed` (and `, N skipped`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "target" / "reports"
LOGS = ROOT / "target" / "test-logs"

# The other supported versions. `make test` runs on 4.2, and on 3.5, whose jar no other test uses.
SPARK_35 = "3.5.8"
OTHER_SPARKS = ("4.0.5", "4.1.4", "4.3.0")
# `make test` leaves these to 4.2: they try the machines, the terminal, the network, the jars and the files of a
# checkpoint more than the version of Spark. `make compat SPARK=3.5.8`, which is a job of CI too, runs all of them.
SAME_ON_ALL = (
    "tests/command/test_checkpoint_command.py",
    "tests/session/test_standalone_cluster.py",
    "tests/mistakes/test_sign_in_mistakes.py",
    "tests/monitoring/test_watch.py",
    # That a session is without a second connector, and its example works, show the other tests of each version.
    "tests/mistakes/test_session_mistakes.py::test_a_session_with_two_connectors",
    "tests/mistakes/test_session_mistakes.py::test_copies_of_one_jar_are_no_mistake",
    "tests/first_sight/test_readme.py::test_the_python_example_counts_its_alerts",
    "tests/first_sight/test_readme.py::test_the_scala_example_prints_every_event",
    # 3.5.8 hides the key as 4.2 does. `make test-long` runs it with 3.5.0, which does not.
    "tests/session/test_secrets.py::test_a_key_that_spark_shows_is_named_in_the_log_with_the_setting_that_hides_it",
)
# Its own rules for redaction miss the keys of connection strings.
SPARK_WITHOUT_REDACTION = "3.5.0"

# Folders of `tests/` that share a process, and so a Spark session. The last group has those that no other names.
END_TO_END = {
    "first sight": ("first_sight",),
    "sessions": ("session",),
    "mistakes": ("mistakes",),
    "delivery": ("delivery",),
    "queries": ("reading", "writing", "monitoring", "command"),
    "others": (),
}

# What readers and writers do, whatever the service answers. `HUB_SERVICE=strict` makes it slower by a factor of four.
ON_STRICT = ("reading", "writing", "delivery", "several_hubs", "pure", "processor", "bodies")
STRICT = {"HUB_SERVICE": os.environ.get("HUB_SERVICE", "strict-quick")}

LONGEST_MESSAGE = 300

# The hub's JVM lives for minutes. It writes what it says of these options to the output of the hub only.
QUICK_HUB = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


@dataclass(frozen=True)
class Runner:
    """One command, and the folders of its JUnit reports."""

    name: str
    command: list[str]
    reports: list[Path]
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """The sum of a runner's reports."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0
    failures: tuple[str, ...] = ()

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.seconds + other.seconds,
            self.failures + other.failures,
        )

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def sbt(name: str, *tasks: str, reports: list[str], **env: str) -> Runner:
    """Scala suites. `reports` are folders below the root, as sbt names them: `<module>/target/<config>-reports`."""
    return Runner(name, ["./sbt", *tasks], [ROOT / folder for folder in reports], env)


def pytest(name: str, *arguments: str, **env: str) -> Runner:
    """Python tests."""
    folder = REPORTS / name.replace(" ", "-").replace(",", "")
    command = [sys.executable, "-m", "pytest", "--junitxml", str(folder / "report.xml"), *arguments]
    return Runner(name, command, [folder], env)


def compat(spark: str, *tests: str, without: tuple[str, ...] = ()) -> Runner:
    """The end-to-end tests that depend on the version of Spark, or these, on another version."""
    folder = REPORTS / f"spark-{spark}"
    command = ["make", "compat", f"SPARK={spark}", f"REPORT={folder / 'report.xml'}"]
    return Runner(
        f"end to end, Spark {spark}",
        command + ([f"COMPAT_TESTS={' '.join(tests)}"] if tests else []),
        [folder],
        {"PYTEST_ADDOPTS": " ".join(f"--deselect={each}" for each in without)},
    )


def conformance(suite: str) -> Runner:
    """The local hub with the official SDK of another language as its client."""
    command = [sys.executable, "tools/run_conformance.py", suite]
    return Runner(f"hub, {suite} SDK", command, [ROOT / "target" / "conformance-reports" / suite], QUICK_HUB)


def folders_of_tests() -> dict[str, list[str]]:
    """The folders of each group of `tests/`. pytest looks into their folders too."""
    there = {path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")}
    named = {folder for folders in END_TO_END.values() for folder in folders}
    groups = END_TO_END | {"others": tuple(sorted(there - named))}
    return {name: [f"tests/{folder}" for folder in folders] for name, folders in groups.items() if folders}


def end_to_end() -> list[Runner]:
    """One runner for each group of `tests/`."""
    return [pytest(f"end to end, {name}", *folders) for name, folders in folders_of_tests().items()]


UNIT_REPORTS = [f"{module}/target/test-reports" for module in ("localhub", "core", "benchmarks", "sim")]
# sbt writes the reports of src/it next to those of src/test.
IT_REPORTS = [f"{module}/target/test-reports" for module in ("localhub", "core")]
SPARK_35_REPORTS = "core/spark-3.5/target/test-reports"

# How many runners of a tier run side by side. The next one starts as soon as one of them has ended.
LANES = {"unit": 2, "test": 3, "strict": 4, "long": 1}

# Minutes of the runners of `test` on two cores, so that the longest starts first, and shards are even. sbt runs two
# JVMs of suites, which counts twice.
MINUTES = {
    "scala": 40,
    f"end to end, Spark {SPARK_35}": 12,
    "end to end, first sight": 10,
    "end to end, queries": 10,
    "hub, python SDK": 9,
    "end to end, sessions": 8,
    "hub in Python": 6,
    "end to end, others": 6,
    "end to end, mistakes": 5,
    "end to end, delivery": 5,
}


def minutes(runner: Runner) -> int:
    """About how long it takes."""
    return MINUTES.get(runner.name, 2)


def runners(tier: str) -> list[Runner]:
    """Everything that the tier runs."""
    if tier == "unit":
        tasks = ["localhub/Test/test", "core/Test/test", "benchmarks/Test/test", "sim/Test/test"]
        sources = str(ROOT / "python" / "src")
        return [
            sbt("scala, unit", "all " + " ".join(tasks), reports=UNIT_REPORTS),
            pytest("python", "python/tests/unit", "tools/tests", PYTHONPATH=sources),
        ]
    if tier == "test":
        scala = sbt(
            "scala",
            "all test localhub/It/test core/It/test",
            reports=[*UNIT_REPORTS, SPARK_35_REPORTS],
        )
        # Go is not a tool of this project. Where it is installed, its SDK is one more client.
        go = [conformance("go")] if shutil.which("go") else []
        return [
            scala,
            compat(SPARK_35, without=SAME_ON_ALL),
            *end_to_end(),
            pytest("hub, python SDK", "localhub/conformance/python", **QUICK_HUB),
            pytest("hub in Python", "python/tests/hub"),
            conformance("js"),
            pytest("python", "python/tests/unit", "tools/tests"),
            *go,
        ]
    if tier == "strict":
        # The suites without a local hub mean the same on each profile.
        scala = sbt("scala, strict", "core/It/testOnly * -*.replay.* -*.tls.* -*.blob.*", reports=IT_REPORTS, **STRICT)
        return [scala, *(pytest(f"{folder}, strict", f"tests/{folder}", **STRICT) for folder in ON_STRICT)]
    long_scala = sbt(
        "scala, long",
        "core/It/testOnly *ExactlyOnceClusterSuite *ThrottledWriteSuite *StreamSoakSuite *StreamStressSuite"
        " *KilledOwnersSuite *ReadHeapSuite *StrictServiceSuite *StrictExactlyOnceSuite",
        "sim/testOnly *LongSimulationSuite",
        "localhub/It/testOnly *HubCrashSuite *HubMemorySuite *ManyConnectionsSuite",
        reports=[*IT_REPORTS, "sim/target/test-reports"],
        TESTS="all",
        EXECUTOR_KILLS="10",
        OWNER_KILLS="10",
        THROTTLED_SECONDS="60",
    )
    # All unit suites of core. `test` leaves out those that no version of Spark changes.
    scala_35 = sbt("scala, Spark 3.5", "spark35/test", reports=[SPARK_35_REPORTS], TESTS="all")
    owners = pytest("killed owners", "tests/processor/test_hand_over.py", OWNER_KILLS="10")
    kills = pytest("killed drivers", "tests/delivery/test_exactly_once_kills.py", DRIVER_KILLS="30")
    first_sight = ("tests/first_sight/test_pip_alone.py", "tests/first_sight/test_flight_demo.py")
    lakes = "tests/lakes/test_lakes.py"
    demo = pytest("first sight, long", *first_sight, lakes, TESTS="all")
    verify = pytest("verify", "tests/command/test_verify.py", TESTS="all")
    chaos = pytest("chaos", "tests/chaos", TESTS="all")
    others = [*map(compat, (SPARK_35, *OTHER_SPARKS)), compat(SPARK_WITHOUT_REDACTION, "tests/session/test_secrets.py")]
    return [long_scala, scala_35, kills, owners, chaos, demo, verify, *others]


def shard_of(all_runners: list[Runner], number: int, shards: int) -> list[Runner]:
    """The runners of one of several machines, so that each machine has about as many minutes."""
    parts: list[list[Runner]] = [[] for _ in range(shards)]
    for runner in sorted(all_runners, key=minutes, reverse=True):
        min(parts, key=lambda part: sum(map(minutes, part))).append(runner)
    return parts[number - 1]


def run(runner: Runner, *, is_alone: bool) -> Counts:
    """Runs it and counts. An exit code that the counts do not explain is one more failure."""
    for folder in runner.reports:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    print(f"\n=== {runner.name}: {' '.join(runner.command)}", flush=True)
    started = time.monotonic()
    code = execute(runner, is_alone=is_alone)
    counts = sum((count(report) for folder in runner.reports for report in folder.rglob("*.xml")), Counts())
    seconds = time.monotonic() - started
    counts = Counts(counts.passed, counts.failed, counts.skipped, seconds, counts.failures)
    if counts.passed + counts.failed == 0:
        return counts + Counts(failed=1, failures=(f"exit code {code}, no test was counted",))
    unexplained = Counts(failed=1, failures=(f"exit code {code}, though no test failed",))
    return counts + unexplained if code != 0 and counts.failed == 0 else counts


def execute(runner: Runner, *, is_alone: bool) -> int:
    """Its exit code. The output of a runner that runs next to others is printed in one piece, at its end."""
    env = os.environ | runner.env
    if is_alone:
        return subprocess.run(runner.command, cwd=ROOT, env=env, check=False).returncode
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{runner.name.replace(' ', '-').replace(',', '')}.log"
    with log.open("w", encoding="utf-8") as out:
        code = subprocess.run(
            runner.command, cwd=ROOT, env=env, check=False, stdout=out, stderr=subprocess.STDOUT
        ).returncode
    text = log.read_text(encoding="utf-8", errors="replace")
    print(f"\n=== output of {runner.name} (exit code {code})\n{text}", flush=True)
    return code


def count(report: Path) -> Counts:
    """Adds up the test cases of one JUnit file. It ignores the sums of suites, because suites may be nested."""
    total = Counts()
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # noqa: S314 -- our own runners' files
        problem = next((found for found in map(case.find, ("failure", "error")) if found is not None), None)
        if problem is not None:
            message = " ".join((problem.get("message") or "").split())[:LONGEST_MESSAGE]
            total += Counts(failed=1, failures=(f"{case.get('classname')}: {case.get('name')}: {message}",))
        elif case.find("skipped") is not None:
            total += Counts(skipped=1)
        else:
            total += Counts(passed=1)
    return total


def run_all(chosen: list[Runner], lanes: int) -> list[Counts]:
    """The results of the runners, in their order."""
    with ThreadPoolExecutor(lanes) as pool:
        return list(pool.map(lambda runner: run(runner, is_alone=lanes == 1), chosen))


def main(tier: str = "test", shard: str = "1/1") -> int:
    """Exit code 0 when nothing failed."""
    started = time.monotonic()
    number, shards = map(int, shard.split("/"))
    chosen = shard_of(runners(tier), number, shards)
    results = run_all(chosen, LANES[tier])
    print()
    if shards > 1:
        print(f"shard {shard}; not run here: {', '.join(each.name for each in runners(tier) if each not in chosen)}")
    if tier == "test" and not shutil.which("go"):
        print("hub, go SDK: not run, there is no `go` here")
    for runner, counts in zip(chosen, results, strict=True):
        print(f"{runner.name}: {counts}".replace(" passed", " tests passed", 1) + f" in {counts.seconds:.0f} s")
        for failure in counts.failures:
            print(f"  FAILED {failure}")
    print(f"{(time.monotonic() - started) / 60:.1f} minutes")
    total = sum(results, Counts())
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
