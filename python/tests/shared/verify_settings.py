"""What `spark-eventhubs verify` is given in tests: a connection string of a local hub, and two event hubs."""

from __future__ import annotations

from typing import Final

from spark_eventhubs.cli.verify._setting import Setting

NAMESPACE: Final = "Endpoint=sb://localhost:{port};SharedAccessKeyName=all;SharedAccessKey=c2VjcmV0"
DEVELOPMENT: Final = f"{NAMESPACE};UseDevelopmentEmulator=true"


def setting(connection_string: str) -> Setting:
    """The event hubs `one` and `two`."""
    return Setting(connection_string=connection_string, first="one", second="two", group="$Default", run="run")
