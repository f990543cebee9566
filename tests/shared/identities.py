"""Azure's own credential classes, pointed to a stand-in authority."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from azure.core.pipeline.transport import RequestsTransport
from azure.identity import CertificateCredential, ClientSecretCredential, WorkloadIdentityCredential

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pytest

    from spark_eventhubs.local_hub import LocalApplication, LocalAuthority

EVENT_HUBS = "https://eventhubs.azure.net/.default"


def options(
    authority: LocalAuthority,
    *,
    read_timeout: float = 60,
    **more: Any,  # noqa: ANN401 - keywords of several classes
) -> dict[str, Any]:
    """Keywords of every credential: where it signs in, whom it trusts, and no question to Microsoft's public host."""
    return {
        "authority": authority.url,
        "disable_instance_discovery": True,
        "transport": RequestsTransport(connection_verify=str(authority.ca_file), read_timeout=read_timeout),
        "retry_total": 0,
        **more,
    }


def with_secret(authority: LocalAuthority, application: LocalApplication, **more: Any) -> ClientSecretCredential:  # noqa: ANN401
    secret = application.secret or ""
    return ClientSecretCredential(
        more.pop("tenant", authority.tenant_id), application.client_id, secret, **options(authority, **more)
    )


def with_certificate(
    authority: LocalAuthority, application: LocalApplication, file: Path, *, password: str | None = None
) -> CertificateCredential:
    return CertificateCredential(
        authority.tenant_id, application.client_id, str(file), password=password, **options(authority)
    )


def with_token_file(authority: LocalAuthority, application: LocalApplication, file: Path) -> WorkloadIdentityCredential:
    return WorkloadIdentityCredential(
        tenant_id=authority.tenant_id,
        client_id=application.client_id,
        token_file_path=str(file),
        **options(authority),
    )


@contextmanager
def environment(monkeypatch: pytest.MonkeyPatch, values: Mapping[str, str]) -> Iterator[None]:
    """Sets environment variables of this process for a `with` block."""
    with monkeypatch.context() as context:
        for name, value in values.items():
            context.setenv(name, value)
        yield
