"""The faults that Python names are those of the local hub."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from spark_eventhubs.local_hub.faults import FaultAction, FaultOccasion

ROOT = Path(__file__).resolve().parents[2]
SCALA = (ROOT / "localhub/src/main/scala/localhub/http/FaultJson.scala").read_text(encoding="utf-8")


def words(start: str, pattern: str) -> list[str]:
    """The words of a list in Scala's source."""
    return re.findall(pattern, SCALA.split(start)[1].split("\n  )")[0].split("\n    )")[0])


def test_the_actions_are_those_of_the_hub() -> None:
    assert list(get_args(FaultAction)) == words("val actions =", r'"([a-z-]+)"')


def test_the_occasions_are_those_of_the_hub() -> None:
    assert sorted(get_args(FaultOccasion)) == sorted(words("val occasions", r'"([a-z-]+)" ->'))
