"""Signs in with an identity: the connector's options, as a credential of the Azure SDK for Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._target import VARIABLE, Target, stated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_HUB: Final = ("namespace", "name", "transport", "customEndpoint", "tls.trustedCertificates")
_AUTHORITIES: Final = {
    "azurecloud": "login.microsoftonline.com",
    "azureusgovernment": "login.microsoftonline.us",
    "azurechinacloud": "login.chinacloudapi.cn",
}


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
        connection_string=f"Endpoint=sb://{options['namespace']}/;EntityPath={name}",
        hub=name,
        over_sockets=options.get("transport", "").lower() == "amqpwebsockets",
        way=options["auth.type"],
        credential=_credential(options, certificates),
        settings=settings,
    )


def _credential(options: Mapping[str, str], certificates: str | None) -> object:
    """The credential of `auth.type`. It signs in when the hub asks for it."""
    kind = options["auth.type"].lower()
    create = _CREDENTIALS.get(kind)
    if create is None:
        raise WrongUsage(f"eventhubs.auth.type={options['auth.type']} needs a class of yours, which only Spark can run")
    try:
        import azure.identity  # noqa: F401, PLC0415 - optional
        from azure.core.pipeline.transport import RequestsTransport  # noqa: PLC0415 - as above
    except ImportError:
        raise click.ClickException(
            "to sign in with an identity, this command needs: pip install azure-identity"
        ) from None
    texts = {key.removeprefix("auth."): _text(key, text) for key, text in options.items() if key.startswith("auth.")}
    common: dict[str, Any] = {}
    authority = texts.get("authorityHost")
    if authority is not None:
        common["authority"] = _AUTHORITIES.get(authority.lower(), authority)
        # As the connector: at another address than Microsoft's, nobody asks Microsoft about it.
        common["disable_instance_discovery"] = authority.lower() not in _AUTHORITIES
    if certificates is not None:
        common["transport"] = RequestsTransport(connection_verify=certificates)
    try:
        return create(texts, common)
    except KeyError as lacking:
        raise WrongUsage(f"--option eventhubs.auth.{lacking.args[0]} is missing") from None
    except (ValueError, OSError) as wrong:
        raise click.ClickException(f"cannot sign in with {options['auth.type']}: {wrong}") from None


def _text(key: str, text: str) -> str:
    """The text of an option, which may be the place of a secret."""
    place, _, where = text.removesuffix("}").partition(":")
    if place == "{hadoop":
        raise WrongUsage(
            f"--option eventhubs.{key} is {text}, which only Spark can read; expected {{env:NAME}} or {{file:/path}}"
        )
    if place == "{env":
        found = os.environ.get(where)
        if found is None:
            raise click.ClickException(f"eventhubs.{key} is {text}; expected an environment variable that is set")
        return found
    if place == "{file":
        try:
            return Path(where).read_text(encoding="utf-8").strip()
        except OSError as failure:
            raise click.ClickException(
                f"eventhubs.{key} is {text}; expected a file to read: {failure.strerror}"
            ) from None
    return text


def _sas(texts: Mapping[str, str], _: Mapping[str, Any]) -> object:
    from azure.core.credentials import AzureSasCredential  # noqa: PLC0415 - optional

    return AzureSasCredential(texts["sasToken"])


def _client_secret(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import ClientSecretCredential  # noqa: PLC0415 - optional

    return ClientSecretCredential(texts["tenantId"], texts["clientId"], texts["clientSecret"], **common)


def _client_certificate(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import CertificateCredential  # noqa: PLC0415 - optional

    path, password = texts["certificatePath"], texts.get("certificatePassword")
    return CertificateCredential(texts["tenantId"], texts["clientId"], path, password=password, **common)


def _managed_identity(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import ManagedIdentityCredential  # noqa: PLC0415 - optional

    transport = {key: common[key] for key in ("transport",) if key in common}
    return ManagedIdentityCredential(client_id=texts.get("clientId"), **transport)


def _workload_identity(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import WorkloadIdentityCredential  # noqa: PLC0415 - optional

    names = {"tenant_id": "tenantId", "client_id": "clientId", "token_file_path": "federatedTokenFile"}
    given = {name: texts[key] for name, key in names.items() if key in texts}
    return WorkloadIdentityCredential(**given, **common)


def _default(_: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import DefaultAzureCredential  # noqa: PLC0415 - optional

    return DefaultAzureCredential(**common)


_CREDENTIALS: Final[Mapping[str, Callable[[Mapping[str, str], Mapping[str, Any]], object]]] = {
    "sas": _sas,
    "clientsecret": _client_secret,
    "clientcertificate": _client_certificate,
    "managedidentity": _managed_identity,
    "workloadidentity": _workload_identity,
    "default": _default,
}
