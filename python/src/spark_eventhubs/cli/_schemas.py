"""Decodes bodies with the schemas that events name, for `tail`."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

import click

from spark_eventhubs.cli._avro import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs.cli._target import Target

_ID: Final = "[0-9a-fA-F]{32}"
_CONTENT_TYPE: Final = re.compile(rf"(avro/binary|application/json(?:; ?serialization=json)?)\+({_ID})", re.IGNORECASE)
_PREAMBLE: Final = re.compile(rb"\0{4}([0-9a-fA-F]{32})")
_SECONDS: Final = 10
_SCOPE: Final = "https://eventhubs.azure.net/.default"


@dataclass(frozen=True)
class _Schema:
    """A schema of the registry."""

    place: str
    content: str


class Schemas:
    """Asks the namespace's registry for each schema once. A failure is said once on stderr, and ends the decoding."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._found: dict[str, _Schema] = {}
        self._failed = False

    def read(self, content_type: str | None, properties: Mapping[str, Any], body: bytes) -> dict[str, Any]:
        """`schema`, and `decoded` or `decodingError`, of an event that names a schema; else nothing."""
        found = _named(content_type, properties, body)
        if found is None or self._failed:
            return {}
        identity, is_json, encoded = found
        try:
            if is_json:
                return {"schema": identity, "decoded": json.loads(encoded)}
            schema = self._schema(identity)
            return {"schema": schema.place, "decoded": decoded(schema.content, encoded)}
        except (ValueError, RecursionError) as wrong:
            return {"schema": identity, "decodingError": str(wrong)}
        except Exception as failed:  # noqa: BLE001 - a sign-in of the SDK raises errors of its own, and reading continues
            self._failed = True
            click.echo(f"bodies are not decoded: {self._target.hide_secrets(str(failed))}", err=True)
            return {}

    def _schema(self, identity: str) -> _Schema:
        if identity not in self._found:
            self._found[identity] = self._ask(identity)
        return self._found[identity]

    def _ask(self, identity: str) -> _Schema:
        address = f"{self._root()}/$schemaGroups/$schemas/{identity}?api-version=2023-07-01"
        request = Request(address, headers={"Authorization": self._authorization()})  # noqa: S310 - http or https
        trusted = self._target.settings.get("connection_verify")
        context = ssl.create_default_context(cafile=trusted) if address.startswith("https") else None
        try:
            with urlopen(request, timeout=_SECONDS, context=context) as answer:  # noqa: S310 - as above
                facts = answer.headers
                place = f"{facts['Schema-Group-Name']}/{facts['Schema-Name']}, version {facts['Schema-Version']}"
                return _Schema(place, answer.read().decode())
        except HTTPError as refused:
            if refused.code == 404:  # noqa: PLR2004 - the registry has no such schema
                raise ValueError(f"the schema registry has no schema {identity}") from None
            raise

    def _root(self) -> str:
        if self._target.is_development:
            return f"http://{self._target.host}"
        endpoint = self._target.settings.get("custom_endpoint_address")
        return f"https://{urlsplit(endpoint).netloc if endpoint else self._target.host}"

    def _authorization(self) -> str:
        if self._target.credential is not None:
            return f"Bearer {self._target.credential.get_token(_SCOPE).token}"
        given = self._target.part("SharedAccessSignature")
        return given or _signature(self._target)


def _signature(target: Target) -> str:
    resource, expiry = quote(f"https://{target.address[0]}/", safe=""), int(time.time()) + 600
    key = (target.part("SharedAccessKey") or "").encode()
    digest = hmac.new(key, f"{resource}\n{expiry}".encode(), hashlib.sha256).digest()
    signed = quote(base64.b64encode(digest), safe="")
    return f"SharedAccessSignature sr={resource}&sig={signed}&se={expiry}&skn={target.policy}"


def _named(content_type: str | None, properties: Mapping[str, Any], body: bytes) -> tuple[str, bool, bytes] | None:
    """The id that an event names, whether its body is JSON, and the body without the id."""
    for text in (content_type, properties.get("content-type")):
        found = _CONTENT_TYPE.fullmatch(text) if isinstance(text, str) else None
        if found:
            return found[2], found[1].lower() != "avro/binary", body
    kafka = properties.get("schemaId")
    if isinstance(kafka, str) and re.fullmatch(_ID, kafka):
        return kafka, True, body
    old = _PREAMBLE.match(body)
    return None if old is None else (old[1].decode(), False, body[old.end() :])
