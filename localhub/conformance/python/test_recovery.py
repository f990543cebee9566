"""The SDK under injected faults and with expiring tokens."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from azure.core.credentials import AccessToken
from azure.eventhub import EventData
from azure.eventhub.exceptions import EventDataSendError

from hub_clients import Clients, bodies, signature, wait_until

if TYPE_CHECKING:
    from azure.eventhub.amqp import AmqpAnnotatedMessage

PATIENT: dict[str, Any] = {"retry_total": 5, "retry_backoff_factor": 0.05, "retry_mode": "fixed"}
EVENT: list[EventData | AmqpAnnotatedMessage] = [EventData("x")]


def test_a_throttled_event_can_be_sent_again_and_is_stored_once(clients: Clients) -> None:
    clients.inject(action="throttle", count=1)
    producer = clients.producer()

    # The SDK does not retry; its user must wait and send again.
    with pytest.raises(EventDataSendError, match=r"50002(?s:.*)wait 4 seconds"):
        producer.send_batch(EVENT, partition_id="0")
    producer.send_batch(EVENT, partition_id="0")

    assert producer.get_partition_properties("0")["last_enqueued_sequence_number"] == 0


def test_a_reader_continues_after_its_connection_was_dropped_without_gaps_or_duplicates(clients: Clients) -> None:
    clients.send("0", "1")
    reader = clients.reader(client=clients.consumer(**PATIENT))
    assert bodies(reader.take(2)) == ["0", "1"]

    clients.inject_now(action="drop", consumerGroup="$Default")
    clients.send("2", "3")

    assert bodies(reader.take(2)) == ["2", "3"]


def test_a_sender_continues_after_its_connection_was_dropped_before_the_event_was_stored(clients: Clients) -> None:
    producer = clients.producer(**PATIENT)
    producer.send_batch([EventData("first")], partition_id="0")
    clients.inject(action="drop", on="send", count=1)

    producer.send_batch([EventData("again")], partition_id="0")

    assert bodies(clients.read(2)) == ["first", "again"]
    assert clients.active_faults() == []


def test_the_sdk_reopens_a_link_that_was_detached_with_server_busy(clients: Clients) -> None:
    clients.send("x")
    reader = clients.reader(client=clients.consumer(**PATIENT))
    reader.take(1)

    clients.inject_now(action="detach", condition="com.microsoft:server-busy", consumerGroup="$Default")
    clients.send("later")

    assert bodies(reader.take(1)) == ["later"]


class Tokens:
    """Tokens valid for `seconds`. The SDK is given a longer life; a test sets the SDK's clock `ahead` of the hub's."""

    ANNOUNCED_SECONDS = 1000
    token_type = b"servicebus.windows.net:sastoken"

    def __init__(self, seconds: int) -> None:
        self.seconds, self.ahead = seconds, timedelta(0)
        self.ends: list[int] = []

    def now(self) -> datetime:
        return datetime.now(timezone.utc) + self.ahead

    def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        self.ends.append(int(time.time()) + self.seconds)
        return AccessToken(signature(scopes[0], self.ends[-1]), int(self.now().timestamp()) + self.ANNOUNCED_SECONDS)


@pytest.mark.parametrize("clients", ["TLS"], indirect=True)
def test_a_reader_outlives_its_tokens_because_the_sdk_puts_new_ones_on_the_same_connection(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens(seconds=15)
    monkeypatch.setattr("azure.eventhub._pyamqp.cbs.utc_now", tokens.now)
    clients.send("x")
    reader = clients.reader(client=clients.consumer_with(tokens))
    reader.take(1)
    (link,) = (each["connection"] for each in clients.readers())
    short_lived = len(tokens.ends)

    # Moves the SDK's clock into the last tenth of the announced life, in which it renews a token. For a token of a few
    # seconds that is one second, which a slow machine may miss; the SDK then opens another connection.
    tokens.seconds, tokens.ahead = 600, timedelta(seconds=0.95 * Tokens.ANNOUNCED_SECONDS)
    wait_until("the SDK has requested another token", lambda: len(tokens.ends) > short_lived)
    wait_until("the first token has expired", lambda: time.time() > tokens.ends[short_lived - 1] + 1)

    clients.send("later")
    assert bodies(reader.take(1)) == ["later"]
    assert [each["connection"] for each in clients.readers()] == [link]
