"""Writes docs/benchmarks.md with its plot, and docs/tuning.md, from the results of the benchmarks.

What people wrote is in benchmarks/pages; `{{name}}` there is filled in here, so the pages cannot say other figures
than the results hold. `--check` writes nothing and fails when a page or the plot is not of these results.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from benchmark_plot import draw
from benchmark_results import Case, Goal, Results, size, table
from benchmark_sentences import sentences

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGES = ROOT / "benchmarks" / "pages"
DOCS = ROOT / "docs"
PLOT = DOCS / "benchmarks.svg"
TITLES = {
    "receive": "receive",
    "batch-read": "batch read",
    "stream-read": "streaming read",
    "send": "send",
    "batch-write": "batch write",
    "stream-write": "streaming write",
}


def pages() -> dict[Path, str]:
    """The text of each page that there are results for."""
    texts = {}
    if (RESULTS / "latest.json").exists():
        before = run(RESULTS / "previous") if (RESULTS / "previous").exists() else None
        texts[DOCS / "benchmarks.md"] = filled("benchmarks.md", benchmark_parts(*run(RESULTS), before))
    if (RESULTS / "scale.json").exists():
        texts[DOCS / "tuning.md"] = filled("tuning.md", scale_parts(json.loads((RESULTS / "scale.json").read_text())))
    return texts


def run(folder: Path) -> tuple[Results, dict[str, Any]]:
    """The results of a run, and what it was made on."""
    return Results.read(folder / "latest.json"), json.loads((folder / "machine.json").read_text())


def filled(name: str, parts: dict[str, str]) -> str:
    """A page of benchmarks/pages.

    Raises:
        KeyError: it names something that is not among the parts.
    """
    text = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], (PAGES / name).read_text())
    return f"<!-- Written by tools/benchmark_page.py from benchmarks/results; edit benchmarks/pages/{name} -->\n{text}"


def benchmark_parts(
    results: Results, machine: dict[str, Any], before: tuple[Results, dict[str, Any]] | None = None
) -> dict[str, str]:
    """What docs/benchmarks.md is filled with."""
    goals = results.goals()
    return {
        "machine": machine_table(machine),
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


def goals_table(goals: list[Goal], before: list[Goal]) -> str:
    """All goals of a run, beside what the run before it came to."""
    earlier = {goal.text: goal.measured for goal in before}
    rows = [[g.text, g.measured, "yes" if g.reached else "**no**", earlier.get(g.text, "")] for g in goals]
    return table(["Goal", "measured", "reached", "the run before"], rows)


def run_before(machine: dict[str, Any], goals: list[Goal]) -> str:
    """A sentence on what the goals' last column is of."""
    return (
        f"The run before, at {machine['commit']} ({machine['date']}, {machine['minutes']} minutes), reached "
        f"{sum(goal.reached for goal in goals)} of {len(goals)}."
    )


def scale_parts(scale: dict[str, Any]) -> dict[str, str]:
    """What docs/tuning.md is filled with."""
    fields = {
        "partitions": "partitions",
        "triggerMillis": "micro-batch, ms",
        "addBatchMillis": "of it: tasks",
        "addBatchInFourTasksMillis": "with maxPartitions=4",
        "checkpointMillis": "checkpoint",
        "latestOffsetMillis": "ends",
        "planningMillis": "planning",
        "firstBatchMillis": "first micro-batch, ms",
        "offsetFileBytes": "offsets, bytes",
        "idleCallsPerSecond": "management calls/s, waiting",
        "callsInBusiestSecond": "in the busiest second",
    }
    rows = [[f"{case[field]:,.1f}".removesuffix(".0") for field in fields] for case in scale["cases"]]
    return {
        "scale": table(list(fields.values()), rows),
        "scaleMachine": f" {scale['cores']} cores, other programs used {scale['otherCores']} of them, {scale['date']}.",
    }


def machine_table(machine: dict[str, Any]) -> str:
    """What the run was made on."""
    rows = [
        ("Machine", f"{machine['processor']}, {machine['cores']} cores, {machine['memory']}, {machine['system']}"),
        ("JVM", machine["java"]),
        ("Spark", f"{machine['spark']}, `local[2]`, one JVM with a heap of 2 GB per query"),
        ("Event Hubs", f"azure-messaging-eventhubs {machine['eventHubsSdk']}; the local hub, events in memory"),
        ("Kafka", f"client and broker {machine['kafkaClient']}, one node, KRaft, settings as they come"),
        (
            "Run",
            f"`BENCH={machine['plan']}` of {machine['date']}, {machine['minutes']} minutes, at {machine['commit']}",
        ),
        ("Other programs", f"used {machine['otherCores']} cores meanwhile (median of all passes)"),
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
    # A ratio stands only beside what it is of. (The SDK has no sink, and its cases are those of every table.)
    beside_sdk = any(case["system"] == "sdk" for case in cases)
    rows = [
        [
            f"{size(case['bodyBytes'])}, {case['partitions']} partitions: {TITLES[case['name']]}, {case.label}",
            f"{case.rate:,.0f} ± {50 * case['spread']:.0f} %",
            f"{case['megabytesPerSecond']:,.0f}",
            f"{case['ofSdk']:.2f}" if beside_sdk and case.get("ofSdk") else "",
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
    """What a query costs before its first event, cold and warm, and what triggers cost."""
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
    """Where the time of a micro-batch goes."""
    steps = ("triggerExecution", "addBatch", "latestOffset", "queryPlanning", "walCommit", "commitOffsets")
    cases = [case for case in results.where(partitions=4, content="bare", sink="noop") if case.get("microBatchMillis")]
    return table(
        ["", "events", *steps, "its last, to the end of the log"],
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
    """Batch reads less what a query of one event per partition takes, as a sentence."""
    ours = results.one("batch-read", "spark-eventhubs", bodyBytes=1024)
    theirs = results.one("batch-read", "spark-kafka", bodyBytes=1024)
    if ours is None or theirs is None or not (ours.get("fixedMillis") and theirs.get("fixedMillis")):
        return ""
    going = [case["events"] / (case["events"] / case.rate - case["fixedMillis"] / 1000) for case in (ours, theirs)]
    return (
        f"Less that fixed time ({ours['fixedMillis']:,.0f} and {theirs['fixedMillis']:,.0f} ms), "
        "our batch read of 1 KB goes at "
        f"{going[0]:,.0f} events/s and Kafka's at {going[1]:,.0f}: {going[0] / going[1]:.2f} times."
    )


def servers(results: Results) -> str:
    """The servers' share, of the cases that load them most."""
    most: dict[tuple[str, str], Case] = {}
    for case in results.cases:
        key = (case["name"], "broker" if case["system"] == "spark-kafka" else "hub")
        if key not in most or case["serverCores"] > most[key]["serverCores"]:
            most[key] = case
    return table(
        ["", "its cores at most", "its CPU us/event", "the client's CPU us/event"],
        [
            [
                f"{server}: {TITLES[name]}, {case.label}, {size(case['bodyBytes'])}, {case['partitions']} partitions",
                f"{case['serverCores']:.2f}",
                f"{case['serverCpuMicrosPerEvent']:.2f}",
                f"{case['cpuMicrosPerEvent']:.2f}",
            ]
            for (name, server), case in most.items()
        ],
    )


def digest(file: Path) -> str:
    """Tells one set of results from another; the plot carries it."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def stale() -> list[str]:
    """The files that are not of these results."""
    names = [page.name for page, text in pages().items() if not page.exists() or page.read_text() != text]
    results = RESULTS / "latest.json"
    if results.exists() and not (PLOT.exists() and digest(results) in PLOT.read_text()):
        names.append(PLOT.name)
    return names


def main() -> int:
    """Exit code 1 when `--check` finds something stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    if parser.parse_args().check:
        names = stale()
        print(f"stale: {', '.join(names)}; run make bench-page" if names else "the pages are of the latest results")
        return 1 if names else 0
    for page, text in pages().items():
        page.write_text(text)
        print(f"wrote {page.relative_to(ROOT)}")
    results = RESULTS / "latest.json"
    if results.exists():
        draw(Results.read(results), PLOT, digest(results))
        print(f"wrote {PLOT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
