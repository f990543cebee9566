"""The keywords of a conf, which are the names of its options in Python."""

from __future__ import annotations

from difflib import get_close_matches
from inspect import Parameter, Signature, getdoc
from typing import TYPE_CHECKING, Final, TypeVar

from spark_eventhubs._conf.refusals import option_type_error
from spark_eventhubs._options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from spark_eventhubs._option_spec import OptionSpec

_CREDENTIAL: Final = "credential"
_ABOUT_CREDENTIAL: Final = (
    "How to sign in, instead of a key in the connection string: a credential of spark_eventhubs or of azure.identity. "
    "Needs `fully_qualified_namespace`, and `eventhub_name` or `name_pattern`; a `ConnectionString` contains the "
    "namespace and may contain the name."
)
_OPTIONS: Final[Mapping[str, OptionSpec]] = {spec.keyword: spec for spec in OPTIONS if spec.keyword is not None}
_ALL: Final = (_CREDENTIAL, *_OPTIONS)

_Method = TypeVar("_Method", bound="Callable[..., object]")


class KeywordsOnly:
    """A class whose constructor takes no positional arguments."""

    def __new__(cls, *args: object, **_options: object) -> Self:
        """Refuses a value without its keyword, in words of the user."""
        if args:
            raise option_type_error(
                f"{cls.__name__} takes keywords only; for a connection string, use "
                f"{cls.__name__}.from_connection_string(text)"
            )
        return super().__new__(cls)


def by_key(options: Mapping[str, object]) -> dict[str, object]:
    """The values by the keys of their options, in the order of the table. Leaves out the credential.

    Raises:
        OptionTypeError: a keyword that no option has.
    """
    for unknown in (name for name in options if name not in _ALL):
        raise option_type_error(f"'{unknown}' is not a keyword of EventHubsConf{_hint(unknown)}")
    return {spec.key: options[name] for name, spec in _OPTIONS.items() if name in options}


def with_keywords(method: _Method) -> _Method:
    """Shows a method's keywords, with the table's texts, in `help` and in the completion of a notebook."""
    about = {_CREDENTIAL: _ABOUT_CREDENTIAL} | {name: _about(spec) for name, spec in _OPTIONS.items()}
    lines = [f"    {name}: {text}" for name, text in about.items()]
    method.__doc__ = "\n".join([getdoc(method) or "", "", "Args:", *lines])
    keywords = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in _ALL]
    # The type of a method has no `__signature__`, although `inspect` reads it.
    vars(method)["__signature__"] = Signature([Parameter("self", Parameter.POSITIONAL_ONLY), *keywords])
    return method


def _about(spec: OptionSpec) -> str:
    return spec.doc if spec.default is None else f"{spec.doc} Default: `{spec.default}`."


def _hint(unknown: str) -> str:
    if unknown.startswith("auth_"):
        return "; expected a credential, such as credential=ManagedIdentity()"
    near = get_close_matches(unknown, _ALL, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""
