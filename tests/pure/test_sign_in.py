"""Each way to sign in, with the stand-in for Microsoft Entra ID, over AMQP and over WebSockets with a proxy."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from connect_proxy import ConnectProxy
from events import numbers_of, once, send
from pure_versions import HAS_STREAMS
from spark_eventhubs import EventHubsConf, read, read_stream, write, write_stream
from spark_eventhubs.errors import (
    AuthenticationError,
    CertificateError,
    EventHubsError,
    OptionError,
    UnreachableError,
)
from spark_eventhubs.pure._links import EventLink
from spark_eventhubs.pure._sdk import HubConnection
from spark_eventhubs.pure._settings import read_settings
from spark_eventhubs.pure._signing_in.tokens import Tokens, signed_in
from spark_eventhubs.pure._source import BatchReader
from ways import Ways, running_ways

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs.pure._signing_in.address import HubAddress

WAYS = (
    *("client_secret", "secret_in_a_file", "secret_in_a_variable", "pem", "pfx"),
    *("system_identity", "user_identity", "workload_identity", "default_chain"),
    *("sas_token", "sas_in_a_file", "string_in_a_file"),
)


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    with running_ways(tmp_path_factory.mktemp("credentials")) as running:
        yield running


def options_of(ways: Ways, way: str, **more: str) -> dict[str, str]:
    certificates = {"eventhubs.tls.trustedCertificates": str(ways.authority.ca_file)}
    return ways.of(way)[way] | certificates | {f"eventhubs.{key}": text for key, text in more.items()}


def address_of(ways: Ways, way: str, **more: str) -> HubAddress:
    return read_settings(options_of(ways, way, **more)).address


def partitions_over(address: HubAddress) -> tuple[int, ...]:
    with HubConnection(address) as asked:
        return asked.hub().partitions


@pytest.mark.parametrize("way", WAYS)
def test_each_way_signs_in(ways: Ways, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ways.environment("classic").items():
        monkeypatch.setenv(name, value)
    address = signed_in(address_of(ways, way))

    assert partitions_over(address) == (0, 1)
    assert [secret for secret in ways.secrets if secret in repr(address)] == []
    if address.token is not None:
        assert address.token.text not in repr(address)


@pytest.mark.skipif(not HAS_STREAMS, reason="streams of this engine need Spark 4.2")
def test_a_batch_and_a_stream_sign_in_with_an_identity(both: SparkSession, ways: Ways, tmp_path: Path) -> None:
    conf = EventHubsConf.from_options(options_of(ways, "client_secret"))
    copy = EventHubsConf.from_options(options_of(ways, "pem", transport="amqpWebSockets"))

    write(both.range(20).selectExpr("cast(id AS string) AS body"), conf, engine="python")
    stream = read_stream(both, conf, engine="python").select("body")
    query = write_stream(stream, copy, checkpoint_location=str(tmp_path), engine="python")
    query.trigger(availableNow=True).start().awaitTermination(120)

    assert numbers_of(read(both, copy, engine="python")) == once(range(20))


def test_a_task_has_the_driver_s_token_and_signs_in_itself_when_that_ends(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARKED_SECRET", str(ways.application.secret))
    settings = read_settings(options_of(ways, "secret_in_a_variable"))
    send(ways.hub.event_hub("secret-in-a-variable"), range(4))
    tasks = pickle.loads(pickle.dumps(BatchReader(settings).partitions()))  # noqa: S301 - as Spark does it
    # A task may run where nothing signs in.
    monkeypatch.delenv("MARKED_SECRET")
    token, identity = tasks[0].token, settings.address.identity
    assert {task.token for task in tasks} == {token}
    assert token.text not in repr(tasks)
    assert identity is not None
    address = replace(settings.address, token=token)

    assert partitions_over(address) == (0, 1)
    near = replace(address, token=replace(token, expires=time.time() + 30))
    assert Tokens(near, identity).get_token().token == token.text
    ended = replace(address, token=replace(token, expires=0))
    with pytest.raises(OptionError, match="expected an environment variable that is set"):
        Tokens(ended, identity).get_token()
    monkeypatch.setenv("MARKED_SECRET", str(ways.application.secret))
    assert Tokens(ended, identity).get_token().expires_on > time.time() + 60


def test_the_authority_of_the_environment_is_not_looked_up_at_microsoft(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_AUTHORITY_HOST", ways.authority.url)
    options = options_of(ways, "client_secret")
    del options["eventhubs.auth.authorityHost"]

    assert signed_in(read_settings(options).address).token is not None


def test_a_rotated_secret_in_a_file_is_read_again(ways: Ways) -> None:
    rotating = ways.authority.register("rotating", roles=["Data Owner"])
    place = ways.file("rotating", str(rotating.secret))
    secret = {"clientId": rotating.client_id, "clientSecret": f"{{file:{place}}}"}
    address = address_of(ways, "client_secret", **{f"auth.{key}": text for key, text in secret.items()})
    assert signed_in(address).token is not None

    ways.file("rotating", str(rotating.rotate_secret().secret))

    assert partitions_over(signed_in(address)) == (0, 1)


def test_a_refused_identity_is_one_line_with_the_reason_and_without_the_secret(ways: Ways) -> None:
    def refusal_of(kind: type[EventHubsError], way: str = "client_secret", **options: str) -> str:
        with pytest.raises(kind) as refused:
            signed_in(address_of(ways, way, **options))
        text = str(refused.value)
        assert "wr0ng" not in text
        assert "\n" not in text
        return text

    assert "AADSTS7000215" in refusal_of(AuthenticationError, **{"auth.clientSecret": "wr0ng"})
    assert "localhost" in refusal_of(UnreachableError, **{"auth.authorityHost": "https://localhost:1"})
    assert "cannot" not in refusal_of(OptionError, **{"tls.trustedCertificates": "/no/file"})
    wrong = {"auth.certificatePassword": "wr0ng"}
    assert str(ways.certificate.pfx) in refusal_of(OptionError, "pfx", **wrong)
    assert "/no/file" in refusal_of(OptionError, "pfx", **{"auth.certificatePath": "/no/file"})


def test_an_identity_without_a_role_is_refused_by_name(ways: Ways) -> None:
    stranger = ways.authority.register("stranger")
    address = address_of(
        ways, "client_secret", **{"auth.clientId": stranger.client_id, "auth.clientSecret": str(stranger.secret)}
    )

    with pytest.raises(AuthenticationError), EventLink(signed_in(address), "$Default", 0, 0) as link:
        link.open()


def test_web_sockets_and_the_sign_in_go_over_a_proxy(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    # This machine has no proxy otherwise.
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "nobody.invalid")
    with ConnectProxy("me", "pr0xy-pass") as proxy:
        over = {"transport": "amqpWebSockets", "proxy.address": proxy.address, "proxy.username": "me"}
        address = address_of(ways, "client_secret", **over, **{"proxy.password": "pr0xy-pass"})

        assert partitions_over(signed_in(address)) == (0, 1)

        hosts = {ways.authority.url.removeprefix("https://"), f"localhost:{ways.hub.tls_port}"}
        assert set(proxy.tunnels) == hosts
        wrong = address_of(ways, "sas_token", **over, **{"proxy.password": "wr0ng"})
        with pytest.raises(UnreachableError) as refused:
            partitions_over(wrong)
        assert refused.value.condition == "EVENTHUBS_PROXY"
        assert "407" in str(refused.value)
        assert "wr0ng" not in str(refused.value)
        with pytest.raises(UnreachableError) as unsigned:
            signed_in(address_of(ways, "client_secret", **over, **{"proxy.password": "wr0ng"}))
        assert unsigned.value.condition == "EVENTHUBS_PROXY"
        assert "wr0ng" not in str(unsigned.value)


def test_a_certificate_of_an_unknown_authority_is_refused(ways: Ways) -> None:
    options = options_of(ways, "sas_token")
    del options["eventhubs.tls.trustedCertificates"]
    for transport in ("amqp", "amqpWebSockets"):
        with pytest.raises(CertificateError):
            partitions_over(read_settings({**options, "eventhubs.transport": transport}).address)
    unknown = options_of(ways, "client_secret")
    del unknown["eventhubs.tls.trustedCertificates"]
    with pytest.raises(CertificateError):
        signed_in(read_settings(unknown).address)
