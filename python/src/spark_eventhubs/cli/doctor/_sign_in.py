"""The connector's own sign-in: the options for it, and what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs.cli._target import stated
from spark_eventhubs.cli.doctor._check import Check, fail, ok, warn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spark_eventhubs.cli._target import Target

_TIMEOUT: Final = "20s"


def connector_options(target: Target | None, group: str, given: Sequence[str]) -> dict[str, str] | None:
    """The connector's options for the hub; None when neither a connection string nor an option names one."""
    of_user = stated(given)
    if target is None and not of_user:
        return None
    options = {"eventhubs.consumerGroup": group, "eventhubs.operationTimeout": _TIMEOUT}
    if target is not None:
        options |= {"eventhubs.connectionString": target.connection_string, "eventhubs.name": target.hub}
    return options | of_user


def sign_in_checks(found: dict[str, Any]) -> Iterator[Check]:
    """The checks `connector sign-in`, `connector listen` and `connector send`, of what the Spark session found."""
    name = "connector sign-in"
    if "problem" in found:
        yield fail(name, found["problem"])
        return
    listen, send = found["listen_problem"], found["send_problem"]
    if listen is not None and send is not None:
        yield fail(name, listen)
        return
    yield ok(name, _who(found))
    yield ok("connector listen", "allowed") if listen is None else warn("connector listen", listen, "Needed to read")
    yield ok("connector send", "allowed") if send is None else warn("connector send", send, "Needed to write")


def _who(found: dict[str, Any]) -> str:
    where = f"to the hub '{found['hub']}'"
    if found["policy"] is not None:
        return f"with the policy '{found['policy']}' {where}"
    if found["application"] is None:
        return f"with {found['way']} {where}"
    until = f", with a token until {found['token_expires_at']}".replace("+00:00", " UTC")
    return f"with {found['way']} as application {found['application']} of tenant {found['tenant']} {where}{until}"
