from __future__ import annotations

import re
from pathlib import Path

from spark_eventhubs._install import PACKAGES, install

PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"


def test_messages_name_the_packages_of_each_extra() -> None:
    extras = PROJECT.read_text(encoding="utf-8").split("[project.optional-dependencies]")[1].split("\n[")[0]

    named = {
        extra: tuple(re.findall('"(.+?)"', texts))
        for extra, texts in re.findall(r"^(\w+) = \[(.*)\]", extras, re.MULTILINE)
    }

    assert named == PACKAGES
    assert install("blob") == "pip install 'azure-eventhub>=5.15' 'azure-storage-blob>=12.20'"
