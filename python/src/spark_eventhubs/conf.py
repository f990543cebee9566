"""The options of a query that reads or writes one event hub."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spark_eventhubs.credentials import ConnectionString, Credential, entity_path
from spark_eventhubs.option_values import OptionValue, find_option, setting, settings
from spark_eventhubs.position import EventPosition, NameAndPartition

if TYPE_CHECKING:
    from datetime import timedelta

Positions = Mapping[int, EventPosition] | Mapping[NameAndPartition, EventPosition]


@dataclass(frozen=True, kw_only=True, repr=False)
class EventHubsConf:
    """The options of one source or sink. It is immutable: each `with_` method returns a new object.

    Start with `from_connection_string` or `from_credential`. Options that are not set have the connector's defaults.
    """

    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_connection_string(cls, connection_string: str, *, name: str | None = None) -> EventHubsConf:
        """Uses the hub in the string's EntityPath, or `name` if there is none."""
        parsed = ConnectionString(connection_string)
        if parsed.hub and name and parsed.hub.lower() != name.lower():
            raise ValueError(f"the connection string names the hub '{parsed.hub}', but name is '{name}'; give only one")
        if not (parsed.hub or name):
            raise ValueError("the connection string names no hub; add ';EntityPath=<hub>' to it, or set name=")
        conf = cls.from_options(parsed.to_options())
        return conf if name is None or parsed.hub else conf.with_option("eventhubs.name", name)

    @classmethod
    def from_credential(cls, credential: Credential, *, namespace: str, name: str) -> EventHubsConf:
        """Uses the hub `name` in `namespace`, a host such as `<namespace>.servicebus.windows.net`."""
        if isinstance(credential, ConnectionString):
            if credential.host.lower() != namespace.lower():
                raise ValueError(f"the connection string is for '{credential.host}', but namespace is '{namespace}'")
            return cls.from_connection_string(credential.text, name=name)
        if "/" in namespace or "." not in namespace:
            raise ValueError(
                f"namespace is '{namespace}'; expected a host such as '<namespace>.servicebus.windows.net'"
            )
        return cls.from_options({"eventhubs.namespace": namespace, "eventhubs.name": name} | credential.to_options())

    @classmethod
    def from_options(cls, options: Mapping[str, OptionValue | None]) -> EventHubsConf:
        """Takes the options of an existing job, such as a dict for the legacy connector.

        Keeps Spark's own options and ignores values of None. With `eventhubs.ignoreUnknownOptions` every key is valid.
        """
        conf = cls()
        for key, text in settings(options):
            conf = conf._with(key, text)
        return conf

    @property
    def name(self) -> str | None:
        """Name of the event hub, or None if only the connector can read the connection string (an encrypted one)."""
        options = self.to_options()
        return options.get("eventhubs.name") or entity_path(options.get("eventhubs.connectionString", ""))

    def with_option(self, key: str, value: OptionValue) -> EventHubsConf:
        """Sets any option of the table. Rejects an unknown key with the most similar name."""
        return self._with(*setting(key, value))

    def with_consumer_group(self, consumer_group: str) -> EventHubsConf:
        """Reads with this consumer group."""
        return self.with_option("eventhubs.consumerGroup", consumer_group)

    def with_starting_position(self, position: EventPosition) -> EventHubsConf:
        """Starts every partition here, unless there is a checkpoint."""
        return self.with_option("eventhubs.startingPosition", position)

    def with_starting_positions(self, positions: Positions) -> EventHubsConf:
        """Starts these partitions here. The keys are partition ids or NameAndPartition."""
        return self.with_option("eventhubs.startingPositions", self._by_partition(positions))

    def with_ending_position(self, position: EventPosition) -> EventHubsConf:
        """Ends a batch read here, in every partition."""
        return self.with_option("eventhubs.endingPosition", position)

    def with_ending_positions(self, positions: Positions) -> EventHubsConf:
        """Ends a batch read of these partitions here. The keys are partition ids or NameAndPartition."""
        return self.with_option("eventhubs.endingPositions", self._by_partition(positions))

    def with_partitions(self, partition_ids: Sequence[int]) -> EventHubsConf:
        """Reads only these partitions."""
        return self.with_option("eventhubs.partitions", partition_ids)

    def with_max_events_per_trigger(self, events: int) -> EventHubsConf:
        """Limits the events of a micro-batch."""
        return self.with_option("eventhubs.maxEventsPerTrigger", events)

    def with_fail_on_data_loss(self, fail: bool) -> EventHubsConf:  # noqa: FBT001 - the option is this one boolean
        """Whether a query stops when the hub no longer has events that the query must read."""
        return self.with_option("eventhubs.failOnDataLoss", fail)

    def with_min_partitions(self, tasks: int) -> EventHubsConf:
        """Splits long ranges until a batch has this many tasks."""
        return self.with_option("eventhubs.minPartitions", tasks)

    def with_max_partitions(self, tasks: int) -> EventHubsConf:
        """Lets partitions of the hub share tasks, so that a batch has at most this many."""
        return self.with_option("eventhubs.maxPartitions", tasks)

    def with_receiver_timeout(self, timeout: timedelta) -> EventHubsConf:
        """Limits the wait for an event that is known to exist."""
        return self.with_option("eventhubs.receiverTimeout", timeout)

    def with_operation_timeout(self, timeout: timedelta) -> EventHubsConf:
        """Limits the time of one operation on the service."""
        return self.with_option("eventhubs.operationTimeout", timeout)

    def with_transport(self, transport: Literal["amqp", "amqpWebSockets"]) -> EventHubsConf:
        """Chooses AMQP over TCP or over WebSockets."""
        return self.with_option("eventhubs.transport", transport)

    def with_partition_id(self, partition_id: int) -> EventHubsConf:
        """Sends every row to this partition."""
        return self.with_option("eventhubs.partitionId", partition_id)

    def with_partition_key(self, partition_key: str) -> EventHubsConf:
        """Sends every row with this partition key."""
        return self.with_option("eventhubs.partitionKey", partition_key)

    def with_delivery_guarantee(self, guarantee: Literal["at-least-once", "exactly-once"]) -> EventHubsConf:
        """Chooses whether retries of a writing stream may leave duplicates in the hub."""
        return self.with_option("eventhubs.deliveryGuarantee", guarantee)

    def to_options(self) -> dict[str, str]:
        """The options for `spark.read.options(...)`. They contain the secret: do not print them."""
        return dict(self.settings)

    def __repr__(self) -> str:
        """The options, with *** in place of a secret."""
        shown = (f"{key}={'***' if _may_be_secret(key) else value}" for key, value in self.settings)
        return f"EventHubsConf({', '.join([f'name={self.name}', *shown])})"

    def _repr_html_(self) -> str:
        """The options as a table for notebooks, with *** in place of a secret."""
        from spark_eventhubs.monitoring.html import conf_html  # noqa: PLC0415 - only notebooks need it

        return conf_html(self.name, ((key, "***" if _may_be_secret(key) else value) for key, value in self.settings))

    def _with(self, key: str, text: str) -> EventHubsConf:
        kept = tuple(entry for entry in self.settings if entry[0].lower() != key.lower())
        return EventHubsConf(settings=(*kept, (key, text)))

    def _by_partition(self, positions: Positions) -> str:
        keyed = {self._partition(key): position.to_dict() for key, position in positions.items()}
        if not keyed:
            raise ValueError(
                "the positions are empty; expected one for each partition, such as {0: EventPosition.latest()}"
            )
        return json.dumps(keyed)

    def _partition(self, key: int | NameAndPartition) -> str:
        name = self.name
        if isinstance(key, int):
            partition = NameAndPartition(name=name or "the hub", partition_id=key)
            return str(key) if name is None else partition.to_json()
        if name is not None and key.name.lower() != name.lower():
            raise ValueError(f"a position is for the hub '{key.name}', but this conf is for '{name}'")
        return key.to_json()


def _may_be_secret(key: str) -> bool:
    # A key that is not in the table may be a typo in the key of a secret.
    spec = find_option(key)
    return spec is None or spec.secret
