"""Azurite, the emulator of Azure Storage, as a process. azurite/package.json has its version."""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent.parent / "processor" / "azurite"
PROGRAM = FOLDER / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"

# AzuriteFixture.scala takes the same lock.
LOCK = FOLDER.parent.parent.parent / "target" / "azurite.lock"

ACCOUNT = "devstoreaccount1"
# Public: every storage emulator has this account and this key.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

_LISTENS = re.compile(r"successfully listens on (http://127\.0\.0\.1:\d+)")


@dataclass
class Azurite:
    """A running emulator. Its blobs are in its memory."""

    process: subprocess.Popen[str]
    endpoint: str

    @classmethod
    def start(cls) -> Azurite:
        """Installs the packages of package-lock.json, if they are missing, and starts the emulator on a free port."""
        node, npm = shutil.which("node"), shutil.which("npm")
        if node is None or npm is None:
            raise FileNotFoundError("the tests of checkpoint stores need Node 20 with npm")
        _install(npm)
        options = ["--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence", "--skipApiVersionCheck"]
        process = subprocess.Popen(
            [node, str(PROGRAM), *options, "--silent", "--disableTelemetry"], stdout=subprocess.PIPE, text=True
        )
        for line in process.stdout or []:
            if found := _LISTENS.search(line):
                return cls(process, f"{found[1]}/{ACCOUNT}")
        raise RuntimeError(f"Azurite ended with exit code {process.wait()}")

    @property
    def connection_string(self) -> str:
        """For SDKs, and for `eventhubs.checkpointStore.connectionString`."""
        return f"AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={self.endpoint};DefaultEndpointsProtocol=http"

    def stop(self) -> None:
        """Kills it: there is nothing to keep."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def _install(npm: str) -> None:
    """Once, for all processes of the tests: npm removes what it finds. It writes `.package-lock.json` last."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        if not (FOLDER / "node_modules" / ".package-lock.json").exists():
            subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=FOLDER, check=True)


@contextmanager
def running_azurite() -> Iterator[Azurite]:
    """An emulator that runs until the end of the block."""
    started = Azurite.start()
    try:
        yield started
    finally:
        started.stop()
