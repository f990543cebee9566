"""The table of mistakes in docs/errors.md with the engine in Python, as Spark calls it, without a session and a jar.

Classes and conditions are those of the page. In its texts, the parentheses have the words of another SDK.
"""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Row
from pyspark.sql.types import StringType, StructField, StructType

from confs import from_earliest
from events import send
from mistakes import rows
from pure_versions import HAS_STREAMS
from spark_eventhubs import LocalHub, errors
from spark_eventhubs.local_hub import LocalAuthority
from spark_eventhubs.pure._source import EventHubsPythonSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from spark_eventhubs import LocalEventHub

pytestmark = pytest.mark.skipif(not HAS_STREAMS, reason="streams of this engine need Spark 4.2")

BODY = StructType([StructField("body", StringType())])
KEY = "SAS_KEY_VALUE"

OF_THE_SESSION = frozenset(
    {
        *("missing jar", "missing jar, plain format", "missing jar, Spark Connect"),
        *("helper called after a session exists", "session stopped and configured again"),
        *("two connector jars", "legacy jar next to ours", "2.12 jar on Spark 4", "2.13 jar on Spark 3.5", "ADD JAR"),
        *("no Java", "bad JAVA_HOME", "Java 8", "Java too new for Spark 3.5", "PySpark 3.4"),
        "stream without a checkpoint",
    }
)
"""Mistakes with jars, Java and Spark itself. No format is asked before they are noticed."""


def read(options: Mapping[str, str]) -> list[Any]:
    reader = EventHubsPythonSource(dict(options)).reader(StructType())
    return [batch for task in reader.partitions() for batch in reader.read(task)]


def stream(options: Mapping[str, str]) -> list[Any]:
    reader = EventHubsPythonSource(dict(options)).streamReader(StructType())
    start = reader.initialOffset()
    end = reader.latestOffset(start, reader.getDefaultReadLimit())
    return [batch for task in reader.partitions(start, end) for batch in reader.read(task)]


def write(options: Mapping[str, str], body: str | None = "a") -> None:
    EventHubsPythonSource(dict(options)).writer(BODY, overwrite=False).write(iter([Row(body=body)]))


def check(mistake: str, action: Callable[[], object], *, condition: str | None = None) -> str:
    """Makes a mistake, and compares class and condition with the page. Returns the text."""
    row = rows()[mistake]
    expected = condition or re.match(r"\[([A-Z_.]+)\]", row.text)[1]  # type: ignore[index] # fails if there is none
    with pytest.raises(errors.EventHubsError) as failed:
        action()
    text = str(failed.value)
    assert (type(failed.value).__name__, failed.value.condition) == (row.kind, expected), text
    assert text.startswith(f"[{expected}] ")
    assert "\n" not in text
    return text


def changed(hub: LocalEventHub, old: str, new: str) -> dict[str, str]:
    """The options of a hub with a mistake in its connection string."""
    options = {**from_earliest(hub), "eventhubs.operationTimeout": "5s"}
    return options | {"eventhubs.connectionString": hub.connection_string.replace(old, new)}


def test_each_mistake_of_the_page_is_made_here_or_is_of_the_session() -> None:
    tests = open(__file__, encoding="utf-8").read().split("OF_THE_SESSION = ", maxsplit=1)  # noqa: SIM115, PTH123
    made = {mistake for mistake in rows() if f'"{mistake}"' in tests[0] + tests[1].split('"""', maxsplit=1)[1]}

    assert set(rows()) - made == OF_THE_SESSION


def test_a_wrong_key(event_hub: LocalEventHub) -> None:
    options = changed(event_hub, KEY, "wr0ng")

    text = check("wrong key, batch read", lambda: read(options))
    text += check("wrong key, stream", lambda: stream(options))

    assert "wr0ng" not in text


def test_an_unknown_hub(event_hub: LocalEventHub) -> None:
    options = changed(event_hub, event_hub.name, "nowhere")

    assert "'nowhere'" in check("unknown hub, batch read", lambda: read(options))
    assert "'nowhere'" in check("unknown hub, stream", lambda: stream(options))
    assert "'nowhere'" in check("unknown hub, write", lambda: write(options))


def test_an_unknown_consumer_group(event_hub: LocalEventHub) -> None:
    send(event_hub, [1], partition=0)
    options = {**from_earliest(event_hub), "eventhubs.consumerGroup": "nobody"}

    assert "nobody" in check("unknown consumer group", lambda: read(options))


def test_a_hub_that_does_not_run(event_hub: LocalEventHub) -> None:
    used = event_hub.connection_string.split("sb://")[1].split(";")[0]
    # Bound, so that no other program takes the port, but without a listener.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        options = changed(event_hub, used, f"localhost:{taken.getsockname()[1]}")
        check("hub not running", lambda: read(options))


def test_a_hub_that_stops_during_a_stream() -> None:
    with LocalHub() as stopping:
        hub = stopping.create_hub("stopping", partitions=1)
        reader = EventHubsPythonSource(changed(hub, "", "")).streamReader(StructType())
        start = reader.initialOffset()
        limit = reader.getDefaultReadLimit()
        reader.latestOffset(start, limit)
    try:
        with pytest.raises(errors.UnreachableError) as failed:
            reader.latestOffset(start, limit)
    finally:
        reader.stop()

    assert type(failed.value).__name__ == rows()["hub gone during a stream"].kind


@pytest.fixture(scope="module")
def authority() -> Iterator[Callable[[str], dict[str, str]]]:
    """Options of a sign-in with a wrong secret at a host of Microsoft Entra ID."""
    with LocalHub(hubs={"telemetry": 1}, tls_port=0) as hub, LocalAuthority(hub, tenant_id="contoso") as entra:
        entra.register("reader", client_id="reader", roles=["Data Owner"])

        def options(host: str = entra.url) -> dict[str, str]:
            named = {"namespace": "localhost", "name": "telemetry", "operationTimeout": "8s"}
            named |= {"customEndpoint": f"localhost:{hub.tls_port}", "tls.trustedCertificates": str(entra.ca_file)}
            auth = {"type": "clientSecret", "tenantId": "contoso", "clientId": "reader", "clientSecret": "wr0ng"}
            named |= {f"auth.{key}": text for key, text in {**auth, "authorityHost": host}.items()}
            return {f"eventhubs.{key}": text for key, text in named.items()}

        yield options


@pytest.mark.parametrize("use", [read, stream, write])
def test_a_sign_in_that_fails(authority: Callable[..., dict[str, str]], use: Callable[..., object]) -> None:
    text = check("wrong client secret", lambda: use(authority()))
    text += check("unreachable sign-in host", lambda: use(authority("https://localhost:1")))

    assert "AADSTS7000215" in text
    assert "wr0ng" not in text


def test_a_row_without_a_body(event_hub: LocalEventHub) -> None:
    text = check("row without a body", lambda: write(from_earliest(event_hub), None))

    assert "Filter such rows out, or give them an empty body with coalesce(body, '')." in text


def test_exactly_once_is_refused_as_an_option(event_hub: LocalEventHub) -> None:
    options = {**from_earliest(event_hub), "eventhubs.deliveryGuarantee": "exactly-once"}

    with pytest.raises(errors.OptionError, match="because only the jar writes exactly once") as refused:
        write(options)

    # With the jar: "exactly once without a log". Here there is no way at all.
    assert refused.value.condition == "EVENTHUBS_INVALID_OPTION"


GIVEN = f"Endpoint=sb://contoso.net/;SharedAccessKeyName=n;SharedAccessKey={KEY};EntityPath=orders"
STRING = "eventhubs.connectionString"


@pytest.mark.parametrize(
    ("mistake", "options"),
    [
        ("no EntityPath", {STRING: GIVEN.removesuffix(";EntityPath=orders")}),
        ("typo in an option", {STRING: GIVEN, "eventhubs.prefechCount": "1"}),
        ("typo without prefix", {STRING: GIVEN, "startingPostion": "earliest"}),
        ("position that is none", {STRING: GIVEN, "eventhubs.startingPosition": "yesterday"}),
        ("option of Spark's Kafka source", {STRING: GIVEN, "startingOffsets": "earliest"}),
        ("connection string None", {}),
        ("connection string empty", {STRING: ""}),
        ("connection string in quotes", {STRING: f"'{GIVEN}'"}),
        ("connection string of Azure Storage", {STRING: f"DefaultEndpointsProtocol=https;AccountKey={KEY}"}),
        ("connection string of an IoT hub", {STRING: f"HostName=a.azure-devices.net;SharedAccessKey={KEY}"}),
    ],
)
@pytest.mark.parametrize("use", [read, stream])
def test_a_mistake_in_options(mistake: str, options: dict[str, str], use: Callable[..., object]) -> None:
    text = check(mistake, lambda: use(options))

    assert KEY not in text
