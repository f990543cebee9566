"""Where an event hub is, how to reach it, and how to sign in. Nothing here shows a secret in its `repr`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from spark_eventhubs._conf.connection_string import ParsedString, is_readable, parsed
from spark_eventhubs._conf.option_values import find_option
from spark_eventhubs._conf.secret_reference import text_at
from spark_eventhubs._durations import seconds_of
from spark_eventhubs.errors import OptionError
from spark_eventhubs.pure._checked_options import valid
from spark_eventhubs.pure._errors import conditioned, failure
from spark_eventhubs.pure._signing_in.hosts import endpoint_at, namespace_at, proxy_at
from spark_eventhubs.pure._signing_in.identities import AUTH, Identity, identity_of, is_emulator

if TYPE_CHECKING:
    from collections.abc import Mapping

_STRING: Final = "eventhubs.connectionString"
_NAMESPACE: Final = "eventhubs.namespace"
_ENDPOINT: Final = "eventhubs.customEndpoint"
_NAME_HOW: Final = "Set it to the event hub's name, or add ';EntityPath=<name>' to the connection string."
_SIGN_IN_HOW: Final = (
    "Set it to the event hub's connection string, or set 'eventhubs.namespace', 'eventhubs.name' and "
    "'eventhubs.auth.type'."
)
# The engine has options for these.
_NOT_FOR_SDK: Final = frozenset({"OperationTimeout", "TransportType"})


@dataclass(frozen=True)
class Token:
    """A token that the driver got, and when it expires, in seconds since 1970."""

    text: str = field(repr=False)
    expires: float


@dataclass(frozen=True, kw_only=True)
class Network:
    """How a hub is reached. `endpoint` is a host, with a port or without, in place of the namespace."""

    tls: bool = True
    over_sockets: bool = False
    endpoint: str | None = None
    certificates: str | None = None
    proxy: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class HubAddress:
    """Where an event hub is, and how to sign in: with a connection string or an identity, whose token may be known."""

    host: str
    hub: str
    connection_string: str | None = field(default=None, repr=False)
    identity: Identity | None = None
    token: Token | None = None
    network: Network = Network()
    timeout: float = 60


def address_of(texts: Mapping[str, str]) -> HubAddress:
    """The address in checked options.

    Raises:
        OptionError: the hub or the sign-in is missing, or two options contradict each other.
    """
    string = _string(texts)
    if _NAMESPACE in texts:
        texts = {**texts, _NAMESPACE: namespace_at(_NAMESPACE, texts[_NAMESPACE])}
    host = _agreed(texts, _NAMESPACE, None if string is None else string.host)
    hub = _agreed(texts, "eventhubs.name", None if string is None else string.hub)
    if host is None:
        raise failure("EVENTHUBS_MISSING_OPTION", key=_STRING, how=_SIGN_IN_HOW)
    if hub is None:
        raise failure("EVENTHUBS_MISSING_OPTION", key="eventhubs.name", how=_NAME_HOW)
    if "," in hub:
        expected = "one event hub with the engine in Python: only the jar reads several in one query"
        raise failure("EVENTHUBS_INVALID_OPTION", key="eventhubs.name", value=hub, expected=expected)
    parts = {} if string is None else string.parts
    identity = identity_of(texts, string)
    # Without spaces and empty parts, which the SDK refuses.
    plain = ";".join(f"{name}={value}" for name, value in parts.items() if name not in _NOT_FOR_SDK)
    return HubAddress(
        host=host,
        hub=hub,
        connection_string=plain if identity is None else None,
        identity=identity,
        network=_network(texts, parts),
        timeout=seconds_of(_either(texts, "eventhubs.operationTimeout", parts.get("OperationTimeout")) or "PT1M"),
    )


def _string(texts: Mapping[str, str]) -> ParsedString | None:
    if _STRING not in texts:
        return None
    text = read(_STRING, texts[_STRING])
    if not is_readable(text):
        expected = "its text with the engine in Python: only the jar decrypts it"
        raise failure("EVENTHUBS_INVALID_OPTION", key=_STRING, value="***", expected=expected)
    try:
        string = parsed(text)
        if not any(key.startswith(AUTH) for key in texts):
            string.require_key()
    except OptionError as wrong:
        raise conditioned("EVENTHUBS_INVALID_CONNECTION_STRING", wrong) from None
    if "Endpoint" not in string.parts:
        expected = "one with an Endpoint, with the engine in Python"
        raise failure("EVENTHUBS_INVALID_OPTION", key=_STRING, value="***", expected=expected)
    return string


def _agreed(texts: Mapping[str, str], key: str, in_string: str | None) -> str | None:
    given = texts.get(key)
    if given and in_string and given.lower() != in_string.lower():
        what = f"'{key}' is '{given}', and the connection string is for '{in_string}'"
        raise failure("EVENTHUBS_CONFLICTING_OPTIONS", what=what, how="Remove one of them.")
    return in_string or given


def _either(texts: Mapping[str, str], key: str, in_string: str | None) -> str | None:
    """An option, or what the connection string says instead of it."""
    spec = find_option(key)
    return texts.get(key) or (valid(spec, in_string) if spec and in_string else None)


def _network(texts: Mapping[str, str], parts: Mapping[str, str]) -> Network:
    over_sockets = _either(texts, "eventhubs.transport", parts.get("TransportType")) == "amqpWebSockets"
    proxy = {name: f"eventhubs.proxy.{name}" for name in ("address", "username", "password")}
    for key in proxy.values():
        if key in texts and not over_sockets:
            what = f"'{key}' is set and 'eventhubs.transport' is 'amqp', which uses no proxy"
            how = "Set 'eventhubs.transport' = 'amqpWebSockets', or remove the proxy."
            raise failure("EVENTHUBS_CONFLICTING_OPTIONS", what=what, how=how)
    for name, other in (("username", "password"), ("password", "username"), ("address", "username")):
        if proxy[name] not in texts and proxy[other] in texts:
            how = f"'{proxy[other]}' is set, and needs it with the engine in Python."
            raise failure("EVENTHUBS_MISSING_OPTION", key=proxy[name], how=how)
    endpoint = urlsplit(parts.get("Endpoint", ""))
    # Otherwise the SDK takes the usual port, also where the connection string has another one.
    with_port = endpoint.netloc if endpoint.port else None
    return Network(
        tls=not is_emulator(parts),
        over_sockets=over_sockets,
        endpoint=endpoint_at(_ENDPOINT, texts[_ENDPOINT]) if _ENDPOINT in texts else with_port,
        certificates=texts.get("eventhubs.tls.trustedCertificates"),
        proxy=proxy_at(proxy["address"], texts[proxy["address"]]) if proxy["address"] in texts else None,
        username=texts.get(proxy["username"]),
        password=read(proxy["password"], texts[proxy["password"]]) if proxy["password"] in texts else None,
    )


def read(key: str, text: str) -> str:
    """The secret of an option, which may name its place.

    Raises:
        OptionError: there is none at the place.
    """
    try:
        return text_at(text)
    except LookupError as missing:
        raise failure("EVENTHUBS_INVALID_OPTION", key=key, value=text, expected=missing.args[0]) from None
