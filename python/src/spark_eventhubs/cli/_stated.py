"""The connector's options that a command takes with `--option KEY=VALUE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from spark_eventhubs._conf.option_values import setting
from spark_eventhubs._options import OPTIONS
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECRETS: Final = {spec.key.lower() for spec in OPTIONS if spec.secret}
_PLACES: Final = ("{env:", "{file:", "{hadoop:")

connector_option = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the connector for its sign-in, such as eventhubs.auth.type=managedIdentity. Repeatable.",
)


def stated(given: Sequence[str]) -> dict[str, str]:
    """The options by their keys.

    Raises:
        WrongUsage: an option is wrong, or has a secret, which other users of the machine can see.
    """
    return dict(map(_stated, given))


def _stated(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise WrongUsage(f"--option is '{text}'; expected KEY=VALUE, such as eventhubs.auth.type=managedIdentity")
    try:
        key, _ = setting(key, value)
    except OptionError as refused:
        raise WrongUsage(f"--option: {refused}") from None
    if key.lower() in _SECRETS and not value.startswith(_PLACES):
        raise WrongUsage(
            f"--option {key} has a secret, which other users of this machine can see; write where it is kept: "
            "{env:NAME} or {file:/path}"
        )
    return key, value
