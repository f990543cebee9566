"""The official event processor for Python, as a program: `python_processor.py HUB STORAGE CONTAINER LOG`.

HUB and STORAGE are connection strings. It appends `partition sequenceNumber` to LOG for each event, and then writes a
checkpoint. It ends, and releases its partitions, when its input ends.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from sdk_processor import connected

if TYPE_CHECKING:
    from azure.eventhub import EventData, PartitionContext

EXPIRATION = 4


def main(hub: str, storage: str, container: str, log: str) -> None:
    """Processes events until the input ends."""
    client = connected(hub, storage, container, renew_every=0.5, expiration=EXPIRATION)
    with client, Path(log).open("a", encoding="utf-8") as out:
        lock = threading.Lock()

        def processed(context: PartitionContext, event: EventData | None) -> None:
            if event is None:
                return
            with lock:
                out.write(f"{context.partition_id} {event.sequence_number}\n")
                out.flush()
            context.update_checkpoint(event)

        worker = threading.Thread(
            target=client.receive,
            kwargs={"on_event": processed, "starting_position": "-1", "max_wait_time": 0.2},
        )
        worker.start()
        sys.stdin.read()
        client.close()
        worker.join(20)


if __name__ == "__main__":
    main(*sys.argv[1:])
