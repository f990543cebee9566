"""`spark-eventhubs verify --create`: the event hubs that do not exist."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from console_script import ended
from spark_eventhubs import LocalHub
from spark_eventhubs.cli.verify._create import PARTITIONS, create_stage
from spark_eventhubs.local_hub import LocalAuthority
from verify_settings import DEVELOPMENT, setting

if TYPE_CHECKING:
    import pytest


def test_create_makes_the_hubs_that_do_not_exist_and_changes_no_other() -> None:
    with LocalHub(hubs={"one": 1}) as hub:
        given = setting(hub.connection_string())

        first, second = create_stage(given), create_stage(given)

        assert (first.status, first.found[:13], second.found) == ("passed", "created 'two'", "created none")
        partitions = {name: hub.event_hub(name).partitions for name in hub.hub_names()}
    assert partitions == {"one": 1, "two": PARTITIONS}


def test_without_manage_the_hubs_cannot_be_created_and_nothing_else_runs() -> None:
    with LocalHub(policies={"sender": ["Send", "Listen"]}) as hub:
        done = ended(hub.connection_string(policy="sender"), "verify", "one", "two", "--create", "--format", "json")
        names = hub.hub_names()

    connection, create, others = json.loads(done.stdout)["stages"]
    assert (done.returncode, connection["status"], create["status"]) == (1, "passed", "failed")
    assert "the hub 'one' cannot be created: 401 Manage,EntityWrite claims required" in create["found"]
    assert (others["name"], others["found"]) == ("all other stages", "the stage 'create' failed")
    assert "Creates those of the two" in done.stderr
    assert not {"one", "two"} & set(names)


def test_create_signs_in_with_an_identity_and_over_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalHub(tls_port=0) as hub, LocalAuthority(hub) as authority:
        owner = authority.register("owner", roles=["Data Owner"])
        monkeypatch.setenv("CLIENT_SECRET", owner.secret or "")
        options = {
            "eventhubs.namespace": "localhost",
            "eventhubs.customEndpoint": f"localhost:{hub.tls_port}",
            "eventhubs.tls.trustedCertificates": str(authority.ca_file),
            "eventhubs.auth.type": "clientSecret",
            "eventhubs.auth.tenantId": authority.tenant_id,
            "eventhubs.auth.clientId": owner.client_id,
            "eventhubs.auth.clientSecret": "{env:CLIENT_SECRET}",
            "eventhubs.auth.authorityHost": authority.url,
        }
        stage = create_stage(
            replace(
                setting(DEVELOPMENT.format(port=5672)),
                connection_string=None,
                options=tuple(f"{key}={value}" for key, value in options.items()),
            )
        )
        assert {"one", "two"} <= set(hub.hub_names())

    assert stage.status == "passed", stage.found
