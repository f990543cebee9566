"""Views in unusual places: narrow terminals, old encodings, closed pipes, names that look like markup."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from recorded import KINDS, RecordedQuery, on_screen, recorded, summary_of
from spark_eventhubs import watch
from spark_eventhubs._monitoring.bars import new_bars
from spark_eventhubs._monitoring.queries import error_sentence
from spark_eventhubs._monitoring.terminal import TerminalDisplay
from spark_eventhubs._monitoring.watching import Watch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs._monitoring.queries import WatchedQuery

AT_ONCE = timedelta(0)


def named(name: str, run: str = "1", trigger: str = "available-now") -> RecordedQuery:
    reports = [report | {"name": name, "runId": run} for report in recorded("classic-4.2", trigger)]
    return RecordedQuery(reports)


def watched(*queries: RecordedQuery, encoding: str = "utf-8", width: int = 80) -> str:
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding, write_through=True)
    console = Console(file=file, width=width, height=50, force_terminal=True, color_system=None, legacy_windows=False)
    display = TerminalDisplay(console)
    Watch(lambda: list(queries), display, AT_ONCE).wait()
    return written.getvalue().decode(encoding)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trigger", ["available-now", "continuous"])
@pytest.mark.parametrize("width", [40, 50, 65])
def test_a_narrow_terminal_shows_all_values(kind: str, trigger: str, width: int) -> None:
    one = summary_of(recorded(kind, trigger))

    shown = on_screen([one], width=width)
    for value in (one.behind, one.process_rate, one.rows, one.batch_duration, one.sources[0].total.read_rate):
        assert value in shown
    assert "…" not in shown

    shown = on_screen([one, one], width=width)
    assert shown.count(one.behind) >= 2
    assert shown.count(one.state) == 2 or "% done" in shown
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize("name", ["orders [EU]", "a [/b]", "etl:fire:1"])
def test_a_name_is_not_markup(name: str) -> None:
    assert name in watched(named(name), named("other", run="2"))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_lines_gets_a_view(encoding: str) -> None:
    shown = watched(named("copy", trigger="continuous"), encoding=encoding)
    assert "ended" in shown
    assert "events behind" in shown


def test_a_log_escapes_what_its_encoding_lacks() -> None:
    written = io.BytesIO()

    watch(named("Zähler"), interval=AT_ONCE, file=io.TextIOWrapper(written, encoding="ascii", write_through=True))

    assert written.getvalue().decode("ascii").splitlines()[-1].endswith(r" Z\xe4hler ended")


def test_a_file_that_is_no_stream_of_python_gets_lines() -> None:
    class Lines:
        def __init__(self) -> None:
            self.written = ""

        def write(self, text: str) -> None:
            self.written += text

        def flush(self) -> None:
            """Nothing is kept back."""

    file: Any = Lines()
    watch(named("copy"), interval=AT_ONCE, file=file)
    assert file.written.endswith(" copy ended\n")


def test_a_closed_pipe_is_not_reported_as_a_failure_of_spark() -> None:
    class Closed(io.StringIO):
        lines = 0

        def write(self, text: str) -> int:
            if self.lines == 1:
                raise BrokenPipeError
            self.lines += 1
            return super().write(text)

    file = Closed()
    with pytest.raises(BrokenPipeError) as failure:
        watch(named("copy"), interval=AT_ONCE, file=file)
    assert failure.value.__context__ is None
    assert "Spark does not answer" not in file.getvalue()


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        ({"interval": 1}, TypeError, "expected a timedelta"),
        ({"output": "html"}, ValueError, "expected one of auto, terminal, notebook, log"),
    ],
)
def test_a_wrong_argument_is_refused_at_once(wrong: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        watch(named("copy"), **wrong)


def test_the_sentence_of_a_condition_below_another_one_is_found() -> None:
    text = "Job aborted: EventHubsException: [EVENTHUBS_EXACTLY_ONCE.TASK_STILL_RUNS] Task 1 runs.\n\tat a.B"
    assert error_sentence(ValueError(text)) == "[EVENTHUBS_EXACTLY_ONCE.TASK_STILL_RUNS] Task 1 runs."


def test_a_block_inside_another_one_has_its_bars() -> None:
    file = io.StringIO()
    with new_bars(file) as outer:
        with new_bars(file) as inner:
            assert inner is outer
        with new_bars(io.StringIO()) as other:
            assert other is not outer
        outer.show(1, 2, 4)
    with new_bars(file) as later:
        assert later is not outer
    assert file.getvalue().count("stage 1") == 1


class OpenedBy:
    """A display that remembers which thread opened it."""

    thread: threading.Thread | None = None

    def open(self) -> None:
        self.thread = threading.current_thread()

    def show(self, queries: Sequence[WatchedQuery]) -> None: ...

    def note(self, sentence: str) -> None: ...

    def close(self) -> None: ...


def test_a_view_in_the_background_is_opened_before_its_start_returns() -> None:
    # A notebook drops an output that a cell gets after its end.
    display = OpenedBy()

    Watch(list, display, AT_ONCE).start().stop()

    assert display.thread is threading.current_thread()


INTERRUPTED = """
import os, signal, threading
from datetime import timedelta
from spark_eventhubs._monitoring.watching import Watch

class View:
    def open(self):
        threading.Timer(0.001, os.kill, (os.getpid(), signal.SIGINT)).start()
    def note(self, sentence): pass
    def close(self): pass

class Endless(Watch):
    def _update(self): return True

for _ in range(300):
    Endless(lambda: [], View(), timedelta(0)).wait()
print("ended")
"""


def test_ctrl_c_ends_a_view_at_any_moment() -> None:
    # In a program of its own: when the handler waits for the interrupted thread, it waits for ever.
    program = [sys.executable, "-c", INTERRUPTED]
    assert subprocess.run(program, timeout=60, capture_output=True, check=False, text=True).stdout == "ended\n"
