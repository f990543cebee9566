"""A write while the service throttles."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

from spark_eventhubs import write
from spark_eventhubs.cli._failures import is_busy
from spark_eventhubs.cli._sdk import limited, sending
from spark_eventhubs.cli.verify import _volumes
from spark_eventhubs.cli.verify._stage import NotSeenError

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._run import Run

_SECONDS: Final = 30
_EVENTS_PER_BATCH: Final = 4


def check_load(run: Run) -> str:
    """All events of the connector arrive while other senders send as fast as they can."""
    hub, prefix = run.setting.second, run.prefix("load")
    run.starts(hub)
    with ThreadPoolExecutor(_volumes.NOISE_SENDERS) as pool:
        senders = [pool.submit(_send, run, time.monotonic() + _SECONDS) for _ in range(_volumes.NOISE_SENDERS)]
        write(run.spark.range(_volumes.LOAD_EVENTS).selectExpr(f"concat('{prefix}', id) AS body"), run.conf(hub))
        sent, busy = (sum(counts) for counts in zip(*(sender.result() for sender in senders), strict=True))
    found, late = run.arrived(hub, "load", [f"{prefix}{n}" for n in range(_volumes.LOAD_EVENTS)])
    arrived = f"{len(found):,} events arrived next to {sent / 1e6:,.0f} MB of others{late}"
    if not busy:
        raise NotSeenError(f"nothing was throttled: {arrived}")
    return f"{arrived}; the service refused {busy:,} batches as busy"


def _send(run: Run, until: float) -> tuple[int, int]:
    """Sends until a time, or until it has sent enough. Returns the bytes, and how many batches were refused as busy."""
    from azure.eventhub import EventData  # noqa: PLC0415 - the SDK is an optional dependency

    sent = busy = 0
    body = f"{run.prefix('noise')}{'.' * _volumes.NOISE_EVENT_BYTES}"
    with sending(run.setting.target(run.setting.second)) as client:
        while time.monotonic() < until and sent < _volumes.NOISE_BYTES_PER_SENDER:
            batch = limited(client.create_batch)
            for _ in range(_EVENTS_PER_BATCH):
                batch.add(EventData(body))
            try:
                limited(partial(client.send_batch, batch))
            except Exception as failure:
                if not is_busy(failure):
                    raise
                busy += 1
            else:
                sent += batch.size_in_bytes
    return sent, busy
