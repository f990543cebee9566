"""The keywords of a conf, which are the names of its options in Python."""

from __future__ import annotations

import re
from dataclasses import fields
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter, Signature, getdoc, signature
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, get_args

from spark_eventhubs._conf.conf_options import ConfOptions
from spark_eventhubs._conf.refusals import option_type_error
from spark_eventhubs._options import OPTIONS
from spark_eventhubs.credentials import ConnectionString, Credential, ManagedIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from spark_eventhubs._option_spec import OptionSpec

_CREDENTIAL: Final = "credential"
_OPTIONS: Final[Mapping[str, OptionSpec]] = {spec.keyword: spec for spec in OPTIONS if spec.keyword is not None}
_ALL: Final = (_CREDENTIAL, *_OPTIONS)

_Method = TypeVar("_Method", bound="Callable[..., Any]")


def by_key(options: Mapping[str, object]) -> dict[str, object]:
    """The values by the keys of their options, in the order of the table. Leaves out the credential."""
    return {spec.key: options[name] for name, spec in _OPTIONS.items() if name in options}


def with_keywords(method: _Method) -> _Method:
    """A method that takes all keywords. It shows them in `help` and in the completion of a notebook."""
    checked = _refusing(method, "EventHubsConf", _ALL, places=1)
    _, _, meanings = (getdoc(ConfOptions) or "").partition("Attributes:")
    checked.__doc__ = f"{getdoc(method)}\n\nArgs:{meanings}"
    keywords = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in _ALL]
    # The type of a method has no `__signature__`, although `inspect` reads it.
    vars(checked)["__signature__"] = Signature([Parameter("self", Parameter.POSITIONAL_ONLY), *keywords])
    return checked


def with_some_keywords(method: _Method) -> _Method:
    """A method that takes the keywords in its signature."""
    known = signature(method).parameters
    return _refusing(method, method.__qualname__, known, places=len(known))


def _refusing(method: _Method, name: str, known: Collection[str], places: int) -> _Method:
    """The method, whose errors about arguments say what to write instead."""

    @wraps(method)
    def called(*values: object, **options: object) -> object:
        if len(values) > places:
            where = method.__qualname__.removesuffix(".__init__")
            raise option_type_error(
                f"{where} takes keywords only; for a connection string, use EventHubsConf.from_connection_string(text)"
            )
        unknown = [f"'{each}' is not a keyword of {name}{_hint(each)}" for each in options if each not in known]
        if unknown:
            raise option_type_error("; ".join(unknown))
        return method(*values, **options)

    return cast("_Method", called)


def _hint(unknown: str) -> str:
    if unknown in _ALL:
        return f"; expected it in EventHubsConf(..., {unknown}=...) or in replace({unknown}=...)"
    name, expected = _letters(unknown.removeprefix("auth_")), _expected()
    near = get_close_matches(name, expected, n=1) or [each for each in expected if name in each]
    return f"; {expected[near[0]]}" if near else ""


@cache
def _expected() -> Mapping[str, str]:
    """What to write for each name that an option has elsewhere, by its letters."""
    found = {_CREDENTIAL: f"did you mean '{_CREDENTIAL}'?"}
    for spec in OPTIONS:
        short = spec.key.removeprefix("eventhubs.").removeprefix("auth.")
        instead = f"did you mean '{spec.keyword}'?" if spec.keyword else _credentials_with(spec.key)
        found |= {_letters(name): instead for name in (short, spec.keyword or short)}
    return found


def _credentials_with(key: str) -> str:
    """The credentials that set an option, as their own options show it."""
    kinds = [kind for kind in get_args(Credential) if kind is not ConnectionString]
    those = [kind for kind in kinds if key in _sample(kind).to_options()]
    names = [kind.__name__ for kind in (those if len(those) < len(kinds) else [ManagedIdentity])]
    return f"expected a credential, such as credential={'(...) or '.join(names)}(...)"


def _sample(kind: type[Any]) -> Any:  # noqa: ANN401 - the classes have different arguments
    return kind(**{each.name: {"a": "b"} if each.name == "parameters" else "a" for each in fields(kind)})


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
