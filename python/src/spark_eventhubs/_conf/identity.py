"""Which hub and which credential a conf is for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from spark_eventhubs._conf.azure_credentials import from_azure
from spark_eventhubs._conf.position_values import hub_names
from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs._conf.secret_reference import is_reference
from spark_eventhubs.credentials import ConnectionString, Credential, entity_path

if TYPE_CHECKING:
    from collections.abc import Mapping

_STRING: Final = "eventhubs.connectionString"
_NAMESPACE: Final = "eventhubs.namespace"
_NAME: Final = "eventhubs.name"
_PATTERN: Final = "eventhubs.namePattern"
_SIGN_IN: Final = "eventhubs.auth."
# Of the legacy connector. A key alone, which is Base64 too, has 44 characters.
_ENCRYPTED: Final = re.compile(r"[A-Za-z0-9+/\s]{100,}={0,2}\s*")


def identity_options(credential: object, values: Mapping[str, object], *, by_row: bool = False) -> dict[str, object]:
    """The values of a conf with its credential as options. Refuses contradictions.

    With `by_row` the rows name their hubs, so the values name none.

    Raises:
        OptionTypeError: a credential or a name of a wrong type.
        OptionError: a hub, a namespace or a credential is missing or there twice.
    """
    given = dict(values) if credential is None else add_credential(credential, values)
    if _PATTERN in given:
        _check_pattern(given[_PATTERN], given.get(_NAME))
    unnamed = by_row or _PATTERN in given
    if _STRING in given:
        _check_string(given, keyless=any(key.startswith(_SIGN_IN) for key in given), unnamed=unnamed)
        _check_no_hub(given[_STRING], by_row=by_row)
    else:
        _check_named(given, unnamed=unnamed)
    if _NAMESPACE in given:
        _check_namespace(given[_NAMESPACE])
    return given


def add_credential(credential: object, values: Mapping[str, object]) -> dict[str, object]:
    """The values and the credential's options. A connection string comes first, and contains the namespace."""
    ours = credential if isinstance(credential, Credential) else from_azure(credential)
    if not isinstance(ours, ConnectionString):
        return {**values, **ours.to_options()}
    if _STRING in values:
        raise option_error("connection_string is set and credential is a connection string; expected one of the two")
    namespace = values.get(_NAMESPACE, ours.host)
    if ours.host.lower() != str(namespace).lower():
        raise option_error(
            f"the connection string is for '{ours.host}', but fully_qualified_namespace is '{namespace}'"
        )
    return {**ours.to_options(), **{key: value for key, value in values.items() if key != _NAMESPACE}}


def drop_credential(settings: Mapping[str, str], instead: object) -> dict[str, str]:
    """The settings that stay when `instead` becomes the credential."""
    gone = (_STRING, _NAMESPACE) if isinstance(instead, ConnectionString) else ()
    return {key: text for key, text in settings.items() if key not in gone and not key.startswith(_SIGN_IN)}


def check_hub(connection_string: str, name: object) -> None:
    """Refuses a name of a hub that is not the one in the connection string, if both name one."""
    hub = entity_path(connection_string)
    names = _names(name)
    if not (hub and names) or hub.lower() in hub_names(",".join(names)):
        return
    if len(names) > 1:
        raise option_error(
            f"the connection string names the hub '{hub}', which is not in eventhub_name; add it to the list"
        )
    raise option_error(f"the connection string names the hub '{hub}', but eventhub_name is '{names[0]}'; give only one")


def _names(name: object) -> list[str]:
    """The event hubs of a conf's name, as they are written."""
    if isinstance(name, str):
        return [each.strip() for each in name.split(",")] if name else []
    return (
        [str(each) for each in name]
        if isinstance(name, (Sequence, set, frozenset))
        else [str(name)] * (name is not None)
    )


def _check_string(given: dict[str, object], *, keyless: bool, unnamed: bool) -> None:
    text, name = given[_STRING], given.get(_NAME)
    if not isinstance(text, str):
        raise option_type_error(
            f"connection_string is a {type(text).__name__}; expected the text that the Azure portal shows"
        )
    if _ENCRYPTED.fullmatch(text.strip()) or is_reference(text):  # only the connector can read it
        return
    hub = entity_path(text) if keyless else ConnectionString(text).hub
    check_hub(text, name)
    if not hub and not unnamed and (name is None or name == ""):
        raise option_error("the connection string names no hub; add ';EntityPath=<hub>' to it, or set eventhub_name=")
    if hub and len(_names(name)) <= 1:
        given.pop(_NAME, None)


def _check_no_hub(connection_string: object, *, by_row: bool) -> None:
    hub = entity_path(str(connection_string))
    if by_row and hub:
        raise option_error(
            f"the connection string names the hub '{hub}', so all rows would go there; remove ';EntityPath={hub}'"
        )


def _check_pattern(pattern: object, name: object) -> None:
    if name:
        raise option_error(
            f"name_pattern is '{pattern}' and eventhub_name is '{','.join(_names(name))}'; expected one of the two"
        )


def _check_named(given: Mapping[str, object], *, unnamed: bool) -> None:
    names = {_NAMESPACE: "fully_qualified_namespace", _NAME: "eventhub_name"}
    if unnamed:
        del names[_NAME]
    missing = [name for key, name in names.items() if key not in given]
    if missing:
        raise option_error(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set; expected connection_string, or "
            f"{' and '.join(names.values())}"
        )


def _check_namespace(namespace: object) -> None:
    if not isinstance(namespace, str):
        raise option_type_error(
            f"fully_qualified_namespace is {namespace!r}; expected a host such as '<namespace>.servicebus.windows.net'"
        )
    if "/" in namespace or ("." not in namespace and namespace.lower() != "localhost"):
        raise option_error(
            f"fully_qualified_namespace is '{namespace}'; expected a host such as '<namespace>.servicebus.windows.net'"
        )
