"""The schema registry of a namespace, for the functions that decode and encode bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spark_eventhubs._conf.option_values import find_option
from spark_eventhubs._conf.refusals import not_empty, option_type_error
from spark_eventhubs.conf import EventHubsConf

if TYPE_CHECKING:
    from typing_extensions import Self

    from spark_eventhubs._conf.azure_credentials import AzureCredential
    from spark_eventhubs.credentials import Credential


@dataclass(frozen=True)
class SchemaRegistry:
    """The schema registry of a namespace, and how to sign in to it. Its `repr` shows no secret.

    The service admits identities of Microsoft Entra ID with the role `Schema Registry Reader`, and
    `Schema Registry Contributor` to register schemas. Spark shows the arguments of functions in its plans, so the
    credential must hold no secret: it is an identity of the machine, or its secret is a `SecretReference`.

    Attributes:
        namespace: host of the namespace, such as `contoso.servicebus.windows.net`.
        credential: as that of an `EventHubsConf`.
        group: schema group, for a schema that is named.

    Examples:
        >>> SchemaRegistry("contoso.servicebus.windows.net", ManagedIdentity(), group="readings")
    """

    namespace: str
    credential: Credential | AzureCredential = field(repr=False)
    group: str | None = None

    def __post_init__(self) -> None:
        """Makes the options, so that a wrong value fails here and not in the query."""
        conf = EventHubsConf.of_namespace(
            fully_qualified_namespace=not_empty("SchemaRegistry.namespace", self.namespace), credential=self.credential
        )
        object.__setattr__(self, "_options", _connection(conf))

    @classmethod
    def of(cls, conf: EventHubsConf, *, group: str | None = None) -> Self:
        """The registry in the namespace of a conf, with its credential, proxy and certificates.

        Raises:
            OptionTypeError: `conf` is no EventHubsConf.
        """
        if not isinstance(conf, EventHubsConf):
            raise option_type_error(f"conf is a {type(conf).__name__}; expected an EventHubsConf")
        made = cls.__new__(cls)
        options = _connection(conf)
        object.__setattr__(made, "namespace", options.get("eventhubs.namespace", "that of the connection string"))
        object.__setattr__(made, "credential", None)
        object.__setattr__(made, "group", group)
        object.__setattr__(made, "_options", options)
        return made

    def to_options(self) -> dict[str, str]:
        """The options that the SQL functions take."""
        options: dict[str, str] = dict(getattr(self, "_options"))  # noqa: B009 - no field, so that no repr has it
        return options if self.group is None else options | {"eventhubs.registry.group": self.group}


def _connection(conf: EventHubsConf) -> dict[str, str]:
    """The options of the connection; those of reads and writes mean nothing to a registry."""
    specs = ((find_option(key), key, value) for key, value in conf.to_options().items())
    return {key: value for spec, key, value in specs if spec is not None and spec.scope == "connection"}
