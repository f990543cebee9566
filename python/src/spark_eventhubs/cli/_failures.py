"""Turns a failure of the SDK into one sentence: what, where, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

import click

from spark_eventhubs._sdk_calls import refusals

if TYPE_CHECKING:
    from spark_eventhubs.cli._target import Target

Claim = Literal["Listen", "Send"]
_ROLES: Final[dict[Claim, str]] = {"Listen": "Receiver", "Send": "Sender"}

# Behind these the service and the SDK write details for their own support.
_DETAILS: Final = re.compile(r"\s*(TrackingId:|Reference:|Error condition:|\n).*", re.DOTALL)


def failure_of(error: Exception, target: Target, *, claim: Claim, group: str | None = None) -> click.ClickException:
    """The failure of a command.

    Args:
        error: what the SDK raised.
        target: the hub.
        claim: what the command needs.
        group: the consumer group, if the command opens readers.
    """
    if isinstance(error, click.ClickException):
        return error
    return click.ClickException(target.hide_secrets(_sentence(error, target, claim, group)))


def is_refusal(error: Exception) -> bool:
    """Whether a repetition would fail too. A lost connection may come back."""
    from azure.eventhub.exceptions import AuthenticationError  # noqa: PLC0415 - the SDK is an optional dependency

    refused = (
        "not-found",
        "unauthorized-access",
        "not-allowed",
        "argument-",
        "resource-limit",
        "link:stolen",
        "message-size",
    )
    return isinstance(error, AuthenticationError) or any(word in str(error) for word in refused)


def is_busy(error: Exception) -> bool:
    """Whether the service limits a client, or a hub, that sends much. It asks to repeat later."""
    # A question about properties has no condition, only the status.
    return any(word in str(error) for word in ("server-busy", "Status code: 503"))


def _sentence(error: Exception, target: Target, claim: Claim, group: str | None) -> str:
    from azure.eventhub.exceptions import AuthenticationError  # noqa: PLC0415 - as above

    text = str(error)
    if isinstance(error, TimeoutError):
        return f"{target.host} did not answer ({text}); check that it is an Event Hubs namespace, and the firewall"
    if isinstance(error, AuthenticationError):
        return _sign_in(text, target)
    return _refusal(text, target, claim, group) or _no_connection(error, target)


def _refusal(text: str, target: Target, claim: Claim, group: str | None) -> str | None:
    if "unauthorized-access" in text:
        given = f"the claim {claim}" if target.way is None else f"the role Azure Event Hubs Data {_ROLES[claim]}"
        return f"{_policy(target)} may not {claim.lower()} on the hub '{target.hub}'; give it {given}"
    if "not-found" in text and group is not None:
        return f"the hub '{target.hub}' has no consumer group '{group}'; create it, or give another --consumer-group"
    return _no_hub(target) if "not-found" in text else None


def _no_connection(error: Exception, target: Target) -> str:
    text = str(error)
    if "initiate the connection" in text or "ConnectError" in type(error).__name__:
        reason = _DETAILS.sub("", text).rpartition("exception: ")[2]
        return f"cannot connect to {target.host}: {reason}; check the host, the port and the firewall"
    return f"the hub '{target.hub}' of {target.host} answered: {_DETAILS.sub('', text) or type(error).__name__}"


def _sign_in(text: str, target: Target) -> str:
    if "not-found" in (refusals.last or "") or "Status code: 404" in text:
        return _no_hub(target)
    if target.way is not None:
        return f"{target.host} refuses {_policy(target)}: {_DETAILS.sub('', text)}"
    return f"{target.host} refuses the key of {_policy(target)}; copy the connection string again"


def _no_hub(target: Target) -> str:
    return f"the namespace {target.host} has no hub '{target.hub}'; check EntityPath or --hub"


def _policy(target: Target) -> str:
    if target.way is not None:
        return f"the identity ({target.way})"
    return "the shared access signature" if target.policy is None else f"the policy '{target.policy}'"
