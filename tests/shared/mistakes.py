"""The table of mistakes in docs/errors.md, which the tests compare with what users see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pages import DOCS

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE: Final = DOCS / "errors.md"
_ROW: Final = re.compile(r"^\| (?P<mistake>[^|]+) \| `(?P<kind>\w+)` \| (?P<text>.+) \|$", re.MULTILINE)


class Row(NamedTuple):
    """What the page says that a user sees."""

    kind: str
    text: str


def rows() -> dict[str, Row]:
    """The rows by mistake."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Common mistakes\n")[1].split("\n## ")[0]
    return {row["mistake"]: Row(row["kind"], re.sub(r"\\([|<])", r"\1", row["text"])) for row in _ROW.finditer(section)}


def assert_row(mistake: str, kind: str, text: str) -> None:
    """Fails if the page says something else about a mistake. In its texts, `...` stands for any characters.

    Spark Connect gives the connector the names of options in lower case.
    """
    assert mistake in rows(), f"docs/errors.md has no row '{mistake}' for {kind}: {text}"
    row = rows()[mistake]
    expected = ".*".join(re.escape(part) for part in row.text.split("..."))
    assert row.kind == kind, f"{mistake}: {kind}: {text}"
    assert re.fullmatch(expected, " ".join(text.split()), re.DOTALL | re.IGNORECASE), (
        f"{mistake}: {text}\nThe page says: {row.text}"
    )
    assert "\tat " not in text, f"a stack trace of Java: {text}"


def check(mistake: str, action: Callable[[], object]) -> Exception:
    """Makes a mistake, and compares what it raises with the page."""
    with pytest.raises(Exception) as failed:  # noqa: PT011 - the page names the class
        action()
    assert_row(mistake, type(failed.value).__name__, str(failed.value))
    return failed.value
