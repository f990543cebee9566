"""The options of a read or a write, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from spark_eventhubs._conf.connection_string import entity_path, is_readable, parsed
from spark_eventhubs._conf.near_names import explain, is_common
from spark_eventhubs._conf.option_values import find_option, option_text
from spark_eventhubs._conf.refusals import without_secrets
from spark_eventhubs._durations import seconds_of
from spark_eventhubs._options import LEGACY_KEYS
from spark_eventhubs.errors import OptionError
from spark_eventhubs.position import EventPosition
from spark_eventhubs.pure._errors import conditioned, failure
from spark_eventhubs.pure._options_here import LACKS, ONLY_VALUE
from spark_eventhubs.pure._positions import position_of, positions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spark_eventhubs._option_spec import OptionSpec

_T = TypeVar("_T")

_LEGACY: Final = frozenset(key.lower() for key in LEGACY_KEYS)
_NAME_HOW: Final = "Set it to the event hub's name, or add ';EntityPath=<name>' to the connection string."
_RANGE: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")
# The SDK has options for these.
_NOT_FOR_SDK: Final = frozenset({"OperationTimeout", "TransportType"})


@dataclass(frozen=True, kw_only=True)
class HubAddress:
    """Where an event hub is, and how to sign in. Its `repr` shows no secret."""

    host: str
    hub: str
    connection_string: str = field(repr=False)
    timeout: float = 60


@dataclass(frozen=True, kw_only=True)
class ReadSettings:
    """What a batch or a stream reads. `start` is None where the option is not set."""

    address: HubAddress
    group: str
    start: EventPosition | None
    starts: Mapping[int, EventPosition]
    end: EventPosition
    ends: Mapping[int, EventPosition]
    partitions: frozenset[int] | None
    max_events: int | None
    fail_on_data_loss: bool
    include_event_hub: bool

    def start_of(self, partition: int, default: EventPosition) -> EventPosition:
        """Where a partition starts."""
        return self.starts.get(partition) or self.start or default

    def end_of(self, partition: int) -> EventPosition:
        """Where a batch ends in a partition."""
        return self.ends.get(partition, self.end)


@dataclass(frozen=True, kw_only=True)
class WriteSettings:
    """Where rows go. Partition or key, if given, are those of all rows."""

    address: HubAddress
    partition: str | None
    key: str | None


def includes_event_hub(options: Mapping[str, str]) -> bool:
    """Whether rows have the tenth column. Spark asks for the schema before it reads."""
    return _checked(options, "read").get("eventhubs.includeEventHub") == "true"


def read_settings(options: Mapping[str, str]) -> ReadSettings:
    """The settings of a read.

    Raises:
        OptionError: an option that is unknown, wrong, missing, or that this engine lacks.
    """
    texts = _checked(options, "read")
    address = _address(texts)

    def position(key: str) -> EventPosition | None:
        return _parsed(key, texts[key], position_of) if key in texts else None

    def positions(key: str) -> dict[int, EventPosition]:
        return _parsed(key, texts[key], lambda text: positions_of(text, address.hub)) if key in texts else {}

    most = texts.get("eventhubs.maxEventsPerTrigger")
    only = texts.get("eventhubs.partitions")
    return ReadSettings(
        address=address,
        group=texts.get("eventhubs.consumerGroup", "$Default"),
        start=position("eventhubs.startingPosition"),
        starts=positions("eventhubs.startingPositions"),
        end=position("eventhubs.endingPosition") or EventPosition.latest(),
        ends=positions("eventhubs.endingPositions"),
        partitions=None if only is None else _partitions(only),
        max_events=None if most is None else int(most),
        fail_on_data_loss=texts.get("eventhubs.failOnDataLoss", "true") == "true",
        include_event_hub=texts.get("eventhubs.includeEventHub") == "true",
    )


def write_settings(options: Mapping[str, str]) -> WriteSettings:
    """The settings of a write.

    Raises:
        OptionError: an option that is unknown, wrong, missing, or that this engine lacks.
    """
    texts = _checked(options, "write")
    partition, key = texts.get("eventhubs.partitionId"), texts.get("eventhubs.partitionKey")
    if partition is not None and key is not None:
        raise failure(
            "EVENTHUBS_CONFLICTING_OPTIONS",
            what="'eventhubs.partitionId' and 'eventhubs.partitionKey' are both set",
            how="Set one of them.",
        )
    return WriteSettings(address=_address(texts), partition=partition, key=key)


def _checked(options: Mapping[str, str], scope: Literal["read", "write"]) -> dict[str, str]:
    """The texts of the options by their keys. Options of the other direction have no effect, as with the jar."""
    lenient = any(
        find_option(key) is find_option("eventhubs.ignoreUnknownOptions") and value.strip().lower() == "true"
        for key, value in options.items()
    )
    texts: dict[str, str] = {}
    for key, value in options.items():
        spec = find_option(key)
        if spec is None:
            if not lenient:
                _refuse_if_wrong(key)
            continue
        if spec.scope in {"connection", scope}:
            text = _valid(spec, value)
            if texts.setdefault(spec.key, text) != text:
                raise failure(
                    "EVENTHUBS_CONFLICTING_OPTIONS",
                    what=f"'{spec.key}' is set twice, by two of its names, to different values",
                    how=f"Set '{spec.key}' only.",
                )
    return texts


def _refuse_if_wrong(key: str) -> None:
    suggestion = "Remove it: this engine has nothing for it." if key.lower() in _LEGACY else explain(key)
    if suggestion is not None and not is_common(key):
        raise failure("EVENTHUBS_UNKNOWN_OPTION", key=without_secrets(key), suggestion=_sentence(suggestion))


def _valid(spec: OptionSpec, value: str) -> str:
    try:
        text = option_text(spec, value).strip()
    except OptionError as wrong:
        raise conditioned("EVENTHUBS_INVALID_OPTION", wrong) from None
    if spec.type == "boolean" or "|" in spec.type:
        text = next((word for word in spec.type.split("|") if word.lower() == text.lower()), text.lower())
    shown = "***" if spec.secret else without_secrets(text)
    if spec.key in LACKS:
        expected = f"no value, because the engine in Python does not have this option: {LACKS[spec.key]}"
        raise failure("EVENTHUBS_INVALID_OPTION", key=spec.key, value=shown, expected=expected)
    only, reason = ONLY_VALUE.get(spec.key, (text, ""))
    if text != only:
        expected = f"{only} with the engine in Python, because {reason}"
        raise failure("EVENTHUBS_INVALID_OPTION", key=spec.key, value=shown, expected=expected)
    return text


def _address(texts: Mapping[str, str]) -> HubAddress:
    key = "eventhubs.connectionString"
    if key not in texts:
        raise failure("EVENTHUBS_MISSING_OPTION", key=key, how="The engine in Python signs in with it.")
    text = texts[key]
    if not is_readable(text):
        expected = "its text with the engine in Python: only the jar decrypts it, or reads it in another place"
        raise failure("EVENTHUBS_INVALID_OPTION", key=key, value="***", expected=expected)
    try:
        string = parsed(text)
        string.require_key()
    except OptionError as wrong:
        raise conditioned("EVENTHUBS_INVALID_CONNECTION_STRING", wrong) from None
    if "Endpoint" not in string.parts or string.parts.get("TransportType", "Amqp").lower() not in {"amqp", "amqptcp"}:
        expected = "one with an Endpoint and without a TransportType, with the engine in Python"
        raise failure("EVENTHUBS_INVALID_OPTION", key=key, value="***", expected=expected)
    hub = texts.get("eventhubs.name") or entity_path(text)
    if hub is None:
        raise failure("EVENTHUBS_MISSING_OPTION", key="eventhubs.name", how=_NAME_HOW)
    if string.hub is not None and hub.lower() != string.hub.lower():
        what = f"'eventhubs.name' is '{hub}', and the connection string is for '{string.hub}'"
        raise failure("EVENTHUBS_CONFLICTING_OPTIONS", what=what, how="Remove one of them.")
    if "," in hub:
        expected = "one event hub with the engine in Python: only the jar reads several in one query"
        raise failure("EVENTHUBS_INVALID_OPTION", key="eventhubs.name", value=hub, expected=expected)
    spec = find_option("eventhubs.operationTimeout")
    given = string.parts.get("OperationTimeout", "PT1M")
    timeout = seconds_of(texts.get("eventhubs.operationTimeout") or (_valid(spec, given) if spec else given))
    # Without spaces and empty parts, which the SDK refuses.
    plain = ";".join(f"{name}={value}" for name, value in string.parts.items() if name not in _NOT_FOR_SDK)
    return HubAddress(host=string.host, hub=hub, connection_string=plain, timeout=timeout)


def _parsed(key: str, text: str, parse: Callable[[str], _T]) -> _T:
    try:
        return parse(text)
    except ValueError as wrong:
        raise failure("EVENTHUBS_INVALID_OPTION", key=key, value=text, expected=f"another value: {wrong}") from None


def _partitions(text: str) -> frozenset[int]:
    found: set[int] = set()
    for part in filter(None, (piece.strip() for piece in text.strip("[] ").split(","))):
        bounds = _RANGE.fullmatch(part.replace(" ", ""))
        if bounds is None or int(bounds[2] or bounds[1]) < int(bounds[1]):
            expected = "partition ids with commas, such as 0,2, or a range such as 0-3"
            raise failure("EVENTHUBS_INVALID_OPTION", key="eventhubs.partitions", value=text, expected=expected)
        found.update(range(int(bounds[1]), int(bounds[2] or bounds[1]) + 1))
    return frozenset(found)


def _sentence(text: str) -> str:
    whole = text[0].upper() + text[1:]
    return whole if whole.endswith((".", "?")) else f"{whole}."
