from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest

from spark_eventhubs import EventHubsConf, WriteOnce, drop_duplicate_events, read, read_stream, write, write_stream
from spark_eventhubs.errors import OptionTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT: Any = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t;EntityPath=telemetry"


@pytest.mark.parametrize(
    "call",
    [read, read_stream, write, lambda frame, conf: write_stream(frame, conf, checkpoint_location="checkpoint")],
    ids=["read", "read_stream", "write", "write_stream"],
)
def test_a_connection_string_instead_of_a_conf_is_refused_with_the_right_call_and_without_the_key(
    call: Callable[[Any, Any], object],
) -> None:
    with pytest.raises(OptionTypeError) as refused:
        call(None, TEXT)

    assert str(refused.value) == (
        "the second argument is a str; expected an EventHubsConf, such as EventHubsConf.from_connection_string(text)"
    )


NOTHING: Any = None
WORD: Any = "a"
THIRTY: Any = 30
FRAME: Any = MagicMock(sparkSession=None)
CONF = EventHubsConf.from_connection_string(TEXT)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: write_stream(FRAME, CONF, checkpoint_location=NOTHING),
            "checkpoint_location is None; expected a folder or its address",
        ),
        (
            lambda: write_stream(FRAME, CONF, checkpoint_location=" "),
            "checkpoint_location is ' '; expected a folder or its address",
        ),
        (
            lambda: WriteOnce(write_id="a", version=1, log_location=NOTHING).to_options(),
            "log_location is None; expected a folder or its address",
        ),
        (lambda: write(FRAME, CONF, once=WORD), "once is a str; expected a WriteOnce"),
        (lambda: drop_duplicate_events(NOTHING, within=THIRTY), "within is 30; expected a timedelta"),
    ],
    ids=["checkpoint", "blank", "log", "once", "within"],
)
def test_an_argument_of_a_wrong_type_fails_at_the_call(call: Callable[[], object], text: str) -> None:
    with pytest.raises(OptionTypeError) as refused:
        call()

    assert str(refused.value).startswith(text)


@pytest.mark.parametrize(("more", "expected"), [({}, "false"), ({"asyncProgressTrackingEnabled": "true"}, "true")])
def test_an_option_of_spark_in_the_conf_wins_over_the_default_of_write_stream(
    monkeypatch: pytest.MonkeyPatch, more: dict[str, str], expected: str
) -> None:
    monkeypatch.setattr("spark_eventhubs.queries.require_connector", lambda _: None)
    frame = MagicMock()
    conf = EventHubsConf.from_options({"eventhubs.connectionString": TEXT, **more})

    write_stream(frame, conf, checkpoint_location="checkpoint")

    given = frame.writeStream.format.return_value.outputMode.return_value.options.call_args.kwargs
    assert given["asyncProgressTrackingEnabled"] == expected
