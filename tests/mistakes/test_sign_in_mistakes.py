"""What a user sees of a sign-in with Microsoft Entra ID that fails, in a batch read, a write and a stream.

Each attempt to reach a host that does not answer may take half a minute, so the three run at the same time.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from mistakes import check
from spark_eventhubs import EventHubsConf, LocalHub, errors, read, read_stream, write
from spark_eventhubs.local_hub import LocalAuthority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.timeout(240, func_only=True)

SECRET = "wr0ng-secret"


@pytest.fixture(scope="module")
def authority() -> Iterator[tuple[LocalHub, LocalAuthority]]:
    """A hub with TLS, whose authority knows the application `reader` in the tenant `contoso`."""
    with (
        LocalHub(hubs={"telemetry": 1}, tls_port=0) as hub,
        LocalAuthority(hub, tenant_id="contoso") as authority,
    ):
        authority.register("reader", client_id="reader", roles=["Data Owner"])
        yield hub, authority


def conf_of(hub: LocalHub, authority: LocalAuthority, host: str, timeout: str = "40s") -> EventHubsConf:
    auth = {"type": "clientSecret", "tenantId": "contoso", "clientId": "reader", "clientSecret": SECRET}
    options = {f"eventhubs.auth.{key}": value for key, value in auth.items()}
    options |= {
        "eventhubs.namespace": "localhost",
        "eventhubs.name": "telemetry",
        "eventhubs.customEndpoint": f"localhost:{hub.tls_port}",
        "eventhubs.tls.trustedCertificates": str(authority.ca_file),
        "eventhubs.auth.authorityHost": host,
        "eventhubs.operationTimeout": timeout,
        "eventhubs.sendTimeout": timeout,
    }
    return EventHubsConf.from_options(options)


def uses(spark: SparkSession, conf: EventHubsConf, folder: Path) -> list[Callable[[], object]]:
    def stream() -> None:
        writer = read_stream(spark, conf).writeStream.format("noop")
        query = writer.option("checkpointLocation", str(folder / "checkpoint")).start()
        try:
            query.processAllAvailable()
        finally:
            query.stop()

    rows = spark.range(1).selectExpr("cast(id AS string) AS body")
    return [lambda: read(spark, conf).collect(), lambda: write(rows, conf), stream]


def test_a_wrong_client_secret(spark: SparkSession, authority: tuple[LocalHub, LocalAuthority], tmp_path: Path) -> None:
    hub, entra = authority

    for use in uses(spark, conf_of(hub, entra, entra.url), tmp_path):
        failed = check("wrong client secret", use)
        assert isinstance(failed, errors.AuthenticationError)
        assert SECRET not in f"{failed} {failed!r}"


# Within 10 s, the SDK gives up each attempt to connect before the sign-in has failed.
@pytest.mark.parametrize("timeout", ["10s", "40s"])
def test_an_unreachable_sign_in_host(
    spark: SparkSession, authority: tuple[LocalHub, LocalAuthority], tmp_path: Path, timeout: str
) -> None:
    tried = uses(spark, conf_of(*authority, "https://localhost:1", timeout), tmp_path)
    with ThreadPoolExecutor(len(tried)) as threads:
        failures = list(threads.map(lambda use: check("unreachable sign-in host", use), tried))

    for failed in failures:
        assert isinstance(failed, errors.UnreachableError)
        assert "https://localhost:1" in str(failed)
