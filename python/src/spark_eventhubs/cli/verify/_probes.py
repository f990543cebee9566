"""Asks the service what no public evidence answers, over links of the Azure SDK."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._conf.refusals import without_secrets
from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli._bounds import retained
from spark_eventhubs.cli._properties import unless_busy
from spark_eventhubs.cli._sdk import close, consumer, limited, producer, sending
from spark_eventhubs.cli.verify._answer import Answer
from spark_eventhubs.cli.verify._mask import is_name_of_service
from spark_eventhubs.cli.verify._wire import ATTACH, CLOSE, DETACH, FLOW, TRANSFER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_eventhubs.cli._target import Target
    from spark_eventhubs.cli.verify._wire import Frame, Wire

_PARTITION: Final = "0"
_OPEN_SECONDS: Final = 30
_DRAIN_SECONDS: Final = 10.0
_LAG_SECONDS: Final = 90.0
_REQUESTS: Final = 25
# A detach and a close of each of two connections.
_ENDS: Final = 4
_IDEMPOTENT: Final = b"com.microsoft:idempotent-producer"
_ATTACH_FIELDS: Final = {
    3: "snd-settle-mode",
    4: "rcv-settle-mode",
    9: "initial-delivery-count",
    10: "max-message-size",
    11: "offered-capabilities",
    12: "desired-capabilities",
    13: "properties",
}


def probes(target: Target, group: str, body: str, wire: Wire, hours: float) -> Iterator[Answer]:
    """Each answer. A question that cannot be asked has the failure as its answer.

    Args:
        target: the hub.
        group: the consumer group.
        body: of the event that is sent.
        wire: what the service sends.
        hours: how long links stay idle; 0 leaves the question out.
    """
    questions: list[tuple[str, str, str, Callable[[], str]]] = [
        (
            "Is a reader that drains its link answered?",
            "ADR 3, 14: perhaps. Without an answer in 3 s, a new link listens for 10 s.",
            "no: without an answer, reading back after a failure takes longer",
            lambda: _drain(target, group, wire),
        ),
        (
            "What does the service answer to a reader's ATTACH?",
            "ADR 6: events are settled, whatever the reader asks for.",
            "no: the connector settles events that are not",
            lambda: _reader_attach(target, group, wire),
        ),
        (
            "What does the service answer to a sender's ATTACH?",
            "The largest message is in it.",
            "no: without a limit there, the SDK takes 1 MB",
            lambda: _sender_attach(target, wire, capability=None),
        ),
        (
            "Is the capability of the idempotent producer granted?",
            "ADR 16: perhaps. The option is off by default.",
            "no: without it, eventhubs.idempotentProducer changes nothing",
            lambda: _sender_attach(target, wire, capability=_IDEMPOTENT),
        ),
        (
            "How many requests for properties are answered, and how fast?",
            "ADR 9: 50 a second. Questions are paced, and repeated when the service is busy.",
            "no: with fewer, a query on many partitions starts later",
            lambda: _requests(target),
        ),
        (
            "How old are the properties of a partition?",
            "ADR 3, 15: they may lag behind.",
            "no: new events are read when the service reports them",
            lambda: _lag(target, body),
        ),
        (
            "Is begin_sequence_number the number of the first event?",
            "ADR 14: also after compaction, events below it have expired.",
            "yes, in a compacted hub: a number above the first event would report a loss that is none",
            lambda: _first_event(target, group, wire),
        ),
        (
            "Which sections and annotations has an event?",
            "Annotations come in any order; a header may come before them.",
            "no",
            lambda: _annotations(target, group, wire),
        ),
    ]
    if hours:
        questions.append(
            (
                "How do idle links end?",
                "A detach with amqp:link:detach-forced after 30 minutes, or the connection ends after 5.",
                "no: both are opened again",
                lambda: _idle(target, group, wire, hours),
            )
        )
    for question, assumed, matters, ask in questions:
        try:
            seen = ask()
        except Exception as failure:  # noqa: BLE001 - whatever it is, it is the answer
            first = without_secrets(target.hide_secrets(next(iter(str(failure).splitlines()), "")))
            seen = f"not answered: {type(failure).__name__}: {first}"
        yield Answer(question=question, assumed=assumed, seen=seen, matters=matters)


class _Link:
    """A link of the SDK, with its connection. It is closed at the end of the block, also if it did not open.

    The client does not know the link, so closing the client alone leaves the link open.
    """

    def __init__(self, client: Any, of: Any) -> None:  # noqa: ANN401 -- the SDK's own classes
        self._client = client
        self._of = of
        self._is_closed = False

    def __enter__(self) -> Any:  # noqa: ANN401 -- as above
        try:
            within(_OPEN_SECONDS, self._open)
        except BaseException:
            self._close()
            raise
        return self._of._handler  # noqa: SLF001 - links have no public API

    def _open(self) -> None:
        # Of a reader, each call is only a step.
        while not self._is_closed and not self._of._open() and not self._of._handler.client_ready():  # noqa: SLF001 - as above
            time.sleep(0.05)
        if self._is_closed:
            # It took too long, and each step opens the link again.
            close(self._of)

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        self._is_closed = True
        close(self._of)
        close(self._client)


def reader(target: Target, group: str, start: str) -> _Link:
    """A reader of partition 0."""
    client: Any = consumer(target, group)
    return _Link(client, client._create_consumer(group, _PARTITION, start, lambda _: None))  # noqa: SLF001 - as above


def _listen(handler: Any, until: float, found: Callable[[], object]) -> None:  # noqa: ANN401 -- as above
    while not found() and time.monotonic() < until:
        handler._connection.listen(wait=0.2)  # noqa: SLF001 - as above


def _drain(target: Target, group: str, wire: Wire) -> str:
    with reader(target, group, "@latest") as opened:
        position, asked = len(wire.frames), time.monotonic()
        opened._link.flow(link_credit=10, drain=True)  # noqa: SLF001 - as above

        def answers() -> list[Frame]:
            # handle, delivery-count, link-credit, available, drain
            return [each for each in wire.since(position, FLOW) if each.fields[4] is not None and each.fields[8]]

        _listen(opened, asked + _DRAIN_SECONDS, answers)
        took = time.monotonic() - asked
        if not answers():
            return f"no answer within {_DRAIN_SECONDS:g} s"
        flow = answers()[0].fields
        return f"yes, after {1000 * took:.0f} ms: link-credit {flow[6]}, delivery-count {flow[5]}"


def _reader_attach(target: Target, group: str, wire: Wire) -> str:
    position = len(wire.frames)
    with reader(target, group, "@latest"):
        return _attach_fields(wire.since(position, ATTACH)[-1])


def _sender_attach(target: Target, wire: Wire, capability: bytes | None) -> str:
    client: Any = producer(target)
    sender = client._create_producer(partition_id=_PARTITION)  # noqa: SLF001 - as above
    usual = sender._create_handler  # noqa: SLF001 - as above

    def with_capability(auth: object) -> None:
        usual(auth)
        _ask_for(sender._handler, capability)  # noqa: SLF001 - as above

    if capability is not None:
        sender._create_handler = with_capability  # noqa: SLF001 - as above
    position = len(wire.frames)
    with _Link(client, sender):
        attach = wire.since(position, ATTACH)[-1]
        if capability is None:
            return _attach_fields(attach)
        offered = attach.fields[11] or []
        granted = capability in (offered if isinstance(offered, list) else [offered])
        return f"{'yes' if granted else 'no'}: {_attach_fields(attach)}"


def _ask_for(handler: Any, capability: bytes | None) -> None:  # noqa: ANN401 -- as above
    """The SDK attaches its senders without the capabilities that its own client was given."""
    usual = handler._client_ready  # noqa: SLF001 - as above

    def ready() -> bool:
        if handler._link is None:  # noqa: SLF001 - as above
            handler._link = handler._session.create_sender_link(  # noqa: SLF001 - as above
                target_address=handler.target,
                send_settle_mode=handler._send_settle_mode,  # noqa: SLF001 - as above
                rcv_settle_mode=handler._receive_settle_mode,  # noqa: SLF001 - as above
                desired_capabilities=[capability],
            )
            handler._link.attach()  # noqa: SLF001 - as above
            return False
        return bool(usual())

    handler._client_ready = ready  # noqa: SLF001 - as above


def _attach_fields(attach: Frame) -> str:
    shown = {name: _text(attach.fields[index]) for index, name in _ATTACH_FIELDS.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def _text(value: Any) -> str:  # noqa: ANN401 -- an AMQP value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (list, tuple)):
        return f"[{' '.join(map(_text, value))}]"
    if isinstance(value, dict):
        return f"{{{' '.join(f'{_text(key)}={_text(each)}' for key, each in value.items())}}}"
    return "null" if value is None else str(value)


def _idle(target: Target, group: str, wire: Wire, hours: float) -> str:
    """A reader without credit and a sender, each on a connection of its own."""
    client: Any = producer(target)
    sender = _Link(client, client._create_producer(partition_id=_PARTITION))  # noqa: SLF001 - as above
    position, began = len(wire.frames), time.monotonic()

    def ends() -> list[Frame]:
        return [each for each in wire.frames[position:] if each.code in (DETACH, CLOSE)]

    with reader(target, group, "@latest") as reading, sender as sending:
        reading._link.flow(link_credit=0)  # noqa: SLF001 - as above
        open_since = time.monotonic() - wire.began
        while time.monotonic() - began < hours * 3600 and len(ends()) < _ENDS:
            for handler in (reading, sending):
                handler._connection.listen(wait=0.5)  # noqa: SLF001 - as above
        found = ends()
    if not found:
        return f"not within {hours:g} h"
    return "; ".join(f"after {each.at - open_since:.0f} s {each.name} {_text(_error(each))}" for each in found)


def _error(frame: Frame) -> Any:  # noqa: ANN401 -- an AMQP value
    return frame.fields[2] if frame.code == DETACH else frame.fields[0]


def _requests(target: Target) -> str:
    refused: list[str] = []
    client: Any = consumer(target, "$Default")
    began = time.monotonic()
    try:
        refused += filter(None, [_refusal_of(client.get_eventhub_properties)])
        for _ in range(_REQUESTS - 1):
            problem = _refusal_of(lambda: client.get_partition_properties(_PARTITION))
            refused += [] if problem is None else [problem]
    finally:
        close(client)
    rate = _REQUESTS / (time.monotonic() - began)
    busy = f"; {len(refused)} refused, such as: {refused[0]}" if refused else ""
    return f"{_REQUESTS - len(refused)} of {_REQUESTS}, one after the other, {rate:.0f} a second{busy}"


def _refusal_of(call: Callable[[], object]) -> str | None:
    try:
        within(_OPEN_SECONDS, call)
    except Exception as failure:  # noqa: BLE001 - a refusal is an answer
        return " ".join(str(failure).partition("TrackingId")[0].split())
    return None


def _properties(target: Target) -> dict[str, Any]:
    client: Any = consumer(target, "$Default")
    deadline = time.monotonic() + _OPEN_SECONDS

    def ask() -> dict[str, Any]:
        found: dict[str, Any] = unless_busy(lambda: client.get_partition_properties(_PARTITION), deadline)
        return found

    try:
        found = within(_OPEN_SECONDS, ask)
    finally:
        close(client)
    return found


def _lag(target: Target, body: str) -> str:
    """The answer may be one that the service keeps for a time. After the first event it is a new one."""
    longest = 0.0
    for _ in range(2):
        before = _end(target)
        _send(target, body)
        sent = time.monotonic()
        while _end(target) <= before:
            if time.monotonic() - sent > _LAG_SECONDS:
                return f"an event is not reported within {_LAG_SECONDS:g} s"
            time.sleep(0.2)
        longest = max(longest, time.monotonic() - sent)
    return f"an event was reported {longest:.1f} s after it was accepted"


def _end(target: Target) -> int:
    return retained(_properties(target))[1]


def _send(target: Target, body: str) -> None:
    from azure.eventhub import EventData  # noqa: PLC0415 - the SDK is an optional dependency

    with sending(target) as client:
        batch = limited(partial(client.create_batch, partition_id=_PARTITION))
        event = EventData(body)
        event.properties = {"probe": "verify"}
        batch.add(event)
        limited(partial(client.send_batch, batch))


def _first(target: Target, group: str, wire: Wire) -> list[Any]:
    """The fields of the first event's transfer."""
    position = len(wire.frames)
    with reader(target, group, "-1") as opened:
        opened._link.flow(link_credit=1)  # noqa: SLF001 - as above

        def events() -> list[Frame]:
            return [each for each in wire.since(position, TRANSFER) if _annotations_of(each)]

        _listen(opened, time.monotonic() + _OPEN_SECONDS, events)
        if not events():
            raise TimeoutError(f"no event within {_OPEN_SECONDS} s")
        return events()[0].fields


def _annotations_of(transfer: Frame) -> dict[bytes, Any]:
    from azure.eventhub._pyamqp._decode import decode_payload  # noqa: PLC0415 - the SDK is an optional dependency

    found: Any = decode_payload(memoryview(transfer.fields[-1])).message_annotations or {}
    return found if b"x-opt-sequence-number" in found else {}


def _first_event(target: Target, group: str, wire: Wire) -> str:
    begin, _ = retained(_properties(target))
    first = _decoded(_first(target, group, wire)).message_annotations[b"x-opt-sequence-number"]
    return f"{'yes' if begin == first else 'no'}: it is {begin}, the first event has {first}"


def _annotations(target: Target, group: str, wire: Wire) -> str:
    return _event_shown(_first(target, group, wire))


def _event_shown(fields: list[Any]) -> str:
    message = _decoded(fields)
    sections = [name for name in ("header", "delivery_annotations", "properties") if getattr(message, name)]
    found = {_text(key): type(value).__name__ for key, value in message.message_annotations.items()}
    names = [f"{name} ({kind})" for name, kind in found.items() if is_name_of_service(name.encode())]
    others = len(found) - len(names)
    names += [f"{others} with names of users"] if others else []
    return f"{', '.join(names)}; further sections: {', '.join(sections) or 'none'}; settled {bool(fields[4])}"


def _decoded(fields: list[Any]) -> Any:  # noqa: ANN401 -- the SDK's message
    from azure.eventhub._pyamqp._decode import decode_payload  # noqa: PLC0415 - the SDK is an optional dependency

    return decode_payload(memoryview(fields[-1]))
