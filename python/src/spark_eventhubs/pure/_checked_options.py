"""Checks the texts of options with the connector's table, and refuses what this engine lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from spark_eventhubs._conf.near_names import explain, is_common
from spark_eventhubs._conf.option_values import find_option, option_text
from spark_eventhubs._conf.refusals import without_secrets
from spark_eventhubs._options import LEGACY_KEYS
from spark_eventhubs.errors import OptionError
from spark_eventhubs.pure._errors import conditioned, failure
from spark_eventhubs.pure._options_here import LACKS, ONLY_VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs._option_spec import OptionSpec

_LEGACY: Final = frozenset(key.lower() for key in LEGACY_KEYS)


def checked(options: Mapping[str, str], scope: Literal["read", "write"]) -> dict[str, str]:
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
            text = valid(spec, value)
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


def valid(spec: OptionSpec, value: str) -> str:
    """The text of an option's value.

    Raises:
        OptionError: the value is wrong, or this engine lacks it.
    """
    try:
        text = option_text(spec, value)
    except OptionError as wrong:
        raise conditioned("EVENTHUBS_INVALID_OPTION", wrong) from None
    if spec.type != "text":
        text = text.strip()
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


def _sentence(text: str) -> str:
    whole = text[0].upper() + text[1:]
    return whole if whole.endswith((".", "?")) else f"{whole}."
