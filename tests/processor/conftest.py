"""Fixtures: a storage emulator with containers."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from azure.storage.blob import ContainerClient

from azurite_server import running_azurite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from azurite_server import Azurite

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def azurite() -> Iterator[Azurite]:
    """One emulator for all tests."""
    with running_azurite() as started:
        yield started


@pytest.fixture
def container(azurite: Azurite) -> Iterator[ContainerClient]:
    """A new container."""
    name = f"checkpoints-{next(_numbers)}"
    with ContainerClient.from_connection_string(azurite.connection_string, name) as client:
        client.create_container()
        yield client
