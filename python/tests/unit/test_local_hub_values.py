"""What a local hub makes of the values that it is given, before its JVM has them."""

from __future__ import annotations

from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from spark_eventhubs import LocalEventHub, LocalHub
from spark_eventhubs.local_hub import LocalEventHubConfig, Role
from spark_eventhubs.local_hub import hub as hub_module
from spark_eventhubs.local_hub.application import _fields

if TYPE_CHECKING:
    from spark_eventhubs.local_hub._http import HubHttp


class FakeHttp:
    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def json(self, _method: str, *_path: str, body: list[dict[str, Any]]) -> None:
        self.sent += body


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
    fields = _fields("Data Receiver", "system:serviceaccount:jobs:reader", None)

    assert LocalEventHubConfig(partitions=1, consumer_groups="dashboards").query()["consumerGroups"] == "dashboards"
    assert FakeProcess.arguments[-2:] == ["--policy", "readers:Listen"]
    assert fields["federatedSubjects"] == ["system:serviceaccount:jobs:reader"]
    assert fields["roles"] == [Role("Data Receiver").json()]


@pytest.mark.parametrize("wrong", [5, None, b"dashboards", ["dashboards", 5]])
def test_other_values_for_a_list_of_texts_are_refused(wrong: object) -> None:
    config = LocalEventHubConfig(partitions=1, consumer_groups=wrong)  # type: ignore[arg-type]

    with pytest.raises(TypeError, match=r"consumer_groups is .*; expected a list of texts"):
        config.query()


def event_hub(http: FakeHttp) -> LocalEventHub:
    fake: HubHttp = http  # type: ignore[assignment]
    return LocalEventHub(name="telemetry", partitions=1, connection_string="", _http=fake)


def test_each_kind_of_body_is_sent() -> None:
    http = FakeHttp()

    event_hub(http).send(
        b"ab", bytearray(b"ab"), memoryview(b"abc")[:2], "ab", {"a": "b"}, MappingProxyType({"a": "b"}), None
    )

    binary = {"bodyBase64": "YWI="}
    assert http.sent == [binary] * 3 + [{"body": "ab"}, {"body": '{"a": "b"}'}, {"body": '{"a": "b"}'}, {"body": None}]


@pytest.mark.parametrize("wrong", [["ab", "cd"], [("a", "b")], 5, ("ab",)])
def test_other_bodies_are_refused(wrong: object) -> None:
    http = FakeHttp()

    with pytest.raises(TypeError, match="expected bytes, text, a mapping or None"):
        event_hub(http).send(*["before"] * 1000, wrong)  # type: ignore[arg-type]
    assert http.sent == []
