"""The pages of the Python reference have every name that the package exports."""

from __future__ import annotations

import re
from pathlib import Path

import spark_eventhubs
from spark_eventhubs import local_hub

PAGES = Path(__file__).parents[3] / "docs" / "reference"


def test_each_exported_name_is_on_one_page() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in [PAGES / "python.md", *PAGES.glob("python/*.md")])
    shown = [name.rsplit(".", 1)[-1] for name in re.findall(r"^::: (spark_eventhubs\.\S+)$", text, re.MULTILINE)]
    assert len(shown) == len(set(shown))
    # The page of the local hub does not show its literal types: the methods that take them do.
    expected = {*spark_eventhubs.__all__, *local_hub.__all__} - {"FaultAction", "FaultOccasion"}
    assert expected - set(shown) == set()
