"""`send` with a service that is a list: what it repeats, and what happens to lines that wait."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import termios
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import pytest
from azure.eventhub import EventData, EventDataBatch, EventHubProducerClient
from azure.eventhub.exceptions import AuthenticationError, ConnectError, EventHubError
from click.testing import CliRunner, Result

from console_script import started
from spark_eventhubs.cli import main
from spark_eventhubs.cli.send import _lines, _sender

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HUB = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=writer;SharedAccessKey=s3cr3t;EntityPath=telemetry"
BUSY = "The request was terminated\nError condition: com.microsoft:server-busy"


class FakeClient:
    """Fails at each call of `send_batch` that has a failure, in order, and stores the other batches."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        self.connect_failures: list[Exception] = []
        self.chunks: list[list[str]] = []
        self.before_answer: Callable[[], None] = lambda: None

    def close(self) -> None:
        pass

    def create_batch(self, **_: Any) -> EventDataBatch:  # noqa: ANN401
        if self.connect_failures:
            raise self.connect_failures.pop(0)
        return EventDataBatch(max_size_in_bytes=1000)

    def send_batch(self, batch: EventDataBatch) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.before_answer()
        self.chunks.append([event.body_as_str() for event in batch._internal_events if isinstance(event, EventData)])  # noqa: SLF001

    @property
    def lines(self) -> list[str]:
        return [line for chunk in self.chunks for line in chunk]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    fake = FakeClient()
    monkeypatch.setattr(EventHubProducerClient, "from_connection_string", lambda *_, **__: fake)
    monkeypatch.setattr(_sender, "_FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(_sender, "_LONGEST_WAIT_SECONDS", 0.002)
    return fake


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["send", "--connection-string", HUB, *arguments], input=stdin)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


READ = object()
"""A step of `Writer`: waits until everything that it has written is read."""


class Writer(threading.Thread):
    """Writes into a pipe, and keeps it open until its last step has ended."""

    def __init__(self, pipe: Path, *steps: object) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._steps = steps

    def run(self) -> None:
        with self._pipe.open("wb", buffering=0) as opened:
            for step in self._steps:
                if isinstance(step, bytes):
                    opened.write(step)
                elif step is READ:
                    wait_for(lambda: unread(opened.fileno()) == 0)
                elif callable(step):
                    step()


def unread(pipe: int) -> int:
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _python_ends_on_ctrl_c() -> Iterator[None]:
    # In a background shell the tests ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_busy_service_gets_the_same_batch_again(client: FakeClient) -> None:
    client.connect_failures = [EventHubError(BUSY)]
    client.failures = [*[EventHubError(BUSY)] * 3, ConnectError("Error condition: amqp:link:detach-forced")]

    done = run(stdin="one\ntwo\n")

    assert (done.exit_code, done.stderr) == (0, "2 events sent\n")
    assert client.chunks == [["one", "two"]]


def test_a_service_that_stays_busy_is_a_failure_after_a_while(
    client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sender, "_PATIENCE_SECONDS", 0.05)
    client.failures = [EventHubError(BUSY)] * 1000

    done = run(stdin="one\n")

    assert (done.exit_code, done.stderr) == (
        1,
        "Error: the hub 'telemetry' of ns.example.net answered: The request was terminated\n",
    )
    assert 0 < 1000 - len(client.failures) < 100


@pytest.mark.parametrize(
    "refusal", [AuthenticationError("refused"), EventHubError("Error condition: amqp:unauthorized-access")]
)
def test_a_refusal_is_not_repeated(client: FakeClient, refusal: Exception) -> None:
    client.failures = [refusal]

    assert run(stdin="one\n").exit_code == 1
    assert client.lines == []


def test_a_host_that_cannot_be_reached_is_reported_at_once(client: FakeClient) -> None:
    client.connect_failures = [ConnectError("Failed to initiate the connection due to exception: refused")]

    done = run(stdin="one\n")

    assert done.stderr.startswith("Error: cannot connect to ns.example.net: refused")


def test_lines_in_a_pipe_are_sent_though_no_further_line_comes(client: FakeClient, pipe: Path) -> None:
    Writer(pipe, b"one\ntwo\r\nthr", lambda: wait_for(lambda: client.lines == ["one", "two"]), b"ee\nend").start()

    done = run(str(pipe))

    assert (done.exit_code, done.stderr) == (0, "4 events sent\n")
    assert client.lines == ["one", "two", "three", "end"]


def test_lines_of_a_file_share_batches(client: FakeClient, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("".join(f"{number}\n" for number in range(600)))

    done = run(str(file))

    assert (done.exit_code, done.stderr) == (0, "600 events sent\n")
    assert client.lines == [str(number) for number in range(600)]
    assert min(len(chunk) for chunk in client.chunks[:-1]) > 10


def test_ctrl_c_sends_the_lines_that_were_read(client: FakeClient, pipe: Path) -> None:
    # The pipe stays open until the command has ended.
    has_ended = threading.Event()
    Writer(pipe, b"one\ntwo\nbegun", READ, interrupt, lambda: has_ended.wait(20)).start()

    done = run(str(pipe))

    has_ended.set()
    assert (done.exit_code, done.output) == (130, "")
    assert client.lines == ["one", "two"]


def test_ctrl_c_ends_a_process_that_waits_for_lines() -> None:
    with started(HUB, "send") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # The script is behind its imports when it has read this from the full pipe.
        process.stdin.write("x" * 300_000)
        process.stdin.flush()

        process.send_signal(signal.SIGINT)

        # Its standard input is still open.
        assert (process.wait(30), process.stderr.read()) == (130, "")


def test_ctrl_c_during_a_batch_waits_for_its_answer(client: FakeClient, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("".join(f"{number}\n" for number in range(1_000_000)))
    client.before_answer = interrupt_once()

    done = run(str(file))

    assert (done.exit_code, done.output) == (130, "")
    assert client.lines == [str(number) for number in range(len(client.lines))]
    assert 500 <= len(client.lines) < 100_000


def test_ctrl_c_while_the_service_is_busy_is_a_failure_with_the_number_of_sent_events(
    client: FakeClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_sender, "_FIRST_WAIT_SECONDS", 60)
    file = tmp_path / "lines"
    file.write_text("x" * 900 + "\n" + "y" * 900 + "\n")
    refused = threading.Event()

    class Refusals(list[Exception]):
        def pop(self, index: SupportsIndex = -1) -> Exception:
            refused.set()
            return super().pop(index)

    def then_busy() -> None:
        client.failures = Refusals([EventHubError(BUSY)] * 1000)

    client.before_answer = then_busy

    def interrupt_a_wait() -> None:
        refused.wait(20)
        interrupt()

    threading.Thread(target=interrupt_a_wait, daemon=True).start()

    done = run(str(file))

    assert done.exit_code == 1
    assert done.stderr.endswith("(1 event was sent)\n")


def test_a_failure_of_the_reading_thread_ends_the_command(client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_next_block: object) -> Iterator[bytes]:
        yield b"one"
        raise MemoryError

    monkeypatch.setattr(_lines, "_split", fail)

    done = run(stdin="one\n")

    assert done.exit_code == 1
    assert client.lines == ["one"]


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_lines_are_those_between_the_ends_however_they_are_read(block: int) -> None:
    data = b"one\r\n\ntwo\r\r\nthr\xffee\n\nfour\r"
    blocks = iter([data[start : start + block] for start in range(0, len(data), block)])

    assert list(_lines._split(lambda: next(blocks, b""))) == [b"one", b"", b"two\r", b"thr\xffee", b"", b"four\r"]  # noqa: SLF001


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read")
def test_a_file_that_cannot_be_read_is_one_line(client: FakeClient) -> None:
    done = run("/proc/self/mem")

    assert (done.exit_code, done.stderr) == (1, "Error: cannot read /proc/self/mem: Input/output error\n")
    assert client.lines == []


def interrupt_once() -> Callable[[], None]:
    left = [1]

    def call() -> None:
        if left and left.pop():
            interrupt()
            # The command has put Python's handler back for a second Ctrl-C.
            wait_for(lambda: signal.getsignal(signal.SIGINT) is signal.default_int_handler)

    return call
