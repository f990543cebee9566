"""The connector's conditions, raised in Python. Spark quotes them, and PySpark's user gets the same classes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from spark_eventhubs._sdk_calls import refusals
from spark_eventhubs.errors._conditions import catalogue, error_of
from spark_eventhubs.pure._signing_in.environment_proxy import MALFORMED, masked, shows_sign_in

if TYPE_CHECKING:
    from spark_eventhubs.errors.kinds import EventHubsError
    from spark_eventhubs.pure._signing_in.address import HubAddress

_PLACEHOLDER: Final = re.compile(r"<([A-Za-z]+)>")
_CERTIFICATE: Final = re.compile(r"CERTIFICATE_VERIFY_FAILED|certificate verify failed", re.IGNORECASE)
# Behind these the service and the SDK write details for their own support.
_DETAILS: Final = re.compile(r"\s*(TrackingId:|Reference:|\n).*", re.DOTALL)
_DESCRIPTION: Final = re.compile(r"Error Description:\s*(?:b')?", re.IGNORECASE)
_ADVICE: Final = "Check the host, and that the network allows AMQP, on port 5671, or WebSockets, on port 443."

# The first word that the SDK's text has decides.
_BY_WORD: Final = (
    ("via proxy status", "EVENTHUBS_PROXY"),
    ("unauthorized-access", "EVENTHUBS_AUTHENTICATION"),
    ("not-found", "EVENTHUBS_NOT_FOUND"),
    ("Status code: 404", "EVENTHUBS_NOT_FOUND"),
    ("link:stolen", "EVENTHUBS_RECEIVER_DISCONNECTED"),
    ("resource-limit-exceeded", "EVENTHUBS_QUOTA_EXCEEDED"),
    ("server-busy", "EVENTHUBS_THROTTLED"),
    ("Status code: 503", "EVENTHUBS_THROTTLED"),
    ("socket-error", "EVENTHUBS_UNREACHABLE"),
    ("connection:forced", "EVENTHUBS_UNREACHABLE"),
    ("initiate the connection", "EVENTHUBS_UNREACHABLE"),
)
_MAY_PASS: Final = frozenset({"EVENTHUBS_UNREACHABLE", "EVENTHUBS_TIMEOUT", "EVENTHUBS_THROTTLED", "EVENTHUBS_SERVICE"})


def failure(condition: str, **parameters: object) -> EventHubsError:
    """The error of a condition of the catalogue, with the facts of its text."""
    facts = {name: str(value) for name, value in parameters.items()}
    text = _PLACEHOLDER.sub(lambda found: facts[found[1]], catalogue()[condition].template)
    return error_of(condition, f"[{condition}] {text}", facts)


def conditioned(condition: str, error: Exception) -> EventHubsError:
    """An error of a conf's check, with the condition that the connector has for it."""
    return error_of(condition, f"[{condition}] {error}", {})


def of_sdk(error: Exception, address: HubAddress, doing: str) -> EventHubsError:
    """What the SDK raised while it did something. What this package raised inside of the SDK is returned as it is."""
    ours = _ours(error)
    if ours is not None:
        return ours
    from azure.eventhub._pyamqp.error import AuthenticationException  # noqa: PLC0415 - an optional dependency
    from azure.eventhub.exceptions import AuthenticationError  # noqa: PLC0415 - as above

    text = str(error) or type(error).__name__
    place = {"hub": address.hub, "namespace": address.host, "doing": doing}
    said = _DETAILS.sub("", _DESCRIPTION.split(text, maxsplit=1)[-1].strip()) or text
    condition = next((condition for word, condition in _BY_WORD if word in text), None)
    if _uses_environment(address) and shows_sign_in(text):
        if condition is None:
            return failure("EVENTHUBS_PROXY", **place, said=MALFORMED, proxy=proxy_of(address))
        said = masked(said)
    if _CERTIFICATE.search(text):
        return failure("EVENTHUBS_CERTIFICATE", **place, host=address.host, problem=said)
    if condition is None and isinstance(error, (AuthenticationException, AuthenticationError)):
        # The SDK writes the reason to its log only.
        is_missing = "not-found" in (refusals.last or "")
        condition = "EVENTHUBS_NOT_FOUND" if is_missing else "EVENTHUBS_AUTHENTICATION"
        said = refusals.last or said
    if condition is None:
        condition = "EVENTHUBS_TIMEOUT" if isinstance(error, TimeoutError) else _of_type(error)
    return failure(condition, **place, said=said, advice=_ADVICE, proxy=proxy_of(address))


def _ours(error: BaseException | None) -> EventHubsError | None:
    """An error of this package, such as a refused sign-in, that the SDK has wrapped."""
    from spark_eventhubs.errors import EventHubsError  # noqa: PLC0415 - needs PySpark

    while error is not None and not isinstance(error, EventHubsError):
        error = error.__cause__ or error.__context__
    return error


def _uses_environment(address: HubAddress) -> bool:
    """Whether a connection or a sign-in goes over a proxy of the environment. Plain AMQP uses none."""
    return address.network.proxy is None and (address.network.over_sockets or address.identity is not None)


def proxy_of(address: HubAddress) -> str:
    """The proxy of a hub, for errors."""
    return address.network.proxy or "of the environment"


def may_pass(error: EventHubsError) -> bool:
    """Whether the same may succeed later."""
    return error.condition in _MAY_PASS


def _of_type(error: Exception) -> str:
    return "EVENTHUBS_UNREACHABLE" if isinstance(error, OSError) else "EVENTHUBS_SERVICE"
