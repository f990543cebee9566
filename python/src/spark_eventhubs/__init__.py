"""Azure Event Hubs for Apache Spark."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from spark_eventhubs._conf.secret_reference import SecretReference
from spark_eventhubs._monitoring import (
    Watch,
    plot_lag,
    plot_throughput,
    progress,
    source_metrics,
    start_watch,
    watch,
)
from spark_eventhubs._option_spec import OptionSpec
from spark_eventhubs._options import OPTIONS
from spark_eventhubs._pyspark.conversion import install as _raise_errors_of_this_package
from spark_eventhubs._session import configure_spark_with_eventhubs
from spark_eventhubs.conf import EventHubsConf
from spark_eventhubs.credentials import (
    ClientCertificate,
    ClientSecret,
    ConnectionString,
    CredentialProvider,
    DefaultCredential,
    ManagedIdentity,
    SasToken,
    WorkloadIdentity,
)
from spark_eventhubs.exactly_once import WriteOnce, drop_duplicate_events
from spark_eventhubs.local_hub import LocalEventHub, LocalHub
from spark_eventhubs.position import EventPosition, NameAndPartition
from spark_eventhubs.queries import read, read_stream, write, write_stream
from spark_eventhubs.schema_registry import SchemaRegistry
from spark_eventhubs.sign_in import SignIn, check_sign_in

try:
    __version__ = version("spark-eventhubs-core")
except PackageNotFoundError:  # not installed, such as a zip in --py-files
    __version__ = "unknown"

if TYPE_CHECKING:
    from types import ModuleType

_raise_errors_of_this_package()


def __getattr__(name: str) -> ModuleType:
    # Its classes extend PySpark's, so the import of this package leaves it out.
    if name == "errors":
        return import_module("spark_eventhubs.errors")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "OPTIONS",
    "ClientCertificate",
    "ClientSecret",
    "ConnectionString",
    "CredentialProvider",
    "DefaultCredential",
    "EventHubsConf",
    "EventPosition",
    "LocalEventHub",
    "LocalHub",
    "ManagedIdentity",
    "NameAndPartition",
    "OptionSpec",
    "SasToken",
    "SchemaRegistry",
    "SecretReference",
    "SignIn",
    "Watch",
    "WorkloadIdentity",
    "WriteOnce",
    "check_sign_in",
    "configure_spark_with_eventhubs",
    "drop_duplicate_events",
    "plot_lag",
    "plot_throughput",
    "progress",
    "read",
    "read_stream",
    "source_metrics",
    "start_watch",
    "watch",
    "write",
    "write_stream",
]
