from __future__ import annotations

from datetime import datetime, timezone
from typing import Any
from unittest.mock import MagicMock

import pytest

from spark_eventhubs import EventHubsConf, check_sign_in, sign_in
from spark_eventhubs.cli.doctor._sign_in import sign_in_checks

CONF = EventHubsConf.from_connection_string(
    "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t;EntityPath=telemetry"
)
COLUMNS = ("hub", "namespace", "way", "policy", "application", "tenant", "authority", "consumerGroup", "listen", "send")


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    """A session with a result that expires at 2026-01-31 12:00 UTC, in a process of another time zone."""
    monkeypatch.setattr(sign_in, "require_connector", lambda _spark: None)
    row = dict.fromkeys([*COLUMNS, "listenProblem", "sendProblem"])
    frame = MagicMock()
    frame.collect.return_value = [row | {"tokenExpiresAt": datetime(2026, 1, 31, 17, 30)}]  # noqa: DTZ001
    micros = {"unix_micros(tokenExpiresAt) AS tokenExpiresMicros": 1_769_860_800_000_000}

    def select(*expressions: str) -> MagicMock:
        names = {each.rpartition(" AS ")[2]: micros[each] for each in expressions if each != "*"}
        return MagicMock(collect=lambda: [frame.collect()[0] | names])

    frame.selectExpr = select
    session = MagicMock()
    session.read.format().options().load.return_value = frame
    return session


def test_the_end_of_a_token_is_in_utc(spark: Any) -> None:  # noqa: ANN401
    assert check_sign_in(spark, CONF).token_expires_at == datetime(2026, 1, 31, 12, tzinfo=timezone.utc)


def test_doctor_names_the_time_zone() -> None:
    found = dict.fromkeys(["policy", "listen_problem", "send_problem"])
    values = {"hub": "telemetry", "way": "default", "application": "a", "tenant": "t"}

    checks = list(sign_in_checks({**found, **values, "token_expires_at": "2026-01-31 12:00:00+00:00"}))

    assert checks[0].found == (
        "with default as application a of tenant t to the hub 'telemetry', with a token until 2026-01-31 12:00:00 UTC"
    )
