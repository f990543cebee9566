"""Signs in with an identity: the connector's options, as a credential of the Azure SDK for Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from spark_eventhubs._conf.azure_identity import NEEDED, created
from spark_eventhubs._conf.secret_reference import text_at
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._target import VARIABLE, Target, namespace_host, stated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HUB: Final = ("namespace", "name", "transport", "customEndpoint", "tls.trustedCertificates")


def target_of(connection_string: str | None, hub: str | None, given: Sequence[str]) -> Target:
    """The hub of a connection string, or of the options that sign in.

    Raises:
        WrongUsage: neither names a hub, or both do, or an option is for something else.
        ClickException: azure-identity is missing, or the place of a secret cannot be read.
    """
    if not given:
        if connection_string is None:
            raise WrongUsage(
                f"no hub is named; set {VARIABLE} (or --connection-string), or give --option eventhubs.namespace=HOST "
                "and its sign-in"
            )
        return Target.of(connection_string, hub)
    options = {key.removeprefix("eventhubs."): text for key, text in stated(given).items()}
    other = next((key for key in options if key not in _HUB and not key.startswith("auth.")), None)
    if other is not None:
        raise WrongUsage(
            f"--option eventhubs.{other} does not sign in; expected eventhubs.auth.*, or one of {_named()}"
        )
    if connection_string is not None:
        raise WrongUsage(f"a connection string and --option both name a hub; unset {VARIABLE}, or leave --option out")
    return _signed_in(options, hub)


def _named() -> str:
    return ", ".join(f"eventhubs.{key}" for key in _HUB)


def _signed_in(options: Mapping[str, str], hub: str | None) -> Target:
    name = options.get("name", hub)
    missing = [key for key in ("namespace", "auth.type") if key not in options]
    if missing or name is None:
        raise WrongUsage(f"--option eventhubs.{missing[0] if missing else 'name'} is missing")
    if hub is not None and name.lower() != hub.lower():
        raise WrongUsage(f"--option eventhubs.name is '{name}', but --hub is '{hub}'")
    certificates, endpoint = options.get("tls.trustedCertificates"), options.get("customEndpoint")
    settings: dict[str, Any] = {} if certificates is None else {"connection_verify": certificates}
    if endpoint is not None:
        settings["custom_endpoint_address"] = endpoint if "://" in endpoint else f"sb://{endpoint}"
    return Target(
        connection_string=f"Endpoint=sb://{namespace_host(options['namespace'])}/;EntityPath={name}",
        hub=name,
        over_sockets=options.get("transport", "").lower() == "amqpwebsockets",
        way=options["auth.type"],
        credential=_credential(options, certificates),
        settings=settings,
    )


def _credential(options: Mapping[str, str], certificates: str | None) -> object:
    """The credential of `auth.type`. It signs in when the hub asks for it."""
    kind = options["auth.type"].lower()
    if kind not in NEEDED:
        raise WrongUsage(f"eventhubs.auth.type={options['auth.type']} needs a class of yours, which only Spark can run")
    try:
        import azure.identity  # noqa: F401, PLC0415 - optional
        from azure.core.pipeline.transport import RequestsTransport  # noqa: PLC0415 - as above
    except ImportError:
        raise click.ClickException(
            "to sign in with an identity, this command needs: pip install azure-identity"
        ) from None
    texts = {key.removeprefix("auth."): _text(key, text) for key, text in options.items() if key.startswith("auth.")}
    lacking = next((key for key in NEEDED[kind] if key not in texts), None)
    if lacking is not None:
        raise WrongUsage(f"--option eventhubs.auth.{lacking} is missing")
    network = {} if certificates is None else {"transport": RequestsTransport(connection_verify=certificates)}
    try:
        return created(kind, texts, network)
    except (ValueError, OSError) as wrong:
        raise click.ClickException(f"cannot sign in with {options['auth.type']}: {wrong}") from None


def _text(key: str, text: str) -> str:
    """The text of an option, which may be the place of a secret."""
    if text.startswith("{hadoop:"):
        raise WrongUsage(
            f"--option eventhubs.{key} is {text}, which only Spark can read; expected {{env:NAME}} or {{file:/path}}"
        )
    try:
        return text_at(text)
    except LookupError as missing:
        raise click.ClickException(f"eventhubs.{key} is {text}; expected {missing.args[0]}") from None
