"""The tables of the benchmark pages."""

from __future__ import annotations

from typing import Any

from benchmark_results import BODIES, Case, Goal, Results, size, table

TITLES = {
    "receive": "receive",
    "batch-read": "batch read",
    "stream-read": "streaming read",
    "send": "send",
    "batch-write": "batch write",
    "stream-write": "streaming write",
}

NOT_IN_RUN = "Not part of this run."


def summary(results: Results, long_streams: Results | None = None) -> str:
    """The connector's rates, as ratios to the SDK's and to those of Spark's Kafka connector.

    Args:
        results: of short queries
        long_streams: of long queries, whose streams replace those of short queries in the comparison with Kafka
    """
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
            theirs = sdk_name if system == "sdk" else name
            row += [
                _ratio(name, theirs, system, body, long_streams) or _ratio(name, theirs, system, body, results)
                for body in BODIES
            ]
        rows.append(row)
    return table(head, rows)


def _ratio(ours: str, theirs: str, system: str, body: int, results: Results | None) -> str:
    """The connector's rate divided by that of a system; empty where one of them was not measured."""
    if results is None:
        return ""
    one, other = results.one(ours, "spark-eventhubs", bodyBytes=body), results.one(theirs, system, bodyBytes=body)
    return "" if one is None or other is None else f"{one.rate / other.rate:.2f}"


def goals_table(goals: list[Goal], before: list[Goal]) -> str:
    """All goals of a run, with the figures of the run before it."""
    earlier = {goal.text: goal.measured for goal in before}
    rows = [[g.text, g.measured, "yes" if g.reached else "**no**", earlier.get(g.text, "")] for g in goals]
    return table(["Goal", "measured", "reached", "previous run"], rows)


def scale_table(scale: dict[str, Any]) -> str:
    """The cost of a micro-batch of a hub with many partitions."""
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
        "noticeMillis": "a new event is read after, ms",
        "longestNoticeMillis": "the latest of 20",
    }
    # Results of an earlier version lack some.
    measured = {field: title for field, title in fields.items() if all(field in case for case in scale["cases"])}
    return _fields_table(measured, scale["cases"])


def query_table(queries: dict[str, Any]) -> str:
    """What several queries of one application ask, and how late they notice events."""
    fields = {
        "queries": "queries",
        "secondsToStartAll": "until all have started, s",
        "idleCallsPerSecond": "management calls/s, idle",
        "callsInBusiestSecond": "in the busiest second",
        "secondsToNotice": "to notice, s",
    }
    return _fields_table(fields, queries["cases"])


def cluster_table(cluster: dict[str, Any]) -> str:
    """What the executors of a query open and ask."""
    fields = {
        "executors": "executors",
        "coresEach": "cores of each",
        "partitions": "partitions",
        "busyExecutors": "executors with partitions",
        "connections": "connections",
        "mostConnectionsOfOne": "of one executor",
        "links": "links",
        "mostLinksOfAPartition": "of one partition",
        "tokens": "tokens",
        "driverQuestions": "calls of the driver",
        "executorQuestions": "of executors",
        "refused": "refused",
        "secondsUntilAllAnswered": "until all are answered, s",
    }
    return _fields_table(fields, cluster["cases"])


def exactly_once_table(scale: dict[str, Any]) -> str:
    """The time of an exactly-once micro-batch to a hub with many partitions, without faults and with a lost answer."""
    fields = {
        "firstBatchSeconds": "first micro-batch, s",
        "batchSeconds": "next ones, median, s",
        "longestBatchSeconds": "longest, s",
        "lostAnswerBatchSeconds": "with a lost answer, s",
    }
    rows = [[f"{case['partitions']:,}", *(f"{case[field]:.2f}" for field in fields)] for case in scale["cases"]]
    return table(["partitions", *fields.values()], rows)


def round_trips_table(counted: dict[str, Any]) -> str:
    """The round trips of queries, with the connector of different commits side by side."""
    runs = counted["runs"]
    names = [case["query"] for case in runs[-1]["cases"]]
    found = [{case["query"]: case["roundTrips"] for case in one["cases"]} for one in runs]
    rows = [[name, *(f"{one[name]:.1f}" if name in one else "" for one in found)] for name in names]
    return table(["", *(one["of"] for one in runs)], rows)


def _fields_table(fields: dict[str, str], cases: list[dict[str, float]]) -> str:
    rows = [[f"{case[field]:,.1f}".removesuffix(".0") for field in fields] for case in cases]
    return table(list(fields.values()), rows)


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
    return table(head, rows) if rows else NOT_IN_RUN


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
