"""A checkpoint store's URL and connection string, which must lead to the same storage account."""

from __future__ import annotations

from typing import Final

import pytest
from click.testing import CliRunner

from spark_eventhubs.cli import main
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._store import CheckpointStore
from spark_eventhubs.cli._target import Target

HUB: Final = (
    "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=p;SharedAccessKey=k;EntityPath=telemetry"
)
ACCOUNT: Final = "AccountName=acc;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net"
SIGNED: Final = "BlobEndpoint=https://acc.blob.core.windows.net/;SharedAccessSignature=sv=2021&sig=c2VjcmV0"
EMULATOR: Final = "AccountName=a;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:41001/a;"
URL: Final = "https://acc.blob.core.windows.net/checkpoints"


def open_store(container: str, connection_string: str) -> CheckpointStore:
    return CheckpointStore.open(container, connection_string, Target.of(HUB, None), "$Default")


@pytest.mark.parametrize(
    ("container", "connection_string", "url"),
    [
        ("checkpoints", ACCOUNT, URL),
        (URL, ACCOUNT, URL),
        ("HTTPS://Acc.blob.core.windows.net/checkpoints/", SIGNED, URL),
        ("http://127.0.0.1:41001/a/box", EMULATOR, "http://127.0.0.1:41001/a/box"),
    ],
    ids=["name", "url", "signed", "emulator"],
)
def test_a_url_of_the_same_account_is_accepted(container: str, connection_string: str, url: str) -> None:
    assert open_store(container, connection_string).url == url


def test_a_signature_in_the_url_is_used_and_not_the_connection_string() -> None:
    store = open_store("https://other.blob.core.windows.net/checkpoints?sv=2021&sig=x", ACCOUNT)

    assert store.url == "https://other.blob.core.windows.net/checkpoints"


@pytest.mark.parametrize(
    ("container", "connection_string"),
    [
        (URL.replace("acc", "other"), ACCOUNT),
        (URL.replace("acc", "other"), SIGNED),
        (URL.replace("https", "http"), ACCOUNT),
        ("http://127.0.0.1:41001/other/box", EMULATOR),
    ],
    ids=["account", "signed", "scheme", "emulator"],
)
def test_a_url_of_another_account_is_refused(container: str, connection_string: str) -> None:
    with pytest.raises(WrongUsage, match="its connection string leads to") as refused:
        open_store(container, connection_string)

    assert container in refused.value.message
    assert "c2VjcmV0" not in refused.value.message


def test_an_import_into_another_account_than_that_of_the_variable_ends_with_one_line() -> None:
    arguments = ["checkpoint", "import", "--connection-string", HUB, "--checkpoint-store", URL.replace("acc", "other")]
    positions = '{"version": 1, "sources": [{"source": 0, "hub": "telemetry", "nextSequenceNumbers": {"0": 5}}]}'

    done = CliRunner().invoke(
        main, [*arguments, "--yes", "-"], input=positions, env={"AZURE_STORAGE_CONNECTION_STRING": ACCOUNT}
    )

    assert done.exit_code == 2, done.output
    assert len(done.output.splitlines()) == 1
    assert "https://other.blob.core.windows.net/checkpoints, and its connection string leads to" in done.output
