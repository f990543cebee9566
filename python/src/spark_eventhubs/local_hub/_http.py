"""Requests to the hub's HTTP API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SECONDS: Final = 30
# Without the proxy of the environment, which cannot reach a hub on this machine.
_OPENER: Final = build_opener(ProxyHandler({}))


class HubRefusalError(ValueError):
    """The hub refused a request; `status` is the HTTP status."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class HubHttp:
    """The HTTP API at an address. A refusal is a ValueError with the hub's reason.

    Attributes:
        url: the address.
        why_ended: why the hub has ended, or None if it runs. Asked when a request fails.
    """

    url: str
    why_ended: Callable[[], str | None] = field(default=lambda: None, repr=False, compare=False)

    def json(self, method: str, *path: str, query: Mapping[str, str | int] | None = None, body: object = None) -> Any:  # noqa: ANN401 - the answer's JSON
        """The JSON answer to a request, or None if the answer is empty. `path` has unquoted parts."""
        answer = self.text(method, *path, query=query, body=body)
        return json.loads(answer) if answer else None

    def text(self, method: str, *path: str, query: Mapping[str, str | int] | None = None, body: object = None) -> str:
        """The answer to a request as text."""
        parameters = f"?{urlencode(query, safe='$,')}" if query else ""
        place = "/" + "/".join(quote(part, safe="") for part in path) + parameters
        content = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}{place}", data=content, method=method)  # noqa: S310 - our own http address
        try:
            with _OPENER.open(request, timeout=_SECONDS) as answer:
                return str(answer.read().decode())
        except HTTPError as refused:
            reason = _reason(refused.read().decode(errors="replace"))
            text = reason or f"the local hub answered {refused.code} to {method} {place}"
            raise HubRefusalError(text, refused.code) from None
        except (URLError, ConnectionError, HTTPException):
            ended = self.why_ended()
            if ended is None:
                raise
            raise ConnectionError(ended) from None


def _reason(answer: str) -> str | None:
    try:
        return str(json.loads(answer)["error"])
    except (ValueError, KeyError, TypeError):
        return None
