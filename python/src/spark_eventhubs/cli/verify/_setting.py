"""What `verify` was asked for, for the command and for the program that it starts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._identity import target_of
from spark_eventhubs.cli._target import Target, stated

_WITH_A_KEY: Final = ("eventhubs.transport", "eventhubs.tls.trustedCertificates")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Two event hubs, how to sign in, and which stages run besides the usual ones.

    Attributes:
        connection_string: of the namespace, or of the first hub; None signs in by the options.
        options: those of `--option`, as KEY=VALUE.
        first: the hub that is written to and read.
        second: the hub that gets copies.
        group: the consumer group.
        run: begins the body of each event of this run.
        container: of checkpoints; None leaves the stage out.
        storage: the connection string of the container's account.
        create: whether hubs that do not exist are created.
        load: whether the service is brought to throttle.
        hours: how long links stay idle; 0 leaves the stage out.
    """

    connection_string: str | None = field(repr=False)
    options: tuple[str, ...] = ()
    first: str
    second: str
    group: str
    run: str
    container: str | None = field(default=None, repr=False)
    storage: str | None = field(default=None, repr=False)
    create: bool = False
    load: bool = False
    hours: float = 0.0

    @property
    def given(self) -> dict[str, str]:
        """The options by their keys."""
        return stated(self.options)

    @property
    def trusted(self) -> str | None:
        """The file with certificates to trust."""
        return self.given.get("eventhubs.tls.trustedCertificates")

    @property
    def over_sockets(self) -> bool:
        """Whether AMQP goes over WebSockets."""
        return self.given.get("eventhubs.transport", "").lower() == "amqpwebsockets"

    @property
    def is_indirect(self) -> bool:
        """Whether the connector reaches the namespace over another host."""
        return any(key in self.given for key in ("eventhubs.customEndpoint", "eventhubs.proxy.address"))

    def target(self, hub: str) -> Target:
        """A hub, for the Azure SDK."""
        if self.connection_string is None:
            named = "eventhubs.name"
            return target_of(None, hub, [each for each in self.options if not each.startswith(f"{named}=")])
        other = next((key for key in self.given if key not in _WITH_A_KEY), None)
        if other is not None:
            raise WrongUsage(
                f"--option {other} goes with an identity; with a connection string expected {' or '.join(_WITH_A_KEY)}"
            )
        settings: dict[str, Any] = {} if self.trusted is None else {"connection_verify": self.trusted}
        target = Target.of(self._of_namespace(self.connection_string), hub)
        if target.address[1] is not None and not target.is_development:
            # The SDK takes the usual port otherwise.
            settings["custom_endpoint_address"] = f"sb://{target.host}"
        return replace(target, settings=settings, over_sockets=self.over_sockets)

    def connector(self, hub: str) -> dict[str, str]:
        """The connector's options for a hub."""
        common = {"eventhubs.name": hub, "eventhubs.consumerGroup": self.group}
        if self.connection_string is not None:
            common["eventhubs.connectionString"] = self._of_namespace(self.connection_string)
        return self.given | common

    def _of_namespace(self, connection_string: str) -> str:
        """The connection string without the first hub's name. Its key may be valid for that hub only."""
        hub = Target.of(connection_string, None if "entitypath=" in connection_string.lower() else self.first).hub
        if hub.lower() != self.first.lower():
            raise WrongUsage(f"the connection string is for the hub '{hub}', but FIRST is '{self.first}'")
        parts = connection_string.split(";")
        return ";".join(part for part in parts if not part.strip().lower().startswith("entitypath="))
