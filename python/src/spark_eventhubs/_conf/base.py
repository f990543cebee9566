"""What the generated constructor and methods of a conf are built on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from difflib import get_close_matches
from typing import TYPE_CHECKING

from spark_eventhubs._conf.refusals import option_type_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from spark_eventhubs.conf import EventHubsConf


class ConfBase(ABC):
    """A conf without the names of its options."""

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        """Refuses what `__init__` does not take, in words of the user."""
        if args:
            raise option_type_error(
                f"{cls.__name__} takes keywords only; for a connection string, use "
                f"{cls.__name__}.from_connection_string(text)"
            )
        keywords = cls.__init__.__kwdefaults__ or {}
        for unknown in (key for key in kwargs if key not in keywords):
            near = get_close_matches(unknown, keywords, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise option_type_error(f"'{unknown}' is not a keyword of {cls.__name__}{hint}")
        return super().__new__(cls)

    @abstractmethod
    def _with_value(self, key: str, value: object) -> EventHubsConf:
        """A new conf with this option, whose value is checked."""

    @abstractmethod
    def _set_all(self, credential: object, values: Mapping[str, object]) -> None:
        """Sets the options of a new conf; those that are None are not set."""
