"""Plans of chaos runs."""

from __future__ import annotations

import inspect

from chaos_schedule import KINDS, plan
from chaos_world import ChaosWorld


def test_a_seed_gives_the_same_plan_again() -> None:
    assert plan(7, 180) == plan(7, 180)
    assert plan(7, 180) != plan(8, 180)


def test_faults_come_in_order_and_end_before_the_run() -> None:
    for seed in range(50):
        times = [fault.at for fault in plan(seed, 60).faults]
        assert times == sorted(times)
        assert times[-1] < 60


def test_every_kind_of_fault_happens_and_executors_die_on_clusters_only() -> None:
    plans = [plan(seed, 180) for seed in range(100)]

    assert {fault.name for each in plans for fault in each.faults} == KINDS.keys()
    assert {each.cluster for each in plans if any(f.name == "kill an executor" for f in each.faults)} == {True}


def test_the_world_takes_every_fault() -> None:
    for seed in range(50):
        for fault in plan(seed, 180).faults:
            method = getattr(ChaosWorld, KINDS[fault.name].method)
            inspect.signature(method).bind(None, **fault.arguments)
