"""One query that reads several event hubs: from Python, as a table, and into an exactly-once write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confs import conf_of
from events import once, spread
from spark_eventhubs import EventHubsConf, read
from streams import Target, read_available, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub


def listed(*hubs: LocalEventHub) -> EventHubsConf:
    return EventHubsConf(
        connection_string=hubs[0].connection_string,
        eventhub_name=[hub.name for hub in hubs],
        starting_position="earliest",
    )


def counts(spark: SparkSession, conf: EventHubsConf) -> dict[str, int]:
    rows = read(spark, conf.replace(include_event_hub=True)).groupBy("eventHub").count().collect()
    return {row["eventHub"]: row["count"] for row in rows}


def test_a_batch_read_of_a_list_names_each_events_hub(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub]
) -> None:
    other = another_hub(partitions=3)
    spread(event_hub, range(40))
    spread(other, range(40, 100))

    assert counts(spark, listed(other, event_hub)) == {event_hub.name: 40, other.name: 60}


def test_a_table_of_a_catalog_reads_a_list(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub]
) -> None:
    other = another_hub()
    spread(event_hub, range(10))
    spread(other, range(10, 25))
    options = listed(event_hub, other).replace(include_event_hub=True).to_options()
    clause = ", ".join(f"'{key}' '{value}'" for key, value in options.items())
    spark.sql(f"CREATE TABLE several_hubs USING eventhubs OPTIONS ({clause})")
    try:
        rows = spark.sql("SELECT eventHub, count(*) AS n FROM several_hubs GROUP BY eventHub").collect()
    finally:
        spark.sql("DROP TABLE several_hubs")

    assert {row["eventHub"]: row["n"] for row in rows} == {event_hub.name: 10, other.name: 15}


def test_a_stream_reads_each_event_of_each_hub_once_while_hubs_join_and_one_is_much_larger(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    small, late = another_hub(partitions=1), another_hub()
    target = Target(tmp_path)
    spread(event_hub, range(2000))
    spread(small, range(2000, 2010))

    query = read_available(spark, listed(event_hub, small).replace(max_events_per_trigger=500), target)
    assert max(report["numInputRows"] for report in query.recentProgress) <= 502
    assert target.numbers(spark) == once(range(2010))

    spread(late, range(2010, 2100))
    with running(spark, listed(late, small, event_hub), target) as query:
        query.processAllAvailable()
        spread(small, range(2100, 2150))
        query.processAllAvailable()

    assert target.numbers(spark) == once(range(2150))


def test_an_exactly_once_write_reads_from_two_hubs(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    source, copy = another_hub(), another_hub()
    spread(event_hub, range(100))
    spread(source, range(100, 150))

    def copied(names: list[LocalEventHub]) -> None:
        from spark_eventhubs import read_stream, write_stream  # noqa: PLC0415 - only here

        writer = write_stream(
            read_stream(spark, listed(*names)).select("body"),
            conf_of(copy).replace(delivery_guarantee="exactly-once", settle_delay="300ms"),
            checkpoint_location=str(tmp_path / "checkpoint"),
        )
        query = writer.trigger(availableNow=True).start()
        assert query.awaitTermination(60)
        query.stop()

    copied([event_hub, source])
    spread(source, range(150, 160))
    copied([source, event_hub])

    copied_conf = conf_of(copy).replace(starting_position="earliest")
    numbers = [
        int(row["body"]) for row in read(spark, copied_conf).selectExpr("cast(body AS STRING) AS body").collect()
    ]
    assert sorted(numbers) == list(range(160))
