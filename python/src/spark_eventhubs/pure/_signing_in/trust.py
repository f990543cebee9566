"""Whom connections and sign-ins trust, and over which proxy they go: the options, as keywords of the Azure SDK."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import certifi

from spark_eventhubs._conf.local_files import local_file
from spark_eventhubs.pure._errors import failure

if TYPE_CHECKING:
    from spark_eventhubs.pure._signing_in.address import Network


def context_of(path: str) -> ssl.SSLContext:
    """Trusts the authorities of a file, in addition to those of the package certifi.

    Raises:
        OptionError: the file cannot be read, or has no certificate.
    """
    context = ssl.create_default_context(cafile=certifi.where())
    try:
        context.load_verify_locations(local_file(path))
    except OSError as wrong:
        expected = f"a PEM file with certificates, on the driver and every executor ({wrong.strerror or wrong})"
        raise failure(
            "EVENTHUBS_INVALID_OPTION", key="eventhubs.tls.trustedCertificates", value=path, expected=expected
        ) from None
    return context


def transport_of(network: Network) -> dict[str, Any]:
    """Keywords of azure-identity's credentials."""
    from azure.core.pipeline.transport import RequestsTransport  # noqa: PLC0415 - optional
    from requests import Session  # noqa: PLC0415 - as above
    from requests.adapters import HTTPAdapter  # noqa: PLC0415 - as above

    found: dict[str, Any] = {}
    if network.proxy is not None:
        signs_in = (quote(text or "", safe="") for text in (network.username, network.password))
        sign_in = "" if network.username is None else f"{':'.join(signs_in)}@"
        found["proxies"] = {"https": f"http://{sign_in}{network.proxy}"}
    if network.certificates is None:
        return found
    context = context_of(network.certificates)

    class Trusting(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **keywords: Any) -> None:  # noqa: ANN401 - of the library
            super().init_poolmanager(*args, ssl_context=context, **keywords)

        def proxy_manager_for(self, proxy: str, **keywords: Any) -> Any:  # noqa: ANN401 - as above
            return super().proxy_manager_for(proxy, ssl_context=context, **keywords)

    session = Session()
    session.mount("https://", Trusting())
    return {**found, "transport": RequestsTransport(session=session)}
