from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from azure.eventhub import EventData, EventHubProducerClient

from identities import with_secret
from spark_eventhubs.local_hub import Role

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub, LocalHub
    from spark_eventhubs.local_hub import LocalAuthority
    from spark_eventhubs.pytest_plugin import CreateEventHub

pytest_plugins = ["pytester"]

seen: set[str] = set()


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_its_own_hub_with_the_name_of_the_test(event_hub: LocalEventHub, turn: int) -> None:
    assert event_hub.name not in seen, f"test {turn} has the hub of another test"
    seen.add(event_hub.name)
    assert event_hub.name.startswith(f"test-each-test-has-its-own-hub-with-the-name-of-the-test-{turn}-")
    assert event_hub.partitions == 4


@pytest.mark.event_hub(partitions=2, consumer_groups=["dashboards"], geo_replication=True)
def test_a_marker_sets_the_properties_of_the_hub(event_hub: LocalEventHub, local_hub: LocalHub) -> None:
    assert event_hub.partitions == 2
    assert event_hub.connection_string == local_hub.connection_string(event_hub.name)
    event_hub.promote()


def test_a_test_creates_further_hubs(event_hub: LocalEventHub, create_event_hub: CreateEventHub) -> None:
    event_hub.send("here")
    other = create_event_hub(partitions=1, consumer_groups=["audit"])

    assert (other.partitions, other.events()) == (1, [])
    assert [event.text() for event in event_hub.events()] == ["here"]


def test_an_authority_signs_in_for_the_hub_and_ends_with_its_test(
    local_hub: LocalHub, local_authority: LocalAuthority, event_hub: LocalEventHub
) -> None:
    sender = local_authority.register("sender", roles=[Role("Data Sender", hub=event_hub.name)])
    host = f"localhost:{local_hub.amqp_port}"
    with EventHubProducerClient(host, event_hub.name, with_secret(local_authority, sender), use_tls=False) as producer:
        producer.send_batch([EventData("x")])
    assert [event.text() for event in event_hub.events()] == ["x"]


def test_each_test_has_an_authority_of_its_own(local_authority: LocalAuthority) -> None:
    assert local_authority.requests() == []


def test_hubs_and_faults_end_with_their_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_one(local_hub, event_hub, create_event_hub):
            create_event_hub().faults.inject("stall")
            event_hub.delete()
            assert len(local_hub.hub_names()) == 1

        def test_two(local_hub):
            assert local_hub.hub_names() == []
            assert local_hub.faults.active() == []
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_a_conftest_overrides_the_settings_of_the_hub(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest
        from spark_eventhubs import LocalHub

        @pytest.fixture(scope="session")
        def local_hub():
            with LocalHub(max_message_bytes=2048) as hub:
                yield hub
        """
    )
    pytester.makepyfile(
        """
        import pytest

        def test_small_events(event_hub):
            with pytest.raises(ValueError, match="at most 2048"):
                event_hub.send("x" * 3000)
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
