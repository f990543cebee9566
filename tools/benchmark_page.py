"""Puts the figures of the benchmark results into the pages that show them, and draws the plot of docs/benchmarks.md.

A page has its figures between `<!--name-->` and `<!--/-->`. This program replaces what is between them and leaves all
other text as it is, so that text and results agree. `--check` writes nothing and fails when a page or the plot is out
of date.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark_cloud import cloud_goals, cloud_ratios, cloud_run, cloud_summary, network_table, steady_table
from benchmark_latency import latency_table
from benchmark_plot import draw
from benchmark_results import Goal, Results
from benchmark_sentences import NOT_MEASURED, sentences
from benchmark_tables import (
    NOT_IN_RUN,
    cluster_table,
    exactly_once_table,
    fixed_costs,
    goals_table,
    machine_table,
    micro_batches,
    query_table,
    rates,
    round_trips_table,
    scale_table,
    servers,
    summary,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", DOCS / "index.md", DOCS / "benchmarks.md", DOCS / "internals" / "benchmarks.md")
PLOT = DOCS / "benchmarks.svg"
LINE_LENGTH = 120
LIST_ENTRY = "- "
GLUE = "\0"
NOT_PROSE = ("#", "|", "```", "![", "    ", "<!--")
FIGURES = re.compile(r"<!--(\w+)-->(.*?)<!--/-->", re.DOTALL)
NO_SCALE = {"scale": NOT_MEASURED, "scaleMachine": ""}
NO_COUNTS = dict.fromkeys(("queries", "cluster", "exactlyOnceScale", "roundTrips"), NOT_MEASURED)


def pages() -> dict[Path, str]:
    """The text of each page with the figures of the results that exist."""
    scale_file = RESULTS / "scale.json"
    more = {
        "queries": table_of("queries.json", query_table),
        "cluster": table_of("cluster.json", cluster_table),
        "exactlyOnceScale": table_of("exactly-once.json", exactly_once_table),
        "roundTrips": table_of("round-trips.json", round_trips_table),
    } | (scale_parts(json.loads(scale_file.read_text())) if scale_file.exists() else NO_SCALE)
    if not (RESULTS / "latest.json").exists():
        return {}
    before = run(RESULTS / "previous") if (RESULTS / "previous" / "latest.json").exists() else None
    latency_file = RESULTS / "latency.json"
    latency = latency_table(json.loads(latency_file.read_text())) if latency_file.exists() else NOT_IN_RUN
    parts = benchmark_parts(*run(RESULTS), before) | more | {"latency": latency}
    return {page: filled(page.read_text(), parts) for page in PAGES}


def table_of(name: str, make: Callable[[dict[str, Any]], str]) -> str:
    """The table of a file of results; a sentence when the file does not exist."""
    file = RESULTS / name
    return make(json.loads(file.read_text())) if file.exists() else NOT_MEASURED


def run(folder: Path) -> tuple[Results, dict[str, Any]]:
    """The results of a run, and the machine that it ran on."""
    return Results.read(folder / "latest.json"), json.loads((folder / "machine.json").read_text())


def filled(text: str, parts: dict[str, str]) -> str:
    """A page with its figures replaced. Figures on lines of their own stay so.

    Raises:
        KeyError: the page has a name that is not among the parts.
    """

    def with_figures(found: re.Match[str]) -> str:
        around = "\n\n" if found[2].startswith("\n") else ""
        return f"<!--{found[1]}-->{around}{parts[found[1]]}{around}<!--/-->"

    return reflowed(FIGURES.sub(with_figures, text))


def reflowed(markdown: str) -> str:
    """Breaks the prose of a page into lines again where it has figures, because these change their length.

    Such a paragraph or entry of a list becomes lines of at most 120 characters. All other lines stay as they are. What
    belongs to an entry of a list, behind an empty line, keeps its two spaces. No line of prose begins with a comment:
    Markdown would end the paragraph there.
    """
    lines: list[str] = []
    prose: list[str] = []

    def end_paragraph() -> None:
        if prose and not any("<!--" in line for line in prose):
            lines.extend(prose)
        elif prose:
            first = "  " if prose[0].startswith("  ") else ""
            indent = "  " if prose[0].startswith(LIST_ENTRY) else first
            text = " ".join(line.strip() for line in prose).replace(" <!--", GLUE + "<!--")
            wrapped = textwrap.wrap(
                text,
                LINE_LENGTH,
                initial_indent=first,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            lines.extend(line.replace(GLUE, " ") for line in wrapped)
        prose.clear()

    is_code = False
    for line in markdown.split("\n"):
        is_prose = not is_code and line != "" and not line.startswith(NOT_PROSE) and not line.lstrip().startswith("|")
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
    """The figures by their names."""
    everything, results = results, results.of()
    goals = results.goals()
    cloud = cloud_goals(everything)
    return {
        "cloudGoals": goals_table(cloud, cloud_goals(before[0]) if before else []) if cloud else NOT_IN_RUN,
        "cloudRates": network_table(everything),
        "cloudRun": cloud_run(machine),
        "cloudSummary": cloud_summary(everything),
        "steadyRates": steady_table(everything),
        "machine": machine_table(machine),
        "summary": summary(results),
        "goals": goals_table(goals, before[0].of().goals() if before else []),
        "reached": f"{sum(goal.reached for goal in goals)} of {len(goals)}",
        "before": run_before(before[1], before[0].of().goals()) if before else "",
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
        **cloud_ratios(everything),
        "streamMemory": measured(goals, "memory bounded by options, not by backlog (stream read)"),
        **NO_SCALE,
        "latency": NOT_IN_RUN,
        **NO_COUNTS,
    }


def measured(goals: list[Goal], text: str) -> str:
    """What the run measured for a goal."""
    return next((goal.measured for goal in goals if goal.text == text), NOT_MEASURED)


def scale_parts(scale: dict[str, Any]) -> dict[str, str]:
    """The figures of hubs with many partitions."""
    machine = f"{scale['cores']} cores, other programs used {scale['otherCores']} of them, {scale['date']}."
    return {"scale": scale_table(scale), "scaleMachine": machine}


def run_before(machine: dict[str, Any], goals: list[Goal]) -> str:
    """A sentence that names the run in the last column of the goals."""
    return (
        f"The previous run, at {machine['commit']} ({machine['date']}, {machine['minutes']} minutes), reached "
        f"{sum(goal.reached for goal in goals)} of {len(goals)}."
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


def digest(file: Path) -> str:
    """Identifies a set of results; the plot contains it."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def stale() -> list[str]:
    """The files that are out of date."""
    names = [str(page.relative_to(ROOT)) for page, text in pages().items() if page.read_text() != text]
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
        page.write_text(text)
        print(f"wrote {page.relative_to(ROOT)}")
    results = RESULTS / "latest.json"
    if results.exists():
        draw(Results.read(results).of(), PLOT, digest(results))
        print(f"wrote {PLOT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
