from __future__ import annotations

import inspect
import json
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest
from azure.eventhub import EventHubConsumerClient, EventHubProducerClient
from azure.eventhub.exceptions import EventHubError

from processes import wait_until
from spark_eventhubs import LocalHub
from spark_eventhubs.local_hub import Compaction, LocalEventHubConfig
from spark_eventhubs.local_hub._http import HubHttp


def shown(hub: LocalHub, name: str) -> dict[str, object]:
    answer: dict[str, object] = HubHttp(hub.http_url).json("GET", "hubs", name)
    return answer


def metric(hub: LocalHub, name: str) -> int:
    lines = HubHttp(hub.http_url).text("GET", "metrics").splitlines()
    return next(int(line.split()[-1]) for line in lines if line.startswith(f"{name} "))


def answered(consumer: EventHubConsumerClient) -> bool:
    """Whether the hub answers a request for partition properties."""
    try:
        consumer.get_partition_properties("0")
    except EventHubError:
        return False
    return True


def consumer_of(hub: LocalHub, name: str) -> EventHubConsumerClient:
    return EventHubConsumerClient.from_connection_string(hub.connection_string(name), "$Default", retry_total=0)


def test_each_hub_has_settings_of_its_own() -> None:
    config = LocalEventHubConfig(
        partitions=2,
        consumer_groups=["dashboards"],
        retention=timedelta(hours=2),
        retention_bytes=1_000_000,
        throughput_units=3,
        compaction=Compaction(tombstone_retention=timedelta(hours=5), min_lag=timedelta(0)),
    )
    with LocalHub(hubs={"plain": 1, "limited": config}) as hub:
        limited = shown(hub, "limited")
        assert hub.hub_names() == ["limited", "plain"]
        assert hub.event_hub("limited").partitions == 2
        assert limited["consumerGroups"] == ["$Default", "dashboards"]
        assert (limited["retention"], limited["retentionBytes"]) == ("PT2H", 1_000_000)
        assert (limited["throughputUnits"], limited["cleanupPolicy"]) == (3, "compact")
        assert (shown(hub, "plain")["retention"], shown(hub, "plain")["cleanupPolicy"]) == (None, "delete")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no address 127.0.0.2")
def test_a_hub_is_reached_at_the_address_that_it_listens_on() -> None:
    with LocalHub(host="127.0.0.2", hubs={"telemetry": 1}) as hub:
        hub.event_hub("telemetry").send("one")
        assert hub.http_url.startswith("http://127.0.0.2:")
        assert hub.connection_string("telemetry").startswith(f"Endpoint=sb://127.0.0.2:{hub.amqp_port};")
        socket.create_connection(("127.0.0.2", hub.amqp_port), timeout=10).close()


def test_a_config_file_of_the_emulator_adds_hubs(tmp_path: Path) -> None:
    entity = {"Name": "from-file", "PartitionCount": "3", "ConsumerGroups": [], "RetentionTime": "1h"}
    namespace = {"Type": "EventHub", "Name": "emulatorNs1", "Entities": [entity]}
    file = tmp_path / "Config.json"
    file.write_text(json.dumps({"UserConfig": {"NamespaceConfig": [namespace]}}), encoding="utf-8")
    with LocalHub(hubs={"named": 1}, config_file=file) as hub:
        assert hub.hub_names() == ["from-file", "named"]
        assert shown(hub, "from-file")["retention"] == "PT1H"


def test_python_has_every_option_of_the_command_line() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "local-hub.md").read_text(encoding="utf-8")
    options = {
        option for row in re.findall(r"^\| (`--.*?) \|", page, re.MULTILINE) for option in re.findall(r"--[a-z-]+", row)
    }
    own_use = {"--ready-file", "--exit-with-stdin", "--help", "--version"}
    own_class = {"--authority-port", "--authority-config"}  # LocalAuthority
    renamed = {
        "hubs": "--hub",
        "config_file": "--config",
        "policies": "--policy",
        "schema_groups": "--schema-group",
        "max_message_bytes": "--max-message-size",
        "tombstone_retention": "--tombstone-retention",
        "min_lag": "--min-compaction-lag",
        "compaction": "--cleanup-policy",
    }
    python_only = {"start_timeout", "partitions", "consumer_groups", "geo_replication"}
    names = {
        *inspect.signature(LocalHub).parameters,
        *(field.name for kind in (LocalEventHubConfig, Compaction) for field in fields(kind)),
    }
    assert {
        renamed.get(name, f"--{name.replace('_', '-')}") for name in names - python_only
    } == options - own_use - own_class


def test_a_wrong_setting_of_a_hub_is_refused_and_the_process_ends() -> None:
    with pytest.raises(ValueError, match="99 throughput units: an event hub has 1 to 40"):
        LocalHub(hubs={"fast": LocalEventHubConfig(partitions=1, throughput_units=99)})


def test_the_largest_event_is_that_of_the_tier() -> None:
    with LocalHub(hubs={"basic": 1}, max_message_bytes=256 * 1024) as hub:
        with EventHubProducerClient.from_connection_string(hub.connection_string("basic")) as producer:
            assert producer.create_batch().max_size_in_bytes == 256 * 1024
        with pytest.raises(ValueError, match="at most 262144 are allowed"):
            hub.event_hub("basic").send("x" * 262_144)


def test_management_requests_above_the_limit_are_refused() -> None:
    with (
        LocalHub(hubs={"busy": 1}, management_limit=1, management_max_age=timedelta(seconds=1)) as hub,
        consumer_of(hub, "busy") as consumer,
    ):
        wait_until("a request is refused", lambda: not answered(consumer), seconds=30)
        wait_until("a request is answered again", lambda: answered(consumer), seconds=30)


def test_the_long_times_of_the_service_are_scaled() -> None:
    # After 5 minutes the service closes a connection that has only management links. Here they are 3 s.
    with (
        LocalHub(hubs={"idle": 1}, service_time_scale=0.01) as hub,
        consumer_of(hub, "idle") as consumer,
    ):
        wait_until("the client is connected", lambda: answered(consumer), seconds=30)
        wait_until("the hub closes it", lambda: metric(hub, "localhub_amqp_open_connections") == 0, seconds=60)


def test_wrong_service_settings_stop_the_start_with_the_reason_of_the_hub() -> None:
    with pytest.raises(RuntimeError, match=r"The time scale is 2\.0; expected above 0 and at most 1"):
        LocalHub(service_time_scale=2)
    with pytest.raises(RuntimeError, match="--fsync needs --data-dir"):
        LocalHub(fsync=True)


def test_a_hub_with_its_own_key_store_presents_its_certificate(tmp_path: Path) -> None:
    keytool = shutil.which("keytool")
    assert keytool is not None, "the JDK that runs the hub has keytool"
    store, password = tmp_path / "keys.p12", tmp_path / "password"
    password.write_text("changeit\n")
    names = ["-alias", "hub", "-dname", "CN=localhost", "-ext", "san=dns:localhost"]
    made = [keytool, "-genkeypair", "-keyalg", "RSA", "-keystore", str(store), "-storetype", "PKCS12", *names]
    subprocess.run([*made, "-storepass", "changeit"], check=True, capture_output=True)
    exported = [keytool, "-exportcert", "-rfc", "-alias", "hub", "-keystore", str(store), "-storepass", "changeit"]
    expected = subprocess.run(exported, check=True, capture_output=True, text=True).stdout

    with LocalHub(tls_port=0, tls_keystore=store, tls_password_file=password) as hub:
        assert hub.certificate_pem().split() == expected.split()
