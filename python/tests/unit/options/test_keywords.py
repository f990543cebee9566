"""Arguments that a conf does not have: each fails at the call, in a sentence that says what to write."""

from __future__ import annotations

from typing import Any

import pytest

from spark_eventhubs import EventHubsConf, ManagedIdentity
from spark_eventhubs.errors import OptionTypeError

NAMESPACE = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t"
HUB = f"{NAMESPACE};EntityPath=telemetry"


def conf() -> EventHubsConf:
    return EventHubsConf(connection_string=HUB)


def test_a_connection_string_without_its_keyword_is_refused_with_the_right_call_and_without_the_key() -> None:
    untyped: Any = EventHubsConf
    with pytest.raises(TypeError) as refused:
        untyped(HUB)

    assert str(refused.value) == (
        "EventHubsConf takes keywords only; for a connection string, use EventHubsConf.from_connection_string(text)"
    )


def test_a_misspelt_keyword_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(OptionTypeError, match="'starting_positon' is not a keyword of EventHubsConf; did you mean "):
        EventHubsConf(connection_string=HUB, starting_positon="earliest")  # type: ignore[call-arg]
    with pytest.raises(OptionTypeError, match=r"'colour' is not a keyword of EventHubsConf$"):
        EventHubsConf(connection_string=HUB, colour="red")  # type: ignore[call-arg]
    with pytest.raises(OptionTypeError, match="'consumer_groop' is not a keyword of EventHubsConf; did you mean "):
        conf().replace(consumer_groop="a")  # type: ignore[call-arg]
    with pytest.raises(OptionTypeError, match=r"'auth_type' is not .* expected a credential, such as credential=Mana"):
        EventHubsConf(auth_type="managedIdentity")  # type: ignore[call-arg]


INSTEAD = [
    ("namespace", "did you mean 'fully_qualified_namespace'?"),
    ("name", "did you mean 'eventhub_name'?"),
    ("hub", "did you mean 'eventhub_name'?"),
    ("event_hub_name", "did you mean 'eventhub_name'?"),
    ("retry_max_retries", "did you mean 'max_retries'?"),
    ("maxEventsPerTrigger", "did you mean 'max_events_per_trigger'?"),
    ("credentials", "did you mean 'credential'?"),
    ("client_secret", "expected a credential, such as credential=ClientSecret(...)"),
    ("auth_client_secret", "expected a credential, such as credential=ClientSecret(...)"),
    ("certificate_path", "expected a credential, such as credential=ClientCertificate(...)"),
    ("federated_token_file", "expected a credential, such as credential=WorkloadIdentity(...)"),
    ("sas_token", "expected a credential, such as credential=SasToken(...)"),
    ("token_parameters", "expected a credential, such as credential=CredentialProvider(...)"),
    (
        "tenant_id",
        (
            "expected a credential, such as credential=ClientSecret(...) or ClientCertificate(...) or "
            "WorkloadIdentity(...)"
        ),
    ),
    ("auth_type", "expected a credential, such as credential=ManagedIdentity(...)"),
]


@pytest.mark.parametrize(("unknown", "instead"), INSTEAD)
def test_the_name_that_something_has_elsewhere_is_refused_with_its_keyword(unknown: str, instead: str) -> None:
    options: dict[str, Any] = {unknown: "s3cr3t"}
    for call in (EventHubsConf, conf().replace):
        with pytest.raises(OptionTypeError) as refused:
            call(**options)
        assert str(refused.value) == f"'{unknown}' is not a keyword of EventHubsConf; {instead}"


def test_each_unknown_keyword_is_named() -> None:
    with pytest.raises(OptionTypeError, match=r"'colour' is not a .*; 'hub' is not a .*; did you mean 'eventhub_name'"):
        EventHubsConf(connection_string=HUB, colour="red", hub="a")  # type: ignore[call-arg]


def test_replace_takes_keywords_only() -> None:
    with pytest.raises(OptionTypeError, match=r"EventHubsConf\.replace takes keywords only"):
        conf().replace({"consumer_group": "a"})  # type: ignore[call-arg,arg-type]


def test_the_named_constructors_say_where_other_options_go() -> None:
    with pytest.raises(
        OptionTypeError, match=r"not a keyword of EventHubsConf\.from_connection_string; expected it in "
    ):
        EventHubsConf.from_connection_string(HUB, consumer_group="a")  # type: ignore[call-arg]
    with pytest.raises(OptionTypeError, match=r"or in replace\(consumer_group=\.\.\.\)"):
        EventHubsConf.of_namespace(NAMESPACE, consumer_group="a")  # type: ignore[call-arg]
    with pytest.raises(
        OptionTypeError, match=r"'namespace' is not a keyword .* did you mean 'fully_qualified_namespace'"
    ):
        EventHubsConf.from_credential(ManagedIdentity(), namespace="ns.example.net", eventhub_name="a")  # type: ignore[call-arg]
