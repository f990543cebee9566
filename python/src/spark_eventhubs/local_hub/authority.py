"""A stand-in for Microsoft Entra ID: applications and managed identities sign in without Azure."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from spark_eventhubs._durations import duration_text
from spark_eventhubs.local_hub._authority_traffic import answered, injected
from spark_eventhubs.local_hub._trust_files import TrustFiles
from spark_eventhubs.local_hub.application import LocalApplication, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from spark_eventhubs.local_hub._authority_traffic import (
        AuthorityFaultAction,
        AuthorityRequest,
        AuthorityRequestKind,
    )
    from spark_eventhubs.local_hub._http import HubHttp
    from spark_eventhubs.local_hub.hub import LocalHub

_EVENT_HUBS: Final = "https://eventhubs.azure.net"
_TOKEN_EXCHANGE: Final = "api://AzureADTokenExchange"  # noqa: S105 - an audience


class LocalAuthority:
    """A stand-in for Microsoft Entra ID in a local hub. The hub accepts its tokens, and checks roles as Azure does.

    ```python
    with LocalHub(hubs={"telemetry": 4}, tls_port=0) as hub, LocalAuthority(hub) as authority:
        application = authority.register("pipeline", roles=[Role("Data Receiver", hub="telemetry")])
        subprocess.run(command, env=os.environ | authority.environment(application), check=True)
    ```

    Args:
        hub: the hub that accepts its tokens. It has at most one authority.
        port: for https; 0 is any free port.
        tenant_id: the one tenant. Default: a fixed one. `adfs` is another name of it.
        token_lifetime: of access tokens; above 0.

    Raises:
        ValueError: The hub has an authority already, or a port is in use.
    """

    def __init__(
        self,
        hub: LocalHub,
        *,
        port: int = 0,
        tenant_id: str | None = None,
        token_lifetime: timedelta = timedelta(hours=1),
    ) -> None:
        """Starts the authority."""
        self._http: HubHttp = hub._http  # noqa: SLF001 - the same package
        settings = {"port": port, "tenantId": tenant_id, "tokenLifetime": duration_text(token_lifetime)}
        self._facts: dict[str, Any] = self._http.json("POST", "authority", body=settings)
        self._trust = TrustFiles(pem=self._facts["certificate"], pkcs12=self._facts["trustStore"])

    @property
    def url(self) -> str:
        """The https address, for `AZURE_AUTHORITY_HOST` and `eventhubs.auth.authorityHost`."""
        return str(self._facts["url"])

    @property
    def tenant_id(self) -> str:
        """The tenant."""
        return str(self._facts["tenantId"])

    @property
    def ca_file(self) -> Path:
        """PEM file with the certificates that clients must trust: the authority's, and the hub's with TLS."""
        return self._trust.pem

    @property
    def trust_store(self) -> Path:
        """The same certificates as a PKCS #12 file, for Java. Its password is `changeit`."""
        return self._trust.pkcs12

    @property
    def identity_endpoint(self) -> str:
        """The address of the managed identities, as App Service has it in `IDENTITY_ENDPOINT`."""
        return str(self._facts["identityEndpoint"])

    @property
    def identity_header(self) -> str:
        """The value for `IDENTITY_HEADER`."""
        return str(self._facts["identityHeader"])

    @property
    def identity_url(self) -> str:
        """The address of the managed identities of a virtual machine, for `AZURE_POD_IDENTITY_AUTHORITY_HOST`."""
        return str(self._facts["identityUrl"])

    @property
    def java_options(self) -> list[str]:
        """Flags with which a JVM trusts the authority and the hub, and nobody else."""
        return self._trust.java_options

    def environment(
        self, application: LocalApplication | None = None, *, federated_token_file: str | os.PathLike[str] | None = None
    ) -> dict[str, str]:
        """Environment variables with which a process, and a JVM that it starts, signs in at this authority.

        Add them to its environment: `os.environ | authority.environment(application)`.

        Args:
            application: an application gets `AZURE_TENANT_ID`, `AZURE_CLIENT_ID` and, if it has one,
                `AZURE_CLIENT_SECRET`; a managed identity gets `IDENTITY_ENDPOINT` and `IDENTITY_HEADER`.
            federated_token_file: for a workload identity, see `federated_token`.
        """
        return (
            self._trust.environment()
            | {"AZURE_AUTHORITY_HOST": self.url}
            | self._identity(application, federated_token_file)
        )

    def _identity(
        self, application: LocalApplication | None, federated_token_file: str | os.PathLike[str] | None
    ) -> dict[str, str]:
        values: dict[str, str] = {}
        if application is not None and application.managed_identity is not None:
            values |= {"IDENTITY_ENDPOINT": self.identity_endpoint, "IDENTITY_HEADER": self.identity_header}
        elif application is not None:
            values |= {"AZURE_TENANT_ID": self.tenant_id, "AZURE_CLIENT_ID": application.client_id}
            if application.secret is not None:
                values["AZURE_CLIENT_SECRET"] = application.secret
        if federated_token_file is not None:
            values["AZURE_FEDERATED_TOKEN_FILE"] = os.fspath(federated_token_file)
        return values

    def register(
        self,
        name: str,
        *,
        client_id: str | None = None,
        secret: str | None = None,
        roles: Sequence[Role | str] = (),
        federated_subjects: Sequence[str] = (),
        managed_identity: Literal["system", "user"] | None = None,
    ) -> LocalApplication:
        """Registers an application, or replaces the one with this client id.

        Args:
            name: for display.
            client_id: default: a new GUID.
            secret: its client secret. Default: a new one, which `LocalApplication.secret` has.
            roles: what it may do, such as `Role("Data Sender", hub="telemetry")` or, for the namespace, `"Data Owner"`.
            federated_subjects: the subjects of the federated tokens that sign it in.
            managed_identity: for an identity of this machine instead of an application.

        Raises:
            ValueError: a role has an unknown name, or there is a system-assigned identity already.
        """
        return LocalApplication.create(
            self._http,
            name,
            tenant_id=self.tenant_id,
            client_id=client_id,
            secret=secret,
            roles=roles,
            federated_subjects=federated_subjects,
            managed_identity=managed_identity,
        )

    def federated_token(
        self,
        subject: str,
        *,
        audience: str = _TOKEN_EXCHANGE,
        lifetime: timedelta = timedelta(hours=1),
        issuer: str | None = None,
    ) -> str:
        """A token of a service account, for the file of a workload identity.

        The authority refuses one with another audience or issuer, or with a negative lifetime, which has expired.
        """
        wanted = {"subject": subject, "audience": audience, "lifetime": _signed(lifetime), "issuer": issuer}
        return str(self._http.json("POST", "authority", "federated-tokens", body=wanted)["token"])

    def token(
        self,
        application: LocalApplication,
        *,
        audience: str = _EVENT_HUBS,
        lifetime: timedelta | None = None,
        issuer: str | None = None,
    ) -> str:
        """An access token of an application, without a sign-in. With the optional arguments, also one to be refused.

        Args:
            application: the application.
            audience: the resource that it is for.
            lifetime: negative for an expired token. Default: that of all tokens.
            issuer: another issuer than this authority.
        """
        wanted = {
            "audience": audience,
            "lifetime": None if lifetime is None else _signed(lifetime),
            "issuer": issuer,
        }
        path = ("authority", "applications", application.client_id, "tokens")
        return str(self._http.json("POST", *path, body=wanted)["token"])

    def change(self, *, token_lifetime: timedelta | None = None, clock_offset: timedelta | None = None) -> None:
        """Changes the lifetime of the next tokens, or how far the authority's clock is ahead (negative: behind)."""
        changes = {
            "tokenLifetime": None if token_lifetime is None else duration_text(token_lifetime),
            "clockOffset": None if clock_offset is None else _signed(clock_offset),
        }
        self._http.json("PUT", "authority", body=changes)

    @contextmanager
    def fault(
        self,
        action: AuthorityFaultAction,
        *,
        on: AuthorityRequestKind | None = None,
        time: timedelta | None = None,
        status: int | None = None,
        count: int | None = None,
    ) -> Iterator[None]:
        """Makes requests fail, or slow, until the end of the `with` block.

        Args:
            action: `throttle` answers 429 with Retry-After, `fail` a status of 500 or above, `delay` answers late,
                `drop` closes the connection.
            on: only this kind of request. Default: every kind.
            time: what Retry-After says (default: 1 s), or how late the answer is.
            status: of `fail`. Default: 503.
            count: how many requests. Default: all.
        """
        with injected(self._http, action=action, on=on, time=time, status=status, count=count):
            yield

    def requests(self) -> list[AuthorityRequest]:
        """The latest requests, oldest first; at most 1000."""
        return answered(self._http)

    def close(self) -> None:
        """Ends the authority: the hub refuses its tokens. May be called more than once."""
        self._trust.close()
        try:
            self._http.json("DELETE", "authority")
        except OSError:
            return  # the hub has ended, and its authority with it

    def __enter__(self) -> Self:
        """Returns the authority, which is already running."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the authority."""
        self.close()


def _signed(time: timedelta) -> str:
    return f"-{duration_text(-time)}" if time < timedelta(0) else duration_text(time)
