"""Creates the event hubs that do not exist: `--create`."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus, urlsplit

from spark_eventhubs._conf.refusals import without_secrets
from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli.doctor._network import port_of_sockets, trusting
from spark_eventhubs.cli.verify._stage import CREATE, Stage

if TYPE_CHECKING:
    from spark_eventhubs.cli._target import Target
    from spark_eventhubs.cli.verify._setting import Setting

PARTITIONS: Final = 4
_SECONDS: Final = 60
_SCOPE: Final = "https://eventhubs.azure.net/.default"
_CREATED: Final = 201
_EXISTS: Final = 409
_REFUSED: Final = frozenset({401, 403})
_ENTRY: Final = (
    '<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">'
    '<EventHubDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">'
    f"<MessageRetentionInDays>1</MessageRetentionInDays><PartitionCount>{PARTITIONS}</PartitionCount>"
    "</EventHubDescription></content></entry>"
)


def create_stage(setting: Setting) -> Stage:
    """Both hubs exist afterwards. One that exists before is not changed."""
    began = time.monotonic()
    made: list[str] = []
    problem = None
    try:
        for hub in (setting.first, setting.second):
            if _create(setting.target(hub), setting.trusted):
                made.append(hub)  # noqa: PERF401 - the first stays in the list when the second fails
    except Exception as failure:  # noqa: BLE001 - the sign-in has errors of its own; each is the result
        problem = without_secrets(setting.target(setting.first).hide_secrets(str(failure)))
    named = " and ".join(f"'{hub}'" for hub in made)
    done = f"created {named}, with {PARTITIONS} partitions and a retention of a day" if made else "created none"
    return Stage(
        name=CREATE,
        status="passed" if problem is None else "failed",
        found=done if problem is None else f"{problem}; {done}",
        seconds=round(time.monotonic() - began, 1),
    )


def _create(target: Target, trusted: str | None) -> bool:
    """Whether the hub was created; False if it exists."""
    # A gateway may be in front of the namespace.
    endpoint = target.settings.get("custom_endpoint_address")
    parts = urlsplit(endpoint or f"//{target.host}")
    host, port = parts.hostname or "", parts.port
    connection = (
        HTTPConnection(host, port or 5672, timeout=_SECONDS)
        if target.is_development
        else HTTPSConnection(host, port_of_sockets(port), timeout=_SECONDS, context=trusting(trusted))
    )
    headers = {
        "Host": target.host,
        "Authorization": _token(target),
        "Content-Type": "application/atom+xml;type=entry;charset=utf-8",
    }
    try:
        connection.request("PUT", f"/{quote(target.hub)}?api-version=2014-01", _ENTRY, headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    except HTTPException as failure:
        raise OSError(f"{host} does not answer as an Event Hubs namespace: {failure!r}") from None
    finally:
        connection.close()
    if answer.status not in (_CREATED, _EXISTS):
        detail = re.search(r"<Detail>(.*?)(?:\s*TrackingId|</Detail>)", text, re.DOTALL)
        said = detail[1] if detail else answer.reason
        needs = " Its creation needs Manage." if answer.status in _REFUSED else ""
        raise OSError(f"the hub '{target.hub}' cannot be created: {answer.status} {said}{needs}")
    return answer.status == _CREATED


def _token(target: Target) -> str:
    """What signs a request about the namespace."""
    if target.credential is not None:
        credential = target.credential
        return f"Bearer {within(_SECONDS, lambda: credential.get_token(_SCOPE)).token}"
    signature = target.part("SharedAccessSignature")
    if signature is not None:
        return signature
    resource, expiry = quote_plus(f"https://{target.address[0]}/"), int(time.time()) + 10 * _SECONDS
    key = (target.part("SharedAccessKey") or "").encode()
    digest = hmac.new(key, f"{resource}\n{expiry}".encode(), hashlib.sha256).digest()
    signed = quote_plus(base64.b64encode(digest))
    return f"SharedAccessSignature sr={resource}&sig={signed}&se={expiry}&skn={quote_plus(target.policy or '')}"
