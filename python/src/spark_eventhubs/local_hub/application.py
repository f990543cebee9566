"""Applications and managed identities of the stand-in authority, and their roles."""

from __future__ import annotations

import uuid
from base64 import b64decode
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from spark_eventhubs.local_hub._arguments import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from spark_eventhubs.local_hub._http import HubHttp

ManagedIdentity = Literal["system", "user"]
_PFX_PASSWORD: Final = "password"  # noqa: S105 - of a file that a test made up
_APPLICATIONS: Final = ("authority", "applications")


@dataclass(frozen=True)
class Role:
    """A role of Azure on the namespace, on an event hub, or on one of its consumer groups.

    Attributes:
        name: `Data Owner`, `Data Sender` or `Data Receiver`, also with `Azure Event Hubs` in front; for the schema
            registry `Schema Registry Reader` or `Schema Registry Contributor`.
        hub: default: the whole namespace.
        consumer_group: default: the whole event hub.
    """

    name: str
    hub: str | None = None
    consumer_group: str | None = None

    def json(self) -> dict[str, str | None]:
        """The form in the HTTP API."""
        return {"role": self.name, "hub": self.hub, "consumerGroup": self.consumer_group}


@dataclass(frozen=True, kw_only=True)
class ClientCertificateFiles:
    """A private key with its certificate, in both formats.

    Attributes:
        pem: key and certificate as PEM, without a password.
        pfx: the same as PKCS #12.
        password: of the PKCS #12 file.
    """

    pem: Path
    pfx: Path
    password: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class LocalApplication:
    """An application, or a managed identity, of a `LocalAuthority`.

    Attributes:
        name: for display.
        tenant_id: its tenant.
        client_id: its id in sign-ins.
        object_id: the id of its service principal.
        secret: its client secret as it was registered or last rotated. None for a managed identity.
        managed_identity: `system` or `user`, or None for an application.
    """

    name: str
    tenant_id: str
    client_id: str
    object_id: str
    secret: str | None = field(repr=False)
    managed_identity: ManagedIdentity | None = None
    _http: HubHttp = field(repr=False, compare=False)

    @classmethod
    def create(
        cls,
        http: HubHttp,
        name: str,
        *,
        tenant_id: str,
        client_id: str | None,
        secret: str | None,
        roles: Sequence[Role | str],
        federated_subjects: Sequence[str],
        managed_identity: ManagedIdentity | None,
    ) -> LocalApplication:
        """Registers it in the authority."""
        fields = _fields(roles, federated_subjects, managed_identity)
        is_managed = managed_identity is not None
        if is_managed and secret is not None:
            raise ValueError("a managed identity has no secret; leave out `secret`, or `managed_identity`")
        own_secret = None if is_managed else secret or _new_secret()
        body = {"name": name, "secrets": [own_secret] if own_secret else [], **fields}
        shown = http.json("PUT", *_APPLICATIONS, client_id or str(uuid.uuid4()), body=body)
        return cls(
            name=name,
            tenant_id=tenant_id,
            client_id=shown["clientId"],
            object_id=shown["objectId"],
            secret=own_secret,
            managed_identity=managed_identity,
            _http=http,
        )

    def rotate_secret(self, secret: str | None = None, *, keep_old: bool = False) -> LocalApplication:
        """Gives it another secret, and returns the application with it.

        Args:
            secret: default: a new one.
            keep_old: whether the old secrets are still accepted, as in Azure until they are deleted.
        """
        new = secret or _new_secret()
        old = self._shown()["secrets"] if keep_old else []
        self._change({"secrets": [*old, new]})
        return replace(self, secret=new)

    def expire_secret(self) -> None:
        """Expires all its secrets."""
        expired = [{"value": each["value"], "expiresAt": "2020-01-01T00:00:00Z"} for each in self._shown()["secrets"]]
        self._change({"secrets": expired})

    def set_roles(self, *roles: Role | str) -> None:
        """Replaces its roles. The hub applies them to the next token that a client sends."""
        self._change({"roles": _roles(roles)})

    def create_certificate(
        self,
        folder: str | PathLike[str],
        *,
        password: str = _PFX_PASSWORD,
        expired: bool = False,
        keep_old: bool = True,
    ) -> ClientCertificateFiles:
        """Generates a key, registers its certificate, and writes both into the folder.

        Args:
            folder: gets `<client id>.pem` and `<client id>.pfx`; existing files are replaced.
            password: of the PFX file.
            expired: whether the certificate has expired.
            keep_old: whether its older certificates are still accepted.
        """
        options = {
            "password": password,
            "expired": "true" if expired else None,
            "replace": None if keep_old else "true",
        }
        made = self._http.json("POST", *_APPLICATIONS, self.client_id, "certificates", body=options)
        pem, pfx = (Path(folder) / f"{self.client_id}.{ending}" for ending in ("pem", "pfx"))
        pem.write_text(made["pem"], encoding="ascii")
        pfx.write_bytes(b64decode(made["pkcs12"]))
        return ClientCertificateFiles(pem=pem, pfx=pfx, password=password)

    def delete(self) -> None:
        """Deletes it from the authority."""
        self._http.json("DELETE", *_APPLICATIONS, self.client_id)

    def _shown(self) -> dict[str, Any]:
        shown: dict[str, Any] = self._http.json("GET", *_APPLICATIONS, self.client_id)
        return shown

    def _change(self, fields: Mapping[str, Any]) -> None:
        self._http.json("PUT", *_APPLICATIONS, self.client_id, body=fields)


def _fields(
    roles: Sequence[Role | str], federated_subjects: Sequence[str], managed_identity: ManagedIdentity | None
) -> dict[str, Any]:
    """The fields of an application in the HTTP API, without its name and secrets."""
    return {
        "roles": _roles(roles),
        "federatedSubjects": listed("federated_subjects", federated_subjects),
        "managedIdentity": managed_identity,
    }


def _roles(roles: Role | Sequence[Role | str]) -> list[dict[str, str | None]]:
    # A single role is one, and not its letters.
    given = [roles] if isinstance(roles, (str, Role)) else roles
    return [(role if isinstance(role, Role) else Role(role)).json() for role in given]


def _new_secret() -> str:
    # "~" is in Azure's secrets, and a form must encode it.
    return f"local~{uuid.uuid4()}"
