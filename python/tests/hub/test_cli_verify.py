"""`spark-eventhubs verify` without Spark: its connection, its questions to the service, its report."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
import urllib.request
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from azure.eventhub._pyamqp._encode import encode_payload
from azure.eventhub._pyamqp.message import Message

from console_script import ended
from spark_eventhubs import LocalHub
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._properties import all_partitions
from spark_eventhubs.cli._target import Target, namespace_host
from spark_eventhubs.cli.doctor import _network
from spark_eventhubs.cli.verify import CONTAINER_VARIABLE, _probes, _require_writable, _spark, _spark_run, of_file
from spark_eventhubs.cli.verify._connection import connection_stage
from spark_eventhubs.cli.verify._probes import probes
from spark_eventhubs.cli.verify._report import Report, hidden, shown_stage
from spark_eventhubs.cli.verify._run import Run
from spark_eventhubs.cli.verify._spark_run import MARK
from spark_eventhubs.cli.verify._stage import WITH_SPARK, DifferenceError, NotSeenError, skipped
from spark_eventhubs.cli.verify._wire import recorded
from spark_eventhubs.cli.verify.stages._exactly_once import require_sockets
from spark_eventhubs.cli.verify.stages._resetting_proxy import ResettingProxy
from spark_eventhubs.cli.verify.stages._stream import await_end
from spark_eventhubs.local_hub import Compaction
from verify_settings import DEVELOPMENT, setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]
PROPERTIES_MAX_AGE = timedelta(seconds=5)


@pytest.fixture(scope="module")
def strict() -> Iterator[LocalHub]:
    with LocalHub(hubs={"one": 1}, service="strict", management_max_age=PROPERTIES_MAX_AGE) as hub:
        yield hub


@pytest.fixture(autouse=True)
def few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_probes, "_REQUESTS", 3)


def seen(hub: LocalHub, name: str) -> tuple[dict[str, str], list[str]]:
    """What was seen, by the first words of the question, and the trace."""
    target = Target.of(hub.connection_string(name), None)
    with recorded() as wire:
        answers = {" ".join(each.question.split()[:4]): each.seen for each in probes(target, "$Default", "x", wire, 0)}
    return answers, list(wire.lines(target.host))


def test_the_questions_on_a_hub_where_each_answer_is_convenient(local_hub: LocalHub) -> None:
    hub = local_hub.create_hub("convenient", partitions=1)
    hub.send("body-of-the-user", partition=0)

    answers, trace = seen(local_hub, hub.name)

    assert answers["Is a reader that"].startswith("yes, after")
    assert "max-message-size 1048576" in answers["What does the service"]
    assert answers["Is the capability of"].startswith("yes: ")
    assert answers["How many requests for"].startswith("3 of 3, one after the other")
    assert "was reported" in answers["How old are the"]
    assert answers["Is begin_sequence_number the number"] == "yes: it is 0, the first event has 0"
    assert "x-opt-sequence-number (int)" in answers["Which sections and annotations"]
    frames = [json.loads(line) for line in trace]
    # A link that stays open takes a place of the five of its partition and group.
    eventually_no_readers(local_hub, hub.name)
    assert {"open", "attach", "transfer", "flow"} <= {frame["performative"] for frame in frames}
    kept = (ROOT / "core/src/it/resources/traces/local-hub-strict.jsonl").read_text(encoding="utf-8").splitlines()
    assert {tuple(frame) for frame in frames} == {tuple(json.loads(line)) for line in kept}
    content = b"".join(bytes.fromhex(frame["frame"] + frame.get("message", "")) for frame in frames)
    assert b"body-of-the-user" not in content
    # Answers of $management, and annotations.
    assert b"last_enqueued_sequence_number" in content
    assert b"x-opt-enqueued-time" in content
    assert b"localhost" not in content


def eventually_no_readers(hub: LocalHub, name: str) -> None:
    """The hub notices the end of a connection a moment later."""
    deadline = time.monotonic() + 30
    while True:
        with urllib.request.urlopen(f"{hub.http_url}/readers") as answer:  # noqa: S310 - the local hub
            left = [each for each in json.load(answer)["readers"] if each["hub"] == name]
        if not left:
            return
        assert time.monotonic() < deadline, f"open readers: {left}"
        time.sleep(0.1)


def test_a_link_that_does_not_open_is_closed_too(local_hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = local_hub.create_hub("unopened", partitions=1)
    monkeypatch.setattr(_probes, "_OPEN_SECONDS", 0.0)

    reader = _probes.reader(Target.of(hub.connection_string, None), "$Default", "-1")
    with pytest.raises(TimeoutError), reader:
        pytest.fail("it was not open")

    eventually_no_readers(local_hub, hub.name)


def test_names_of_users_in_an_event_are_not_in_the_report() -> None:
    annotations: dict[str | bytes, Any] = {b"x-opt-offset": b"1", b"card-of-the-user": 4711}
    message = Message(message_annotations=annotations, data=[b""])

    seen_there = _probes._event_shown([0, 0, b"", 0, True, bytes(encode_payload(bytearray(), message))])  # noqa: SLF001

    assert seen_there == "x-opt-offset (bytes), 1 with names of users; further sections: none; settled True"


def test_a_name_is_hidden_before_a_long_text_is_cut() -> None:
    host = "contoso.servicebus.windows.net"
    run = Run(
        cast("SparkSession", None),
        setting(f"Endpoint=sb://{host};SharedAccessKeyName=all;SharedAccessKey=c2VjcmV0"),
        "",
    )

    def check(_: Run) -> str:
        raise DifferenceError(f"{'x' * 591} {host} cannot be reached")

    found = shown_stage(_spark_run._stage("read", check, run), host).found  # noqa: SLF001

    assert found.startswith("xxx")
    assert len(found) == 600
    assert "contoso" not in found
    assert "contoso" in shown_stage(skipped("read", f"{'x' * 500} {host}"), None).found


def test_an_address_is_replaced_as_a_whole_only() -> None:
    assert hidden("127 events of 127.0.0.1:5671", "127.0.0.1:5671") == "127 events of (namespace)"


def test_all_partitions_are_found_where_the_service_answers_one_question_in_a_second(strict: LocalHub) -> None:
    strict.create_hub("many", partitions=3)

    assert list(all_partitions(Target.of(strict.connection_string("many"), None), 60)) == ["0", "1", "2"]


def test_without_pyspark_each_stage_says_why_it_is_skipped_and_the_report_is_not_ok(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_spark, "find_spec", lambda name: None if name == "pyspark" else name)

    stages = list(_spark.spark_stages(setting(DEVELOPMENT.format(port=5672))))

    assert [stage.name for stage in stages] == list(WITH_SPARK)
    assert {stage.status for stage in stages} == {"skipped"}
    assert all(stage.found.startswith("pyspark is not installed: pip install ") for stage in stages)
    assert not Report(stages=stages).ok
    assert Report(stages=[skipped("throttling", "it needs --load")]).ok


@pytest.mark.parametrize("option", ["--output", "--trace"])
def test_a_file_in_a_missing_folder_is_refused_before_anything_is_sent(option: str, tmp_path: Path) -> None:
    done = ended(DEVELOPMENT.format(port=5672), "verify", "one", "two", option, str(tmp_path / "missing" / "file"))

    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Writes about" not in done.stderr


def test_a_file_that_may_be_written_is_enough_where_its_folder_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as /dev/null of a user."""
    usual = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not Path(path).is_dir() and usual(path, mode))

    _require_writable(Path(os.devnull))
    with pytest.raises(WrongUsage, match="cannot be written"):
        _require_writable(Path(os.devnull).with_name("missing"))


def test_a_stage_that_the_session_does_not_report_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "program"
    lines = [f"{MARK}{json.dumps(skipped(name, 'x').to_dict())}" for name in WITH_SPARK[:-2]]
    broken = f'{MARK}{{"name": "idle WARN something else'
    program.write_text("\n".join(["#!/bin/sh", "cat > /dev/null", *(f"echo '{each}'" for each in (*lines, broken))]))
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))

    *stages, last = _spark.spark_stages(setting(DEVELOPMENT.format(port=5672)))

    assert [stage.name for stage in stages] == list(WITH_SPARK[:-2])
    assert (last.status, last.found) == (
        "failed",
        f"the session did not say how these ended: {', '.join(WITH_SPARK[-2:])}",
    )


@pytest.mark.parametrize("written", ["sb://Contoso.example.net/", "contoso.example.net", " //contoso.example.net"])
def test_the_namespace_of_an_option_is_known_in_each_form(written: str) -> None:
    signs_in = ("eventhubs.auth.type=managedIdentity", f"eventhubs.namespace={written}")
    given = replace(setting(""), connection_string=None, options=signs_in)

    assert given.target("one").host == "contoso.example.net"


def test_a_namespace_that_is_none_is_refused() -> None:
    for written in ("sb://", "user@contoso.example.net", "contoso.example.net:5671", "[::1"):
        with pytest.raises(WrongUsage, match="not the host name of a namespace"):
            namespace_host(written)


def test_a_secret_in_the_last_words_of_the_session_is_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "program"
    said = "failed at https://a.blob.core.windows.net/c?sig=abcd%2F and AccountKey=efgh and the bare c2VjcmV0"
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/input\necho '{said}' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))

    (stage,) = _spark.spark_stages(setting(DEVELOPMENT.format(port=5672)))

    assert stage.status == "failed"
    assert not [secret for secret in ("abcd", "efgh", "c2VjcmV0") if secret in stage.found]


def test_a_container_is_in_a_file_or_a_variable_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://a.blob.core.windows.net/c?sig=abcd"
    (tmp_path / "url").write_text(f"{url}\n")

    assert of_file(f"@{tmp_path / 'url'}") == url
    assert of_file("checkpoints") == "checkpoints"
    monkeypatch.setenv(CONTAINER_VARIABLE, url)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = ended(DEVELOPMENT.format(port=port), "verify", "one", "two")
    assert "Writes checkpoints" in done.stderr
    assert "abcd" not in done.stdout + done.stderr


def test_the_questions_on_a_hub_where_none_is(strict: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_probes, "_DRAIN_SECONDS", 2.0)
    monkeypatch.setattr(_probes, "_REQUESTS", 12)

    answers, _ = seen(strict, "one")

    assert answers["Is a reader that"] == "no answer within 2 s"
    assert answers["Is the capability of"].startswith("no: ")
    assert "refused, such as" in answers["How many requests for"]
    assert "server-busy" in answers["How many requests for"] or "503" in answers["How many requests for"]
    # A second event is sent when the hub has just made its answer, which it keeps for 5 s.
    after = answers["How old are the"].removeprefix("an event was reported ").partition(" s")[0]
    assert float(after) >= 1
    # Refused at first: it is asked right after another question.
    assert answers["Is begin_sequence_number the number"].startswith("yes: ")


def test_events_that_a_reader_must_settle_are_named() -> None:
    with LocalHub(hubs={"one": 1}, unsettled_readers=True) as hub:
        hub.event_hub("one").send("a", partition=0)
        answers, _ = seen(hub, "one")

    assert "snd-settle-mode 0" in answers["What does the service"]
    assert answers["Which sections and annotations"].endswith("settled False")


def test_a_first_number_that_is_not_of_the_first_event_is_named(local_hub: LocalHub) -> None:
    hub = local_hub.create_hub("compacted", partitions=1, compaction=Compaction())
    for text in ("old", "new"):
        hub.send(text, key="key")
    hub.send("other", key="other")
    hub.compact(partition=0)

    answers, _ = seen(local_hub, hub.name)

    assert answers["Is begin_sequence_number the number"] == "no: it is 0, the first event has 1"


def test_the_first_hub_may_be_in_the_connection_string_and_the_second_may_not() -> None:
    of_first = f"{DEVELOPMENT.format(port=5672)};EntityPath=ONE"

    assert setting(of_first).target("two").hub == "two"
    with pytest.raises(Exception, match="is for the hub 'two', but FIRST is 'one'"):
        setting(of_first.replace("ONE", "two")).target("one")


def test_one_hub_is_not_enough() -> None:
    done = ended(DEVELOPMENT.format(port=5672), "verify", "one", "ONE")

    assert done.returncode == 2
    assert "name two event hubs" in done.stderr


def test_a_closed_port_ends_the_run_and_the_report_does_not_name_the_namespace() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    done = ended(DEVELOPMENT.format(port=port), "verify", "one", "two", "--format", "json")

    report = json.loads(done.stdout)
    connection, others = report["stages"]
    assert (done.returncode, report["ok"], report["answers"]) == (1, False, [])
    assert (connection["name"], connection["status"]) == ("connection", "failed")
    assert "(namespace): Connection refused" in connection["found"]
    assert (others["status"], others["found"]) == ("skipped", "the stage 'connection' failed")
    assert "localhost" not in done.stdout + done.stderr
    assert "Writes about" in done.stderr


def test_a_firewall_that_drops_silently_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_network, "_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        stage = connection_stage(setting(DEVELOPMENT.format(port=silent.getsockname()[1])))

    assert stage.status == "failed"
    assert "no answer in 0.2 s" in stage.found
    assert "firewall" in stage.found


def test_exactly_once_is_skipped_where_websockets_are_blocked_and_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    with pytest.raises(NotSeenError, match=r"WebSockets, .*Connection refused"):
        require_sockets(setting(DEVELOPMENT.format(port=port)))


def test_a_query_that_hangs_is_stopped_and_named() -> None:
    class Hanging:
        stopped = False

        def awaitTermination(self, _: int) -> bool:  # noqa: N802 -- as Spark has it
            return False

        def stop(self) -> None:
            self.stopped = True

    query = Hanging()

    with pytest.raises(DifferenceError, match="has not ended in 1800 s; it has read 1 events"):
        await_end(query, time.monotonic(), ["one"])

    assert query.stopped


def test_a_certificate_that_nobody_trusts_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with LocalHub(tls_port=0) as hub:
        stage = connection_stage(setting(hub.connection_string(tls=True)))

    assert stage.status == "failed"
    assert "TLS fails: CERTIFICATE_VERIFY_FAILED" in stage.found


def test_a_wrong_clock_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer_an_hour_ahead, args=(server,), daemon=True).start()
        stage = connection_stage(setting(DEVELOPMENT.format(port=server.getsockname()[1])))

    assert stage.status == "failed"
    assert "behind the server. Set the clock" in stage.found


def answer_an_hour_ahead(server: socket.socket) -> None:
    """Speaks AMQP, and the head of a WebSocket with another time."""
    for _ in range(2):
        connection, _ = server.accept()
        with connection:
            if connection.recv(4096).startswith(b"AMQP"):
                connection.sendall(b"AMQP\x03\x01\x00\x00")
                continue
            date = format_datetime(datetime.now(timezone.utc) + timedelta(hours=1), usegmt=True)
            connection.sendall(f"HTTP/1.1 101 Switching Protocols\r\nDate: {date}\r\n\r\n".encode())


def test_the_proxy_delivers_what_was_sent_and_loses_the_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, ResettingProxy(after=6, times=1) as proxy:
        host, _, port = proxy.address.partition(":")
        with closing(socket.create_connection((host, int(port)))) as client:
            client.settimeout(30)
            client.sendall(f"CONNECT 127.0.0.1:{server.getsockname()[1]} HTTP/1.1\r\n\r\n".encode())
            service, _ = server.accept()
            with service:
                assert b" 200 " in client.recv(4096)
                client.sendall(b"event!")
                assert service.recv(6) == b"event!"
                service.sendall(b"accepted")
                with pytest.raises(ConnectionResetError):
                    client.recv(4096)
    assert (proxy.resets, proxy.tunnels) == (1, 1)
