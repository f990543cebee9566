"""Avro's binary encoding, read for `tail`, so that the command needs no further package."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

_PRIMITIVES: Final = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
# More is not for people, and a few bytes can claim any number of nulls.
_LONGEST_NUMBER: Final = 70
_MOST_VALUES: Final = 100_000
_MOST_DEPTH: Final = 200


def decoded(schema: str, body: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a body. Bytes are in Base64, and logical types as they are stored.

    Raises:
        ValueError: the schema is none, or the body is none of it.
    """
    try:
        root = json.loads(schema)
        reader = _Reader(body)
        reader.learn(root, "")
        value = reader.read(root, "", 0)
    except (KeyError, TypeError, IndexError, AttributeError, struct.error, RecursionError) as wrong:
        raise ValueError(f"the body is none of its schema ({type(wrong).__name__})") from None
    if reader.at != len(body):
        raise ValueError(f"{len(body) - reader.at} bytes follow after the value")
    return value


def _full_name(definition: Mapping[str, Any], namespace: str) -> str:
    name = str(definition["name"])
    inner = str(definition.get("namespace", namespace))
    return name if "." in name or not inner else f"{inner}.{name}"


class _Reader:
    """The rest of a body, and the named types of its schema."""

    def __init__(self, body: bytes) -> None:
        self.at = 0
        self._body = body
        self._values = 0
        self._named: dict[str, tuple[Mapping[str, Any], str]] = {}

    def learn(self, kind: Any, namespace: str) -> None:  # noqa: ANN401 - a part of a schema
        """Keeps the named types of a schema."""
        if isinstance(kind, list):
            for branch in kind:
                self.learn(branch, namespace)
        elif isinstance(kind, Mapping):
            if kind["type"] in {"record", "error", "enum", "fixed"}:
                name = _full_name(kind, namespace)
                namespace = name.rpartition(".")[0]
                self._named[name] = (kind, namespace)
            for part in [kind.get("items"), kind.get("values"), *(each["type"] for each in kind.get("fields", ()))]:
                self.learn(part, namespace)
            if isinstance(kind["type"], (list, Mapping)):
                self.learn(kind["type"], namespace)

    def read(self, kind: Any, namespace: str, depth: int) -> Any:  # noqa: ANN401 - as above, and any JSON value
        """The next value."""
        self._values += 1
        if self._values > _MOST_VALUES or depth > _MOST_DEPTH:
            raise ValueError(f"the body has more than {_MOST_VALUES} values, or {_MOST_DEPTH} levels")
        if isinstance(kind, str):
            if kind in _PRIMITIVES:
                return self._primitive(kind)
            name = f"{namespace}.{kind}" if "." not in kind and f"{namespace}.{kind}" in self._named else kind
            definition, namespace = self._named[name]
            return self._complex(definition, namespace, depth + 1)
        if isinstance(kind, list):
            return self.read(_chosen(kind, self._long()), namespace, depth + 1)
        if kind["type"] in {"record", "error", "enum", "fixed"}:
            namespace = _full_name(kind, namespace).rpartition(".")[0]
        return self._complex(kind, namespace, depth + 1)

    def _complex(self, kind: Mapping[str, Any], namespace: str, depth: int) -> Any:  # noqa: ANN401 - as above
        name = kind["type"]
        if name in {"record", "error"}:
            return {field["name"]: self.read(field["type"], namespace, depth) for field in kind["fields"]}
        if name == "enum":
            return _chosen(kind["symbols"], self._long())
        if name == "fixed":
            return _base64(self._bytes(int(kind["size"])))
        if name == "array":
            return self._blocks(lambda: self.read(kind["items"], namespace, depth))
        if name == "map":
            return dict(self._blocks(lambda: (self._text(), self.read(kind["values"], namespace, depth))))
        return self.read(name, namespace, depth)

    def _primitive(self, kind: str) -> Any:  # noqa: ANN401 - as above
        if kind in {"int", "long"}:
            return self._long()
        if kind in {"float", "double"}:
            size, form = (4, "<f") if kind == "float" else (8, "<d")
            (number,) = struct.unpack(form, self._bytes(size))
            return number if math.isfinite(number) else str(number)
        if kind == "string":
            return self._text()
        if kind == "bytes":
            return _base64(self._bytes(self._long()))
        return None if kind == "null" else self._bytes(1) != b"\0"

    def _blocks(self, item: Callable[[], Any]) -> list[Any]:
        found: list[Any] = []
        while count := self._long():
            if count < 0:
                self._long()  # the size of the block in bytes
            if abs(count) > _MOST_VALUES:
                raise ValueError(f"the body has more than {_MOST_VALUES} values")
            found += [item() for _ in range(abs(count))]
        return found

    def _long(self) -> int:
        value = shift = 0
        while shift < _LONGEST_NUMBER:
            byte = self._body[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:  # noqa: PLR2004 - the last byte of the number
                return (value >> 1) ^ -(value & 1)
        raise ValueError("the body has a number that is too long")

    def _bytes(self, length: int) -> bytes:
        if not 0 <= length <= len(self._body) - self.at:
            raise ValueError("the body ends before its value does")
        self.at += length
        return self._body[self.at - length : self.at]

    def _text(self) -> str:
        return self._bytes(self._long()).decode(errors="replace")


def _chosen(choices: list[Any], index: int) -> Any:  # noqa: ANN401 - as above
    if not 0 <= index < len(choices):
        raise ValueError(f"the body has choice {index} of {len(choices)}")
    return choices[index]


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
