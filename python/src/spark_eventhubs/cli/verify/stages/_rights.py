"""The rights of the two hubs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_eventhubs import check_sign_in
from spark_eventhubs.cli.verify._stage import DifferenceError

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._run import Run


def check_rights(run: Run) -> str:
    """Both hubs are read and written."""
    ways = []
    for hub in (run.setting.first, run.setting.second):
        found = check_sign_in(run.spark, run.conf(hub))
        problems = [problem for problem in (found.listen_problem, found.send_problem) if problem is not None]
        if problems:
            raise DifferenceError(f"the hub '{hub}': {' '.join(problems)}")
        ways.append(found.way)
    return f"both hubs may be read and written, with {ways[0]}"
