"""Which hub a conf is for, and how it signs in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from spark_eventhubs._conf.azure_credentials import from_azure
from spark_eventhubs._conf.connection_string import entity_path, is_readable, parsed
from spark_eventhubs._conf.position_values import hub_names
from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs._option_spec import KEYWORDS
from spark_eventhubs.credentials import ConnectionString, Credential

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

STRING: Final = "eventhubs.connectionString"
NAMESPACE: Final = "eventhubs.namespace"
NAME: Final = "eventhubs.name"
_PATTERN: Final = "eventhubs.namePattern"
_SIGN_IN: Final = "eventhubs.auth."


def with_credential(credential: object, values: Mapping[str, object]) -> dict[str, object]:
    """The credential's options and the values. A hub's string comes first: the names of partitions need its hub."""
    if credential is None:
        return dict(values)
    ours = credential if isinstance(credential, Credential) else from_azure(credential)
    if not isinstance(ours, ConnectionString):
        return {**values, **ours.to_options()}
    if values.get(STRING) is not None:
        raise option_error("connection_string is set and credential is a connection string; expected one of the two")
    return {**ours.to_options(), **{key: value for key, value in values.items() if key != STRING}}


def kept(settings: Mapping[str, str], given: Mapping[str, object], *, signs_in: bool) -> dict[str, str]:
    """The settings that stay when new ones come. A new way to sign in leaves nothing of the one before.

    Args:
        settings: of a conf.
        given: the new ones. Those of None are removed.
        signs_in: whether a credential is among the new ones, or its removal.

    Raises:
        OptionError: a key is in a connection string that only the connector can read.
    """
    new, old = given.get(STRING), settings.get(STRING)
    without_credential = {key: text for key, text in settings.items() if not key.startswith(_SIGN_IN)}
    if new is not None:
        rest = without_credential if signs_in or _has_key(new) else settings
        return {key: text for key, text in rest.items() if key not in {STRING, NAMESPACE}}
    if old is None or STRING in given or not _signs_in(given) or not _has_key(old):
        return dict(without_credential if signs_in else settings)
    del without_credential[STRING]
    return _without_key(old, given) | without_credential


def is_identity(key: str) -> bool:
    """Whether an option says which hub a conf is for, or how it signs in."""
    return key in {STRING, NAMESPACE, NAME, _PATTERN} or key.startswith(_SIGN_IN)


def lacking(given: Mapping[str, object]) -> list[str]:
    """The keys of what a conf needs, and has not."""
    text = given.get(STRING)
    named = not (given.get(NAME) is None or given[NAME] == "") or _PATTERN in given or _may_name_hub(text)
    return [NAMESPACE] * (text is None and NAMESPACE not in given) + [NAME] * (not named)


def checked(given: Mapping[str, object], *, may_lack: Collection[str] = ()) -> dict[str, object]:
    """The options of a whole conf, without those that its connection string says too.

    Raises:
        OptionTypeError: a connection string or a namespace of a wrong type.
        OptionError: the hub, the namespace or a way to sign in is missing, or in contradiction to another.
    """
    if _PATTERN in given and given.get(NAME):
        raise option_error(
            f"name_pattern is '{given[_PATTERN]}' and eventhub_name is '{','.join(_names(given[NAME]))}'; "
            "expected one of the two"
        )
    if NAMESPACE in given:
        _check_namespace(given[NAMESPACE])
    said = _said_by_string(given) if STRING in given else ()
    missing = [key for key in lacking(given) if key not in may_lack]
    if missing and STRING in given:
        raise option_error("the connection string names no hub; add ';EntityPath=<hub>' to it, or set eventhub_name=")
    if missing:
        unnamed = _PATTERN in given or NAME in may_lack
        needed = [KEYWORDS[key] for key in (NAMESPACE, *[NAME] * (not unnamed))]
        raise option_error(
            f"{' and '.join(KEYWORDS[key] for key in missing)} {'is' if len(missing) == 1 else 'are'} not set; "
            f"expected connection_string, or {' and '.join(needed)}"
        )
    return {key: value for key, value in given.items() if key not in said}


def check_no_hub(settings: Mapping[str, str]) -> None:
    """Refuses a connection string of a hub, where the rows name their hubs."""
    hub = entity_path(settings.get(STRING, ""))
    if hub:
        raise option_error(
            f"the connection string names the hub '{hub}', so all rows would go there; remove ';EntityPath={hub}'"
        )


def _said_by_string(given: Mapping[str, object]) -> Sequence[str]:
    """Keys of options that are equal to a part of the connection string. Refuses those that contradict it."""
    text, name, namespace = given[STRING], given.get(NAME), given.get(NAMESPACE)
    if not isinstance(text, str):
        raise option_type_error(
            f"connection_string is a {type(text).__name__}; expected the text that the Azure portal shows"
        )
    if not is_readable(text):
        return ()
    string, names = parsed(text), _names(name)
    if not _signs_in(given):
        string.require_key()
    elif string.has_key:
        raise option_error(
            "the connection string has a key, and credential is another way to sign in; expected one of the two. "
            "With the credential, set fully_qualified_namespace and eventhub_name instead of connection_string"
        )
    if namespace is not None and string.host.lower() != str(namespace).lower():
        raise option_error(
            f"the connection string is for '{string.host}', but fully_qualified_namespace is '{namespace}'"
        )
    if string.hub and names and string.hub.lower() not in hub_names(",".join(names)):
        raise option_error(
            f"the connection string names the hub '{string.hub}', "
            + (
                f"but eventhub_name is '{names[0]}'; give only one"
                if len(names) == 1
                else "which is not in eventhub_name; add it to the list"
            )
        )
    return (NAMESPACE, NAME) if string.hub and (len(names) == 1 or not name) else (NAMESPACE,)


def _signs_in(given: Mapping[str, object]) -> bool:
    return any(key.startswith(_SIGN_IN) for key in given)


def _has_key(text: object) -> bool:
    """Whether a connection string has a key, as far as this machine can read it."""
    return not (isinstance(text, str) and is_readable(text)) or parsed(text).has_key


def _may_name_hub(text: object) -> bool:
    return isinstance(text, str) and bool(not is_readable(text) or entity_path(text))


def _without_key(text: str, given: Mapping[str, object]) -> dict[str, str]:
    """The options in place of a connection string with a key."""
    if is_readable(text):
        return parsed(text).options()
    if given.get(NAMESPACE) is not None:
        return {}
    raise option_error(
        "only the connector can read this conf's connection string, so its namespace and its hub are not known here; "
        "with the credential, also set fully_qualified_namespace and eventhub_name"
    )


def _names(name: object) -> list[str]:
    """The event hubs of a conf's name, as they are written. None for a name of a wrong type."""
    if isinstance(name, str):
        return [each.strip() for each in name.split(",")] if name else []
    return [str(each) for each in name] if isinstance(name, (Sequence, set, frozenset)) else []


def _check_namespace(namespace: object) -> None:
    expected = "expected a host such as '<namespace>.servicebus.windows.net'"
    if not isinstance(namespace, str):
        raise option_type_error(f"fully_qualified_namespace is {namespace!r}; {expected}")
    if "/" in namespace or ("." not in namespace and namespace.lower() != "localhost"):
        raise option_error(f"fully_qualified_namespace is '{namespace}'; {expected}")
