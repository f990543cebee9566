"""An exactly-once write whose answers are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spark_eventhubs import EventHubsConf, WriteOnce, write
from spark_eventhubs.cli.doctor._network import network_checks
from spark_eventhubs.cli.verify._stage import DifferenceError, NotSeenError
from spark_eventhubs.cli.verify._volumes import ONCE_BODY_BYTES as BODY_BYTES
from spark_eventhubs.cli.verify._volumes import ONCE_EVENTS as EVENTS
from spark_eventhubs.cli.verify.stages._resetting_proxy import ResettingProxy

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._run import Run
    from spark_eventhubs.cli.verify._setting import Setting

_RESETS: Final = 1
# The proxy is one of HTTP, and the connector uses such a proxy only over WebSockets.
_NEEDED: Final = "it goes over WebSockets, because its proxy does"
_RESET_AFTER_BYTES: Final = 25_000


def check_exactly_once(run: Run) -> str:
    """Each event is in the hub once, although connections break after the service has stored events."""
    require_sockets(run.setting)
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


def require_sockets(setting: Setting) -> None:
    """Leaves the stage out where AMQP over WebSockets does not work, as with a closed port 443."""
    target = setting.target(setting.second)
    checks = network_checks(*target.address, tls=not target.is_development, over_sockets=True, trusted=setting.trusted)
    problem = next((check for check in checks if check.status == "fail"), None)
    if problem is not None:
        raise NotSeenError(f"{_NEEDED}: {problem.found}")
