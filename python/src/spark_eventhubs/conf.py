"""The options of a query that reads or writes event hubs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from spark_eventhubs._conf.identity import add_credential, check_hub, drop_credential, identity_options
from spark_eventhubs._conf.keywords import KeywordsOnly, by_key, with_keywords
from spark_eventhubs._conf.option_values import OptionValue, find_option, setting, settings
from spark_eventhubs._conf.refusals import option_type_error, without_secrets
from spark_eventhubs.credentials import entity_path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from spark_eventhubs._conf.azure_credentials import AzureCredential
    from spark_eventhubs._conf.conf_options import ConfOptions
    from spark_eventhubs.credentials import Credential


class EventHubsConf(KeywordsOnly, Mapping[str, str]):
    """The options of one source or sink. The constructor and `replace` have a keyword for each option.

    A conf never changes: `replace` returns a new one. It is a mapping of keys and texts, so it goes where Spark takes
    options: `spark.readStream.format("eventhubs").options(**conf)`. Options that are not set have the connector's
    defaults. Its `repr` shows no secret. Its values, and thus `dict(conf)`, contain them.

    Example:
        >>> EventHubsConf(connection_string=text, consumer_group="dashboards", starting_position="earliest")

    Raises:
        OptionTypeError: a value of a wrong type.
        OptionError: a value of a wrong form, out of bounds, or in contradiction to another.
    """

    _settings: Mapping[str, str]

    @with_keywords
    def __init__(self, **options: Unpack[ConfOptions]) -> None:
        """Sets the options that are not None."""
        object.__setattr__(self, "_settings", _new(options.get("credential"), by_key(options)))

    @classmethod
    def from_connection_string(
        cls, connection_string: str, *, eventhub_name: str | Sequence[str] | None = None
    ) -> EventHubsConf:
        """Uses the hub in the string's EntityPath, or `eventhub_name`: a hub if there is none, or a list to read.

        In place of the text it may be a `SecretReference`, which names where the connection string is kept.
        """
        if connection_string is None:
            raise option_type_error("the connection string is None; expected the text that the Azure portal shows")
        return cls._of(_new(None, {"eventhubs.connectionString": connection_string, "eventhubs.name": eventhub_name}))

    @classmethod
    def from_credential(
        cls,
        credential: Credential | AzureCredential,
        *,
        fully_qualified_namespace: str,
        eventhub_name: str | Sequence[str],
    ) -> EventHubsConf:
        """Uses a hub, or a list of hubs to read, in a namespace, a host such as `contoso.servicebus.windows.net`.

        Of the Azure SDK, these classes can be carried to Spark's JVM: ClientSecretCredential,
        ManagedIdentityCredential, WorkloadIdentityCredential, a DefaultAzureCredential without arguments or with an
        authority only, and AzureSasCredential. An OptionTypeError names the alternative to others.
        """
        return cls(
            credential=credential, fully_qualified_namespace=fully_qualified_namespace, eventhub_name=eventhub_name
        )

    @classmethod
    def of_namespace(
        cls,
        connection_string: str | None = None,
        *,
        credential: Credential | AzureCredential | None = None,
        fully_qualified_namespace: str | None = None,
    ) -> EventHubsConf:
        """Names no hub, for a write whose rows name their hubs in the column `eventHub`.

        Takes a namespace's connection string, or a credential and the namespace's host. `replace` sets the rest.

        Raises:
            OptionError: the connection string names a hub, or the namespace is missing.
        """
        values = {"eventhubs.connectionString": connection_string, "eventhubs.namespace": fully_qualified_namespace}
        return cls._of(_new(credential, values, by_row=True))

    @classmethod
    def from_options(cls, options: Mapping[str, OptionValue | None]) -> EventHubsConf:
        """Takes the options of an existing job, such as a dict for the legacy connector.

        Keeps Spark's own options and ignores values of None. A position may be a dict with the legacy connector's
        fields. With `eventhubs.ignoreUnknownOptions` every key is valid.

        Raises:
            OptionError: a key that is nearly an option or one of Spark's Kafka source, and an option in two spellings
                with two values.
        """
        given: Mapping[str, str] = {}
        for key, value in settings(options):
            given = _updated(given, key, value) if find_option(key) else _with_text(given, key, str(value))
        return cls._of(given)

    @property
    def eventhub_name(self) -> str | None:
        """Name of the event hub, or names with commas between them.

        None for a conf of a namespace, and if only the connector can read the connection string: an encrypted one, or
        one that is kept elsewhere.
        """
        return _hub(self._settings)

    @with_keywords
    def replace(self, **options: Unpack[ConfOptions]) -> EventHubsConf:
        """Returns a conf with these options changed. A new credential takes the place of the old one.

        Example:
            >>> conf.replace(consumer_group="dashboards", max_events_per_trigger=1000)
        """
        values, kept = by_key(options), self._settings
        if "credential" in options:
            values = add_credential(options["credential"], values)
            kept = drop_credential(kept, options["credential"])
        changed = _all_updated(kept, values)
        check_hub(changed.get("eventhubs.connectionString", ""), changed.get("eventhubs.name"))
        return self._of(changed)

    def to_options(self) -> dict[str, str]:
        """The options for `spark.read.options(...)`. They contain the secret: do not print them."""
        return dict(self._settings)

    def __getitem__(self, key: str) -> str:
        """The text of an option, by its key or alias in any case."""
        spec = find_option(key)
        return self._settings[spec.key if spec else key]

    def __iter__(self) -> Iterator[str]:
        """The keys of the options that are set."""
        return iter(self._settings)

    def __len__(self) -> int:
        """The number of options that are set."""
        return len(self._settings)

    def __eq__(self, other: object) -> bool:
        """Whether the other conf has the same options."""
        return isinstance(other, EventHubsConf) and self.to_options() == other.to_options()

    def __hash__(self) -> int:
        """Equal for equal confs."""
        return hash(frozenset(self._settings.items()))

    def __repr__(self) -> str:
        """The options, with *** in place of a secret."""
        shown = (f"{key}={value}" for key, value in _shown(self._settings))
        name = without_secrets(str(self.eventhub_name))
        return f"EventHubsConf({', '.join([f'eventhub_name={name}', *shown])})"

    def _repr_html_(self) -> str:
        """The options as a table for notebooks, with *** in place of a secret."""
        from spark_eventhubs._monitoring.html import conf_html  # noqa: PLC0415 - only notebooks need it

        return conf_html(without_secrets(self.eventhub_name or ""), _shown(self._settings))

    def __setattr__(self, name: str, value: object) -> None:
        """Refused."""
        raise AttributeError(f"a conf never changes; use the new conf that replace({name}=...) returns")

    def __delattr__(self, name: str) -> None:
        """Refused."""
        raise AttributeError("a conf never changes")

    @classmethod
    def _of(cls, settings: Mapping[str, str]) -> EventHubsConf:
        """A conf of checked settings."""
        conf = cls.__new__(cls)
        object.__setattr__(conf, "_settings", settings)
        return conf


def _hub(settings: Mapping[str, str]) -> str | None:
    return settings.get("eventhubs.name") or entity_path(settings.get("eventhubs.connectionString", ""))


def _new(credential: object, values: Mapping[str, object], *, by_row: bool = False) -> Mapping[str, str]:
    """The settings of a new conf: the values that are not None, and the credential's."""
    given = {key: value for key, value in values.items() if value is not None}
    return _all_updated({}, identity_options(credential, given, by_row=by_row))


def _all_updated(settings: Mapping[str, str], values: Mapping[str, object]) -> Mapping[str, str]:
    for key, value in values.items():
        settings = _updated(settings, key, value)
    return settings


def _updated(settings: Mapping[str, str], key: str, value: object) -> Mapping[str, str]:
    """The settings with one more option, whose value is checked."""
    return _with_text(settings, *setting(key, value, _hub(settings)))


def _with_text(settings: Mapping[str, str], key: str, text: str) -> Mapping[str, str]:
    kept = {name: other for name, other in settings.items() if name.lower() != key.lower()}
    return kept | {key: text}


def _shown(settings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, value in settings.items():
        yield without_secrets(key), "***" if _may_be_secret(key) else without_secrets(value)


def _may_be_secret(key: str) -> bool:
    # A key that is not in the table may be a typo in the key of a secret.
    spec = find_option(key)
    return spec is None or spec.secret
