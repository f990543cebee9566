"""The requests that an authority answered, and the faults of its answers."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spark_eventhubs._durations import duration_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import timedelta

    from spark_eventhubs.local_hub._http import HubHttp

AuthorityFaultAction = Literal["throttle", "fail", "delay", "drop"]
AuthorityRequestKind = Literal["token", "discovery", "managed-identity"]


@dataclass(frozen=True, kw_only=True)
class AuthorityRequest:
    """A request that the authority answered.

    Attributes:
        kind: `token`, `discovery` or `managed-identity`.
        path: of the URL.
        client_id: of the application that asked, if the request names one.
        status: the HTTP status; None when a fault closed the connection.
    """

    kind: AuthorityRequestKind
    path: str
    client_id: str | None
    status: int | None


def answered(http: HubHttp) -> list[AuthorityRequest]:
    """The latest requests, oldest first."""
    found: list[Mapping[str, Any]] = http.json("GET", "authority", "requests")["requests"]
    return [
        AuthorityRequest(
            kind=each["kind"],
            path=each["path"],
            client_id=each["clientId"],
            status=None if each["status"] is None else int(each["status"]),
        )
        for each in found
    ]


@contextmanager
def injected(
    http: HubHttp,
    *,
    action: AuthorityFaultAction,
    on: AuthorityRequestKind | None,
    time: timedelta | None,
    status: int | None,
    count: int | None,
) -> Iterator[None]:
    """A fault, until the end of the `with` block. `LocalAuthority.fault` explains the arguments."""
    wanted = {
        "action": action,
        "on": on,
        "time": None if time is None else duration_text(time),
        "status": status,
        "count": count,
    }
    number = int(http.json("POST", "authority", "faults", body=wanted)["id"])
    try:
        yield
    finally:
        remaining = http.json("GET", "authority", "faults")["faults"]
        if any(each["id"] == number for each in remaining):
            http.json("DELETE", "authority", "faults", str(number))
