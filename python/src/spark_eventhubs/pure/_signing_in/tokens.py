"""Tokens of identities. The driver gets one for each batch, and a task that outlasts it signs in itself."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError, ServiceRequestError, ServiceResponseError

from spark_eventhubs._conf.azure_identity import created
from spark_eventhubs._conf.local_files import local_file
from spark_eventhubs._sdk_calls import within
from spark_eventhubs.errors import EventHubsError, SessionError
from spark_eventhubs.pure._errors import failure, of_sdk, proxy_of
from spark_eventhubs.pure._signing_in.address import Token, read
from spark_eventhubs.pure._signing_in.environment_proxy import MALFORMED, shows_sign_in
from spark_eventhubs.pure._signing_in.trust import transport_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs.pure._signing_in.address import HubAddress, Network
    from spark_eventhubs.pure._signing_in.identities import Identity

_SCOPE: Final = "https://eventhubs.azure.net/.default"
_DOING: Final = "signing in with '{kind}'"
# A token that ends so soon is replaced, as the Azure SDK does it.
_MARGIN_SECONDS: Final = 300
_EXPIRY: Final = re.compile(r"(?:^|[&\s])se=(\d+)")
_MOST_CREDENTIALS: Final = 16
_FILES: Final = ("certificatePath", "federatedTokenFile")
# Behind these Microsoft Entra ID writes details for its own support.
_DETAILS: Final = re.compile(r"\s*(Trace ID:|Correlation ID:|To mitigate this issue).*", re.DOTALL)
_CERTIFICATE: Final = re.compile(r"CERTIFICATE_VERIFY_FAILED|certificate verify failed", re.IGNORECASE)


def signed_in(address: HubAddress) -> HubAddress:
    """The address with a token for tasks. A connection string needs none.

    Raises:
        EventHubsError: Microsoft Entra ID refuses the identity, or does not answer in the operation timeout.
    """
    return address if address.identity is None else replace(address, token=_fetched(address, address.identity))


class Tokens:
    """A credential of the Azure SDK: the token that the driver got, and a new one when that comes to its end."""

    def __init__(self, address: HubAddress, identity: Identity) -> None:
        """Does not sign in yet."""
        self._address, self._identity = address, identity
        self._token = address.token
        # The SDK asks for it. Of a token without this attribute it believes that Microsoft Entra ID issued it.
        self.token_type = b"servicebus.windows.net:sastoken" if identity.kind == "sas" else b"jwt"

    def get_token(self, *_: str, **__: object) -> AccessToken:
        """A token that is valid."""
        token, now = self._token, time.time()
        if token is None or token.expires - now < _MARGIN_SECONDS:
            try:
                token = _fetched(self._address, self._identity)
            except EventHubsError:
                # A task may run where this identity does not sign in.
                if token is None or token.expires <= now:
                    raise
            self._token = token
        return AccessToken(token.text, int(token.expires))


def _fetched(address: HubAddress, identity: Identity) -> Token:
    texts = {name: read(f"eventhubs.auth.{name}", text) for name, text in identity.options}
    if identity.kind == "sas":
        expiry = _EXPIRY.search(texts["sasToken"])
        return Token(texts["sasToken"], int(expiry[1]) if expiry else time.time() + 2 * _MARGIN_SECONDS)
    texts |= {name: local_file(texts[name]) for name in _FILES if name in texts}
    files = tuple(map(_state, (texts.get("certificatePath"), address.network.certificates)))
    try:
        credential = _credential(identity.kind, tuple(sorted(texts.items())), address.network, files)
        found = within(address.timeout, lambda: credential.get_token(_SCOPE))
    except ImportError:
        text = "to sign in with an identity, the driver and every executor need: pip install azure-identity"
        raise SessionError(text) from None
    except (ClientAuthenticationError, ServiceRequestError, ServiceResponseError) as refused:
        raise _refusal(refused, address, identity.kind) from None
    except TimeoutError as late:
        raise of_sdk(late, address, _DOING.format(kind=identity.kind)) from None
    except (ValueError, OSError) as wrong:
        key = "certificatePath" if identity.kind == "clientcertificate" else "type"
        raise failure(
            "EVENTHUBS_INVALID_OPTION",
            key=f"eventhubs.auth.{key}",
            value=texts.get(key, identity.kind),
            expected=f"a credential that can be used: {_one_line(str(wrong))}",
        ) from None
    return Token(found.token, found.expires_on)


@lru_cache(maxsize=_MOST_CREDENTIALS)
def _credential(
    kind: str,
    texts: tuple[tuple[str, str], ...],
    network: Network,
    files: tuple[object, ...],  # noqa: ARG001 - another file is another credential
) -> Any:  # noqa: ANN401 - of the SDK
    """A credential keeps its tokens until they expire, also from one micro-batch to the next."""
    return created(kind, dict(texts), transport_of(network))


def _state(path: str | None) -> object:
    """Changes when the file does, as a certificate that is rotated. None where there is no file."""
    try:
        found = None if path is None else os.stat(local_file(path))  # noqa: PTH116 - the path is the user's text
    except OSError:
        return None
    return found and (found.st_mtime_ns, found.st_size, found.st_ino)


def _refusal(error: Exception, address: HubAddress, kind: str) -> EventHubsError:
    said = _one_line(_DETAILS.sub("", str(error)))
    is_malformed = address.network.proxy is None and shows_sign_in(said)
    place = {"hub": address.hub, "namespace": address.host, "doing": _DOING.format(kind=kind)}
    place["said"] = MALFORMED if is_malformed else said
    if _CERTIFICATE.search(said):
        return failure("EVENTHUBS_CERTIFICATE", **place, host="the sign-in", problem=place["said"])
    causes = list(_causes(error))
    if is_malformed or any(isinstance(each, _of_proxies()) for each in causes):
        return failure("EVENTHUBS_PROXY", **place, proxy=proxy_of(address))
    if any(isinstance(each, (ServiceRequestError, ServiceResponseError, OSError)) for each in causes):
        return failure("EVENTHUBS_UNREACHABLE", **place, advice="Check the authority's host, and the network or proxy.")
    return failure("EVENTHUBS_AUTHENTICATION", **place)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it. The Azure SDK keeps the latter in a field of its own."""
    while error is not None:
        yield error
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__


def _of_proxies() -> tuple[type[BaseException], ...]:
    from requests.exceptions import InvalidProxyURL, ProxyError  # noqa: PLC0415 - optional

    return ProxyError, InvalidProxyURL


def _one_line(text: str) -> str:
    return " ".join(text.split())
