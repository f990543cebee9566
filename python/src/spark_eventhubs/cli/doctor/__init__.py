"""`spark-eventhubs doctor`: checks a machine and a hub."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from spark_eventhubs.cli._target import (
    VARIABLE,
    Target,
    connector_option,
    consumer_group_option,
    namespace_host,
    target_options,
)
from spark_eventhubs.cli.doctor._check import Check, skip
from spark_eventhubs.cli.doctor._hub import hub_checks
from spark_eventhubs.cli.doctor._machine import machine_checks
from spark_eventhubs.cli.doctor._network import network_checks
from spark_eventhubs.cli.doctor._sign_in import connector_options
from spark_eventhubs.cli.doctor._spark import spark_checks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@click.command()
@target_options()
@consumer_group_option
@connector_option
@click.option("--no-spark", is_flag=True, help="Start no Spark session.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(
    *,
    connection_string: str | None,
    hub: str | None,
    consumer_group: str,
    options: Sequence[str],
    no_spark: bool,
    as_json: bool,
) -> None:
    """Check Java, Spark, the connector, the network and the hub. Ends with 1 if a check fails.

    A check changes nothing in the hub. Without a connection string, only this machine is checked.
    """
    target = None if connection_string is None else Target.of(connection_string, hub)
    found: list[Check] = []
    sign_in = connector_options(target, consumer_group, options)
    for check in _checks(target, consumer_group, sign_in, spark=not no_spark):
        found.append(check)
        if not as_json:
            click.echo(check.line())
    failed = any(check.status == "fail" for check in found)
    if as_json:
        click.echo(json.dumps({"ok": not failed, "checks": [check.to_dict() for check in found]}, indent=2))
    if failed:
        sys.exit(1)


def _checks(target: Target | None, group: str, sign_in: dict[str, str] | None, *, spark: bool) -> Iterator[Check]:
    yield from machine_checks()
    if spark:
        yield from spark_checks(sign_in)
    given = {key.lower().removeprefix("eventhubs."): value for key, value in (sign_in or {}).items()}
    if target is None and "namespace" not in given:
        yield skip("hub", f"no connection string; set {VARIABLE} to check a hub too")
        return
    over_sockets = given.get("transport", "").lower() == "amqpwebsockets"
    host, port = (namespace_host(given["namespace"]), None) if target is None else target.address
    is_indirect = "customendpoint" in given or "proxy.address" in given
    reachable = True
    if is_indirect:
        yield skip("amqp", "the connector reaches the namespace another way")
    else:
        tls = target is None or not target.is_development
        trusted = given.get("tls.trustedcertificates")
        for check in network_checks(host, port, tls=tls, over_sockets=over_sockets, trusted=trusted):
            reachable = reachable and not (check.name in ("amqp", "websocket") and check.status == "fail")
            yield check
    if target is None:
        yield skip("hub", "its partitions and consumer groups are checked only with a connection string")
    elif is_indirect:
        yield skip("hub", "doctor does not use the proxy or the custom endpoint; see the checks of the connector")
    elif reachable:
        yield from hub_checks(replace(target, over_sockets=over_sockets), group)
    else:
        yield skip("hub", "it cannot be reached")
