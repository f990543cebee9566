"""What the credentials in a chain of the Azure SDK are set to, to compare one chain with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

# A member keeps its settings itself, in the credential that it found, or in its client.
_PARTS: Final = ("_credential", "_client")
# Attributes that the constructor sets and that getting a token leaves as they are. `_error` names missing arguments.
_SETTINGS: Final = (
    "_additionally_allowed_tenants",
    "_authority",
    "_client_id",
    "_error",
    "_instance_discovery",
    "_process_timeout",
    "_settings",
    "_tenant_id",
    "_token_file_path",
    "_username",
    "tenant_id",
)


def settings_of(member: object) -> list[tuple[str, object]]:
    """The settings of a credential, in a fixed order."""
    return [
        (name, value)
        for part in _parts(member)
        for name in _SETTINGS
        if (value := getattr(part, name, None)) not in (None, [], "")
    ]


def authorities(members: Sequence[object]) -> set[str]:
    """The sign-in services of all members."""
    return {str(value) for member in members for name, value in settings_of(member) if name == "_authority"}


def _parts(member: object) -> list[object]:
    # Not deeper: some inner credentials create their clients with the first token.
    return [member, *(inner for name in _PARTS if (inner := getattr(member, name, None)) is not None)]
