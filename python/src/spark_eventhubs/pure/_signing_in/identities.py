"""Which identity signs in, by the jar's rules: of several ways to sign in none is silently ignored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from spark_eventhubs._conf.azure_identity import NEEDED
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._signing_in.hosts import require_authority

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs._conf.connection_string import ParsedString

AUTH: Final = "eventhubs.auth."

# Besides those that it needs.
_MAY_HAVE: Final[Mapping[str, tuple[str, ...]]] = {
    "clientsecret": ("authorityHost",),
    "clientcertificate": ("certificatePassword", "authorityHost"),
    "managedidentity": ("clientId",),
    "workloadidentity": ("tenantId", "clientId", "federatedTokenFile", "authorityHost"),
    "default": ("authorityHost",),
}


@dataclass(frozen=True, kw_only=True)
class Identity:
    """An `auth.type` in lower case, and its options without `eventhubs.auth.`. A secret may be a place."""

    kind: str
    options: tuple[tuple[str, str], ...] = field(repr=False)


def identity_of(texts: Mapping[str, str], string: ParsedString | None) -> Identity | None:
    """The identity of the options; None where the connection string has a key.

    Raises:
        OptionError: there is no way to sign in, or more than one, or one that lacks an option or has one too many.
    """
    options = {key.removeprefix(AUTH): text for key, text in texts.items() if key.startswith(AUTH)}
    word = options.pop("type", "sas" if "sasToken" in options else None)
    kind = None if word is None else word.lower()
    _refuse_unused(options, word)
    if string is not None and string.has_key:
        if kind is None or (kind == "sas" and not options):
            return None
        what = f"'eventhubs.connectionString' has a credential and '{AUTH}type' is '{word}'"
        how = "Keep only Endpoint and EntityPath in the connection string, or remove the 'eventhubs.auth' options."
        raise _conflict(what, how)
    if kind is None:
        raise failure("EVENTHUBS_MISSING_OPTION", key=f"{AUTH}type", how="It says how the query signs in.")
    if kind not in NEEDED:
        expected = "another way to sign in with the engine in Python: only the jar runs a class for the JVM"
        raise failure("EVENTHUBS_INVALID_OPTION", key=f"{AUTH}type", value=word, expected=expected)
    for name in NEEDED[kind]:
        if name not in options:
            raise failure("EVENTHUBS_MISSING_OPTION", key=AUTH + name, how=f"'{AUTH}type' = '{word}' needs it.")
    if "authorityHost" in options:
        require_authority(f"{AUTH}authorityHost", options["authorityHost"])
    if string is not None and is_emulator(string.parts) and kind != "sas":
        what = f"the connection string has UseDevelopmentEmulator=true and '{AUTH}type' is a Microsoft Entra type"
        raise _conflict(what, "Use a connection string with a key for a local hub.")
    return Identity(kind=kind, options=tuple(sorted(options.items())))


def _refuse_unused(options: Mapping[str, str], word: str | None) -> None:
    """Refuses options that the type has no use for."""
    if word is None and options:
        raise failure("EVENTHUBS_MISSING_OPTION", key=f"{AUTH}type", how="It says how the query signs in.")
    kind = (word or "").lower()
    for name in sorted(options if kind in NEEDED else ()):
        if name not in (*NEEDED[kind], *_MAY_HAVE.get(kind, ())):
            what = f"'{AUTH}{name}' is set and '{AUTH}type' is '{word}', which does not use it"
            raise _conflict(what, "Remove it, or choose a type that uses it.")


def is_emulator(parts: Mapping[str, str]) -> bool:
    """Whether a connection string is for a local hub, which speaks without TLS."""
    return parts.get("UseDevelopmentEmulator", "").lower() == "true"


def _conflict(what: str, how: str) -> Exception:
    return failure("EVENTHUBS_CONFLICTING_OPTIONS", what=what, how=how)
