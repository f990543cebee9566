"""The goals and tables of the profile `cloud`, and of long streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmark_results import BODIES, Goal, Results, at_least, size, table
from benchmark_tables import NOT_IN_RUN, TITLES, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmark_results import Case

USUAL = 10
"""The round trip of the profile, in milliseconds."""

OURS, KAFKA, SDK = "spark-eventhubs", "spark-kafka", "sdk"
OF_KAFKA = {
    "batch-read": {100: 1.3, 1024: 2.0, 10240: 2.0},
    "batch-write": dict.fromkeys(BODIES, 4.0),
}
OF_KAFKA_STEADY = {
    "stream-read": {100: 1.3, 1024: 2.0, 10240: 2.0},
    "stream-write": dict.fromkeys(BODIES, 2.5),
}
OF_SDK = {"batch-read": "receive", "batch-write": "send"}
OF_DEFAULT = 0.9
OF_NO_DISTANCE = {"batch-read": 0.9, "stream-read": 0.85, "batch-write": 0.85}


def cloud_goals(results: Results) -> list[Goal]:
    """The goals of the profile that the run measured."""
    usual = results.of(profile="cloud", round_trip=USUAL)
    steady = results.of(profile="cloud", round_trip=USUAL, steady=True)
    near = results.of(profile="cloud", round_trip=0)
    return [
        *_of_sdk(usual),
        *_of_kafka(usual, OF_KAFKA, ""),
        *_of_kafka(steady, OF_KAFKA_STEADY, " in steady state"),
        *_of_no_distance(usual, near),
        *_exactly_once(usual),
        *_wide(usual),
    ]


def _of_sdk(results: Results) -> Iterator[Goal]:
    for name, alone in OF_SDK.items():
        for body in BODIES:
            pair = _found(results, name, OURS, body), _found(results, alone, SDK, body)
            yield from at_least(f"{TITLES[name]} of {size(body)}, compared with the SDK's {alone}", *pair, 0.9)


def _of_kafka(results: Results, wanted: dict[str, dict[int, float]], state: str) -> Iterator[Goal]:
    for name, bodies in wanted.items():
        for body, factor in bodies.items():
            pair = _found(results, name, OURS, body), _found(results, name, KAFKA, body)
            yield from at_least(f"{TITLES[name]} of {size(body)}{state}, compared with Kafka's", *pair, factor)


def _of_no_distance(far: Results, near: Results) -> Iterator[Goal]:
    for name, factor in OF_NO_DISTANCE.items():
        for body in BODIES:
            pair = _found(far, name, OURS, body), _found(near, name, OURS, body)
            yield from at_least(f"{TITLES[name]} of {size(body)}, compared with no distance", *pair, factor)


def _exactly_once(results: Results) -> Iterator[Goal]:
    for case in results.where(name="stream-write", deliveryGuarantee="exactly-once"):
        if case.get("ofDefault"):
            text = f"streaming write of {size(case['bodyBytes'])} exactly once, compared with the default"
            measured = f"{case['ofDefault']:.2f} in {len(case.get('ofDefaultOfJvms') or ())} pairs of JVMs"
            yield Goal(f"{text}: at least 0.9", measured, case["ofDefault"] >= OF_DEFAULT)


def _wide(results: Results) -> Iterator[Goal]:
    for name in ("batch-read", "stream-read"):
        wide = _found(results, name, OURS, 1024, partitions=32)
        text = f"{TITLES[name]} of 1 KB: 32 partitions, compared with 4"
        yield from at_least(text, wide, _found(results, name, OURS, 1024), 0.95)


def _found(results: Results, name: str, system: str, body: int, **fields: object) -> Case | None:
    return results.one(name, system, bodyBytes=body, **fields)


def network_table(results: Results) -> str:
    """The rates of each distance, and where the CPU time goes."""
    cases = [case for case in results.cases if case.get("profile") == "cloud" and not case.get("steady")]
    return _table(cases) if cases else NOT_IN_RUN


def steady_table(results: Results) -> str:
    """The rates of long streams."""
    cases = [case for case in results.cases if case.get("steady")]
    return _table(cases) if cases else NOT_IN_RUN


def cloud_summary(results: Results) -> str:
    """The connector's rates at the usual distance, as ratios; streams are those of the long queries where measured."""
    usual = results.of(profile="cloud", round_trip=USUAL)
    if not usual.cases:
        return NOT_IN_RUN
    steady = results.of(profile="cloud", round_trip=USUAL, steady=True)
    streams = "more than a hundred micro-batches" if steady.cases else "two to seven micro-batches"
    return f"{summary(usual, steady)}\n\nStreams are compared with Kafka's over {streams}."


def cloud_ratios(results: Results) -> dict[str, str]:
    """How many times as fast as Kafka's connector the connector is at 1 KB, in the rows of `cloud_summary`."""
    usual = results.of(profile="cloud", round_trip=USUAL)
    steady = results.of(profile="cloud", round_trip=USUAL, steady=True)
    names = {"Read": "stream-read", "Write": "stream-write"}
    ratios = {}
    for verb, name in names.items():
        long = [_found(steady, name, system, 1024) for system in (OURS, KAFKA)]
        ours, theirs = long if all(long) else [_found(usual, name, system, 1024) for system in (OURS, KAFKA)]
        ratios[f"cloud{verb}OfKafka"] = f"{ours.rate / theirs.rate:.1f}" if ours and theirs else NOT_IN_RUN
    return ratios


def cloud_run(machine: dict[str, Any]) -> str:
    """Sentences that name the run of the profile, and what it was measured with, where that was another one."""
    sentences = [
        _run(f"{subject} measured by", machine[part], machine)
        for part, subject in (("cloud", "This profile was"), ("streams", "Its long streams and the rates at 0 ms were"))
        if part in machine
    ]
    return " ".join(sentences)


def _run(subject: str, run: dict[str, Any], machine: dict[str, Any]) -> str:
    software = ("processor", "cores", "memory", "system", "java", "spark", "eventHubsSdk", "kafkaClient")
    others = [f"{name} {run[name]}" for name in software if run[name] != machine[name]]
    return (
        f"{subject} `BENCH={run['plan']}` of {run['date']}, {run['minutes']} minutes, at "
        f"{run['commit']}. Other programs used {run['otherCores']} cores."
        + (f" It had another machine or other software: {', '.join(others)}." if others else "")
    )


def _table(cases: list[Case]) -> str:
    head = ["", "round trip ms", "events/s", "MB/s", "CPU us/event", "tasks", "client", "server", "proxy cores"]
    rows = []
    for case in cases:
        threads = case.get("cpuMicrosPerEventOfThreads") or {}
        rows.append(
            [
                f"{size(case['bodyBytes'])}, {case['partitions']} partitions: {TITLES[case['name']]}, {case.label}",
                f"{case.get('roundTripMillis')}" if case.get("profile") == "cloud" else "loopback",
                f"{case.rate:,.0f} ± {50 * case['spread']:.0f} %",
                f"{case['megabytesPerSecond']:,.0f}",
                f"{case['cpuMicrosPerEvent']:.2f}",
                f"{threads.get('tasks', 0):.2f}",
                f"{threads.get('client', 0):.2f}",
                f"{case['serverCpuMicrosPerEvent']:.2f}",
                f"{case.get('proxyCores') or 0:.2f}",
            ]
        )
    return table(head, rows)
