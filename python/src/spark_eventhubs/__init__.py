"""Azure Event Hubs for Apache Spark."""

from importlib.metadata import version

from spark_eventhubs._option_spec import OptionSpec
from spark_eventhubs._options import OPTIONS
from spark_eventhubs.conf import EventHubsConf
from spark_eventhubs.credentials import (
    ClientSecret,
    ConnectionString,
    DefaultCredential,
    ManagedIdentity,
    SasToken,
    WorkloadIdentity,
)
from spark_eventhubs.exactly_once import WriteOnce, drop_duplicate_events
from spark_eventhubs.local_hub import LocalEventHub, LocalHub
from spark_eventhubs.position import EventPosition, NameAndPartition
from spark_eventhubs.queries import read, read_stream, write, write_stream
from spark_eventhubs.session import configure, configure_spark_with_eventhubs

__version__ = version("spark-eventhubs")

__all__ = [
    "OPTIONS",
    "ClientSecret",
    "ConnectionString",
    "DefaultCredential",
    "EventHubsConf",
    "EventPosition",
    "LocalEventHub",
    "LocalHub",
    "ManagedIdentity",
    "NameAndPartition",
    "OptionSpec",
    "SasToken",
    "WorkloadIdentity",
    "WriteOnce",
    "configure",
    "configure_spark_with_eventhubs",
    "drop_duplicate_events",
    "read",
    "read_stream",
    "write",
    "write_stream",
]
