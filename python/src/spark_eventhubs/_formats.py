"""The names of the sources that Spark knows."""

from __future__ import annotations

from typing import Final

FORMAT: Final = "eventhubs"
PYTHON_FORMAT: Final = "eventhubs_python"
