from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events import spread
from spark_eventhubs import LocalHub
from spark_eventhubs.errors import CertificateError
from spark_eventhubs.pure._columns import Columns
from spark_eventhubs.pure._links import EventLink
from spark_eventhubs.pure._settings import read_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_a_link_over_tls_delivers_events_and_trusts_known_authorities_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalHub(tls_port=0) as local_hub:
        event_hub = local_hub.create_hub("telemetry", partitions=4)
        spread(event_hub, range(400))
        text = local_hub.connection_string(event_hub.name, tls=True)
        address = read_settings({"eventhubs.connectionString": text, "eventhubs.operationTimeout": "20s"}).address

        def link_at(number: int) -> EventLink:
            return EventLink(address, "$Default", 0, number)

        with link_at(0) as refused, pytest.raises(CertificateError):
            refused.open()

        trusted = tmp_path / "trusted.pem"
        trusted.write_text(local_hub.certificate_pem(), encoding="utf-8")
        monkeypatch.setattr("certifi.where", lambda: str(trusted))
        columns, expected = Columns(0, None), 40
        with link_at(40) as link:
            link.open()
            assert link.bounds(0).latest == 100
            while expected < 100:
                for message in link.receive(100 - expected, 5):
                    assert columns.add(message, expected) == expected
                    expected += 1
        assert columns.batch().column("sequenceNumber").to_pylist() == [*range(40, 100)]
