"""A secret that was passed as something else is shown by no error and no view of a conf."""

from __future__ import annotations

import io
import pprint
import traceback
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from spark_eventhubs import ConnectionString, EventHubsConf, SasToken
from spark_eventhubs._conf.option_values import setting
from spark_eventhubs.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "s3cr3t+/Key="
NAMESPACE = f"Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey={KEY}"
HUB = f"{NAMESPACE};EntityPath=telemetry"
SIGNATURE = f"SharedAccessSignature sr=sb%3a%2f%2fns&sig={KEY}&se=1&skn=reader"

REFUSED: dict[str, Callable[[], object]] = {
    "namespace": lambda: EventHubsConf(fully_qualified_namespace=NAMESPACE, eventhub_name="telemetry"),
    "hub": lambda: EventHubsConf(connection_string=HUB, eventhub_name=NAMESPACE),
    "namespace with a credential": lambda: EventHubsConf(
        credential=ConnectionString(HUB), fully_qualified_namespace=NAMESPACE
    ),
    "transport": lambda: EventHubsConf(connection_string=HUB, transport=HUB),  # type: ignore[arg-type]
    "position": lambda: EventHubsConf(connection_string=HUB, starting_position=HUB),  # type: ignore[arg-type]
    "key of an option": lambda: setting(HUB, "text"),
    "misspelt key": lambda: EventHubsConf.from_options({f"eventhubs.{HUB}": "text"}),
    "signature": lambda: EventHubsConf(
        credential=SasToken(token=SIGNATURE), fully_qualified_namespace=f"{SIGNATURE}/", eventhub_name="telemetry"
    ),
}


@pytest.mark.parametrize("refused", REFUSED)
def test_no_error_shows_it(refused: str) -> None:
    with pytest.raises(OptionError) as failure:
        REFUSED[refused]()

    shown = "".join(traceback.format_exception(failure.value)) + repr(failure.value)
    assert KEY not in shown
    assert "***" in shown


@pytest.mark.parametrize(
    "conf",
    [
        EventHubsConf(connection_string=HUB, consumer_group=HUB),
        EventHubsConf(fully_qualified_namespace="ns.example.net", eventhub_name=HUB),
        EventHubsConf(connection_string=HUB, consumer_group=SIGNATURE),
        EventHubsConf(connection_string=HUB, proxy_address=f"user:{KEY.replace('/', '')}@proxy:3128"),
        EventHubsConf(connection_string=HUB, custom_endpoint=f"sb://user:{KEY.replace('/', '')}@host"),
    ],
    ids=["consumer group", "hub", "signature", "proxy", "endpoint"],
)
def test_no_view_shows_it(conf: EventHubsConf) -> None:
    console = Console(record=True, width=1000, file=io.StringIO())
    console.print(conf, conf.items(), [conf])

    shown = f"{conf} {conf._repr_html_()} {pprint.pformat([conf, conf.values()])} {console.export_text()}"
    assert KEY not in shown
    assert KEY.replace("/", "") not in shown
    assert "***" in shown


def test_the_expected_form_stays_readable() -> None:
    with pytest.raises(OptionError, match="SharedAccessKey=<key>"):
        ConnectionString("Endpoint=sb://ns.example.net/")
