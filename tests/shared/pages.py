"""The code blocks of the pages: README.md and docs/, without the internals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
GUIDES: Final = sorted(page for page in DOCS.rglob("*.md") if "internals" not in page.parts)

_BLOCK: Final = re.compile(r"(?:^<!-- ([^\n]*) -->\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One block of a page. `mark` is the comment in the line above it; empty without one."""

    mark: str
    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1] or "", found[2], found[3], text.count("\n", 0, found.start(3)) + 1)
        for found in _BLOCK.finditer(text)
    ]


def is_run(block: Block) -> bool:
    """Whether the page's test runs it: Python and SQL without a mark."""
    return block.language in ("python", "sql") and block.mark == ""


def program_of(page: Path) -> str:
    """The page's blocks as one program."""
    return "\n".join(block.text for block in blocks(page) if is_run(block))


def printed(page: Path) -> str:
    """What the page says that its blocks print."""
    return "".join(block.text for block in blocks(page) if block.mark == "prints")


def starts_a_session(page: Path) -> bool:
    """Whether the page's blocks are a program of their own."""
    return any(is_run(block) and "configure_spark_with_eventhubs(" in block.text for block in blocks(page))


def shown(mark: str) -> str:
    """The block with the mark `tested: mark`, of the README or of the Scala guide."""
    pages = (ROOT / "README.md", DOCS / "guides" / "scala.md")
    found = [block.text for page in pages for block in blocks(page) if block.mark == f"tested: {mark}"]
    assert len(found) == 1, (
        f"README.md and docs/guides/scala.md have {len(found)} blocks with the mark 'tested: {mark}'"
    )
    return found[0]
