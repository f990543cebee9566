# ruff: noqa: SLF001 - they are what is tested
"""What `_sdk`, `_links` and `_frames` use of the SDK that is not public. A version without it must not be installed."""

from __future__ import annotations

import inspect

from azure.eventhub import EventHubConsumerClient
from azure.eventhub._consumer import EventHubConsumer
from azure.eventhub._pyamqp import _connection, _transport, client, link, session

TEXT = "Endpoint=sb://contoso.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=orders"


def test_a_client_makes_consumers_and_connections_for_questions() -> None:
    made = EventHubConsumerClient.from_connection_string(TEXT, "$Default")

    assert made._auth_uri.startswith(made._eventhub_auth_uri)
    consumer = made._create_consumer("$Default", "0", 5, lambda *_: None, event_position_inclusive=True)
    assert isinstance(consumer, EventHubConsumer)
    assert {"_keep_alive", "_handler"} <= vars(consumer).keys()
    asking = made._amqp_transport.create_mgmt_client(made._address, made._create_auth(), made._config)
    assert isinstance(asking, client.AMQPClient)
    assert {"_auth", "_connection"} <= vars(asking).keys()


def test_a_connection_reads_frames_by_one_function() -> None:
    assert "self._transport.receive_frame(" in inspect.getsource(_connection.Connection._read_frame)
    assert {"sock", "_read_buffer"} <= set(_transport.SSLTransport._read.__code__.co_names)


def test_a_transfer_is_accounted_in_the_fields_that_frames_changes() -> None:
    of_session = session.Session._incoming_transfer.__code__.co_names
    of_link = inspect.getsource(link.Link)

    assert {"next_incoming_id", "remote_outgoing_window", "incoming_window", "target_incoming_window"} <= set(
        of_session
    )
    for name in ("current_link_credit", "delivery_count", "remote_handle", "_session"):
        assert f"self.{name}" in of_link
