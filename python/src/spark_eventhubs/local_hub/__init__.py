"""Event Hubs on this machine for tests, demos and development. Official SDKs connect to it over real AMQP."""

from spark_eventhubs.local_hub._authority_traffic import AuthorityRequest
from spark_eventhubs.local_hub.application import ClientCertificateFiles, LocalApplication, Role
from spark_eventhubs.local_hub.authority import LocalAuthority
from spark_eventhubs.local_hub.config import Compaction, LocalEventHubConfig
from spark_eventhubs.local_hub.event_hub import LocalEventHub
from spark_eventhubs.local_hub.events import StoredEvent
from spark_eventhubs.local_hub.faults import FaultAction, FaultOccasion, Faults, InjectedFault
from spark_eventhubs.local_hub.hub import LocalHub

__all__ = [
    "AuthorityRequest",
    "ClientCertificateFiles",
    "Compaction",
    "FaultAction",
    "FaultOccasion",
    "Faults",
    "InjectedFault",
    "LocalApplication",
    "LocalAuthority",
    "LocalEventHub",
    "LocalEventHubConfig",
    "LocalHub",
    "Role",
    "StoredEvent",
]
