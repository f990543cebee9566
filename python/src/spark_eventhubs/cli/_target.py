"""The hub that a command is for: its connection string, and the options that name it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import click

from spark_eventhubs._conf.option_values import setting
from spark_eventhubs._options import OPTIONS
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.credentials import ConnectionString
from spark_eventhubs.errors import OptionError

VARIABLE = "EVENTHUBS_CONNECTION_STRING"

_SECRETS: Final = {spec.key.lower() for spec in OPTIONS if spec.secret}
_PLACES: Final = ("{env:", "{file:", "{hadoop:")

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class Target:
    """One hub, and how to reach it and to sign in. Its `repr` shows no secret.

    Attributes:
        connection_string: with a key; without one, `credential` signs in.
        hub: the name of the hub.
        over_sockets: whether AMQP goes over WebSockets.
        way: the `auth.type` of the credential; None with a key.
        credential: one of the Azure SDK.
        settings: further keywords of the SDK's clients.
    """

    connection_string: str = field(repr=False)
    hub: str
    over_sockets: bool = False
    way: str | None = None
    credential: Any = field(default=None, repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, connection_string: str, hub: str | None) -> Target:
        """The hub of a connection string, or `hub` where the string names none."""
        try:
            credential = ConnectionString(connection_string)
        except ValueError as malformed:
            raise WrongUsage(str(malformed)) from None
        if hub is not None and credential.hub is not None and hub.lower() != credential.hub.lower():
            raise WrongUsage(f"the connection string is for the hub '{credential.hub}', but --hub is '{hub}'")
        name = credential.hub or hub
        if not name:
            raise WrongUsage("the connection string names no hub; add ;EntityPath=NAME to it, or give --hub NAME")
        return cls(connection_string=credential.text, hub=name)

    @property
    def host(self) -> str:
        """The host of the namespace, with the port if the connection string has one."""
        endpoint = self.part("Endpoint")
        return (self.part("HostName") or "") if endpoint is None else urlsplit(endpoint).netloc

    @property
    def address(self) -> tuple[str, int | None]:
        """The name of the host, and the port if the connection string has one."""
        parts = urlsplit(f"//{self.host}")
        return parts.hostname or "", parts.port

    @property
    def is_development(self) -> bool:
        """Whether the hub is an emulator or a local hub, without TLS."""
        return (self.part("UseDevelopmentEmulator") or "").lower() == "true"

    @property
    def policy(self) -> str | None:
        """The name of the shared access policy; None for a shared access signature."""
        return self.part("SharedAccessKeyName")

    def hide_secrets(self, text: str) -> str:
        """The text without the key of the connection string."""
        for secret in filter(None, (self.part("SharedAccessKey"), self.part("SharedAccessSignature"))):
            text = text.replace(secret, "***")
        return text

    def part(self, name: str) -> str | None:
        """A part of the connection string, such as `SharedAccessKey`."""
        for part in self.connection_string.split(";"):
            key, _, value = part.partition("=")
            if key.strip().lower() == name.lower():
                return value.strip()
        return None


def namespace_host(text: str) -> str:
    """The host of `eventhubs.namespace`, in the forms that the connector takes, such as sb://contoso.example.net/.

    Raises:
        WrongUsage: it is none.
    """
    plain = text.strip()
    try:
        parts = urlsplit(plain if "://" in plain or plain.startswith("//") else f"sb://{plain}")
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if not parts.hostname or port is not None or "@" in parts.netloc:
        raise WrongUsage(
            "--option eventhubs.namespace is not the host name of a namespace, such as contoso.servicebus.windows.net"
        )
    return parts.hostname


def target_options() -> Callable[[_Command], _Command]:
    """Adds the options that name the hub."""
    connection = click.option(
        "--connection-string",
        envvar=VARIABLE,
        show_envvar=True,
        help="Connection string of the hub or its namespace. Prefer the variable: `ps` does not show it.",
    )
    hub = click.option("--hub", help="Name of the hub, where the connection string has no EntityPath.")

    def add(command: _Command) -> _Command:
        return connection(hub(command))

    return add


consumer_group_option = click.option(
    "--consumer-group", default="$Default", show_default=True, help="Consumer group to read with."
)

connector_option = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the connector for its sign-in, such as eventhubs.auth.type=managedIdentity. Repeatable.",
)


def stated(given: Sequence[str]) -> dict[str, str]:
    """The options by their keys.

    Raises:
        WrongUsage: an option is wrong, or has a secret, which other users of the machine can see.
    """
    return dict(map(_stated, given))


def _stated(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise WrongUsage(f"--option is '{text}'; expected KEY=VALUE, such as eventhubs.auth.type=managedIdentity")
    try:
        key, _ = setting(key, value)
    except OptionError as refused:
        raise WrongUsage(f"--option: {refused}") from None
    if key.lower() in _SECRETS and not value.startswith(_PLACES):
        raise WrongUsage(
            f"--option {key} has a secret, which other users of this machine can see; write where it is kept: "
            "{env:NAME} or {file:/path}"
        )
    return key, value
