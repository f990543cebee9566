from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from slow_events import Arrival, ThreadTimes, kind, neighbours, summary

MILLION = 1_000_000


def test_threads_are_of_the_compiler_the_collector_or_the_program() -> None:
    names = ("C2 CompilerThre", "C1 CompilerThre", "GC Thread#0", "G1 Conc#0", "VM Thread", "Executor task l")

    assert [kind(name) for name in names] == ["compiler", "compiler", *["collector"] * 3, "program"]


def test_a_slow_event_is_counted_next_to_what_ran_when_it_was_stored() -> None:
    times = {
        10: Counter(collector=20 * MILLION, compiler=40 * MILLION, waiting=300 * MILLION),
        20: Counter(compiler=30 * MILLION),
        30: Counter(program=90 * MILLION),
    }
    slow = [Arrival(millis, millis + 30, millis + 31) for millis in (499, 1049, 1050, 1500)]
    fast = [Arrival(500, 510, 520)]

    assert neighbours(slow, times) == {"a garbage collection": 1, "the JIT compiler": 2, "neither": 1}
    assert summary([*slow, *fast], times) == (
        "4 of 5 events took longer than 20 ms, on average 30.0 to the row and 1.0 from there; "
        "50% near the JIT compiler (40% of all events), 25% near a garbage collection (40% of all events), "
        "25% near neither (20% of all events); near them 0.5 threads waited for a core, near all events 0.8"
    )
    assert summary(fast, times) == "no event took longer than 20 ms"


def keeps_run_times() -> bool:
    try:
        return not Path("/proc/self/schedstat").read_text().startswith("0 ")
    except OSError:
        return False


@pytest.mark.skipif(not keeps_run_times(), reason="the kernel keeps no run times of threads")
def test_run_times_are_those_between_two_samples() -> None:
    sampler = ThreadTimes()
    task = Path(f"/proc/self/task/{os.getpid()}")
    into: Counter[str] = Counter()
    sampler.sample(task, into)
    assert not into
    while not into["program"]:
        sampler.sample(task, into)

    assert into["program"] > 0
