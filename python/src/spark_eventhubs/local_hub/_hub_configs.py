"""The argument `hubs` of a local hub."""

from __future__ import annotations

from collections.abc import Mapping

from spark_eventhubs.local_hub.config import LocalEventHubConfig


def hub_configs(hubs: Mapping[str, int | LocalEventHubConfig] | None) -> dict[str, LocalEventHubConfig]:
    """The settings of each hub. A TypeError for anything but a mapping of names to partition counts or settings."""
    if hubs is not None and not isinstance(hubs, Mapping):
        raise TypeError(
            f"hubs is a {type(hubs).__name__}; expected names and partition counts, such as {{'telemetry': 4}}"
        )
    return {name: _config(name, value) for name, value in (hubs or {}).items()}


def _config(name: str, value: object) -> LocalEventHubConfig:
    if isinstance(value, LocalEventHubConfig):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return LocalEventHubConfig(partitions=value)
    raise TypeError(f"hub '{name}' has {value!r}; expected its number of partitions or a LocalEventHubConfig")
