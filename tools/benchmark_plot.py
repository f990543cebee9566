"""The plot of docs/benchmarks.md: rates compared with the SDK alone, for each size of body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmark_results import BODIES, Results, size

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

BARS = (
    ("spark-eventhubs, batch", "spark-eventhubs", "batch", "#1b5e8c"),
    ("spark-eventhubs, stream", "spark-eventhubs", "stream", "#6aaed6"),
    ("Spark's Kafka connector, batch", "spark-kafka", "batch", "#a04000"),
    ("Spark's Kafka connector, stream", "spark-kafka", "stream", "#eda268"),
)


def draw(results: Results, file: Path, digest: str) -> None:
    """One panel for reading and one for writing; 1 is the SDK alone, the line.

    Args:
        results: the results of a run
        file: an SVG, overwritten
        digest: stored in the file, identifies the results that it shows
    """
    mpl.rcParams["svg.hashsalt"] = "spark-eventhubs"  # the same file from the same results
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    reads, writes = figure.subplots(1, 2)
    panel(reads, results, "read", "receive")
    panel(writes, results, "write", "send")
    handles, labels = reads.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(file, format="svg", metadata={"Date": None, "Description": f"results {digest}"})


def panel(axes: Axes, results: Results, verb: str, alone: str) -> None:
    """Groups of bars, one group per size of body, with the SDK's events per second below it."""
    width = 0.8 / len(BARS)
    ticks = []
    for group, body in enumerate(BODIES):
        sdk = results.one(alone, "sdk", bodyBytes=body)
        ticks.append(f"{size(body)}\nSDK {sdk.rate / 1000:,.0f}k/s" if sdk else size(body))
        for index, (label, system, kind, color) in enumerate(BARS):
            case = results.one(f"{kind}-{verb}", system, bodyBytes=body)
            if sdk is None or case is None:
                continue
            ratio = case.rate / sdk.rate
            at = group + (index - (len(BARS) - 1) / 2) * width
            axes.bar(
                at, ratio, width, color=color, label=label if group == 0 else None, yerr=ratio * case["spread"] / 2
            )
            axes.text(at, ratio, f"{ratio:.2f}", ha="center", va="bottom", fontsize=7)
    axes.axhline(1, color="#444444", linewidth=1, label="the SDK alone")
    axes.set_xticks(range(len(BODIES)), ticks)
    axes.set_title(f"{verb}, 4 partitions")
    axes.set_ylabel("events/s, compared with the SDK alone")
    axes.spines[["top", "right"]].set_visible(False)
