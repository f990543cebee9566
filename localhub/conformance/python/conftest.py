"""Fixtures: the packaged local hub with clients of the official Python SDK, once per transport."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from hub_clients import TRANSPORTS, Clients
from spark_eventhubs import LocalHub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def hub() -> Iterator[LocalHub]:
    with LocalHub(tls_port=0, policies={"sender": ["Send"], "listener": ["Listen"]}) as started:
        yield started


@pytest.fixture(scope="session")
def certificate(hub: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tls") / "localhub.pem"
    file.write_text(hub.certificate_pem(), encoding="utf-8")
    return file


@pytest.fixture(params=TRANSPORTS)
def clients(hub: LocalHub, certificate: Path, request: pytest.FixtureRequest) -> Iterator[Clients]:
    """Clients of a hub that no other test uses."""
    name = f"python-{next(_numbers)}"
    hub.create_hub(name, partitions=4, consumer_groups=["audit"])
    with Clients(hub, name, request.param, certificate) as made:
        yield made
    hub.delete_hub(name)
