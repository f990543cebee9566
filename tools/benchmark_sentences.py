"""Figures of a run for the sentences of the benchmark pages, so that sentences and tables agree."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import median, quantiles

from benchmark_results import BODIES, Case, Results, size

NOT_MEASURED = "(not part of this run)"

Find = Callable[[int], Case | None]
"""The case of a size of bodies."""


def sentences(results: Results) -> dict[str, str]:
    """The figures in the text of the pages; the tables are in benchmark_page."""

    def ours(name: str, **fields: object) -> Find:
        return lambda body: results.one(name, "spark-eventhubs", bodyBytes=body, **fields)

    def kafka(name: str, **fields: object) -> Find:
        return lambda body: results.one(name, "spark-kafka", bodyBytes=body, **fields)

    def sdk(name: str, **fields: object) -> Find:
        return lambda body: results.one(name, "sdk", bodyBytes=body, **fields)

    wide: dict[str, object] = {"partitions": 32}
    four_tasks: dict[str, object] = {"partitions": 32, "maxPartitions": 4}
    return {
        "sdkRates": by_body(lambda body: rate(sdk("receive")(body))),
        "streamsOfKafka": ratios(ours("stream-read"), kafka("stream-read")),
        "streamsCpu": by_body(lambda body: cpu(ours("stream-read")(body), kafka("stream-read")(body))),
        "longerBatches": by_body(lambda body: longer(results, body)),
        "streamWritesOfSdk": ratios(ours("stream-write"), sdk("send")),
        "batchWritesOfSdk": ratios(ours("batch-write"), sdk("send")),
        "wideBatches": ratios(ours("batch-read", **wide), ours("batch-read")),
        "wideStreams": ratios(ours("stream-read", **wide), ours("stream-read")),
        "wideSdk": ratios(sdk("receive", **wide), sdk("receive")),
        "wideKafkaBatches": ratios(kafka("batch-read", **wide), kafka("batch-read")),
        "wideKafkaStreams": ratios(kafka("stream-read", **wide), kafka("stream-read")),
        "fourTasksBatches": ratios(ours("batch-read", **four_tasks), ours("batch-read", **wide)),
        "fourTasksStreams": ratios(ours("stream-read", **four_tasks), ours("stream-read", **wide)),
        "contentOfBare": ratios(ours("batch-read", content="properties and keys"), ours("batch-read")),
        "exactlyOnce": by_body(lambda body: cost_of(exactly_once_case(results, body))),
        "exactlyOncePairs": "; ".join(exactly_once_pairs(results)) or NOT_MEASURED,
    }


def by_body(figure: Callable[[int], str | None]) -> str:
    """A figure for each size of bodies that has one: `1.2 (100 B), 1.5 (1 KB)`."""
    figures = [(figure(body), body) for body in BODIES]
    return ", ".join(f"{text} ({size(body)})" for text, body in figures if text is not None) or NOT_MEASURED


def ratios(one: Find, other: Find) -> str:
    """The rates of one divided by those of the other."""

    def ratio(body: int) -> str | None:
        pair = one(body), other(body)
        return None if pair[0] is None or pair[1] is None else f"{pair[0].rate / pair[1].rate:.2f}"

    return by_body(ratio)


def rate(case: Case | None) -> str | None:
    """Events a second, in thousands."""
    return None if case is None else f"{case.rate / 1000:,.0f}k"


def cpu(ours: Case | None, theirs: Case | None) -> str | None:
    """CPU time per event of two clients, each with the CPU time of its server."""
    if ours is None or theirs is None:
        return None
    return " and ".join(f"{c['cpuMicrosPerEvent']:.2f} + {c['serverCpuMicrosPerEvent']:.2f} us" for c in (ours, theirs))


def longer(results: Results, body: int) -> str | None:
    """How much longer than expected a micro-batch took."""
    words = f"events of {size(body)}: no longer than"
    goal = next((goal for goal in results.goals() if words in goal.text), None)
    return None if goal is None or goal.ratio is None else f"{100 * (goal.ratio - 1):+.0f} %"


def exactly_once_case(results: Results, body: int) -> Case | None:
    """Streams that write exactly once, which are V1 streams."""
    return results.one(
        "stream-write", "spark-eventhubs", apiVersion="v1", bodyBytes=body, deliveryGuarantee="exactly-once"
    )


def cost_of(once: Case | None) -> str | None:
    """By how much exactly once lowers the default's rate, measured in pairs of JVMs."""
    return None if once is None or not once.get("ofDefault") else f"{max(0, 100 - 100 * once['ofDefault']):.0f} %"


def exactly_once_pairs(results: Results) -> Iterator[str]:
    """The cost of exactly once in each pair of JVMs, with the uncertainty of the median."""
    for body in BODIES:
        once = exactly_once_case(results, body)
        if once is not None and once.get("ofDefaultOfJvms"):
            pairs = [float(pair) for pair in once["ofDefaultOfJvms"]]
            low, high = nine_of_ten_medians(pairs)
            yield (
                f"**{once['ofDefault']:.2f}** at {size(body)} (pairs of JVMs: "
                f"{', '.join(f'{pair:.2f}' for pair in pairs)}; bootstrap: nine of ten medians lie between "
                f"{low:.2f} and {high:.2f})"
            )


def nine_of_ten_medians(values: list[float]) -> tuple[float, float]:
    """The range of nine of ten medians in a bootstrap: samples of the values, drawn with replacement."""
    draw = random.Random(1)  # noqa: S311 -- the same page for the same results
    medians = [median(draw.choices(values, k=len(values))) for _ in range(4000)]
    twentieths = quantiles(medians, n=20)
    return twentieths[0], twentieths[-1]
