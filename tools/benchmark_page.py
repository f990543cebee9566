"""Writes docs/benchmarks.md with its plot, docs/internals/benchmarks.md and docs/tuning.md from the benchmark results.

The text is in benchmarks/pages. This program replaces each `{{name}}` there with figures of the results, so that text
and results agree. `--check` writes nothing and fails when a page or the plot is out of date.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

from benchmark_plot import draw
from benchmark_results import BODIES, Case, Goal, Results, size, table
from benchmark_sentences import sentences

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGES = ROOT / "benchmarks" / "pages"
DOCS = ROOT / "docs"
PLOT = DOCS / "benchmarks.svg"
LINE_LENGTH = 120
LIST_ENTRY = "- "
NOT_PROSE = ("#", "|", "```", "![", "    ")
BENCHMARK_PAGES = ("benchmarks.md", "internals/benchmarks.md")
TITLES = {
    "receive": "receive",
    "batch-read": "batch read",
    "stream-read": "streaming read",
    "send": "send",
    "batch-write": "batch write",
    "stream-write": "streaming write",
}


def pages() -> dict[Path, str]:
    """The text of each page whose results exist."""
    texts: dict[Path, str] = {}
    if (RESULTS / "latest.json").exists():
        before = run(RESULTS / "previous") if (RESULTS / "previous").exists() else None
        parts = benchmark_parts(*run(RESULTS), before)
        texts |= {DOCS / name: filled(name, parts) for name in BENCHMARK_PAGES}
    if (RESULTS / "scale.json").exists():
        texts[DOCS / "tuning.md"] = filled("tuning.md", scale_parts(json.loads((RESULTS / "scale.json").read_text())))
    return texts


def run(folder: Path) -> tuple[Results, dict[str, Any]]:
    """The results of a run, and the machine that it ran on."""
    return Results.read(folder / "latest.json"), json.loads((folder / "machine.json").read_text())


def filled(name: str, parts: dict[str, str]) -> str:
    """A page of benchmarks/pages with its placeholders replaced.

    Raises:
        KeyError: the page has a placeholder that is not among the parts.
    """
    text = reflowed(re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], (PAGES / name).read_text()))
    return f"<!-- Written by tools/benchmark_page.py from benchmarks/results; edit benchmarks/pages/{name} -->\n{text}"


def reflowed(markdown: str) -> str:
    """The same page with its prose broken into lines again, because figures change their length.

    A paragraph or an entry of a list becomes lines of at most 120 characters. All other lines stay as they are.
    """
    lines: list[str] = []
    prose: list[str] = []

    def end_paragraph() -> None:
        if prose:
            indent = "  " if prose[0].startswith(LIST_ENTRY) else ""
            text = " ".join(line.strip() for line in prose)
            wrapped = textwrap.wrap(
                text, LINE_LENGTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            lines.extend(wrapped)
            prose.clear()

    is_code = False
    for line in markdown.split("\n"):
        is_prose = not is_code and line != "" and not line.startswith(NOT_PROSE)
        if not is_prose or line.startswith(LIST_ENTRY):
            end_paragraph()
        if is_prose:
            prose.append(line)
        else:
            lines.append(line)
        is_code ^= line.startswith("```")
    end_paragraph()
    return "\n".join(lines)


def benchmark_parts(
    results: Results, machine: dict[str, Any], before: tuple[Results, dict[str, Any]] | None = None
) -> dict[str, str]:
    """The placeholders of the two benchmark pages."""
    goals = results.goals()
    return {
        "machine": machine_table(machine),
        "summary": summary(results),
        "goals": goals_table(goals, before[0].goals() if before else []),
        "reached": f"{sum(goal.reached for goal in goals)} of {len(goals)}",
        "before": run_before(before[1], before[0].goals()) if before else "",
        "reads": rates(results, ("receive", "batch-read", "stream-read"), content="bare", but_sink="parquet"),
        "parquet": rates(results, ("batch-read", "stream-read"), sink="parquet"),
        "content": rates(results, ("receive", "batch-read", "stream-read"), content="properties and keys"),
        "writes": rates(results, ("send", "batch-write", "stream-write"), content="bare"),
        "writtenContent": rates(results, ("batch-write", "stream-write"), content="properties and keys"),
        "fixed": fixed_costs(results),
        "batches": micro_batches(results),
        "servers": servers(results),
        "without": without_fixed(results),
        **sentences(results),
    }


def summary(results: Results) -> str:
    """The connector's rates, as ratios to the SDK's and to those of Spark's Kafka connector."""
    baselines = (("SDK", "sdk"), ("Kafka", "spark-kafka"))
    head = ["events/s, compared with", *(f"{name}, {size(body)}" for name, _ in baselines for body in BODIES)]
    rows = []
    for name, sdk_name in (
        ("batch-read", "receive"),
        ("stream-read", "receive"),
        ("batch-write", "send"),
        ("stream-write", "send"),
    ):
        row = [TITLES[name]]
        for _, system in baselines:
            for body in BODIES:
                ours = results.one(name, "spark-eventhubs", bodyBytes=body)
                other = results.one(sdk_name if system == "sdk" else name, system, bodyBytes=body)
                row.append("" if ours is None or other is None else f"{ours.rate / other.rate:.2f}")
        rows.append(row)
    return table(head, rows)


def goals_table(goals: list[Goal], before: list[Goal]) -> str:
    """All goals of a run, with the figures of the run before it."""
    earlier = {goal.text: goal.measured for goal in before}
    rows = [[g.text, g.measured, "yes" if g.reached else "**no**", earlier.get(g.text, "")] for g in goals]
    return table(["Goal", "measured", "reached", "previous run"], rows)


def run_before(machine: dict[str, Any], goals: list[Goal]) -> str:
    """A sentence that names the run in the last column of the goals."""
    return (
        f"The previous run, at {machine['commit']} ({machine['date']}, {machine['minutes']} minutes), reached "
        f"{sum(goal.reached for goal in goals)} of {len(goals)}."
    )


def scale_parts(scale: dict[str, Any]) -> dict[str, str]:
    """The placeholders of docs/tuning.md."""
    fields = {
        "partitions": "partitions",
        "triggerMillis": "micro-batch, ms",
        "addBatchMillis": "its tasks",
        "addBatchInFourTasksMillis": "with maxPartitions=4",
        "checkpointMillis": "checkpoint",
        "latestOffsetMillis": "ends",
        "planningMillis": "planning",
        "firstBatchMillis": "first micro-batch, ms",
        "offsetFileBytes": "offsets, bytes",
        "idleCallsPerSecond": "management calls/s, idle",
        "callsInBusiestSecond": "in the busiest second",
    }
    rows = [[f"{case[field]:,.1f}".removesuffix(".0") for field in fields] for case in scale["cases"]]
    return {
        "scale": table(list(fields.values()), rows),
        "scaleMachine": f"{scale['cores']} cores, other programs used {scale['otherCores']} of them, {scale['date']}.",
    }


def machine_table(machine: dict[str, Any]) -> str:
    """The machine and the software of the run."""
    rows = [
        ("Machine", f"{machine['processor']}, {machine['cores']} cores, {machine['memory']}, {machine['system']}"),
        ("JVM", machine["java"]),
        ("Spark", f"{machine['spark']}, `local[2]`, one JVM with a heap of 2 GB per query"),
        ("Event Hubs", f"azure-messaging-eventhubs {machine['eventHubsSdk']}; the local hub, events in memory"),
        ("Kafka", f"client and broker {machine['kafkaClient']}, one node, KRaft, default settings"),
        (
            "Run",
            f"`BENCH={machine['plan']}` of {machine['date']}, {machine['minutes']} minutes, at {machine['commit']}",
        ),
        ("Other programs", f"used {machine['otherCores']} cores during the run (median of all passes)"),
    ]
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {text} |" for name, text in rows)


def rates(results: Results, names: tuple[str, ...], but_sink: str = "", **fields: object) -> str:
    """Speed and cost of each case of these operations."""
    head = [
        "",
        "events/s",
        "MB/s",
        "of SDK",
        "CPU us/event",
        "JIT",
        "bytes allocated/event",
        "peak RSS MB",
        "first event ms",
    ]
    cases = [case for case in results.where(**fields) if case["name"] in names and case["sink"] != but_sink]
    # A table shows a ratio only together with the SDK's case. (The SDK has no sink, so its cases are in every table.)
    has_sdk = any(case["system"] == "sdk" for case in cases)
    rows = [
        [
            f"{size(case['bodyBytes'])}, {partitions(case)}: {TITLES[case['name']]}, {case.label}",
            f"{case.rate:,.0f} ± {50 * case['spread']:.0f} %",
            f"{case['megabytesPerSecond']:,.0f}",
            f"{case['ofSdk']:.2f}" if has_sdk and case.get("ofSdk") else "",
            f"{case['cpuMicrosPerEvent']:.2f}",
            f"{case['jitShare']:.2f}",
            f"{case['allocatedBytesPerEvent']:,.0f}",
            f"{case['peakRssBytes'] / 1e6:,.0f}",
            f"{case['timeToFirstEventMillis']:,.0f}" if case.get("timeToFirstEventMillis") else "",
        ]
        for case in cases
    ]
    return table(head, rows) if rows else "Not part of this run."


def fixed_costs(results: Results) -> str:
    """The cost of a query before its first event, cold and warm, and of a trigger."""
    fields = ("fixedMillis", "coldFirstQueryMillis", "oneEventBatchMillis", "idleTriggerMillis")
    head = [
        "",
        "query of one event per partition, ms",
        "first query of a fresh JVM, ms",
        "micro-batch of one event, ms",
        "trigger without events, ms",
    ]
    cases = [case for case in results.cases if case.get("coldFirstQueryMillis") or case.get("idleTriggerMillis")]
    return table(
        head,
        [
            [f"{TITLES[case['name']]}, {case.label}", *(f"{case[f]:,.1f}" if case.get(f) else "" for f in fields)]
            for case in cases
        ],
    )


def micro_batches(results: Results) -> str:
    """The duration of each step of a micro-batch."""
    steps = ("triggerExecution", "addBatch", "latestOffset", "queryPlanning", "walCommit", "commitOffsets")
    cases = [case for case in results.where(partitions=4, content="bare", sink="noop") if case.get("microBatchMillis")]
    return table(
        ["", "events", *steps, "the last one, to the end of the log"],
        [
            [
                f"{size(case['bodyBytes'])}, {case.label}",
                f"{case['eventsPerBatch']:,.0f}",
                *(f"{case['microBatchMillis'].get(step, 0):,.0f}" for step in steps),
                f"{case['lastMicroBatchMillis']:,.0f}" if case.get("lastMicroBatchMillis") else "",
            ]
            for case in cases
        ],
    )


def without_fixed(results: Results) -> str:
    """A sentence that compares batch reads without the time of a query of one event per partition."""
    ours = results.one("batch-read", "spark-eventhubs", bodyBytes=1024)
    theirs = results.one("batch-read", "spark-kafka", bodyBytes=1024)
    if ours is None or theirs is None or not (ours.get("fixedMillis") and theirs.get("fixedMillis")):
        return ""
    rates_without = [
        case["events"] / (case["events"] / case.rate - case["fixedMillis"] / 1000) for case in (ours, theirs)
    ]
    return (
        f"Without that fixed time ({ours['fixedMillis']:,.0f} and {theirs['fixedMillis']:,.0f} ms), "
        "our batch read of 1 KB runs at "
        f"{rates_without[0]:,.0f} events/s and Kafka's at {rates_without[1]:,.0f}: "
        f"{rates_without[0] / rates_without[1]:.2f} times."
    )


def servers(results: Results) -> str:
    """The CPU use of hub and broker, in the cases that load them most."""
    most: dict[tuple[str, str], Case] = {}
    for case in results.cases:
        key = (case["name"], "broker" if case["system"] == "spark-kafka" else "hub")
        if key not in most or case["serverCores"] > most[key]["serverCores"]:
            most[key] = case
    return table(
        ["", "cores at most", "CPU us/event", "CPU us/event of the client"],
        [
            [
                f"{server}: {TITLES[name]}, {case.label}, {size(case['bodyBytes'])}, {partitions(case)}",
                f"{case['serverCores']:.2f}",
                f"{case['serverCpuMicrosPerEvent']:.2f}",
                f"{case['cpuMicrosPerEvent']:.2f}",
            ]
            for (name, server), case in most.items()
        ],
    )


def partitions(case: Case) -> str:
    """1 partition, 4 partitions."""
    return "1 partition" if case["partitions"] == 1 else f"{case['partitions']} partitions"


def digest(file: Path) -> str:
    """Identifies a set of results; the plot contains it."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def stale() -> list[str]:
    """The files that are out of date."""
    names = [
        str(page.relative_to(DOCS)) for page, text in pages().items() if not page.exists() or page.read_text() != text
    ]
    results = RESULTS / "latest.json"
    if results.exists() and not (PLOT.exists() and digest(results) in PLOT.read_text()):
        names.append(PLOT.name)
    return names


def main() -> int:
    """Exit code 1 when `--check` finds something stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, list what is out of date")
    if parser.parse_args().check:
        names = stale()
        print(f"out of date: {', '.join(names)}; run make bench-page" if names else "the pages show the latest results")
        return 1 if names else 0
    for page, text in pages().items():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
        print(f"wrote {page.relative_to(ROOT)}")
    results = RESULTS / "latest.json"
    if results.exists():
        draw(Results.read(results), PLOT, digest(results))
        print(f"wrote {PLOT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
