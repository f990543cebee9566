"""Event hubs with different rights: in a list, and for a pattern. An application signs in to the stand-in authority."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events import once, spread
from processes import wait_until
from spark_eventhubs import EventHubsConf, LocalHub, read, read_stream
from spark_eventhubs.errors import AuthenticationError
from spark_eventhubs.local_hub import LocalApplication, LocalAuthority, Role
from streams import Target, run_available, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

BOTH = "readable,secret"


@pytest.fixture(scope="module")
def hub() -> Iterator[LocalHub]:
    """A hub with TLS, whose two event hubs have events."""
    with LocalHub(tls_port=0) as running_hub:
        readable, secret = (running_hub.create_hub(name, partitions=2) for name in BOTH.split(","))
        spread(readable, range(20))
        spread(secret, range(20, 30))
        yield running_hub


@pytest.fixture(scope="module")
def authority(hub: LocalHub) -> Iterator[LocalAuthority]:
    with LocalAuthority(hub) as running_authority:
        yield running_authority


@pytest.fixture
def conf(hub: LocalHub, authority: LocalAuthority, tmp_path: Path) -> dict[str, str]:
    """Options without a hub and an application."""
    trusted = tmp_path / "trusted.pem"
    trusted.write_text(authority.ca_file.read_text() + hub.certificate_pem(), encoding="utf-8")
    return {
        "eventhubs.namespace": "localhost",
        "eventhubs.customEndpoint": f"localhost:{hub.tls_port}",
        "eventhubs.tls.trustedCertificates": str(trusted),
        "eventhubs.auth.type": "clientSecret",
        "eventhubs.auth.authorityHost": authority.url,
        "eventhubs.startingPosition": "earliest",
        "eventhubs.operationTimeout": "20s",
    }


def of(conf: dict[str, str], application: LocalApplication, **more: str) -> EventHubsConf:
    identity = {"tenantId": application.tenant_id, "clientId": application.client_id}
    identity |= {"clientSecret": str(application.secret)}
    options = {f"eventhubs.auth.{key}": text for key, text in identity.items()}
    return EventHubsConf.from_options(conf | options | {f"eventhubs.{key}": text for key, text in more.items()})


@pytest.mark.parametrize("policy", ["true", "false"])
def test_a_hub_that_may_not_be_read_is_named_and_nothing_of_the_other_is_lost(
    spark: SparkSession,
    authority: LocalAuthority,
    conf: dict[str, str],
    tmp_path: Path,
    policy: str,
) -> None:
    application = authority.register(f"reader-{policy}", roles=[Role("Data Receiver", hub="readable")])
    both = of(conf, application, name=BOTH, failOnDataLoss=policy)
    target = Target(tmp_path)

    with pytest.raises(AuthenticationError, match=r"Event hub 'secret' in 'localhost'.*Listen.* are required"):
        run_available(target.writer(read_stream(spark, both)))
    assert not list(target.rows.rglob("*.parquet"))

    application.set_roles(Role("Data Receiver", hub="readable"), Role("Data Receiver", hub="secret"))
    run_available(target.writer(read_stream(spark, both)))
    assert target.numbers(spark) == once(range(30))


def test_a_pattern_needs_the_role_of_the_namespace(
    spark: SparkSession,
    authority: LocalAuthority,
    conf: dict[str, str],
) -> None:
    reader = authority.register("lister", roles=[Role("Data Receiver")])
    owner = authority.register("owner", roles=[Role("Data Owner")])

    with pytest.raises(AuthenticationError, match=r"cannot be listed.*Manage,EntityRead claims required"):
        read(spark, of(conf, reader, namePattern="readable|secret")).count()
    assert read(spark, of(conf, owner, namePattern="readable|secret")).count() == 30


def test_a_stream_continues_with_its_hubs_while_they_cannot_be_listed(
    spark: SparkSession,
    hub: LocalHub,
    authority: LocalAuthority,
    conf: dict[str, str],
    tmp_path: Path,
) -> None:
    owner = authority.register("former-owner", roles=[Role("Data Owner")])
    early = hub.create_hub("early", partitions=2)
    spread(early, range(20))
    matching = of(conf, owner, namePattern="early|late", namePatternInterval="100ms")
    target = Target(tmp_path)

    with running(spark, matching, target) as query:
        query.processAllAvailable()
        owner.set_roles(Role("Data Receiver"))
        spread(early, range(100, 110))
        late = hub.create_hub("late", partitions=1)
        spread(late, range(200, 210))
        wait_until("the known hub's events", lambda: sum(target.numbers(spark).values()) >= 30)
        assert target.numbers(spark) == once([*range(20), *range(100, 110)])
        owner.set_roles(Role("Data Owner"))
        wait_until("the new hub's events", lambda: sum(target.numbers(spark).values()) >= 40)

    assert target.numbers(spark) == once([*range(20), *range(100, 110), *range(200, 210)])
