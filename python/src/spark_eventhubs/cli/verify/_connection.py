"""The network between this machine and the namespace: doctor's checks, as one stage."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spark_eventhubs.cli.doctor._network import network_checks
from spark_eventhubs.cli.verify._stage import Stage, skipped

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._setting import Setting

_NAME = "connection"


def connection_stage(setting: Setting) -> Stage:
    """TLS, AMQP, AMQP over WebSockets, and the clock."""
    if setting.is_indirect:
        return skipped(_NAME, "the connector reaches the namespace another way; see the stage 'rights'")
    target = setting.target(setting.first)
    host, port = target.address
    began = time.monotonic()
    checks = list(
        network_checks(
            host, port, tls=not target.is_development, over_sockets=setting.over_sockets, trusted=setting.trusted
        )
    )
    failed = [check for check in checks if check.status == "fail"]
    shown = failed or [check for check in checks if check.status != "skip"]
    return Stage(
        name=_NAME,
        status="failed" if failed else "passed",
        found="; ".join(check.line()[6:] for check in shown),
        seconds=round(time.monotonic() - began, 1),
    )
