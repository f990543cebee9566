from __future__ import annotations

import json

import pytest

from spark_eventhubs import EventHubsConf, NameAndPartition
from spark_eventhubs._monitoring.history import History
from spark_eventhubs._monitoring.reports import ProgressReport, parse_report
from spark_eventhubs.errors import OptionError, OptionTypeError

NAMESPACE = "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=read;SharedAccessKey=a2V5"
ORDERS = f"{NAMESPACE};EntityPath=orders"


def test_a_list_of_names_is_one_option() -> None:
    conf = EventHubsConf(connection_string=ORDERS, eventhub_name=["returns", "orders"])

    assert conf.to_options()["eventhubs.name"] == "returns,orders"
    assert conf.eventhub_name == "returns,orders"
    assert EventHubsConf(connection_string=ORDERS).replace(eventhub_name=["orders", "returns"])["eventhubs.name"]
    assert EventHubsConf.from_connection_string(NAMESPACE, eventhub_name=("a", "b")).eventhub_name == "a,b"
    assert EventHubsConf(connection_string=NAMESPACE, eventhub_name=["a"]).eventhub_name == "a"


def test_the_connection_strings_hub_must_be_in_the_list() -> None:
    with pytest.raises(OptionError, match="names the hub 'orders', which is not in eventhub_name; add it to the list"):
        EventHubsConf(connection_string=ORDERS, eventhub_name=["returns", "alerts"])
    with pytest.raises(OptionError, match="not in eventhub_name"):
        EventHubsConf(connection_string=ORDERS).replace(eventhub_name=["returns", "alerts"])


@pytest.mark.parametrize("wrong", [[], [1], [None], {"a": 1}])
def test_what_is_no_list_of_names_is_refused(wrong: object) -> None:
    with pytest.raises(OptionTypeError, match="the name of an event hub, or a list of names"):
        EventHubsConf(connection_string=NAMESPACE, eventhub_name=wrong)  # type: ignore[arg-type]


def test_positions_of_a_list_name_their_hub() -> None:
    conf = EventHubsConf(connection_string=NAMESPACE, eventhub_name=["orders", "returns"])
    named = conf.replace(starting_positions={NameAndPartition(name="Returns", partition_id=1): 5})

    assert list(json.loads(named["eventhubs.startingPositions"])) == [
        NameAndPartition(name="Returns", partition_id=1).to_json()
    ]
    with pytest.raises(OptionError, match="partition 1 is a partition of each of 'orders,returns'"):
        conf.replace(starting_positions={1: 5})
    with pytest.raises(OptionError, match="a position is for the hub 'alerts'"):
        conf.replace(starting_positions={NameAndPartition(name="alerts", partition_id=1): 5})


def report(second: int, read: int) -> ProgressReport:
    source = {
        "description": "EventHubs[orders,returns in localhost, consumer group $Default]",
        "endOffset": {"orders": {"0": read}, "returns": {"0": 3}},
        "latestOffset": {"orders": {"0": 50}, "returns": {"0": 4}},
        "metrics": {
            "eventsBehindByHub": '{"orders":1,"returns":1}',
            "slowestHub": "orders",
            "slowestPartition": "0",
            "secondsBehind": '{"orders":{"0":2.5},"returns":{"0":1.5}}',
        },
    }
    fields = {
        "runId": "r",
        "batchId": second,
        "timestamp": f"2026-01-01T00:00:{second:02}.000Z",
        "durationMs": {"triggerExecution": 1000},
        "sources": [source],
    }
    return parse_report(json.dumps(fields))


def test_partitions_with_one_id_in_two_hubs_are_kept_apart() -> None:
    source = report(10, 30).sources[0]

    assert [(each.name, each.events_behind, each.seconds_behind) for each in source.partitions] == [
        ("orders/0", 20, 2.5),
        ("returns/0", 1, 1.5),
    ]
    assert source.slowest == "orders/0"
    assert History([report(0, 10), report(10, 30)]).read_rates() == {"orders/0": 2.0, "returns/0": 0.0}
