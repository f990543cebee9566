from __future__ import annotations

from threading import Event
from types import SimpleNamespace

import pytest
from azure.eventhub.exceptions import EventHubError

from spark_eventhubs.errors import AuthenticationError, EventHubsError
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._settings import write_settings
from spark_eventhubs.pure._writing import Sender

TEXT = "Endpoint=sb://contoso.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=orders"


def test_a_service_that_never_attaches_a_link_does_not_hold_a_task_for_ever() -> None:
    ended = Event()
    # The SDK waits there without a limit.
    client = SimpleNamespace(create_batch=lambda **_: ended.wait())
    settings = write_settings({"eventhubs.connectionString": TEXT, "eventhubs.operationTimeout": "1s"})
    try:
        with pytest.raises(EventHubsError) as failed:
            Sender(client, settings).add(None, (None, None))  # type: ignore[arg-type]
    finally:
        ended.set()

    assert failed.value.condition == "EVENTHUBS_TIMEOUT"


def test_a_refused_sign_in_is_that_error_at_once_although_the_sdk_wraps_it() -> None:
    asked = []

    def create_batch(**_: object) -> None:
        asked.append(1)
        try:
            raise failure("EVENTHUBS_AUTHENTICATION", hub="orders", namespace="contoso.net", doing="x", said="no")
        except AuthenticationError as refused:
            raise EventHubError(str(refused)) from None

    settings = write_settings({"eventhubs.connectionString": TEXT, "eventhubs.operationTimeout": "30s"})

    with pytest.raises(AuthenticationError):
        Sender(SimpleNamespace(create_batch=create_batch), settings).add(None, (None, None))  # type: ignore[arg-type]

    assert len(asked) == 1
