from __future__ import annotations

import pytest

from confs import from_earliest
from events import send
from spark_eventhubs import LocalHub
from spark_eventhubs.pure._settings import read_settings
from spark_eventhubs.pure._source import BatchReader


@pytest.mark.timeout(120)
def test_a_batch_is_planned_and_read_where_one_question_a_second_is_answered() -> None:
    with LocalHub(service="strict") as local_hub:
        event_hub = local_hub.create_hub("telemetry", partitions=2)
        for partition in range(2):
            send(event_hub, range(10 * partition, 10 * partition + 10), partition=partition)
        reader = BatchReader(read_settings(from_earliest(event_hub)))

        tasks = reader.partitions()
        rows = [row for task in tasks for batch in reader.read(task) for row in batch.to_pylist()]

    assert sorted(int(row["body"]) for row in rows) == list(range(20))
