"""How the local hub of the tests treats its clients: `HUB_SERVICE` is `strict` or `strict-quick`.

`strict-quick` has the rules of the strict profile, with ten answers in a second that are 3 s old. All limits of tests
are longer there by one factor. `@pytest.mark.not_on_strict(reason=...)` skips a test that means nothing there.
"""

from __future__ import annotations

import os
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pytest

from spark_eventhubs import LocalHub

if TYPE_CHECKING:
    from collections.abc import Sequence

_FACTORS: Final = {"": 1, "strict-quick": 4, "strict": 15}
_SERVICE: Final = os.environ.get("HUB_SERVICE", "")

PATIENCE: Final = _FACTORS[_SERVICE]
"""The factor of all time limits."""

IS_STRICT: Final = _SERVICE != ""
_MAX_AGE: Final = {"": 0, "strict-quick": 3, "strict": 30}[_SERVICE]


def started_hub() -> LocalHub:
    """A hub of the chosen kind."""
    if _SERVICE == "strict-quick":
        return LocalHub(service="strict", management_limit=10, management_max_age=timedelta(seconds=_MAX_AGE))
    return LocalHub(service="strict") if IS_STRICT else LocalHub()


def await_answers() -> None:
    """After this, the hub's answers have all events that were sent before."""
    time.sleep(_MAX_AGE)


def adapted(items: Sequence[pytest.Item], usual_limit: float) -> None:
    """Makes the time limits of tests longer, and skips those that mean nothing on the strict profile."""
    if not IS_STRICT:
        return
    for item in items:
        own = item.get_closest_marker("timeout")
        limit = own.args[0] if own is not None else usual_limit
        item.add_marker(pytest.mark.timeout(PATIENCE * limit), append=False)
        refused = item.get_closest_marker("not_on_strict")
        if refused is not None:
            item.add_marker(pytest.mark.skip(reason=f"not on the strict profile: {refused.kwargs['reason']}"))
