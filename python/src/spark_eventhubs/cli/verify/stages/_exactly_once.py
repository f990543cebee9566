"""An exactly-once write whose answers are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spark_eventhubs import EventHubsConf, WriteOnce, write
from spark_eventhubs.cli.verify._stage import DifferenceError
from spark_eventhubs.cli.verify._volumes import ONCE_BODY_BYTES as BODY_BYTES
from spark_eventhubs.cli.verify._volumes import ONCE_EVENTS as EVENTS
from spark_eventhubs.cli.verify.stages._resetting_proxy import ResettingProxy

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._run import Run

_RESETS: Final = 1
_RESET_AFTER_BYTES: Final = 25_000


def check_exactly_once(run: Run) -> str:
    """Each event is in the hub once, although connections break after the service has stored events."""
    hub, prefix = run.setting.second, run.prefix("once")
    bodies = [f"{prefix}{n} ".ljust(BODY_BYTES, ".") for n in range(EVENTS)]
    # Padded, so that the connection has bytes to lose.
    rows = run.spark.range(EVENTS).selectExpr(f"rpad(concat('{prefix}', id, ' '), {BODY_BYTES}, '.') AS body")
    once = WriteOnce(write_id=run.setting.run, version=0, log_location=run.folder / "writes")
    run.starts(hub)
    with ResettingProxy(after=_RESET_AFTER_BYTES, times=_RESETS) as proxy:
        through = {"eventhubs.transport": "amqpWebSockets", "eventhubs.proxy.address": proxy.address}
        conf = EventHubsConf.from_options(run.setting.connector(hub) | through)
        write(rows, conf.replace(max_batch_bytes=2_000), once=once)
    if proxy.resets == 0:
        raise DifferenceError(f"the local proxy reset none of its {proxy.tunnels} connections, so no answer was lost")
    found, late = run.arrived(hub, "once", bodies)
    return f"{len(found)} events, each once, after {proxy.resets} connections were reset behind the sent bytes{late}"
