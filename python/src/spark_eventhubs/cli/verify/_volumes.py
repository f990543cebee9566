"""How much the stages send. They import PySpark; this does not."""

from __future__ import annotations

from typing import Final

WRITE_EVENTS: Final = 100
STREAM_EVENTS: Final = 200
# Few bytes: read back, they fit the buffers of a WebSocket.
ONCE_EVENTS: Final = 300
ONCE_BODY_BYTES: Final = 100
STORE_EVENTS: Final = 50
IDLE_EVENTS: Final = 20
LOAD_EVENTS: Final = 2000
NOISE_SENDERS: Final = 4
NOISE_EVENT_BYTES: Final = 60_000
NOISE_BYTES_PER_SENDER: Final = 64_000_000

EVENTS: Final = 2 * WRITE_EVENTS + STREAM_EVENTS + ONCE_EVENTS + 2 * STORE_EVENTS + IDLE_EVENTS + 10
BYTES: Final = ONCE_EVENTS * (ONCE_BODY_BYTES + 100) + 600 * 150
ALL_LOAD_EVENTS: Final = LOAD_EVENTS + NOISE_SENDERS * NOISE_BYTES_PER_SENDER // NOISE_EVENT_BYTES
ALL_LOAD_BYTES: Final = NOISE_SENDERS * NOISE_BYTES_PER_SENDER
