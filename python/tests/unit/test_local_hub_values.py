"""What a local hub makes of the values that it is given, before its JVM has them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from spark_eventhubs import LocalHub
from spark_eventhubs.local_hub import LocalEventHubConfig, Role
from spark_eventhubs.local_hub import hub as hub_module
from spark_eventhubs.local_hub.application import application_fields


class FakeProcess:
    arguments: list[str]
    ports = SimpleNamespace(amqp=5672, http=5300, tls=5671)

    def __init__(self, arguments: list[str], **_: object) -> None:
        FakeProcess.arguments = arguments

    def close(self) -> None:
        pass


@pytest.fixture
def _no_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "HubProcess", FakeProcess)
    monkeypatch.setattr(LocalHub, "hub_names", lambda _hub: ["telemetry"])


@pytest.mark.usefixtures("_no_jvm")
@pytest.mark.parametrize(
    ("listening", "http", "endpoint"),
    [
        (None, "127.0.0.1", "localhost"),
        ("127.0.0.1", "127.0.0.1", "localhost"),
        ("localhost", "127.0.0.1", "localhost"),
        ("0.0.0.0", "127.0.0.1", "localhost"),  # noqa: S104
        ("::", "127.0.0.1", "localhost"),
        ("::1", "[::1]", "localhost"),
        ("127.0.0.2", "127.0.0.2", "127.0.0.2"),
        ("10.0.0.4", "10.0.0.4", "10.0.0.4"),
        ("fd00::4", "[fd00::4]", "[fd00::4]"),
        ("hub.example.net", "hub.example.net", "hub.example.net"),
    ],
)
def test_the_addresses_are_those_that_the_hub_listens_on(listening: str | None, http: str, endpoint: str) -> None:
    hub = LocalHub(host=listening)

    assert hub.http_url == f"http://{http}:5300"
    assert hub.connection_string("telemetry").startswith(f"Endpoint=sb://{endpoint}:5672;")
    assert hub.connection_string(tls=True).startswith(f"Endpoint=sb://{endpoint}:5671;")


@pytest.mark.usefixtures("_no_jvm")
def test_a_single_text_is_a_list_of_one() -> None:
    LocalHub(policies={"readers": "Listen"})
    fields = application_fields("Data Receiver", "system:serviceaccount:jobs:reader", None)

    assert LocalEventHubConfig(partitions=1, consumer_groups="dashboards").query()["consumerGroups"] == "dashboards"
    assert FakeProcess.arguments[-2:] == ["--policy", "readers:Listen"]
    assert fields["federatedSubjects"] == ["system:serviceaccount:jobs:reader"]
    assert fields["roles"] == [Role("Data Receiver").json()]


@pytest.mark.parametrize("wrong", [5, None, b"dashboards", ["dashboards", 5]])
def test_other_values_for_a_list_of_texts_are_refused(wrong: object) -> None:
    config = LocalEventHubConfig(partitions=1, consumer_groups=wrong)  # type: ignore[arg-type]

    with pytest.raises(TypeError, match="consumer_groups is .*; expected a list of texts"):
        config.query()
