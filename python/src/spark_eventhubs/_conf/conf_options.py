"""The types of a conf's keywords. Generated from the option table by `make options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from os import PathLike

    from spark_eventhubs._conf.azure_credentials import AzureCredential
    from spark_eventhubs._conf.position_values import Position, Positions
    from spark_eventhubs.credentials import Credential


class ConfOptions(TypedDict, total=False):
    """A keyword for each option, and the credential. `OPTIONS` says what an option means."""

    credential: Credential | AzureCredential
    connection_string: str
    fully_qualified_namespace: str
    eventhub_name: str | Sequence[str]
    transport: Literal["amqp", "amqpWebSockets"]
    custom_endpoint: str
    tls_trusted_certificates: str | PathLike[str]
    proxy_address: str
    proxy_username: str
    proxy_password: str
    proxy_authentication: Literal["basic", "digest"]
    operation_timeout: timedelta | str
    max_retries: int
    ignore_unknown_options: bool
    use_v1_source: bool
    name_pattern: str
    name_pattern_interval: timedelta | str
    consumer_group: str
    starting_position: Position
    starting_positions: Positions
    ending_position: Position
    ending_positions: Positions
    partitions: Sequence[int] | str
    max_events_per_trigger: int
    max_bytes_per_trigger: int | str
    min_events_per_trigger: int
    max_trigger_delay: timedelta | str
    fail_on_data_loss: bool
    compacted: bool
    prefetch_count: int
    receiver_buffer_bytes: int | str
    receiver_timeout: timedelta | str
    receiver_idle_timeout: timedelta | str
    use_exclusive_receiver: bool
    owner_level: int
    max_connections: int
    min_partitions: int
    max_events_per_task: int
    max_partitions: int
    partition_preferred_location_strategy: Literal["Hash", "BalancedHash", "Stable"]
    replay_cache_bytes: int | str
    include_event_hub: bool
    checkpoint_store_container: str
    checkpoint_store_connection_string: str
    checkpoint_store_interval: timedelta | str
    checkpoint_store_publish: bool
    checkpoint_store_default_position: Position
    checkpoint_store_ownership: Literal["off", "fail", "wait"]
    checkpoint_store_ownership_expiration: timedelta | str
    partition_id: int
    partition_key: str | int
    max_batch_bytes: int | str
    max_in_flight_bytes: int | str
    linger_ms: int
    send_timeout: timedelta | str
    oversized_events: Literal["fail", "drop"]
    write_tombstones: bool
    use_v1_sink: bool
    delivery_guarantee: Literal["at-least-once", "exactly-once"]
    write_id: str
    write_version: int
    write_log_location: str | PathLike[str]
    settle_delay: timedelta | str
    settle_delay_after_timeout: timedelta | str
    idempotent_producer: bool
    stamp_events: bool
