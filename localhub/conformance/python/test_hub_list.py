"""The service's list of a namespace's event hubs, asked for with Python's HTTP client: only .NET's old SDK has it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING
from urllib.error import HTTPError

import pytest
from azure.eventhub import parse_connection_string

if TYPE_CHECKING:
    from spark_eventhubs import LocalHub


def signature(hub: LocalHub, policy: str | None = None) -> str:
    parts = parse_connection_string(hub.connection_string(policy=policy) if policy else hub.connection_string())
    resource, expiry = urllib.parse.quote_plus("https://localhost/"), int(time.time()) + 600
    key = (parts.shared_access_key or "").encode()
    digest = hmac.new(key, f"{resource}\n{expiry}".encode(), hashlib.sha256).digest()
    sig = urllib.parse.quote_plus(base64.b64encode(digest))
    return f"SharedAccessSignature sr={resource}&sig={sig}&se={expiry}&skn={parts.shared_access_key_name}"


def names(hub: LocalHub, token: str, query: str = "") -> list[str]:
    url = f"http://localhost:{hub.amqp_port}/$Resources/Eventhubs?timeout=60&api-version=2014-01{query}"
    request = urllib.request.Request(url, headers={"Authorization": token})
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - of this machine
        text = answer.read().decode()
    return re.findall(r"<entry>.*?<title type=\"text\">(.*?)</title>", text)


def test_a_token_with_manage_lists_the_hubs_in_pages(hub: LocalHub) -> None:
    made = [f"listed-{n}" for n in range(3)]
    for name in made:
        hub.create_hub(name, partitions=1)
    try:
        found = names(hub, signature(hub))
        assert set(made) <= set(found)
        assert names(hub, signature(hub), "&$skip=1&$top=1") == found[1:2]
    finally:
        for name in made:
            hub.delete_hub(name)


def test_a_policy_without_manage_is_refused(hub: LocalHub) -> None:
    with pytest.raises(HTTPError) as refused:
        names(hub, signature(hub, "listener"))
    assert refused.value.code == 401
    assert "Manage,EntityRead claims required" in refused.value.read().decode()
