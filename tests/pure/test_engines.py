"""The page's table of tests that only the jar passes is made from the table of reasons. `UPDATE=1` writes it."""

from __future__ import annotations

import os

from engines import JAR_ONLY
from pages import ROOT

PAGE = ROOT / "docs/internals/testing.md"
START, END = "<!-- generated: jar only -->\n", "\n## One runner, several machines"


def test_the_page_names_each_test_that_is_for_the_jar_alone() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = "".join(f"| `{name}` | {why} |\n" for name, why in JAR_ONLY.items())
    before, after = page.split(START)[0], page.split(END)[1]
    expected = f"{before}{START}\n| Test | Why the jar alone passes it |\n|---|---|\n{rows}{END}{after}"
    if os.environ.get("UPDATE"):
        PAGE.write_text(expected, encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == expected


def test_each_of_these_tests_exists() -> None:
    files = [file for folder in ("reading", "writing") for file in (ROOT / "tests" / folder).glob("test_*.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in files)

    assert [name for name in JAR_ONLY if f"def {name}(" not in text] == []
