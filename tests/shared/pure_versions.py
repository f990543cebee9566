"""What the engine in Python has on the installed Spark."""

from __future__ import annotations

from typing import Final

from pyspark import __version__

HAS_STREAMS: Final = not __version__.startswith(("4.0.", "4.1."))
"""Whether it reads streams. It reads batches, and writes, on each Spark 4."""
