"""Everything that a query needs to know about one event hub."""

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
    """The options of one source or sink. Each `with_` method returns a new one and leaves this one as it is.

    Begin with `from_connection_string` or `from_credential`. What is not set has the connector's default.
    """

    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_connection_string(cls, connection_string: str, *, name: str | None = None) -> EventHubsConf:
        """The hub that the string's EntityPath names, or else `name`."""
        parsed = ConnectionString(connection_string)
        if parsed.hub and name and parsed.hub.lower() != name.lower():
            raise ValueError(f"the connection string names the hub '{parsed.hub}', and name is '{name}'; give one")
        if not (parsed.hub or name):
            raise ValueError("the connection string names no hub; add ';EntityPath=<hub>' to it, or give name=")
        conf = cls.from_options(parsed.to_options())
        return conf if name is None or parsed.hub else conf.with_option("eventhubs.name", name)

    @classmethod
    def from_credential(cls, credential: Credential, *, namespace: str, name: str) -> EventHubsConf:
        """The hub `name` in `namespace` (its host, `<namespace>.servicebus.windows.net`)."""
        if isinstance(credential, ConnectionString):
            if credential.host.lower() != namespace.lower():
                raise ValueError(f"the connection string is for '{credential.host}', and namespace is '{namespace}'")
            return cls.from_connection_string(credential.text, name=name)
        if "/" in namespace or "." not in namespace:
            raise ValueError(f"namespace is '{namespace}'; expected its host, '<namespace>.servicebus.windows.net'")
        return cls.from_options({"eventhubs.namespace": namespace, "eventhubs.name": name} | credential.to_options())

    @classmethod
    def from_options(cls, options: Mapping[str, OptionValue | None]) -> EventHubsConf:
        """The options of an existing job, such as a dict that was written for the legacy connector.

        Spark's own are kept, None is not set, and with `eventhubs.ignoreUnknownOptions` no key is refused.
        """
        conf = cls()
        for key, text in settings(options):
            conf = conf._with(key, text)
        return conf

    @property
    def name(self) -> str | None:
        """The event hub; None where only the connector can read the connection string, as one that is encrypted."""
        options = self.to_options()
        return options.get("eventhubs.name") or entity_path(options.get("eventhubs.connectionString", ""))

    def with_option(self, key: str, value: OptionValue) -> EventHubsConf:
        """Sets any option of the table; a key that is not there is refused with the nearest name."""
        return self._with(*setting(key, value))

    def with_consumer_group(self, consumer_group: str) -> EventHubsConf:
        """Reads as this consumer group."""
        return self.with_option("eventhubs.consumerGroup", consumer_group)

    def with_starting_position(self, position: EventPosition) -> EventHubsConf:
        """Starts every partition here, unless a checkpoint knows better."""
        return self.with_option("eventhubs.startingPosition", position)

    def with_starting_positions(self, positions: Positions) -> EventHubsConf:
        """Starts single partitions here; the keys are partition ids or NameAndPartition."""
        return self.with_option("eventhubs.startingPositions", self._by_partition(positions))

    def with_ending_position(self, position: EventPosition) -> EventHubsConf:
        """Stops a batch read here, in every partition."""
        return self.with_option("eventhubs.endingPosition", position)

    def with_ending_positions(self, positions: Positions) -> EventHubsConf:
        """Stops a batch read of single partitions here; the keys are partition ids or NameAndPartition."""
        return self.with_option("eventhubs.endingPositions", self._by_partition(positions))

    def with_partitions(self, partition_ids: Sequence[int]) -> EventHubsConf:
        """Reads these partitions only."""
        return self.with_option("eventhubs.partitions", partition_ids)

    def with_max_events_per_trigger(self, events: int) -> EventHubsConf:
        """Bounds a micro-batch."""
        return self.with_option("eventhubs.maxEventsPerTrigger", events)

    def with_fail_on_data_loss(self, fail: bool) -> EventHubsConf:  # noqa: FBT001 - the option is this one boolean
        """Whether a query stops when events are gone that it should have read."""
        return self.with_option("eventhubs.failOnDataLoss", fail)

    def with_min_partitions(self, tasks: int) -> EventHubsConf:
        """Splits long ranges until a batch has this many tasks."""
        return self.with_option("eventhubs.minPartitions", tasks)

    def with_max_partitions(self, tasks: int) -> EventHubsConf:
        """Lets hub partitions share tasks until a batch has at most this many."""
        return self.with_option("eventhubs.maxPartitions", tasks)

    def with_receiver_timeout(self, timeout: timedelta) -> EventHubsConf:
        """Bounds the wait for an event that is known to exist."""
        return self.with_option("eventhubs.receiverTimeout", timeout)

    def with_operation_timeout(self, timeout: timedelta) -> EventHubsConf:
        """Bounds one operation on the service."""
        return self.with_option("eventhubs.operationTimeout", timeout)

    def with_transport(self, transport: Literal["amqp", "amqpWebSockets"]) -> EventHubsConf:
        """Chooses the wire."""
        return self.with_option("eventhubs.transport", transport)

    def with_partition_id(self, partition_id: int) -> EventHubsConf:
        """Sends every row to this partition."""
        return self.with_option("eventhubs.partitionId", partition_id)

    def with_partition_key(self, partition_key: str) -> EventHubsConf:
        """Sends every row with this partition key."""
        return self.with_option("eventhubs.partitionKey", partition_key)

    def with_delivery_guarantee(self, guarantee: Literal["at-least-once", "exactly-once"]) -> EventHubsConf:
        """Chooses what a writing stream leaves in the hub when something fails and is done again."""
        return self.with_option("eventhubs.deliveryGuarantee", guarantee)

    def to_options(self) -> dict[str, str]:
        """The plain options for `spark.read.options(...)`. They hold the secret: do not print them."""
        return dict(self.settings)

    def __repr__(self) -> str:
        """The options, with *** for a secret."""
        shown = (f"{key}={'***' if _may_be_secret(key) else value}" for key, value in self.settings)
        return f"EventHubsConf({', '.join([f'name={self.name}', *shown])})"

    def _with(self, key: str, text: str) -> EventHubsConf:
        kept = tuple(entry for entry in self.settings if entry[0].lower() != key.lower())
        return EventHubsConf(settings=(*kept, (key, text)))

    def _by_partition(self, positions: Positions) -> str:
        keyed = {self._partition(key): position.to_dict() for key, position in positions.items()}
        if not keyed:
            raise ValueError(
                "no position is given; expected one for each partition, such as {0: EventPosition.latest()}"
            )
        return json.dumps(keyed)

    def _partition(self, key: int | NameAndPartition) -> str:
        name = self.name
        if isinstance(key, int):
            partition = NameAndPartition(name=name or "the hub", partition_id=key)
            return str(key) if name is None else partition.to_json()
        if name is not None and key.name.lower() != name.lower():
            raise ValueError(f"a position is given for the hub '{key.name}', and this conf reads '{name}'")
        return key.to_json()


def _may_be_secret(key: str) -> bool:
    # What is not in the table may be a slip of the pen in the key of a secret.
    spec = find_option(key)
    return spec is None or spec.secret
