"""The options of a query that reads or writes event hubs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from spark_eventhubs._conf import identity
from spark_eventhubs._conf.conf_options import ConfOptions
from spark_eventhubs._conf.connection_string import entity_path
from spark_eventhubs._conf.keywords import by_key, with_keywords, with_some_keywords
from spark_eventhubs._conf.option_values import OptionValue, find_option, setting, settings
from spark_eventhubs._conf.refusals import option_type_error, without_secrets

if TYPE_CHECKING:
    from collections.abc import Collection

    from typing_extensions import Unpack

    from spark_eventhubs._conf.azure_credentials import AzureCredential
    from spark_eventhubs.credentials import Credential

__all__ = ["ConfOptions", "EventHubsConf", "OptionValue"]


class EventHubsConf(Mapping[str, str]):
    """The options of one source or sink. The constructor and `replace` have a keyword for each option.

    Only the options for signing in have none: a `credential` sets them.

    A conf never changes: `replace` returns a new one. It is a mapping of keys and texts, so it goes where Spark takes
    options: `spark.readStream.format("eventhubs").options(**conf)`. Options that are not set have the connector's
    defaults. Its `repr` shows no secret. Its values, and thus `dict(conf)`, contain them.

    Examples:
        >>> EventHubsConf(connection_string=text, consumer_group="dashboards", starting_position="earliest")

    Raises:
        OptionTypeError: a value of a wrong type.
        OptionError: a value of a wrong form, out of bounds, or in contradiction to another.
    """

    _settings: Mapping[str, str]

    @with_keywords
    def __init__(self, **options: Unpack[ConfOptions]) -> None:
        """Sets the options that are not None."""
        object.__setattr__(self, "_settings", _changed({}, options))

    @classmethod
    @with_some_keywords
    def from_connection_string(
        cls, connection_string: str, *, eventhub_name: str | Sequence[str] | None = None
    ) -> EventHubsConf:
        """Uses the hub in the string's EntityPath, or `eventhub_name`: a hub if there is none, or a list to read.

        In place of the text it may be a `SecretReference`, which names where the connection string is kept.
        """
        if connection_string is None:
            raise option_type_error("the connection string is None; expected the text that the Azure portal shows")
        return cls(connection_string=connection_string, eventhub_name=eventhub_name)

    @classmethod
    @with_some_keywords
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
    @with_some_keywords
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
        namespace: ConfOptions = {
            "connection_string": connection_string,
            "credential": credential,
            "fully_qualified_namespace": fully_qualified_namespace,
        }
        changed = _changed({}, namespace, may_lack=(identity.NAME,))
        identity.check_no_hub(changed)
        return cls._of(changed)

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
        """Returns a conf with these options changed, and without those that are None.

        A new credential or connection string with a key takes the place of the old one, of which nothing stays.

        Examples:
            >>> conf.replace(consumer_group="dashboards", max_events_per_trigger=1000)
        """
        return self._of(_changed(self._settings, options, may_lack=identity.lacking(self._settings)))

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


def _changed(settings: Mapping[str, str], options: ConfOptions, *, may_lack: Collection[str] = ()) -> Mapping[str, str]:
    """The settings of a conf after a change by keywords. A new conf is a change of none."""
    given = identity.with_credential(options.get("credential"), by_key(options))
    kept = identity.kept(settings, given, signs_in="credential" in options)
    whole = {key: value for key, value in {**kept, **given}.items() if value is not None}
    if not settings or "credential" in options or any(identity.is_identity(key) for key in given):
        whole = identity.checked(whole, may_lack=may_lack)
    changed: Mapping[str, str] = {key: text for key, text in kept.items() if key in whole and key not in given}
    for key in given:
        changed = _updated(changed, key, whole[key]) if key in whole else changed
    return changed


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
