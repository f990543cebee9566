"""The files of a folder, which may be on this machine or on any file system that Spark reaches."""

from __future__ import annotations

import os
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol


class Files(Protocol):
    """Small files below a root. Their paths are relative, with slashes."""

    @property
    def root(self) -> str:
        """The folder, as the user gave it."""

    @property
    def name(self) -> str:
        """The last part of the folder's whole path."""

    def names(self, folder: str) -> list[str]:
        """Names of the files and folders in a folder, sorted; empty if there is no such folder."""

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if there is no such file."""

    def replace(self, path: str, content: bytes) -> None:
        """Writes a file in one step: a reader sees its old or its new content. Creates missing folders."""

    def delete(self, path: str) -> None:
        """Deletes a file, if it exists."""

    def modified(self, path: str) -> datetime:
        """When the file was written."""

    def sibling(self, name: str) -> Files:
        """Another root in the same parent folder or at an absolute path; on a remote file system also at a URL."""


class LocalFiles:
    """Files on this machine."""

    def __init__(self, folder: str | Path) -> None:
        """`folder` need not exist."""
        self._folder = Path(folder)

    @property
    def root(self) -> str:
        """The folder."""
        return str(self._folder)

    def names(self, folder: str) -> list[str]:
        """See `Files`."""
        try:
            return sorted(os.listdir(self._folder / folder))  # noqa: PTH208 -- names, not paths
        except (FileNotFoundError, NotADirectoryError):
            return []

    def read(self, path: str) -> bytes | None:
        """See `Files`."""
        try:
            return (self._folder / path).read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            return None

    def replace(self, path: str, content: bytes) -> None:
        """See `Files`."""
        file = self._folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # Spark on a local disk checks a file with the checksum next to it. Without one it does not check.
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        draft = file.with_name(f".{file.name}.{uuid.uuid4()}.tmp")
        with draft.open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(file)

    def delete(self, path: str) -> None:
        """See `Files`."""
        file = self._folder / path
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        file.unlink(missing_ok=True)

    def modified(self, path: str) -> datetime:
        """See `Files`."""
        return datetime.fromtimestamp((self._folder / path).stat().st_mtime, timezone.utc)

    @property
    def name(self) -> str:
        """See `Files`."""
        return self._absolute().name

    def sibling(self, name: str) -> LocalFiles:
        """See `Files`."""
        return LocalFiles(self._absolute().parent / name)

    def _absolute(self) -> Path:
        # Without "." and "..", so that the name is the folder's own; a link keeps its name.
        return Path(os.path.abspath(self._folder))  # noqa: PTH100 -- Path.resolve would follow links
