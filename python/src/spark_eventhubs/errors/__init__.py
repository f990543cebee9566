"""What the connector raises: one class for each next step of the user. `docs/errors.md` has all conditions.

With this package imported, PySpark raises these classes instead of Java's, in a classic session and over Spark Connect.
"""

from spark_eventhubs.errors.kinds import (
    AuthenticationError,
    BodyError,
    CertificateError,
    CheckpointError,
    ConsumerGroupInUseError,
    ConsumerGroupNotFoundError,
    DataLossError,
    EventHubsError,
    ExactlyOnceError,
    HubNotFoundError,
    InvalidEventError,
    NotFoundError,
    OptionError,
    OptionTypeError,
    ServiceError,
    SessionError,
    ThrottledError,
    UnreachableError,
)

__all__ = [
    "AuthenticationError",
    "BodyError",
    "CertificateError",
    "CheckpointError",
    "ConsumerGroupInUseError",
    "ConsumerGroupNotFoundError",
    "DataLossError",
    "EventHubsError",
    "ExactlyOnceError",
    "HubNotFoundError",
    "InvalidEventError",
    "NotFoundError",
    "OptionError",
    "OptionTypeError",
    "ServiceError",
    "SessionError",
    "ThrottledError",
    "UnreachableError",
]

# Tracebacks show where users import them from.
for _name in __all__:
    globals()[_name].__module__ = __name__
