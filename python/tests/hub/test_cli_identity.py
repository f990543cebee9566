"""`send`, `tail` and `lag` sign in with an identity, by the options of the connector."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from spark_eventhubs import LocalHub
from spark_eventhubs.cli import main
from spark_eventhubs.local_hub import LocalAuthority, Role

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spark_eventhubs.local_hub import LocalApplication


@pytest.fixture(scope="module")
def hub() -> Iterator[LocalHub]:
    with LocalHub(hubs={"telemetry": 2}, tls_port=0) as running:
        yield running


@pytest.fixture(scope="module")
def authority(hub: LocalHub) -> Iterator[LocalAuthority]:
    with LocalAuthority(hub) as running:
        yield running


def run(
    hub: LocalHub, authority: LocalAuthority, application: LocalApplication, *arguments: str, **more: str
) -> Result:
    options = {
        "namespace": "localhost",
        "name": "telemetry",
        "customEndpoint": f"localhost:{hub.tls_port}",
        "tls.trustedCertificates": str(authority.ca_file),
        "auth.type": "clientSecret",
        "auth.tenantId": authority.tenant_id,
        "auth.clientId": application.client_id,
        "auth.clientSecret": "{env:CLIENT_SECRET}",
        "auth.authorityHost": authority.url,
    }
    given = [part for key, text in options.items() for part in ("--option", f"eventhubs.{key}={text}")]
    environment = {"CLIENT_SECRET": application.secret, "EVENTHUBS_CONNECTION_STRING": None} | more
    return CliRunner().invoke(main, [arguments[0], *given, *arguments[1:]], input="one\ntwo\n", env=environment)


def test_an_application_with_a_secret_sends_reads_and_sees_the_lag(
    hub: LocalHub, authority: LocalAuthority, tmp_path: Path
) -> None:
    owner = authority.register("pipeline", roles=["Data Owner"])
    for name in ("commits", "offsets"):
        (tmp_path / name).mkdir()
    (tmp_path / "commits/0").write_text("v1\n{}\n")
    (tmp_path / "offsets/0").write_text('v1\n{}\n{"telemetry":{"0":0,"1":0}}')

    sent = run(hub, authority, owner, "send", "--partition", "1")
    read = run(hub, authority, owner, "tail", "--from", "earliest", "--count", "2", "--timeout", "60")
    lag = run(hub, authority, owner, "lag", str(tmp_path), "--json")

    assert (sent.exit_code, sent.stderr) == (0, "2 events sent\n")
    assert [json.loads(line)["body"] for line in read.stdout.splitlines()] == ["one", "two"]
    assert json.loads(lag.stdout)["lag"] == 2


def test_a_missing_role_and_a_wrong_secret_are_one_line(hub: LocalHub, authority: LocalAuthority) -> None:
    receiver = authority.register("receiver", roles=[Role("Data Receiver", hub="telemetry")])

    refused = run(hub, authority, receiver, "send")
    wrong = run(hub, authority, receiver, "send", CLIENT_SECRET="wr0ng")

    assert refused.stderr == (
        "Error: the identity (clientSecret) may not send on the hub 'telemetry'; "
        "give it the role Azure Event Hubs Data Sender\n"
    )
    assert wrong.exit_code == 1
    assert "AADSTS7000215" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1
    assert "wr0ng" not in wrong.stderr


NAMED = ("eventhubs.namespace=n.servicebus.windows.net", "eventhubs.name=h")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("eventhubs.prefetchCount=5",), "eventhubs.prefetchCount does not sign in; expected eventhubs.auth.*, or one"),
        (("eventhubs.auth.type=managedIdentity",), "eventhubs.namespace is missing"),
        ((NAMED[0], "eventhubs.auth.type=managedIdentity"), "eventhubs.name is missing"),
        (NAMED, "eventhubs.auth.type is missing"),
        ((*NAMED, "eventhubs.auth.type=clientSecret"), "eventhubs.auth.tenantId is missing"),
        ((*NAMED, "eventhubs.auth.type=credentialProvider"), "needs a class of yours, which only Spark can run"),
        (
            (*NAMED, "eventhubs.auth.type=sas", "eventhubs.auth.sasToken={hadoop:sas}"),
            "which only Spark can read; expected {env:NAME} or {file:/path}",
        ),
        ((*NAMED, "eventhubs.auth.type=sas", "eventhubs.auth.sasToken={env:NOT_SET}"), "variable that is set"),
        ((*NAMED, "eventhubs.auth.type=sas", "eventhubs.auth.sasToken=sig"), "has a secret, which other users"),
        ((*NAMED, "eventhubs.auht.type=sas"), "did you mean 'eventhubs.auth.type'?"),
    ],
)
def test_options_that_do_not_sign_in_are_one_line(options: tuple[str, ...], said: str) -> None:
    given = [part for option in options for part in ("--option", option)]

    done = CliRunner().invoke(main, ["tail", *given], env={"EVENTHUBS_CONNECTION_STRING": None})

    assert done.exit_code in {1, 2}
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [["tail"], ["send"], ["lag", "."]], ids=lambda command: str(command[0]))
def test_a_hub_is_named_once(command: list[str]) -> None:
    none = CliRunner().invoke(main, command, env={"EVENTHUBS_CONNECTION_STRING": None})
    both = CliRunner().invoke(main, [*command, "--option", NAMED[0]], env={"EVENTHUBS_CONNECTION_STRING": "Endpoint"})

    assert none.stderr.startswith("Error: no hub is named; set EVENTHUBS_CONNECTION_STRING (or")
    assert "unset EVENTHUBS_CONNECTION_STRING" in both.stderr
    assert (none.exit_code, both.exit_code) == (2, 2)
