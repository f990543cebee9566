"""What the generated constructor and methods of a conf are built on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs.conf import EventHubsConf


class ConfBase(ABC):
    """A conf without the names of its options."""

    @abstractmethod
    def _with_value(self, key: str, value: object) -> EventHubsConf:
        """A new conf with this option, whose value is checked."""

    @abstractmethod
    def _set_all(self, credential: object, values: Mapping[str, object]) -> None:
        """Sets the options of a new conf; those that are None are not set."""
