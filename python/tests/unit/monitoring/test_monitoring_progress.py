"""The bars of batches over Spark Connect, in a notebook."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from spark_eventhubs import progress


class ConnectSession:
    """A session of Spark Connect, which calls its handlers as PySpark does."""

    def __init__(self) -> None:
        self.handlers: list[Any] = []

    def registerProgressHandler(self, handler: Any) -> None:  # noqa: ANN401, N802
        self.handlers.append(handler)

    def removeProgressHandler(self, handler: Any) -> None:  # noqa: ANN401, N802
        self.handlers.remove(handler)

    def run(self, *stages: tuple[int, int, int]) -> None:
        """An action. Each stage has its id, its completed tasks and all its tasks."""
        names = ("stage_id", "num_completed_tasks", "num_tasks")
        for handler in self.handlers:
            infos = [SimpleNamespace(**dict(zip(names, stage, strict=True))) for stage in stages]
            handler(stages=infos, inflight_tasks=1, operation_id="1", done=False)


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook's cell shows, one text for each update."""
    shown: list[str] = []

    def display(content: Any, **_: object) -> Any:  # noqa: ANN401
        shown.append(content.data)
        return SimpleNamespace(update=display)

    monkeypatch.setattr("spark_eventhubs._monitoring.bars.is_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    return shown


def test_a_stage_without_tasks_has_no_bar(cell: list[str]) -> None:
    session: Any = ConnectSession()

    with progress(session):
        session.run((1, 0, 0), (2, 1, 4))

    assert "stage 2: 1 of 4 tasks" in cell[-1]
    assert "stage 1" not in cell[-1]


def test_bars_that_fail_do_not_fail_the_action(
    cell: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the kernel is gone")

    monkeypatch.setattr("IPython.display.display", fail)
    session: Any = ConnectSession()

    with progress(session):
        session.run((1, 1, 4))
        session.run((1, 2, 4))

    assert (cell, session.handlers) == ([], [])
    assert [record.getMessage() for record in caplog.records] == ["progress shows no further bars"]
