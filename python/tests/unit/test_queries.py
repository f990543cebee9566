from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spark_eventhubs import read, read_stream, write, write_stream
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
